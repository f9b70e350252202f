"""Between clones: fetch, unite, push. Nothing is merged, because nothing conflicts.

Contract:
- The remote's logs are fetched into tracking refs of their own, never over a log of this clone.
- A log that is behind is moved forward. A log that went two ways (a copied `.git`, a restored backup) keeps
  both: the tail that the remote does not have gets a name of its own, derived from its first commit and so
  the same in every clone. If it was this clone's log, this clone goes on under that name.
- Every log this clone knows is offered to the remote, also those it learnt elsewhere.
- Damage to one log, and what others do to one, stops no other. One that cannot be fetched, or leads to no
  commit, is named and left where it is; where that stands in the place of a log of ours, ours goes on under
  another name. A last commit whose bytes are damaged here is moved to the store, and fetched again. Where
  other damage here keeps git from fetching, logs are fetched whole, as if there were none here; and so are
  those of which somebody's shallow fetch brought only the end.
- The number of processes does not depend on the number of logs, unless many of them went two ways.
- A remote that refuses refs like ours is offered the logs as branches below `holdfast/log/`, and asked there
  first from then on. What is read is read from both places.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from itertools import count
from types import MappingProxyType
from typing import NamedTuple

from holdfast.kernel.call import current_call
from holdfast.kernel.clock import Clock, rfc3339
from holdfast.kernel.errors import Unavailable
from holdfast.kernel.machine import disk_failures_named
from holdfast.milestones.entity import Claim, Kind
from holdfast.milestones.index.index import Index
from holdfast.milestones.index.rows import state_of
from holdfast.milestones.index.schema import LOGS, TRACKED, TRACKED_BRANCHES
from holdfast.milestones.index.update import damaged_in
from holdfast.milestones.log.clone_log import CloneLog
from holdfast.storage.files.atomic import locked
from holdfast.storage.git.command import Git
from holdfast.storage.git.commits import (
    count_between,
    first_after_fork,
    forward,
    is_ancestor,
    kinds_of,
    set_aside_if_damaged,
)
from holdfast.storage.git.packs import objects_apart
from holdfast.storage.git.refs import RefLocked, RefMoved, Refs
from holdfast.storage.git.remotes import Remotes
from holdfast.storage.git.repository import Repository

_ATTEMPTS = 5
_NAME_DIGITS = 32
_LOG = re.compile(r"[0-9a-f]{32}(?![^/])")
_MOST_FETCHES = 200
_MOST_REFSPECS = 2000
_REFUSED = "[remote rejected]"
"""How git reports what the other side does not allow, unlike what it could not take at this moment."""


class LogNamespace(NamedTuple):
    """Where a remote keeps logs, and where this clone notes what it has there."""

    theirs: str
    noted: str

    def tracking(self, remote: str) -> str:
        """Return the prefix of this clone's notes of a remote."""
        return f"{self.noted}{remote}/"

    def refspec(self, remote: str) -> str:
        """Return how logs are fetched from there."""
        return f"+{self.theirs}*:{self.tracking(remote)}*"


REFS = LogNamespace(LOGS, TRACKED)
BRANCHES = LogNamespace("refs/heads/holdfast/log/", TRACKED_BRANCHES)
_PLACES = (REFS, BRANCHES)


class LostClaim(NamedTuple):
    """A claim of this clone that another clone's claim beat."""

    entity: str
    kind: Kind
    title: str
    winner: Claim
    loser: Claim


class SyncReport(NamedTuple):
    """What a sync did. `refused` names what the remote did not take and `missing` what it did not give."""

    remote: str
    received: int
    sent: int
    logs: int
    lost_claims: tuple[LostClaim, ...] = ()
    kept_apart: tuple[str, ...] = ()
    refused: Mapping[str, str] = MappingProxyType({})
    missing: Mapping[str, str] = MappingProxyType({})
    damaged: tuple[str, ...] = ()


