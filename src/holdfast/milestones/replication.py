"""Syncs the logs with other clones: fetch, merge, push. CRDT operations merge by union, without conflicts.

Contract:
- The remote's logs are fetched into tracking refs, never over a log of this clone.
- A log that is behind is fast-forwarded. If a log diverged (a copied `.git`, a restored backup), both
  histories are kept: the one that the remote lacks is renamed after its first commit, which gives it the
  same name in every clone. If it was this clone's log, this clone continues under that name.
- All known logs are pushed, including those of other clones.
- Damage to one log does not stop the sync of the others. A log of the remote that cannot be fetched, or is
  not a commit, is reported and not merged; if a local log has the same name, the local one is renamed. If the
  last commit of a local log is corrupt, it is moved aside and fetched again. If other damage here makes git
  refuse to fetch, or a shallow fetch left a log incomplete, logs are fetched completely into a separate
  object store.
- The number of processes does not depend on the number of logs, unless many of them diverged.
- If a remote rejects refs outside `refs/heads`, logs are pushed there as branches below `holdfast/log/`, from
  then on only as such. Logs are fetched from both namespaces.
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
from holdfast.milestones.entity import Claim, Kind
from holdfast.milestones.index.index import Index
from holdfast.milestones.index.rows import state_of
from holdfast.milestones.index.schema import LOGS
from holdfast.milestones.index.update import damaged_refs
from holdfast.milestones.log.clone_log import CloneLog
from holdfast.milestones.log_fetch import LogFetch
from holdfast.milestones.log_namespace import BRANCHES, NAMESPACES, REFS, LogNamespace
from holdfast.storage.files.locks import locked
from holdfast.storage.git.command import Git
from holdfast.storage.git.commits.ancestry import count_between, fast_forwards, first_after_fork, is_ancestor
from holdfast.storage.git.objects.object_kinds import object_kinds
from holdfast.storage.git.refs import RefLocked, RefMoved, Refs
from holdfast.storage.git.remotes import Remotes
from holdfast.storage.git.repository import Repository

_MAX_SYNC_ATTEMPTS = 5  # a push is rejected only if another clone pushed since the fetch: rarely twice
_LOG_NAME_DIGITS = 32  # hexadecimal, as in the file that names this clone's log
_LOG = re.compile(r"[0-9a-f]{32}(?![^/])")
REFSPECS_PER_COMMAND = 2000  # of up to 100 bytes: far below the 2 MB of a command on Linux (execve(2))
_REFUSED = "[remote rejected]"
"""Git reports this for a ref that the remote does not allow, but not for one that it could not update now."""


class LostClaim(NamedTuple):
    """A claim of this clone that lost to another clone's."""

    entity: str
    kind: Kind
    title: str
    winner: Claim
    loser: Claim


class SyncReport(NamedTuple):
    """The result of a sync.

    `received` and `sent` count commits, `logs` the logs of this clone afterwards. `refused` maps the logs
    that the remote rejected, and `missing` those that could not be fetched, to git's message. `damaged` has
    the refs that cannot be read completely, `unnamed` those whose names no clone gives to a log.
    """

    remote: str
    received: int
    sent: int
    logs: int
    lost_claims: tuple[LostClaim, ...] = ()
    renamed_logs: tuple[str, ...] = ()
    refused: Mapping[str, str] = MappingProxyType({})
    missing: Mapping[str, str] = MappingProxyType({})
    damaged: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()


