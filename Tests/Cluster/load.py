"""Sign-ins on both nodes at once, and the verdict on what was acknowledged."""

import hashlib
import http.client
import json
import threading
import time
import urllib.parse

WORKERS = 16


class Call:
    """An answered or refused call."""

    def __init__(self, node, start, end, status, local_id=None, refresh_token=None, email=None):
        self.node, self.start, self.end, self.status = node, start, end, status
        self.local_id, self.refresh_token, self.email = local_id, refresh_token, email


class Load:
    """Threads that sign users in until they are stopped. Each user is signed in by two threads at once, on different nodes."""

    def __init__(self, nodes, pause):
        """`pause` is the seconds that a thread waits after an acknowledged call."""
        self.nodes, self.pause = nodes, pause
        self.calls = []
        self.is_over = False
        self.threads = [threading.Thread(target=self._work, args=(worker,)) for worker in range(WORKERS)]

    def start(self):
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.is_over = True
        for thread in self.threads:
            thread.join()

    def _work(self, worker):
        node = worker % 2
        connection = None
        round_number = 0
        while not self.is_over:
            user = f"user-{worker // 2}-{round_number}"
            start = time.monotonic()
            status, answer = 0, {}
            try:
                connection = connection or http.client.HTTPConnection(self.nodes[node].address, 9099, timeout=60)
                status, answer = self._sign_in(connection, user)
            except (OSError, http.client.HTTPException):
                # The node is away. Its users would be led to the other one.
                connection = None
            call = Call(
                node, start, time.monotonic(), status, answer.get("localId"), answer.get("refreshToken"), f"{user}@example.com"
            )
            self.calls.append(call)
            if status == 200:
                round_number += 1
            time.sleep(self.pause if status == 200 else max(self.pause, 0.2))

    @staticmethod
    def _sign_in(connection, user):
        token = json.dumps({"sub": user, "email": f"{user}@example.com", "email_verified": True})
        form = urllib.parse.urlencode({"providerId": "google.com", "id_token": token})
        body = json.dumps({"requestUri": "http://localhost", "postBody": form, "returnSecureToken": True})
        connection.request("POST", "/v1/accounts:signInWithIdp?key=k", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if answer.status == 200 else {}

    def acknowledged(self, node=None, since=0.0, until=float("inf")):
        """The calls that were answered with 200 in a time."""
        return [c for c in list(self.calls) if c.status == 200 and since <= c.end <= until and node in (None, c.node)]

    def refused(self, since=0.0, until=float("inf")):
        return [c for c in list(self.calls) if c.status != 200 and since <= c.end <= until]


def judge(load, members):
    """What is wrong with the stores of all members after the load has ended, one text for each fault."""
    faults = []
    contents = []
    for member in members:
        accounts = [line.split("|") for line in member.query("SELECT local_id, email FROM accounts", "postern").splitlines()]
        sessions = [
            line.split("|")
            for line in member.query("SELECT encode(token_hash, 'hex'), local_id FROM sessions", "postern").splitlines()
        ]
        contents.append((sorted(map(tuple, accounts)), sorted(map(tuple, sessions))))
    if any(content != contents[0] for content in contents):
        faults.append("the members differ")
    accounts, sessions = contents[0]
    by_email = {}
    for local_id, email in accounts:
        if email in by_email:
            faults.append(f"{email} has two accounts")
        by_email[email] = local_id
    by_hash = dict(sessions)
    acknowledged = load.acknowledged()
    for call in acknowledged:
        if by_email.get(call.email) != call.local_id:
            faults.append(f"the account of {call.email} that was acknowledged is lost")
        digest = hashlib.sha256(call.refresh_token.encode()).hexdigest()
        if by_hash.get(digest) != call.local_id:
            faults.append(f"a session of {call.email} that was acknowledged is lost")
    if len({call.refresh_token for call in acknowledged}) != len(acknowledged):
        faults.append("a session was given out twice")
    # A call whose outcome is unknown may have left a session. No call leaves two.
    if len(sessions) > len(load.calls):
        faults.append(f"{len(sessions)} sessions of {len(load.calls)} calls")
    unexpected = {call.status for call in load.calls} - {0, 200, 503}
    if unexpected:
        faults.append(f"answers with {sorted(unexpected)}")
    return faults, len(accounts), len(sessions)