class Sync:
    """One clone's exchange with its remotes."""

    def __init__(
        self, repository: Repository, git: Git, refs: Refs, index: Index, log: CloneLog, clock: Clock
    ) -> None:
        self._git = git
        self._refs = refs
        self._index = index
        self._log = log
        self._clock = clock
        self.remotes = Remotes(git)
        self._repository = repository
        self._steps = count(1)

    def run(self, remote: str | None) -> SyncReport:
        """Exchange logs with a remote."""
        name = self.remotes.checked(remote)
        self._repository.ensure_store()
        with locked(os.path.join(self._repository.store_directory, "milestones.sync")):
            before = self._logs()
            kept_apart: list[str] = []
            sent = 0
            refused: dict[str, str] = {}
            for _ in range(_ATTEMPTS):
                self._tell(f"Fetching from {name}")
                missing = self._fetch(name)
                try:
                    kept_apart += [apart for place in _PLACES for apart in self._unite(name, place)]
                    count, refused = self._offer_somewhere(name)
                except Unavailable:
                    if not self._index.notice_damage():
                        raise
                    continue  # without the logs that turned out damaged
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
            missing=missing,
            damaged=tuple(sorted(self._damaged())),
        )

    def _tell(self, message: str) -> None:
        current_call().progress(next(self._steps), None, message)

    def _fetch(self, remote: str) -> dict[str, str]:
        """Fetch the logs of a remote, and return those that cannot be had, with git's words."""
        try:
            self.remotes.fetch(remote, *(place.refspec(remote) for place in _PLACES))
        except Unavailable as failure:
            if self._set_damage_aside():
                self._index.notice_damage()
                return self._fetch(remote)
            missing = self._fetch_singly(remote)
            if missing is None:
                raise failure from None
            return missing
        is_shallow = os.path.lexists(os.path.join(self._repository.common_dir or "", "shallow"))
        return (self._fetch_singly(remote) or {}) if is_shallow and self._damaged() else {}

    def _fetch_singly(self, remote: str) -> dict[str, str] | None:
        """Fetch what can be had, and return the rest with git's words; None where that is everything.

        Damage here keeps git from fetching anything: then logs are fetched whole and apart, and the damaged
        ones with them.
        """
        theirs = self.remotes.refs(remote, *(place.theirs for place in _PLACES))
        self._index.notice_damage()
        tips, damaged = self._refs.tips(), self._damaged()
        noted: dict[str, str] = {}
        for place in _PLACES:
            here = (ref for ref in theirs if ref.startswith(place.theirs))
            noted |= {ref: ref.replace(place.theirs, place.tracking(remote), 1) for ref in here}
        wanted = [
            (ref, note) for ref, note in noted.items() if tips.get(note) != theirs[ref] or note in damaged
        ]
        if not damaged:
            missing = self._fetch_by_halves(remote, wanted, count(1))
        else:
            current_call().log(f"Damaged here, and fetched whole: {', '.join(sorted(damaged))}", "warning")
            store, common = self._repository.store_directory, self._repository.common_dir or ""
            with objects_apart(store, common) as objects:
                missing = self._fetch_by_halves(remote, wanted, count(1), objects)
            fetched = [(note, theirs[ref], tips.get(note)) for ref, note in wanted if ref not in missing]
            self._refs.move_all([move for move in fetched if move[1] != move[2]])
        return missing if len(missing) < len(noted) else None

    def _set_damage_aside(self) -> bool:
        """Move last commits that git sees but cannot read out of its way; what is missing it fetches."""
        common, tips = self._repository.common_dir or "", {*self._refs.tips().values()}
        folder = os.path.join(self._repository.store_directory, "damaged")
        with disk_failures_named("objects"):
            found = [tip for tip in tips if set_aside_if_damaged(common, tip, folder)]
        for tip in found:
            told = f"The damaged commit {tip[:12]} of a log was moved to 'damaged' in the store"
            current_call().log(f"{told}; a remote that has it gives it again.", "warning")
        return bool(found)

    def _fetch_by_halves(
        self, remote: str, wanted: list[tuple[str, str]], attempts: Iterator[int], objects: str | None = None
    ) -> dict[str, str]:
        """Fetch refs to where they are noted, or only objects, and return those that cannot be had."""
        missing: dict[str, str] = {}
        half = len(wanted) // 2
        for part in filter(None, (wanted[:half], wanted[half:])):
            refspecs = [ref if objects else f"+{ref}:{note}" for ref, note in part]
            try:
                self.remotes.fetch(remote, *refspecs, objects=objects)
            except Unavailable as failure:
                if len(part) == 1 or next(attempts) > _MOST_FETCHES:
                    missing |= {ref: failure.message for ref, _ in part}
                else:
                    missing |= self._fetch_by_halves(remote, part, attempts, objects)
        return missing

    def track(self, remote: str) -> bool:
        """Let plain `git fetch` bring a remote's logs; a wildcard, which no missing ref can break."""
        name = self.remotes.checked(remote)
        return self.remotes.add_fetch_refspec(name, REFS.refspec(name))

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

    def _unite(self, remote: str, place: LogNamespace) -> list[str]:
        """Move local logs on to what the remote has; return the names given to tails it does not have."""
        kept_apart = []
        with locked(self._index.writing_lock):
            ours, theirs = self._logs(), self._logs(place.tracking(remote))
            kinds = kinds_of(self._git, filter(None, theirs.values()))
            pairs = {
                name: (ours.get(name), tip)
                for name, tip in theirs.items()
                if kinds.get(tip) == "commit" and ours.get(name) not in (tip, "")
            }
            leading = forward(self._git, ((old, new) for old, new in pairs.values() if old))
            moves = {name: pair for name, pair in pairs.items() if not pair[0] or pair in leading}
            own, failed = self._log.replica, set[str]()
            names = sorted(moves, key=lambda name: name == own)  # own last: `become` follows at once
            wanted = [(LOGS + name, moves[name][1], moves[name][0]) for name in names]
            for start in range(0, len(wanted), _MOST_REFSPECS):
                self._tell(f"Uniting the logs, {start} of {len(wanted)} so far")
                failed |= self._refs.move_all(wanted[start : start + _MOST_REFSPECS])
            if own in moves and LOGS + own not in failed:
                self._log.become(os.urandom(16).hex())  # somebody else writes under this clone's name
            others: dict[str, str | None] = dict.fromkeys(self._taken(remote, place, kinds) & ours.keys())
            others |= {name: new for name, (_, new) in pairs.items() if name not in moves}
            for name, tip in others.items():
                try:
                    apart = self._unite_one(name, ours[name], tip, is_own=name == own)
                except (RefLocked, RefMoved, Unavailable):
                    continue  # the tracking ref has it all the same; the next sync tries again
                kept_apart += [] if apart is None else [apart]
        return kept_apart

    def _unite_one(self, name: str, ours: str, theirs: str | None, *, is_own: bool) -> str | None:
        """Keep a log that went two ways, or whose name something else has at the remote (None), apart."""
        ref = LOGS + name
        if theirs is not None and is_ancestor(self._git, theirs, ours):
            return None
        if theirs is not None and is_ancestor(self._git, ours, theirs):
            self._refs.move(ref, theirs, ours)
            if is_own:
                self._log.become(os.urandom(16).hex())
            return None
        apart = first_after_fork(self._git, ours, theirs)[:_NAME_DIGITS]
        if apart == name:  # and that name is taken as well
            apart = os.urandom(16).hex() if is_own else name
        known = self._refs.tips().get(LOGS + apart)
        if known is None or is_ancestor(self._git, known, ours):
            self._refs.move(LOGS + apart, ours, known)
        if is_own:
            self._log.become(apart)
        if theirs is not None:
            self._refs.move(ref, theirs, ours)
        return None if known == ours else apart

    def _taken(self, remote: str, place: LogNamespace, kinds: Mapping[str, str]) -> set[str]:
        """Return the names of logs under which a remote has something else, or something below them."""
        prefix = place.tracking(remote)
        return {
            ref[len(prefix) :][:_NAME_DIGITS]
            for ref, tip in self._refs.tips().items()
            if ref.startswith(prefix)
            and _LOG.match(ref, len(prefix))
            and (kinds.get(tip, "commit") != "commit" or len(ref) > len(prefix) + _NAME_DIGITS)
        }

    def _offer_somewhere(self, remote: str) -> tuple[int, dict[str, str]]:
        """Push to where the remote takes logs; return how much that was, and what it refused."""
        only_branches = self._logs(BRANCHES.tracking(remote)) and not self._logs(REFS.tracking(remote))
        count, refused = (0, {}) if only_branches else self._offer(remote, REFS)
        if not only_branches and not (refused and all(_REFUSED in words for words in refused.values())):
            return count, refused
        more, still_refused = self._offer(remote, BRANCHES)
        return count + more, still_refused

    def _offer(self, remote: str, place: LogNamespace) -> tuple[int, dict[str, str]]:
        """Push what the remote does not have; return how much that was, and what it refused."""
        ours, theirs, damaged = self._logs(), self._logs(place.tracking(remote)), self._damaged()
        kinds = kinds_of(self._git, filter(None, theirs.values()))
        barred = self._taken(remote, place, kinds) | {ref.removeprefix(LOGS) for ref in damaged}
        new = {
            name: tip for name, tip in ours.items() if tip and theirs.get(name) != tip and name not in barred
        }
        leading = forward(self._git, ((theirs[name], tip) for name, tip in new.items() if theirs.get(name)))
        ahead = {
            name: tip
            for name, tip in new.items()
            if (old := theirs.get(name)) is None
            or (old, tip) in leading or not is_ancestor(self._git, tip, old)
        }  # fmt: skip
        if not ahead:
            return 0, {}
        commits = self._count(ahead, theirs)
        refused: dict[str, str] = {}
        named = [f"{LOGS}{name}:{place.theirs}{name}" for name in ahead]
        for start in range(0, len(named), _MOST_REFSPECS):
            self._tell(f"Sending to {remote}, {start} of {len(named)} logs so far")
            refused |= self.remotes.push(remote, named[start : start + _MOST_REFSPECS])
        taken = {name: tip for name, tip in ahead.items() if LOGS + name not in refused}
        # Only notes of what the remote has: where one cannot be made, the next fetch brings it.
        self._refs.move_all(
            [(place.tracking(remote) + name, tip, theirs.get(name)) for name, tip in taken.items()]
        )
        return (0 if refused and not taken else commits), refused

    def _logs(self, prefix: str = LOGS) -> dict[str, str]:
        tips = ((ref, tip) for ref, tip in self._refs.tips().items() if ref.startswith(prefix))
        return {ref.removeprefix(prefix): tip for ref, tip in tips if _LOG.fullmatch(ref, len(prefix))}

    def _count(self, newer: Mapping[str, str], older: Mapping[str, str]) -> int:
        kinds = kinds_of(self._git, filter(None, [*newer.values(), *older.values()]))
        usable = {tip for tip, kind in kinds.items() if kind == "commit"} - {*self._damaged().values()}
        gone_on, known = usable.intersection(newer.values()), usable.intersection(older.values())
        return count_between(self._git, sorted(gone_on - known), sorted(known)) if gone_on - known else 0

    def _damaged(self) -> dict[str, str]:
        return self._index.ask(damaged_in)