class Sync:
    """Exchanges the logs of one clone with its remotes."""

    def __init__(
        self, repository: Repository, git: Git, refs: Refs, index: Index, log: CloneLog, clock: Clock
    ) -> None:
        self._git = git
        self._refs = refs
        self._index = index
        self._log = log
        self._clock = clock
        self.remotes = Remotes(git)
        self._log_fetch = LogFetch(repository, refs, index, self.remotes)
        self._repository = repository
        self._steps = count(1)

    def run(self, remote: str | None) -> SyncReport:
        name = self.remotes.resolve_name(remote)
        self._repository.ensure_store()
        with locked(os.path.join(self._repository.store_directory, "milestones.sync")):
            before = self._logs()
            renamed_logs: list[str] = []
            sent = 0
            refused: dict[str, str] = {}
            for _ in range(_MAX_SYNC_ATTEMPTS):
                self._report(f"Fetching from {name}")
                missing = self._log_fetch.run(name)
                try:
                    renamed_logs += [new for namespace in NAMESPACES for new in self._merge(name, namespace)]
                    count, refused = self._push(name)
                except Unavailable:
                    if not self._index.find_damage():
                        raise
                    continue  # without the logs just found damaged
                sent += count
                # Git refuses a log whose last commit is missing here as if it were behind.
                if not (refused and self._index.find_damage()):
                    break
            received = self._count_new(self._logs(), before)
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
            unnamed=tuple(self._unnamed(name)),
        )

    def _report(self, message: str) -> None:
        current_call().progress(next(self._steps), None, message)

    def track(self, remote: str) -> bool:
        """Make plain `git fetch` fetch a remote's logs too; the wildcard may match nothing."""
        name = self.remotes.resolve_name(remote)
        return self.remotes.add_fetch_refspec(name, REFS.refspec(name))

    def lost_claims(self) -> tuple[LostClaim, ...]:
        """Return this clone's unexpired claims that lost to another clone's."""
        replica = self._log.replica
        now = rfc3339(self._clock())
        query = "SELECT DISTINCT entity FROM claim WHERE place > 0 AND replica = ? AND until > ?"

        def select_lost(connection: sqlite3.Connection) -> Iterator[LostClaim]:
            for (entity,) in connection.execute(query, (replica, now)).fetchall():
                state = state_of(connection, entity)
                if state is None:
                    continue
                live = [claim for claim in state.claims() if claim.is_live(now)]
                if live and live[0].replica != replica:
                    loser = next(claim for claim in live if claim.replica == replica)
                    yield LostClaim(entity, state.kind, state.value("title") or "", live[0], loser)

        return self._index.read(lambda connection: tuple(select_lost(connection)))

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
            self._fast_forward(moves)
            own = self._log.replica
            blocked = self._blocked_names(remote, namespace, kinds) & ours.keys()
            forked: dict[str, str | None] = dict.fromkeys(blocked)
            forked |= {name: new for name, (_, new) in pairs.items() if name not in moves}
            for name, tip in forked.items():
                try:
                    new_name = self._resolve_fork(name, ours[name], tip, is_own=name == own)
                except (RefLocked, RefMoved, Unavailable):
                    continue  # the remote's history is still in the tracking ref; the next sync tries again
                if new_name is not None:
                    renamed_logs.append(new_name)
        return renamed_logs

    def _fast_forward(self, moves: dict[str, tuple[str | None, str]]) -> None:
        """Move local logs from their old tip, None for a new log, to the remote's tip."""
        own, failed = self._log.replica, set[str]()
        names = sorted(moves, key=lambda name: name == own)  # its own log last, as this clone leaves it
        wanted = [(LOGS + name, moves[name][1], moves[name][0]) for name in names]
        for start in range(0, len(wanted), REFSPECS_PER_COMMAND):
            self._report(f"Merging the logs, {start} of {len(wanted)} so far")
            failed |= self._refs.move_all(wanted[start : start + REFSPECS_PER_COMMAND])
        if own in moves and LOGS + own not in failed:
            self._log.switch_to(os.urandom(16).hex())  # another clone writes under this name

    def _resolve_fork(self, name: str, ours: str, theirs: str | None, *, is_own: bool) -> str | None:
        """Rename the local history of a log that diverged, or whose name the remote uses for something else.

        Return the new name, or None if no log was renamed. `theirs` is None if the name is blocked.
        """
        ref = LOGS + name
        if theirs is not None and is_ancestor(self._git, theirs, ours):
            return None  # ours is ahead: there is no fork
        if theirs is not None and is_ancestor(self._git, ours, theirs):
            # Ours is behind, but over a merge, which `fast_forwards` leaves out.
            self._refs.move(ref, theirs, ours)
            if is_own:
                self._log.switch_to(os.urandom(16).hex())
            return None
        new_name = first_after_fork(self._git, ours, theirs)[:_LOG_NAME_DIGITS]
        if new_name == name:  # the log has that name already
            new_name = os.urandom(16).hex() if is_own else name
        existing = self._refs.tips().get(LOGS + new_name)
        # Another clone may have renamed the same history, and may have added to it.
        if existing is None or is_ancestor(self._git, existing, ours):
            self._refs.move(LOGS + new_name, ours, existing)
        if is_own:
            self._log.switch_to(new_name)
        if theirs is not None:
            self._refs.move(ref, theirs, ours)
        return None if existing == ours else new_name

    def _blocked_names(self, remote: str, namespace: LogNamespace, kinds: Mapping[str, str]) -> set[str]:
        """Return the log names that a remote uses for something other than a log, or as a folder of refs."""
        prefix = namespace.tracking(remote)
        return {
            ref[len(prefix) :][:_LOG_NAME_DIGITS]
            for ref, tip in self._refs.tips().items()
            if ref.startswith(prefix)
            and _LOG.match(ref, len(prefix))
            and (kinds.get(tip, "commit") != "commit" or len(ref) > len(prefix) + _LOG_NAME_DIGITS)
        }

    def _push(self, remote: str) -> tuple[int, dict[str, str]]:
        """Push to the namespace that the remote accepts; return the number of commits, and refused logs."""
        has_only_branches = self._logs(BRANCHES.tracking(remote)) and not self._logs(REFS.tracking(remote))
        if has_only_branches:
            return self._push_to(remote, BRANCHES)
        sent, refused = self._push_to(remote, REFS)
        if not refused or not all(_REFUSED in message for message in refused.values()):
            return sent, refused
        sent_as_branches, still_refused = self._push_to(remote, BRANCHES)
        return sent + sent_as_branches, still_refused

    def _push_to(self, remote: str, namespace: LogNamespace) -> tuple[int, dict[str, str]]:
        """Push the logs that are ahead; return the number of commits, and the refused logs."""
        ours, theirs, damaged = self._logs(), self._logs(namespace.tracking(remote)), self._damaged()
        kinds = object_kinds(self._git, filter(None, theirs.values()))
        blocked = self._blocked_names(remote, namespace, kinds) | {ref.removeprefix(LOGS) for ref in damaged}
        new = {
            name: tip for name, tip in ours.items() if tip and theirs.get(name) != tip and name not in blocked
        }
        leading = fast_forwards(
            self._git, ((theirs[name], tip) for name, tip in new.items() if theirs.get(name))
        )
        ahead: dict[str, str] = {}
        for name, tip in new.items():
            old = theirs.get(name)
            if old is None or (old, tip) in leading or not is_ancestor(self._git, tip, old):
                ahead[name] = tip
        if not ahead:
            return 0, {}
        commits = self._count_new(ahead, theirs)
        refused: dict[str, str] = {}
        refspecs = [f"{LOGS}{name}:{namespace.remote_prefix}{name}" for name in ahead]
        for start in range(0, len(refspecs), REFSPECS_PER_COMMAND):
            self._report(f"Sending to {remote}, {start} of {len(refspecs)} logs so far")
            refused |= self.remotes.push(remote, refspecs[start : start + REFSPECS_PER_COMMAND])
        accepted = {name: tip for name, tip in ahead.items() if LOGS + name not in refused}
        # A tracking ref that cannot be moved now is updated by the next fetch.
        self._refs.move_all(
            [(namespace.tracking(remote) + name, tip, theirs.get(name)) for name, tip in accepted.items()]
        )
        return (0 if refused and not accepted else commits), refused

    def _logs(self, prefix: str = LOGS) -> dict[str, str]:
        """Return the tips of the logs below a ref prefix, by name."""
        tips = ((ref, tip) for ref, tip in self._refs.tips().items() if ref.startswith(prefix))
        return {ref.removeprefix(prefix): tip for ref, tip in tips if _LOG.fullmatch(ref, len(prefix))}

    def _unnamed(self, remote: str) -> Iterator[str]:
        """Yield the refs here and of the remote that are among the logs, but do not have the name of one."""
        prefixes = (LOGS, *(namespace.tracking(remote) for namespace in NAMESPACES))
        for ref in sorted(self._refs.tips()):
            prefix = next(filter(ref.startswith, prefixes), None)
            if prefix is not None and not _LOG.match(ref, len(prefix)):
                yield ref

    def _count_new(self, newer: Mapping[str, str], older: Mapping[str, str]) -> int:
        """Return the number of commits that are in the newer logs but not in the older ones."""
        kinds = object_kinds(self._git, filter(None, [*newer.values(), *older.values()]))
        usable = {tip for tip, kind in kinds.items() if kind == "commit"} - {*self._damaged().values()}
        new, known = usable.intersection(newer.values()), usable.intersection(older.values())
        if new <= known:
            return 0
        return count_between(self._git, sorted(new - known), sorted(known))

    def _damaged(self) -> dict[str, str]:
        return self._index.read(damaged_refs)
