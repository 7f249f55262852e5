"""The calls of a schedule: how each is made, and what the rules say may come of it."""

import dataclasses
import urllib.parse

from model import Account


class Call:
    """One call for one user. `number` is its place in the schedule."""

    begins_session = False

    def __init__(self, number, user, node, **parameters):
        self.number, self.user, self.node = number, user, node
        self.parameters = parameters
        self.__dict__.update(parameters)

    def describe(self):
        values = ", ".join(f"{name} {value}" for name, value in self.parameters.items())
        return f"{self.number} {type(self).__name__}({values}) of user {self.user} on node {self.node + 1}"

    def can_run(self, run):
        """Whether what the call needs was given out before."""
        return True

    def send(self, run, client, fault):
        raise NotImplementedError

    def outcomes(self, world, is_known):
        """Pairs of an outcome and the world after it, and the id of the account that an answer names. `is_known` tells whether the client
        has the answer, and with it a new session."""
        raise NotImplementedError

    def _ok(self, world, account, is_known, local_id=None, **changes):
        if account and self.begins_session and is_known:
            account = dataclasses.replace(account, sessions=account.sessions | {self.number})
        return [("ok", dataclasses.replace(world, account=account, **changes), local_id or (account and account.local_id))]

    def _replace(self, world, account, is_known):
        """A proof of the address meets an account that is disabled and never proved it: that one gives the address up to a new one."""
        return self._ok(world, account, is_known, codes=frozenset(), released=world.released | {world.account.local_id})

    @staticmethod
    def _no(world):
        return [("no", world, None)]


class SignUp(Call):
    begins_session = True

    def send(self, run, client, fault):
        body = {"email": run.email(self), "password": self.password, "returnSecureToken": True}
        return client.call("accounts:signUp", body, fault=fault)

    def outcomes(self, world, is_known):
        if world.account:
            return self._no(world)
        return self._ok(world, Account(f"?{self.number}", self.password), is_known)


class SignIn(Call):
    begins_session = True

    def send(self, run, client, fault):
        body = {"email": run.email(self), "password": self.password, "returnSecureToken": True}
        return client.call("accounts:signInWithPassword", body, fault=fault)

    def outcomes(self, world, is_known):
        account = world.account
        if account is None or account.is_disabled or account.password != self.password:
            return self._no(world)
        return self._ok(world, account, is_known)


class Google(Call):
    """A sign-in by a provider that has proven the address."""

    begins_session = True

    def send(self, run, client, fault):
        form = urllib.parse.urlencode({"providerId": "google.com", "id_token": run.issuer.token(run.email(self))})
        body = {"requestUri": "https://app.example.com", "postBody": form, "returnSecureToken": True}
        return client.call("accounts:signInWithIdp", body, fault=fault)

    def outcomes(self, world, is_known):
        account = world.account
        if account is None:
            return self._ok(world, Account(f"?{self.number}", google_call=self.number, proof_call=self.number), is_known)
        if account.is_disabled:
            if account.proof_call is not None:
                return self._no(world)
            return self._replace(world, Account(f"?{self.number}", google_call=self.number, proof_call=self.number), is_known)
        if account.proof_call is None:
            # Whoever made the account had not proven the address: the owner takes it over, and what the other has is void.
            account = Account(account.local_id, google_call=self.number, proof_call=self.number)
            return self._ok(world, account, is_known, codes=frozenset())
        if account.google_call is None:
            account = dataclasses.replace(account, google_call=self.number)
        return self._ok(world, account, is_known)


class OfSession(Call):
    """A call with a token of a session that an earlier call began."""

    def can_run(self, run):
        return self.session in run.sessions

    def holds(self, world):
        return world.account is not None and self.session in world.account.sessions and not world.account.is_disabled


class Link(OfSession):
    begins_session = True

    def send(self, run, client, fault):
        form = urllib.parse.urlencode({"providerId": "google.com", "id_token": run.issuer.token(run.email(self))})
        body = {
            "requestUri": "https://app.example.com", "postBody": form, "returnSecureToken": True,
            "idToken": run.sessions[self.session]["idToken"],
        }
        return client.call("accounts:signInWithIdp", body, fault=fault)

    def outcomes(self, world, is_known):
        if not self.holds(world) or world.account.google_call is not None:
            return self._no(world)
        # The provider proves the address. That ends codes that were made before.
        codes = world.codes if world.account.proof_call is not None else frozenset()
        proof = world.account.proof_call or self.number
        account = dataclasses.replace(world.account, google_call=self.number, proof_call=proof)
        return self._ok(world, account, is_known, codes=codes)


class Unlink(OfSession):
    def send(self, run, client, fault):
        body = {"idToken": run.sessions[self.session]["idToken"], "deleteProvider": ["google.com"]}
        return client.call("accounts:update", body, fault=fault)

    def outcomes(self, world, is_known):
        if not self.holds(world):
            return self._no(world)
        return self._ok(world, dataclasses.replace(world.account, google_call=None), is_known)


