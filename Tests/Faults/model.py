"""What a store may hold after the calls that were made.

A call whose answer was lost may have happened or not, so that one user has several possible worlds. Each answer keeps the worlds that explain
it. When none is left, the servers have lost, repeated or invented something.
"""

import dataclasses
import itertools


@dataclasses.dataclass(frozen=True)
class Account:
    """`local_id` is `?N` after a creation by call N whose answer was lost. `sessions` are the calls that began those that live,
    `google_call` is the call that linked the provider, `proof_call` the last one that proved the address."""

    local_id: str
    password: str | None = None
    google_call: int | None = None
    proof_call: int | None = None
    is_disabled: bool = False
    sessions: frozenset = frozenset()


@dataclasses.dataclass(frozen=True)
class World:
    """`codes` are the calls that made codes for the address which nobody has used. `released` are the ids of accounts that were disabled when
    somebody proved the address, which they had never done: they gave it up. `applied` are the calls with unknown outcome that have happened
    here."""

    account: Account | None = None
    codes: frozenset = frozenset()
    released: frozenset = frozenset()
    applied: frozenset = frozenset()


class Contradiction(Exception):
    """No possible world explains an answer."""


class User:
    """The possible worlds of one address."""

    def __init__(self, email):
        self.email = email
        self.worlds = {World()}
        self.pending = {}

    def see(self, call, answer):
        """Takes the answer of a call into account."""
        self.see_all([(call, answer)])

    def see_all(self, pairs):
        """Takes the answers of calls into account that were made at once: any order explains them."""
        known = [(call, answer) for call, answer in pairs if answer.state in ("ok", "no")]
        for call, answer in pairs:
            if answer.state == "unknown":
                self.pending[call.number] = call
        before = self._closure(self.worlds)
        after = set()
        for order in itertools.permutations(known):
            worlds = before
            for call, answer in order:
                worlds = self._closure(
                    {world for old in worlds for world in self._explaining(old, call, answer)}
                )
            after |= worlds
        if not after:
            raise Contradiction(
                f"{self.email}: " + " and ".join(f"{call.describe()} was answered {answer}" for call, answer in known)
                + f"; possible were {self._shown(before)}"
            )
        self.worlds = after

    @staticmethod
    def _shown(worlds):
        return ", ".join(sorted(map(str, worlds))[:6])

    def settle(self):
        """No call is under way any more: what has not happened does not happen later."""
        self.worlds = {dataclasses.replace(world, applied=frozenset()) for world in self._closure(self.worlds)}
        self.pending = {}

    def _closure(self, worlds):
        """The worlds in which any of the calls with unknown outcome has happened by now."""
        found, fresh = set(worlds), list(worlds)
        while fresh:
            world = fresh.pop()
            for number, call in self.pending.items():
                if number in world.applied:
                    continue
                for state, next_world, _ in call.outcomes(world, is_known=False):
                    next_world = dataclasses.replace(next_world, applied=world.applied | {number})
                    if state == "ok" and next_world not in found:
                        found.add(next_world)
                        fresh.append(next_world)
        return found

    @staticmethod
    def _explaining(world, call, answer):
        for state, next_world, local_id in call.outcomes(world, is_known=True):
            if state != answer.state:
                continue
            said = answer.value.get("localId") or answer.value.get("user_id")
            if state == "ok" and local_id and said:
                account = next_world.account
                if local_id.startswith("?"):
                    # The new account is another one than those that gave the address up.
                    if said in next_world.released:
                        continue
                    if account.local_id == local_id:
                        account = dataclasses.replace(account, local_id=said)
                    next_world = dataclasses.replace(next_world, account=account)
                elif local_id != said:
                    continue
            yield next_world

    def is_explained(self, users):
        """Keeps the worlds in which an administrator finds these users by the address."""
        before = self._closure(self.worlds)
        self.worlds = {world for old in before for world in self._matching(old, users)}
        if not self.worlds:
            raise Contradiction(f"{self.email}: an administrator finds {users}; possible were {self._shown(before)}")

    def is_there(self, local_id, exists):
        """Keeps the worlds in which an administrator finds an account by its id, or finds none."""
        before = self.worlds
        self.worlds = {
            world for world in before
            if exists == (local_id in world.released or world.account is not None and world.account.local_id == local_id)
        }
        if not self.worlds:
            raise Contradiction(f"{self.email}: {local_id} exists: {exists}; possible were {self._shown(before)}")

    @staticmethod
    def _matching(world, users):
        account = world.account
        if account is None or not users:
            if account is None and not users:
                yield world
            return
        (found,) = users
        providers = {entry["providerId"] for entry in found.get("providerUserInfo", [])}
        if (
            (account.local_id.startswith("?") or account.local_id == found["localId"])
            and found["localId"] not in world.released
            and ("google.com" in providers) == (account.google_call is not None)
            and ("password" in providers) == (account.password is not None)
            and bool(found.get("emailVerified")) == (account.proof_call is not None)
            and bool(found.get("disabled")) == account.is_disabled
        ):
            yield dataclasses.replace(world, account=dataclasses.replace(account, local_id=found["localId"]))
