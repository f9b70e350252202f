"""Between clones: fetch, unite, push. Nothing is merged, because nothing conflicts.

Contract:
- The remote's logs are fetched into tracking refs of their own, never over a log of this clone.
- A log that is behind is moved forward. A log that went two ways (a copied `.git`, a restored backup) keeps
  both: the tail that the remote does not have gets a name of its own, derived from its first commit and so
  the same in every clone. If it was this clone's log, this clone goes on under that name.
- Every log this clone knows is offered to the remote, also those it learnt elsewhere.
- A remote that refuses refs like ours is offered the logs as branches below `holdfast/log/`, and asked there
  first from then on. What is read is read from both places.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from holdfast.kernel.clock import Clock, rfc3339
from holdfast.milestones.entity import Claim, Kind
from holdfast.milestones.index.index import Index
from holdfast.milestones.index.rows import state_of
from holdfast.milestones.index.schema import LOGS, TRACKED, TRACKED_BRANCHES
from holdfast.milestones.index.update import damaged_in
from holdfast.milestones.log.clone_log import Log
from holdfast.storage.files.atomic import locked
from holdfast.storage.git.command import Git
from holdfast.storage.git.commits import count_between, first_after_fork, is_ancestor
from holdfast.storage.git.refs import RefLocked, RefMoved, Refs
from holdfast.storage.git.remotes import Remotes
from holdfast.storage.git.repository import Repository

_ATTEMPTS = 5
_NAME_DIGITS = 32
_REFUSED = "[remote rejected]"
"""How git reports what the other side does not allow, unlike what it could not take at this moment."""


class Place(NamedTuple):
    """Where a remote keeps logs, and where this clone notes what it has there."""

    theirs: str
    noted: str

    def tracking(self, remote: str) -> str:
        """Return the prefix of this clone's notes of a remote."""
        return f"{self.noted}{remote}/"

    def refspec(self, remote: str) -> str:
        """Return how logs are fetched from there."""
        return f"+{self.theirs}*:{self.tracking(remote)}*"


REFS = Place(LOGS, TRACKED)
BRANCHES = Place("refs/heads/holdfast/log/", TRACKED_BRANCHES)
_PLACES = (REFS, BRANCHES)


class LostClaim(NamedTuple):
    """A claim of this clone that another clone's claim beat."""

    entity: str
    kind: Kind
    title: str
    winner: Claim
    loser: Claim


class SyncReport(NamedTuple):
    """What a sync did. `refused` names the logs the remote did not take, with its words."""

    remote: str
    received: int
    sent: int
    logs: int
    lost_claims: tuple[LostClaim, ...] = ()
    kept_apart: tuple[str, ...] = ()
    refused: Mapping[str, str] = MappingProxyType({})
    damaged: tuple[str, ...] = ()


