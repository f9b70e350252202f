"""Syncs the logs with other clones: fetch, merge, push. CRDT operations merge by union, without conflicts.

Contract:
- The remote's logs are fetched into tracking refs, never over a log of this clone.
- A log that is behind is fast-forwarded. Of a log that diverged (a copied `.git`, a restored backup) both
  histories are kept: the one that the remote lacks is renamed after its first commit, and so gets the same
  name in every clone. If it was this clone's log, this clone continues under that name.
- All known logs are pushed, including those of other clones.
- Damage to one log does not stop the others. One that cannot be fetched, or is not a commit, is reported and
  left alone; if it takes the name of a log here, that log is renamed. If the last commit of a log is corrupt
  here, it is moved aside and fetched again. If other damage here makes git refuse to fetch, or a shallow
  fetch left a log incomplete, logs are fetched completely into a separate object store.
- The number of processes does not depend on the number of logs, unless many of them diverged.
- To a remote that rejects refs outside `refs/heads` logs are pushed as branches below `holdfast/log/`, and
  only there from then on. Logs are fetched from both namespaces.
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
from holdfast.kernel.machine import translate_disk_errors
from holdfast.milestones.entity import Claim, Kind
from holdfast.milestones.index.index import Index
from holdfast.milestones.index.rows import state_of
from holdfast.milestones.index.schema import LOGS, TRACKED, TRACKED_BRANCHES
from holdfast.milestones.index.update import damaged_in
from holdfast.milestones.log.clone_log import CloneLog
from holdfast.storage.files.locks import locked
from holdfast.storage.git.command import Git
from holdfast.storage.git.commits.ancestry import (
    count_between,
    fast_forwards,
    first_after_fork,
    is_ancestor,
    object_kinds,
)
from holdfast.storage.git.objects.loose_object import set_aside_if_damaged
from holdfast.storage.git.objects.packs import separate_objects
from holdfast.storage.git.refs import RefLocked, RefMoved, Refs
from holdfast.storage.git.remotes import Remotes
from holdfast.storage.git.repository import Repository

_ATTEMPTS = 5  # a judgement: rejected pushes are repeated while other clones push
_NAME_DIGITS = 32
_LOG = re.compile(r"[0-9a-f]{32}(?![^/])")
_MAX_FETCHES = 200  # a judgement: isolates about 20 bad logs among 2,000 by bisection
_MAX_REFSPECS = 2000  # of up to 100 bytes each: far below the limit on a command line, 2 MB on Linux
_REFUSED = "[remote rejected]"
"""Git's mark for a ref that the remote does not allow, as opposed to one that it could not update now."""


class LogNamespace(NamedTuple):
    """The ref prefix of logs at a remote, and that of this clone's tracking refs for them."""

    remote_prefix: str
    tracking_prefix: str

    def tracking(self, remote: str) -> str:
        """Return the prefix of the tracking refs for a remote."""
        return f"{self.tracking_prefix}{remote}/"

    def refspec(self, remote: str) -> str:
        """Return the refspec that fetches the logs."""
        return f"+{self.remote_prefix}*:{self.tracking(remote)}*"


REFS = LogNamespace(LOGS, TRACKED)
BRANCHES = LogNamespace("refs/heads/holdfast/log/", TRACKED_BRANCHES)
_NAMESPACES = (REFS, BRANCHES)


class LostClaim(NamedTuple):
    """A claim of this clone that lost to another clone's."""

    entity: str
    kind: Kind
    title: str
    winner: Claim
    loser: Claim


