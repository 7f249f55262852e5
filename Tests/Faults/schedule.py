"""Random schedules. The same seed makes the same one."""

import random

import calls
from client import NETWORK_FAULTS
from proxy import Proxy

# How often a call is drawn.
WEIGHTS = {
    "SignUp": 10, "SignIn": 12, "Google": 12, "Link": 6, "Unlink": 4, "Refresh": 14, "Lookup": 6, "ChangePassword": 5, "Revoke": 6,
    "Disable": 3, "Enable": 4, "Delete": 5, "SendReset": 6, "Reset": 9,
}
# Seconds by which a clock is wrong. The clocks of two nodes then differ by at most 5 seconds, which is promised to change nothing.
CLOCKS = 2.5


class Step:
    """Calls that are made at once, and what happens meanwhile."""

    def __init__(self, made, fault):
        self.calls, self.fault = made, fault

    def describe(self):
        text = " and ".join(call.describe() for call in self.calls)
        return text + (f"  [{' '.join(map(str, self.fault))}]" if self.fault else "")


class Schedule:
    """Steps for a few users, with faults that an engine's servers can meet."""

    def __init__(self, seed, engine, with_faults=True):
        self.seed = seed
        self.random = random.Random(seed)
        self.engine = engine
        self.users = self.random.randint(1, 3)
        self.number = 0
        self.passwords = {user: ["password-0"] for user in range(self.users)}
        self.sessions = {user: [] for user in range(self.users)}
        self.codes = {user: [] for user in range(self.users)}
        self.clocks = [self.random.uniform(-CLOCKS, CLOCKS) if with_faults and self.random.random() < 0.3 else 0 for _ in engine.nodes]
        self.steps = []
        for _ in range(self.random.randint(8, 24)):
            made = [self._call(self.random.randrange(self.users))]
            if self.random.random() < 0.2:
                made.append(self._rival(made[0]))
            fault = self._fault() if with_faults and self.random.random() < 0.25 else None
            self.steps.append(Step(made, fault))
            for call in made:
                if call.begins_session:
                    self.sessions[call.user].append(call.number)
                if isinstance(call, calls.SendReset):
                    self.codes[call.user].append(call.number)

    def _rival(self, call):
        """A call that is made at the same time: mostly the same once more, with which two clients use one code or make one account."""
        if self.random.random() < 0.5:
            self.number += 1
            return type(call)(self.number, call.user, self.random.randrange(len(self.engine.nodes)), **call.parameters)
        return self._call(call.user if self.random.random() < 0.7 else self.random.randrange(self.users))

    def _call(self, user):
        draw = self.random
        while True:
            kind = draw.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            made = getattr(calls, kind)
            parameters = {}
            if issubclass(made, calls.OfSession):
                if not self.sessions[user]:
                    continue
                # The newest sessions are the most likely to live.
                parameters["session"] = draw.choice(self.sessions[user][-3:])
            if made is calls.Reset:
                if not self.codes[user]:
                    continue
                parameters["code"] = draw.choice(self.codes[user][-2:])
            self.number += 1
            if made in (calls.SignUp, calls.ChangePassword, calls.Reset):
                parameters["password"] = f"password-{self.number}"
                self.passwords[user].append(parameters["password"])
            if made is calls.SignIn:
                parameters["password"] = draw.choice(self.passwords[user][-2:])
            return made(self.number, user, draw.randrange(len(self.engine.nodes)), **parameters)

    def _fault(self):
        draw = self.random
        kinds = ["network"] * 4 + ["clock"] * 2 + ["paused", "killed-soon"]
        if self.engine.file_faults:
            kinds += ["file"] * 6
        if self.engine.proxy:
            kinds += ["proxy"] * 6
        match draw.choice(kinds):
            case "network":
                return ("network", draw.choice(NETWORK_FAULTS))
            case "clock":
                return ("clock", round(draw.uniform(-CLOCKS, CLOCKS), 3))
            case "paused":
                return ("paused", draw.choice([50, 300]))
            case "killed-soon":
                return ("killed-soon", draw.randint(0, 12))
            case "file":
                kind = draw.choice(self.engine.file_faults)
                return ("file", kind, draw.randint(0, 5), draw.randint(1, 4), draw.choice([5, 80]))
            case "proxy":
                return ("proxy", draw.choice(Proxy.KINDS), draw.randint(0, 8), draw.randint(1, 3))