class Sync:
    """One clone's exchange with its remotes."""

    def __init__(
        self, repository: Repository, git: Git, refs: Refs, index: Index, log: Log, clock: Clock
    ) -> None:
        self._git = git
        self._refs = refs
        self._index = index
        self._log = log
        self._clock = clock
        self._remotes = Remotes(git)
        self._repository = repository

    def run(self, remote: str | None) -> SyncReport:
        """Exchange logs with a remote."""
        name = self._remotes.checked(remote)
        self._repository.ensure_store()
        with locked(os.path.join(self._repository.store_directory, "milestones.sync")):
            before = self._logs()
            kept_apart: list[str] = []
            sent = 0
            refused: dict[str, str] = {}
            for _ in range(_ATTEMPTS):
                self._remotes.fetch(name, *(place.refspec(name) for place in _PLACES))
                kept_apart += [apart for place in _PLACES for apart in self._unite(name, place)]
                count, refused = self._offer_somewhere(name)
                sent += count
                if not refused:
                    break
            received = self._count(self._logs(), before)
        return SyncReport(
            name,
            received,
            sent,
            len(self._logs()),
            lost_claims=self.lost_claims(),
            kept_apart=tuple(kept_apart),
            refused=refused,
            damaged=self._damaged(),
        )

    def track(self, remote: str) -> bool:
        """Let plain `git fetch` bring a remote's logs; a wildcard, which no missing ref can break."""
        name = self._remotes.checked(remote)
        return self._remotes.add_fetch_refspec(name, REFS.refspec(name))

    def default_remote(self) -> str:
        """Return the remote that is taken when none is named."""
        return self._remotes.checked(None)

    def has_remotes(self) -> bool:
        """Tell whether there is any other clone to sync with."""
        return bool(self._remotes.names())

    def lost_claims(self) -> tuple[LostClaim, ...]:
        """Return the claims given in this clone that another clone's claim beat, while both run."""
        replica = self._log.replica
        now = rfc3339(self._clock())
        query = "SELECT DISTINCT entity FROM claim WHERE place > 0 AND replica = ? AND until > ?"

        def beaten(connection: sqlite3.Connection) -> Iterator[LostClaim]:
            for (entity,) in connection.execute(query, (replica, now)).fetchall():
                state = state_of(connection, entity)
                live = [claim for claim in state.claims() if claim.is_live(now)] if state else []
                if state is not None and live and live[0].replica != replica:
                    loser = next(claim for claim in live if claim.replica == replica)
                    yield LostClaim(entity, state.kind, state.value("title") or "", live[0], loser)

        return self._index.ask(lambda connection: tuple(beaten(connection)))

    def _unite(self, remote: str, place: Place) -> list[str]:
        """Move local logs on to what the remote has; return the names given to tails it does not have."""
        kept_apart = []
        with locked(self._index.writing_lock):
            own = self._log.replica
            for name, theirs in self._logs(place.tracking(remote)).items():
                ours = self._logs().get(name)
                if not theirs or ours == theirs or ours == "":
                    continue
                try:
                    apart = self._unite_one(name, ours, theirs, is_own=name == own)
                except (RefLocked, RefMoved):
                    continue  # the tracking ref has it all the same; the next sync tries again
                kept_apart += [] if apart is None else [apart]
        return kept_apart

    def _unite_one(self, name: str, ours: str | None, theirs: str, *, is_own: bool) -> str | None:
        ref = LOGS + name
        if ours is None or is_ancestor(self._git, ours, theirs):
            self._refs.move(ref, theirs, ours)
            if is_own:  # somebody else writes under this clone's name
                self._log.become(os.urandom(16).hex())
            return None
        if is_ancestor(self._git, theirs, ours):
            return None
        apart = first_after_fork(self._git, ours, theirs)[:_NAME_DIGITS]
        known = self._refs.tips().get(LOGS + apart)
        if known is None or is_ancestor(self._git, known, ours):
            self._refs.move(LOGS + apart, ours, known)
        if is_own:
            self._log.become(apart)
        self._refs.move(ref, theirs, ours)
        return apart

    def _offer_somewhere(self, remote: str) -> tuple[int, dict[str, str]]:
        """Push to where the remote takes logs; return how much that was, and what it refused."""
        only_branches = self._logs(BRANCHES.tracking(remote)) and not self._logs(REFS.tracking(remote))
        count, refused = (0, {}) if only_branches else self._offer(remote, REFS)
        if not only_branches and not (refused and all(_REFUSED in words for words in refused.values())):
            return count, refused
        more, still_refused = self._offer(remote, BRANCHES)
        return count + more, still_refused

    def _offer(self, remote: str, place: Place) -> tuple[int, dict[str, str]]:
        """Push what the remote does not have; return how much that was, and what it refused."""
        ours, theirs = self._logs(), self._logs(place.tracking(remote))
        new = {name: tip for name, tip in ours.items() if tip and theirs.get(name) != tip}
        ahead = {name: tip for name, tip in new.items() if not self._is_behind(tip, theirs.get(name))}
        if not ahead:
            return 0, {}
        count = self._count(ahead, theirs)
        # One log that cannot be read would keep git from pushing any: then the others are named.
        damaged = self._damaged()
        named = [f"{LOGS}{name}:{place.theirs}{name}" for name in ahead if LOGS + name not in damaged]
        refused = self._remotes.push(remote, named if damaged else [f"{LOGS}*:{place.theirs}*"])
        taken = {name: tip for name, tip in ahead.items() if LOGS + name not in refused}
        for name, tip in taken.items():
            try:
                self._refs.move(place.tracking(remote) + name, tip, theirs.get(name))
            except (RefLocked, RefMoved):
                continue  # only a note of what the remote has; the next fetch brings it
        return (0 if refused and not taken else count), refused

    def _is_behind(self, ours: str, theirs: str | None) -> bool:
        return theirs is not None and is_ancestor(self._git, ours, theirs)

    def _logs(self, prefix: str = LOGS) -> dict[str, str]:
        tips = self._refs.tips()
        return {ref.removeprefix(prefix): tip for ref, tip in tips.items() if ref.startswith(prefix)}

    def _count(self, newer: Mapping[str, str], older: Mapping[str, str]) -> int:
        gone_on = [tip for tip in newer.values() if tip and tip not in older.values()]
        return count_between(self._git, gone_on, [tip for tip in older.values() if tip]) if gone_on else 0

    def _damaged(self) -> tuple[str, ...]:
        return self._index.ask(lambda connection: tuple(sorted(damaged_in(connection))))