class Refresh(OfSession):
    def send(self, run, client, fault):
        body = {"grant_type": "refresh_token", "refresh_token": run.sessions[self.session]["refreshToken"]}
        return client.call("token", body, is_form=True, fault=fault)

    def outcomes(self, world, is_known):
        return self._ok(world, world.account, is_known) if self.holds(world) else self._no(world)


class Lookup(OfSession):
    def send(self, run, client, fault):
        return client.call("accounts:lookup", {"idToken": run.sessions[self.session]["idToken"]}, fault=fault)

    def outcomes(self, world, is_known):
        return self._ok(world, world.account, is_known) if self.holds(world) else self._no(world)


class ChangePassword(OfSession):
    begins_session = True

    def send(self, run, client, fault):
        body = {"idToken": run.sessions[self.session]["idToken"], "password": self.password, "returnSecureToken": True}
        return client.call("accounts:update", body, fault=fault)

    def outcomes(self, world, is_known):
        if not self.holds(world):
            return self._no(world)
        account = dataclasses.replace(world.account, password=self.password, sessions=frozenset())
        return self._ok(world, account, is_known, codes=frozenset())


class OfAccount(Call):
    """A call of an administrator about the account that an earlier call of the user named."""

    def can_run(self, run):
        return run.local_ids.get(self.user) is not None

    def send(self, run, client, fault):
        # What a call means stays with it, also when its outcome is learnt later.
        self.local_id = run.local_ids[self.user]
        return client.call(self.path, {"localId": self.local_id, **self.body(run)}, is_admin=True, fault=fault)

    def body(self, run):
        return {}

    def outcomes(self, world, is_known):
        account = world.account
        if self.local_id in world.released:
            return [("ok", world, self.local_id)]
        if account is None or account.local_id != self.local_id:
            return self._no(world)
        return self._ok(world, self.changed(account), is_known, self.local_id)

    def changed(self, account):
        raise NotImplementedError


class Revoke(OfAccount):
    path = "accounts:update"

    def body(self, run):
        return {"validSince": str(run.seconds())}

    def changed(self, account):
        return dataclasses.replace(account, sessions=frozenset())


class Disable(OfAccount):
    path = "accounts:update"

    def body(self, run):
        return {"disableUser": True}

    def changed(self, account):
        return dataclasses.replace(account, is_disabled=True, sessions=frozenset())


class Enable(OfAccount):
    path = "accounts:update"

    def body(self, run):
        return {"disableUser": False}

    def changed(self, account):
        return dataclasses.replace(account, is_disabled=False)


class Delete(OfAccount):
    path = "accounts:delete"

    def outcomes(self, world, is_known):
        if self.local_id in world.released:
            return [("ok", dataclasses.replace(world, released=world.released - {self.local_id}), self.local_id)]
        return [
            (state, dataclasses.replace(after, codes=frozenset()) if state == "ok" else after, local_id)
            for state, after, local_id in super().outcomes(world, is_known)
        ]

    def changed(self, account):
        return None


class SendReset(Call):
    def send(self, run, client, fault):
        body = {"requestType": "PASSWORD_RESET", "email": run.email(self), "returnOobLink": True}
        return client.call("accounts:sendOobCode", body, is_admin=True, fault=fault)

    def outcomes(self, world, is_known):
        # A newer code ends older ones. A call that began before a deletion may make a code for the address after it.
        codes = frozenset([self.number])
        found = self._ok(world, world.account, is_known, codes=codes)
        if world.account is None or world.account.is_disabled:
            # Strangers are not told who has an account, so that a call for none may be answered like others, without a code.
            found += self._no(world) + [("ok", world, None)]
        return found


class Reset(Call):
    """Uses a code that an earlier call made. It works once."""

    def can_run(self, run):
        return self.code in run.codes

    def send(self, run, client, fault):
        return client.call("accounts:resetPassword", {"oobCode": run.codes[self.code], "newPassword": self.password}, fault=fault)

    def outcomes(self, world, is_known):
        account = world.account
        if self.code not in world.codes or account is None or account.is_disabled and account.proof_call is not None:
            return self._no(world)
        if account.is_disabled:
            return self._replace(world, Account(f"?{self.number}", self.password, proof_call=self.number), is_known)
        # The proof takes away what was added to the account since its address was last proven. Calls whose answers were lost, and those
        # that were made at once, happened in an order that nobody knows.
        outcomes = []
        if account.google_call is None or account.google_call != account.proof_call:
            outcomes.append(dataclasses.replace(account, google_call=None))
        if account.google_call is not None and account.proof_call is not None:
            outcomes.append(account)
        return [
            outcome
            for kept in outcomes
            for outcome in self._ok(
                world,
                dataclasses.replace(kept, password=self.password, proof_call=self.number, sessions=frozenset()),
                is_known,
                codes=frozenset(),
            )
        ]