class SyncReport(NamedTuple):
    """What a sync did. `refused` are logs that the remote rejected, `missing` those it could not send."""

    remote: str
    received: int
    sent: int
    logs: int
    lost_claims: tuple[LostClaim, ...] = ()
    renamed_logs: tuple[str, ...] = ()
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
        name = self.remotes.resolve_name(remote)
        self._repository.ensure_store()
        with locked(os.path.join(self._repository.store_directory, "milestones.sync")):
            before = self._logs()
            renamed_logs: list[str] = []
            sent = 0
            refused: dict[str, str] = {}
            for _ in range(_ATTEMPTS):
                self._report(f"Fetching from {name}")
                missing = self._fetch(name)
                try:
                    renamed_logs += [new for namespace in _NAMESPACES for new in self._merge(name, namespace)]
                    count, refused = self._push(name)
                except Unavailable:
                    if not self._index.find_damage():
                        raise
                    continue  # now without the logs found damaged
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
            renamed_logs=tuple(renamed_logs),
            refused=refused,
            missing=missing,
            damaged=tuple(sorted(self._damaged())),
        )

    def _report(self, message: str) -> None:
        current_call().progress(next(self._steps), None, message)

    def _fetch(self, remote: str) -> dict[str, str]:
        """Fetch the logs of a remote, and return those that failed, with git's message."""
        try:
            self.remotes.fetch(remote, *(namespace.refspec(remote) for namespace in _NAMESPACES))
        except Unavailable as failure:
            if self._quarantine_damaged_tips():
                self._index.find_damage()
                return self._fetch(remote)
            missing = self._fetch_possible(remote)
            if missing is None:
                raise failure from None
            return missing
        is_shallow = os.path.lexists(os.path.join(self._repository.common_dir or "", "shallow"))
        return (self._fetch_possible(remote) or {}) if is_shallow and self._damaged() else {}

    def _fetch_possible(self, remote: str) -> dict[str, str] | None:
        """Fetch as many logs as possible; return the others with git's message, or None if that is all.

        Damage here makes git refuse every fetch: then complete logs, including the damaged ones, are fetched
        into a separate object store.
        """
        theirs = self.remotes.refs(remote, *(namespace.remote_prefix for namespace in _NAMESPACES))
        self._index.find_damage()
        tips, damaged = self._refs.tips(), self._damaged()
        tracking: dict[str, str] = {}
        for namespace in _NAMESPACES:
            here = (ref for ref in theirs if ref.startswith(namespace.remote_prefix))
            tracking |= {
                ref: ref.replace(namespace.remote_prefix, namespace.tracking(remote), 1) for ref in here
            }
        wanted = [
            (ref, local)
            for ref, local in tracking.items()
            if tips.get(local) != theirs[ref] or local in damaged
        ]
        if not damaged:
            missing = self._fetch_bisecting(remote, wanted, count(1))
        else:
            current_call().log(f"Damaged here, fetched completely: {', '.join(sorted(damaged))}", "warning")
            store, common = self._repository.store_directory, self._repository.common_dir or ""
            with separate_objects(store, common) as objects:
                missing = self._fetch_bisecting(remote, wanted, count(1), objects)
            fetched = [(local, theirs[ref], tips.get(local)) for ref, local in wanted if ref not in missing]
            self._refs.move_all([move for move in fetched if move[1] != move[2]])
        return missing if len(missing) < len(tracking) else None

    def _quarantine_damaged_tips(self) -> bool:
        """Move tip commits with corrupt bytes aside, so that git fetches them again."""
        common, tips = self._repository.common_dir or "", {*self._refs.tips().values()}
        folder = os.path.join(self._repository.store_directory, "damaged")
        with translate_disk_errors("objects"):
            found = [tip for tip in tips if set_aside_if_damaged(common, tip, folder)]
        for tip in found:
            text = f"The damaged commit {tip[:12]} of a log was moved to 'damaged' in the store"
            current_call().log(f"{text}; it is fetched again if the remote has it.", "warning")
        return bool(found)

    def _fetch_bisecting(
        self, remote: str, wanted: list[tuple[str, str]], attempts: Iterator[int], objects: str | None = None
    ) -> dict[str, str]:
        """Fetch refs, or only their objects, isolating by bisection and returning those that fail."""
        missing: dict[str, str] = {}
        half = len(wanted) // 2
        for part in filter(None, (wanted[:half], wanted[half:])):
            refspecs = [ref if objects else f"+{ref}:{local}" for ref, local in part]
            try:
                self.remotes.fetch(remote, *refspecs, objects=objects)
            except Unavailable as failure:
                if len(part) == 1 or next(attempts) > _MAX_FETCHES:
                    missing |= {ref: failure.message for ref, _ in part}
                else:
                    missing |= self._fetch_bisecting(remote, part, attempts, objects)
        return missing

    def track(self, remote: str) -> bool:
        """Make plain `git fetch` fetch a remote's logs, by a wildcard that may match nothing."""
        name = self.remotes.resolve_name(remote)
        return self.remotes.add_fetch_refspec(name, REFS.refspec(name))

    def lost_claims(self) -> tuple[LostClaim, ...]:
        """Return this clone's unexpired claims that lost to another clone's."""
        replica = self._log.replica
        now = rfc3339(self._clock())
        query = "SELECT DISTINCT entity FROM claim WHERE place > 0 AND replica = ? AND until > ?"

        def lost(connection: sqlite3.Connection) -> Iterator[LostClaim]:
            for (entity,) in connection.execute(query, (replica, now)).fetchall():
                state = state_of(connection, entity)
                live = [claim for claim in state.claims() if claim.is_live(now)] if state else []
                if state is not None and live and live[0].replica != replica:
                    loser = next(claim for claim in live if claim.replica == replica)
                    yield LostClaim(entity, state.kind, state.value("title") or "", live[0], loser)

        return self._index.read(lambda connection: tuple(lost(connection)))

    def _merge(self, remote: str, namespace: LogNamespace) -> list[str]:
        """Merge the remote's logs into the local ones; return the new names of diverged logs."""
        renamed_logs = []
        with locked(self._index.writing_lock):
            ours, theirs = self._logs(), self._logs(namespace.tracking(remote))
            kinds = object_kinds(self._git, filter(None, theirs.values()))
            pairs = {
                name: (ours.get(name), tip)
                for name, tip in theirs.items()
                if kinds.get(tip) == "commit" and ours.get(name) not in (tip, "")
            }
            leading = fast_forwards(self._git, ((old, new) for old, new in pairs.values() if old))
            moves = {name: pair for name, pair in pairs.items() if not pair[0] or pair in leading}
            own, failed = self._log.replica, set[str]()
            names = sorted(moves, key=lambda name: name == own)  # own log last: this clone then leaves it
            wanted = [(LOGS + name, moves[name][1], moves[name][0]) for name in names]
            for start in range(0, len(wanted), _MAX_REFSPECS):
                self._report(f"Merging the logs, {start} of {len(wanted)} so far")
                failed |= self._refs.move_all(wanted[start : start + _MAX_REFSPECS])
            if own in moves and LOGS + own not in failed:
                self._log.switch_to(os.urandom(16).hex())  # another clone writes under this name
            blocked = self._blocked_names(remote, namespace, kinds) & ours.keys()
            others: dict[str, str | None] = dict.fromkeys(blocked)
            others |= {name: new for name, (_, new) in pairs.items() if name not in moves}
            for name, tip in others.items():
                try:
                    new_name = self._resolve_fork(name, ours[name], tip, is_own=name == own)
                except (RefLocked, RefMoved, Unavailable):
                    continue  # it stays in the tracking ref; the next sync tries again
                renamed_logs += [] if new_name is None else [new_name]
        return renamed_logs

    def _resolve_fork(self, name: str, ours: str, theirs: str | None, *, is_own: bool) -> str | None:
        """Rename the local history of a diverged log, or of one whose name is blocked at the remote."""
        ref = LOGS + name
        if theirs is not None and is_ancestor(self._git, theirs, ours):
            return None
        if theirs is not None and is_ancestor(self._git, ours, theirs):
            self._refs.move(ref, theirs, ours)
            if is_own:
                self._log.switch_to(os.urandom(16).hex())
            return None
        new_name = first_after_fork(self._git, ours, theirs)[:_NAME_DIGITS]
        if new_name == name:  # it has that name already
            new_name = os.urandom(16).hex() if is_own else name
        known = self._refs.tips().get(LOGS + new_name)
        if known is None or is_ancestor(self._git, known, ours):
            self._refs.move(LOGS + new_name, ours, known)
        if is_own:
            self._log.switch_to(new_name)
        if theirs is not None:
            self._refs.move(ref, theirs, ours)
        return None if known == ours else new_name

    def _blocked_names(self, remote: str, namespace: LogNamespace, kinds: Mapping[str, str]) -> set[str]:
        """Return names of logs that a remote uses for something else, or as a folder of refs."""
        prefix = namespace.tracking(remote)
        return {
            ref[len(prefix) :][:_NAME_DIGITS]
            for ref, tip in self._refs.tips().items()
            if ref.startswith(prefix)
            and _LOG.match(ref, len(prefix))
            and (kinds.get(tip, "commit") != "commit" or len(ref) > len(prefix) + _NAME_DIGITS)
        }

    def _push(self, remote: str) -> tuple[int, dict[str, str]]:
        """Push to the namespace that the remote accepts; return the number of operations, and refusals."""
        only_branches = self._logs(BRANCHES.tracking(remote)) and not self._logs(REFS.tracking(remote))
        count, refused = (0, {}) if only_branches else self._push_to(remote, REFS)
        if not only_branches and not (refused and all(_REFUSED in message for message in refused.values())):
            return count, refused
        more, still_refused = self._push_to(remote, BRANCHES)
        return count + more, still_refused

    def _push_to(self, remote: str, namespace: LogNamespace) -> tuple[int, dict[str, str]]:
        """Push the logs that are ahead; return the number of operations, and refused logs."""
        ours, theirs, damaged = self._logs(), self._logs(namespace.tracking(remote)), self._damaged()
        kinds = object_kinds(self._git, filter(None, theirs.values()))
        blocked = self._blocked_names(remote, namespace, kinds) | {ref.removeprefix(LOGS) for ref in damaged}
        new = {
            name: tip for name, tip in ours.items() if tip and theirs.get(name) != tip and name not in blocked
        }
        leading = fast_forwards(
            self._git, ((theirs[name], tip) for name, tip in new.items() if theirs.get(name))
        )
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
        named = [f"{LOGS}{name}:{namespace.remote_prefix}{name}" for name in ahead]
        for start in range(0, len(named), _MAX_REFSPECS):
            self._report(f"Sending to {remote}, {start} of {len(named)} logs so far")
            refused |= self.remotes.push(remote, named[start : start + _MAX_REFSPECS])
        accepted = {name: tip for name, tip in ahead.items() if LOGS + name not in refused}
        # A tracking ref that cannot be moved now is updated by the next fetch.
        self._refs.move_all(
            [(namespace.tracking(remote) + name, tip, theirs.get(name)) for name, tip in accepted.items()]
        )
        return (0 if refused and not accepted else commits), refused

    def _logs(self, prefix: str = LOGS) -> dict[str, str]:
        tips = ((ref, tip) for ref, tip in self._refs.tips().items() if ref.startswith(prefix))
        return {ref.removeprefix(prefix): tip for ref, tip in tips if _LOG.fullmatch(ref, len(prefix))}

    def _count(self, newer: Mapping[str, str], older: Mapping[str, str]) -> int:
        kinds = object_kinds(self._git, filter(None, [*newer.values(), *older.values()]))
        usable = {tip for tip, kind in kinds.items() if kind == "commit"} - {*self._damaged().values()}
        new, known = usable.intersection(newer.values()), usable.intersection(older.values())
        return count_between(self._git, sorted(new - known), sorted(known)) if new - known else 0

    def _damaged(self) -> dict[str, str]:
        return self._index.read(damaged_in)
