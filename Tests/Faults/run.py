#!/usr/bin/env python3
"""Breaks store, network and clock below live servers while users sign in, and judges every answer by a model.

    run.py --binary FILE [--schedules N] [--engine sqlite|postgresql] [--seed TEXT [--only K]] [--without-faults] [--self-check]

Each schedule is a few users, some two dozen calls, and faults between them. After each one everything that was acknowledged must be there,
and nothing that was refused. A failure prints the seed, which makes the same schedule again.
"""

import argparse
import collections
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import calls
from client import Client
from issuer import Issuer
from model import Contradiction, User
from schedule import Schedule
from servers import PostgreSQL, SQLite, build_shim, eventually

ENGINES = {"sqlite": SQLite, "postgresql": PostgreSQL}


class Run:
    """One schedule on the servers of an engine."""

    def __init__(self, schedule, engine, clients, issuer, counts):
        self.schedule, self.engine, self.clients, self.issuer, self.counts = schedule, engine, clients, issuer, counts
        name = schedule.seed.replace(":", "-")
        self.users = [User(f"{name}-{number}@example.com") for number in range(schedule.users)]
        self.sessions, self.codes, self.local_ids = {}, {}, {}
        self.answers = {}
        self.was_broken = False

    def email(self, call):
        return self.users[call.user].email

    @staticmethod
    def seconds():
        return int(time.time())

    def run(self):
        for node, offset in zip(self.engine.nodes, self.schedule.clocks):
            node.shim.move_clock(offset)
        for step in self.schedule.steps:
            made = [call for call in step.calls if call.can_run(self)]
            if made:
                self._step(made, step.fault)
        self._judge()

    def _step(self, made, fault):
        node = self.engine.nodes[made[0].node]
        if self.was_broken:
            # From here on calls must be answered again.
            for each in self.engine.nodes:
                each.await_ready()
        self._arm(node, fault)
        answers = [None] * len(made)

        def send(place):
            call = made[place]
            network = fault[1] if place == 0 and fault and fault[0] == "network" else None
            try:
                answers[place] = call.send(self, self.clients[call.node][place], network)
            except Exception as error:
                answers[place] = error

        threads = [threading.Thread(target=send, args=(place,)) for place in range(1, len(made))]
        if fault and fault[0] in ("paused", "killed-soon"):
            threads.append(threading.Thread(target=self._signal, args=(node, fault)))
        for thread in threads:
            thread.start()
        send(0)
        for thread in threads:
            thread.join()
        self._disarm(node)
        self._restart_ended()
        self.was_broken = fault is not None and fault[0] != "network"
        for call, answer in zip(made, answers):
            if isinstance(answer, Exception):
                raise answer
            if answer.state in ("unknown", "never") and fault is None:
                raise AssertionError(f"{call.describe()} was answered {answer}, and nothing was broken")
        for user in {call.user for call in made}:
            self.users[user].see_all([pair for pair in zip(made, answers) if pair[0].user == user])
        for call, answer in zip(made, answers):
            self.counts["calls " + answer.state] += 1
            self.answers[call.number] = answer
            self._note(call, answer)

    def _note(self, call, answer):
        """Keeps what later calls need."""
        if answer.state != "ok":
            return
        if local_id := answer.value.get("localId"):
            self.local_ids[call.user] = local_id
        if call.begins_session and "refreshToken" in answer.value:
            self.sessions[call.number] = answer.value
        if code := answer.value.get("oobCode"):
            self.codes[call.number] = code

    def _arm(self, node, fault):
        match fault:
            case ("file", kind, before, count, delay):
                node.shim.arm(kind, before, count, delay)
            case ("proxy", kind, before, chunks):
                self.engine.proxy.arm(kind, before, chunks)
            case ("network", kind):
                self.counts["network " + kind] += 1
            case ("clock", seconds):
                self.counts["clock moved"] += 1
                node.shim.move_clock(seconds)
        self.fault = fault
        self.fired = node.shim.fired + (self.engine.proxy.fired if self.engine.proxy else 0)

    def _disarm(self, node):
        node.shim.disarm()
        if self.engine.proxy:
            self.engine.proxy.disarm()
        if self.fault and self.fault[0] in ("file", "proxy"):
            fired = node.shim.fired + (self.engine.proxy.fired if self.engine.proxy else 0) - self.fired
            self.counts[f"{self.fault[0]} {self.fault[1]}"] += fired
            node.is_to_be_killed = fired > 0 and self.fault[1] in ("killed", "torn")

    def _signal(self, node, fault):
        kind, milliseconds = fault
        self.counts[kind] += 1
        if kind == "paused":
            os.kill(node.process.pid, signal.SIGSTOP)
            time.sleep(milliseconds / 1000)
            os.kill(node.process.pid, signal.SIGCONT)
        else:
            time.sleep(milliseconds / 1000)
            node.kill()

    def _restart_ended(self):
        for node in self.engine.nodes:
            if node.is_to_be_killed:
                node.process.wait(20)
            if node.has_ended:
                if not node.has_been_killed:
                    raise AssertionError(f"node {node.number} ended with {node.process.returncode}\n{node.log_end()}")
                for client in self.clients[node.number - 1]:
                    client.close()
                node.start()
                self.counts["restarts"] += 1

    def _judge(self):
        """Reads everything back, by both nodes, when no call is under way any more."""
        for node in self.engine.nodes:
            node.await_ready()
        if any(user.pending for user in self.users):
            for node in self.engine.nodes:
                eventually(f"node {node.number} has finished", lambda node=node: self._active(node) == 0)
        number = self.schedule.number
        draw = self.schedule.random
        for place, user in enumerate(self.users):
            user.settle()
            for node in range(len(self.engine.nodes)):
                answer = self.clients[node][0].call("accounts:lookup", {"email": [user.email]}, is_admin=True)
                if answer.state != "ok":
                    raise AssertionError(f"an administrator's lookup was answered {answer}, and nothing was broken")
                user.is_explained(answer.value.get("users", []))
            for made, kind, name in [(self.sessions, calls.Refresh, "session"), (self.codes, calls.Reset, "code")]:
                for earlier in sorted(made):
                    if self._user_of(earlier) != place:
                        continue
                    number += 1
                    parameters = {name: earlier} | ({"password": "password-last"} if kind is calls.Reset else {})
                    call = kind(number, place, draw.randrange(len(self.engine.nodes)), **parameters)
                    answer = call.send(self, self.clients[call.node][0], None)
                    if answer.state in ("unknown", "never"):
                        raise AssertionError(f"{call.describe()} was answered {answer}, and nothing was broken")
                    user.see(call, answer)
            # Accounts that gave the address up are found by their ids alone.
            for local_id in sorted({id for world in user.worlds for id in world.released if not id.startswith("?")}):
                answer = self.clients[0][0].call("accounts:lookup", {"localId": [local_id]}, is_admin=True)
                if answer.state != "ok":
                    raise AssertionError(f"an administrator's lookup was answered {answer}, and nothing was broken")
                user.is_there(local_id, bool(answer.value.get("users")))

    def _user_of(self, number):
        return next(call.user for step in self.schedule.steps for call in step.calls if call.number == number)

    @staticmethod
    def _active(node):
        request = urllib.request.Request(f"http://127.0.0.1:{node.private_port}/metrics", headers={"Authorization": "Bearer owner"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            lines = answer.read().decode().splitlines()
        # The request for the metrics is one itself, where its listener counts.
        values = [float(line.split()[-1]) for line in lines if line.startswith("http_server_active_requests")]
        return max(0, int(sum(values)) - 1)

    @property
    def accounts(self):
        """How many accounts there are in the end: those that have the users' addresses, and those that gave one up."""
        found = 0
        for user in self.users:
            (count,) = {(world.account is not None) + len(world.released) for world in user.worlds}
            found += count
        return found


class Suite:
    """Schedules one after the other on the same servers, and the verdict on their store."""

    def __init__(self, arguments, engine_name):
        self.arguments = arguments
        self.engine_name = engine_name
        self.counts = collections.Counter()
        self.accounts = 0

    def run(self):
        directory = tempfile.mkdtemp(prefix="postern-faults.")
        engine = None
        try:
            issuer = Issuer()
            engine = ENGINES[self.engine_name](os.path.abspath(self.arguments.binary), directory, build_shim(directory), issuer)
            engine.start()
            clients = [[Client(node), Client(node)] for node in engine.nodes]
            start = time.monotonic()
            numbers = range(self.arguments.schedules) if self.arguments.only is None else [self.arguments.only]
            for number in numbers:
                self._schedule(f"{self.arguments.seed}:{self.engine_name}:{number}", engine, clients, issuer)
            self._verdict(engine)
            seconds = time.monotonic() - start
            figures = ", ".join(f"{name} {count}" for name, count in sorted(self.counts.items()))
            print(f"{engine.name}: {len(numbers)} schedules in {seconds:.0f} s, {self.accounts} accounts; {figures}", flush=True)
        except BaseException:
            print(f"The servers' files are in {directory}.", file=sys.stderr)
            raise
        else:
            shutil.rmtree(directory)
        finally:
            if engine:
                engine.end()

    def _schedule(self, seed, engine, clients, issuer):
        schedule = Schedule(seed, engine, not self.arguments.without_faults)
        run = Run(schedule, engine, clients, issuer, self.counts)
        try:
            run.run()
            self.accounts += run.accounts
            answer = clients[-1][0].call("accounts:query", {"returnUserInfo": False}, is_admin=True)
            if answer.value.get("recordsCount") != str(self.accounts):
                raise Contradiction(f"{answer.value.get('recordsCount')} accounts instead of {self.accounts}")
        except Exception:
            print(f"FAILED: seed {seed}, clocks {schedule.clocks}", file=sys.stderr)
            for step in schedule.steps:
                answers = ", ".join(str(run.answers.get(call.number, "not made")) for call in step.calls)
                print(f"  {step.describe()}: {answers}", file=sys.stderr)
            raise

    def _verdict(self, engine):
        """What the stores themselves say, after the nodes have ended."""
        for node in engine.nodes:
            code = node.stop()
            if code != 0:
                raise AssertionError(f"node {node.number} ended with {code}\n{node.log_end()}")
        faults = {
            "integrity": (engine.integrity(), "ok"),
            "accounts": (engine.query("SELECT count(*) FROM accounts"), str(self.accounts)),
            "addresses with two accounts": (
                engine.query("SELECT email FROM accounts WHERE email IS NOT NULL GROUP BY email HAVING count(*) > 1"), ""
            ),
            "identities with two accounts": (
                engine.query("SELECT raw_id FROM identities GROUP BY provider_id, raw_id HAVING count(*) > 1"), ""
            ),
            "identities without an account": (
                engine.query("SELECT local_id FROM identities WHERE local_id NOT IN (SELECT local_id FROM accounts)"), ""
            ),
        }
        faults |= {name: (found, "0") for name, found in engine.figures().items()}
        for name, (found, wanted) in faults.items():
            if found != wanted:
                raise Contradiction(f"{name}: {found}")
        code, text = engine.nodes[0].command("audit", "verify")
        if code != 0:
            raise Contradiction(f"audit verify: {text}")


def check_itself(arguments):
    """Loses writes that were acknowledged, and must notice."""
    arguments.seed, arguments.schedules, arguments.only = "self", 1, None
    directory = tempfile.mkdtemp(prefix="postern-faults.")
    issuer = Issuer()
    engine = SQLite(os.path.abspath(arguments.binary), directory, build_shim(directory), issuer)
    try:
        engine.start()
        (node,) = engine.nodes
        clients = [[Client(node), Client(node)]]
        schedule = Schedule("self", engine, with_faults=False)
        run = Run(schedule, engine, clients, issuer, collections.Counter())
        call = calls.SignUp(1, 0, 0, password="password-1")
        node.shim.arm("lost", 0, 1_000_000)
        answer = call.send(run, clients[0][0], None)
        node.kill()
        node.shim.disarm()
        if answer.state != "ok":
            sys.exit(f"The sign-up that is to be lost was answered {answer}.")
        run.users[0].see(call, answer)
        run._restart_ended()
        try:
            run._judge()
        except Contradiction as contradiction:
            print(f"noticed: {contradiction}")
            return
        sys.exit("A lost account was not noticed.")
    finally:
        engine.end()
        shutil.rmtree(directory)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=".build/release/postern", help="the server")
    parser.add_argument("--schedules", type=int, default=100, help="how many on each engine")
    parser.add_argument("--engine", choices=sorted(ENGINES), help="only this one; by default both at once")
    parser.add_argument("--seed", default=secrets.token_hex(4))
    parser.add_argument("--only", type=int, help="one schedule of the seed")
    parser.add_argument("--without-faults", action="store_true", help="shows that the model has the server's rules")
    parser.add_argument("--self-check", action="store_true", help="lose acknowledged writes, and notice")
    arguments = parser.parse_args()
    # Temporary files are removed, and servers end, when the program is asked to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("interrupted"))
    if arguments.self_check:
        return check_itself(arguments)
    if arguments.engine:
        return Suite(arguments, arguments.engine).run()
    print(f"seed {arguments.seed}", flush=True)
    both = [
        subprocess.Popen([sys.executable, "-B", *sys.argv, "--engine", engine, "--seed", arguments.seed]) for engine in sorted(ENGINES)
    ]
    try:
        codes = [process.wait() for process in both]
    finally:
        for process in both:
            process.terminate()
    sys.exit(1 if any(codes) else 0)


if __name__ == "__main__":
    main()
