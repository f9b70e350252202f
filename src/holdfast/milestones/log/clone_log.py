"""This clone's own log: its name, and how operations are appended to it.

Contract:
- A write takes the store's lock, reads an up-to-date index, writes one commit, moves the ref by
  compare-and-swap from the tip it read, and returns when all of that is on disk. If the process is killed,
  the log has the whole commit or nothing of it. If only the index update is missing, the next read does it.
- Committer dates in a log strictly increase, because git's history walks are slow otherwise.
- A log that cannot be written (git died holding its lock, or its tip is damaged) is left alone, and this
  clone continues in a new log. Only a lock left by a killed Holdfast process is removed.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from itertools import accumulate, chain, groupby
from math import ceil
from typing import NamedTuple

from holdfast.kernel.clock import Clock, seconds_of
from holdfast.kernel.errors import Conflict, NotFound
from holdfast.kernel.limits import LIMITS
from holdfast.milestones.entity import WriteReceipt
from holdfast.milestones.index.index import Index
from holdfast.milestones.index.schema import LOGS
from holdfast.milestones.index.update import damaged_refs
from holdfast.milestones.log.entry import Entry, commit_message, validate_request
from holdfast.milestones.log.operation_builder import OperationBuilder
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.files.locks import locked
from holdfast.storage.files.regular_file import read_limited
from holdfast.storage.git.command import Git
from holdfast.storage.git.commits.commit import Commit, DamagedCommit, NewCommit, signature
from holdfast.storage.git.commits.commit_writer import CommitWriter, write_commits
from holdfast.storage.git.refs import RefLocked, RefMoved, Refs
from holdfast.storage.git.repository import Repository

_REPLICA = re.compile(r"[0-9a-f]{32}")
_MAX_REPLICA_FILE_BYTES = 100  # a valid file has 33; more is not read
_MAX_APPEND_ATTEMPTS = 10  # a second one is rare already, as only plain git ignores the lock on the log
_MAX_ENTITIES_PER_COMMIT = 500  # keeps commits small enough to read one by one, and their number low
_COMMIT_MARGIN = 8  # commits are this many times smaller than readers accept, to have room for a long comment
_DIGEST_CHARACTERS = 16  # 64 bits, which tell different uses of one request id apart
_SELECT_OWN_LOG = "SELECT tip.id, committed FROM tip LEFT JOIN log_end ON tip.id = log_end.id WHERE ref = ?"

Compose = Callable[[sqlite3.Connection, OperationBuilder], str]
"""Builds the operations of a request on an up-to-date index, and returns the entity concerned."""


class OwnLog(NamedTuple):
    """The log to append to, its tip, and the tip's committer date."""

    ref: str
    tip: str | None
    committed: int


class PreparedWrite(NamedTuple):
    """The operations of a request, its receipt, and the log to append to (None without operations)."""

    entries: list[Entry]
    receipt: WriteReceipt
    own: OwnLog | None = None


class CloneLog:
    """The log of this clone."""

    def __init__(self, repository: Repository, git: Git, refs: Refs, index: Index, clock: Clock) -> None:
        self._repository = repository
        self._git = git
        self._refs = refs
        self._index = index
        self._clock = clock
        assert repository.common_dir is not None
        self._writer = CommitWriter(git, refs, repository.common_dir)
        self._file = os.path.join(repository.store_directory, "milestones.replica")

    @property
    def replica(self) -> str | None:
        """Return this clone's name among all clones, or None if it has never written."""
        try:
            name = os.fsdecode(read_limited(self._file, _MAX_REPLICA_FILE_BYTES)).strip()
        except NotFound:
            return None
        return name if _REPLICA.fullmatch(name) else None

    def switch_to(self, replica: str) -> None:
        """Use another name, and so another log, from now on."""
        atomic_write(self._file, f"{replica}\n".encode(), mode=0o600)

    def write(self, compose: Compose, actor: str, request: str | None, *arguments: object) -> WriteReceipt:
        """Carry out a request once: append its operations to the log, and return a receipt.

        Reusing a request id with other arguments is refused.
        """
        validate_request(request)
        digest = None if request is None else _hash_arguments(arguments)
        with self._locked_write(compose, actor, request, digest) as write:
            self._append(write.own, write.entries)
        return write.receipt

    def write_many(self, compose: Compose, actor: str) -> list[Entry]:
        """Append the operations of an import in as many commits as needed, and return them."""
        with self._locked_write(compose, actor) as write:
            self._append_bulk(write.own, write.entries)
        return write.entries

    def _append_bulk(self, own: OwnLog | None, entries: list[Entry]) -> None:
        if own is None:
            return
        groups = self._group_by_commit(entries, own.committed)
        start = max(own.committed + 1, int(self._clock().timestamp()) - len(groups))
        commits = [self._new_commit(group, start + number) for number, group in enumerate(groups)]
        write_commits(self._git, own.ref, own.tip, commits)
        self._refs.flush(own.ref)

    def _group_by_commit(self, entries: list[Entry], last: int) -> list[list[Entry]]:
        """Group operations into commits, after a log whose last committer date is `last`.

        Each commit has a second of its own. It holds one entity, or more if there are more entities than
        seconds since `last`: a date in the future would slow down every push, which walks the commits that
        are newer than those it sends. Large groups are split, because readers limit the size of a commit.
        """
        entities = list(_by_entity(entries))
        seconds = max(1, int(self._clock().timestamp()) - last)
        size = min(_MAX_ENTITIES_PER_COMMIT, ceil(len(entities) / seconds))
        groups: list[list[Entry]] = []
        for start in range(0, len(entities), size):
            chunk = chain.from_iterable(entities[start : start + size])
            groups += _split_by_size(list(chunk))
        return groups

    @contextmanager
    def _locked_write(
        self, compose: Compose, actor: str, request: str | None = None, digest: str | None = None
    ) -> Iterator[PreparedWrite]:
        """Compose the operations of a request, and hold the store's lock until they are written.

        Processes wait for that lock one at a time, holding a second lock, so that a busy writer cannot starve
        the others.
        """

        def prepare(connection: sqlite3.Connection) -> PreparedWrite:
            lamport = connection.execute("SELECT lamport FROM clock").fetchone()[0]
            replica = self.replica or self._switch_to_new_log()
            builder = OperationBuilder(lamport, self._clock(), actor, replica, request, digest)
            earlier = _earlier_receipt(connection, request, digest)
            if earlier is not None:
                return PreparedWrite([], earlier)
            entity = compose(connection, builder)
            operation_ids = tuple(entry.id for entry in builder.entries)
            own = self._own_log(connection, replica) if operation_ids else None
            receipt = WriteReceipt(entity, operation_ids, changed=bool(operation_ids))
            return PreparedWrite(builder.entries, receipt, own)

        self._repository.ensure_store()
        with ExitStack() as queue:
            queue.enter_context(locked(f"{self._index.writing_lock}-queue", wait=LIMITS.index_seconds))
            with locked(self._index.writing_lock):
                queue.close()
                yield self._index.read(prepare, is_writing=True)

    def _switch_to_new_log(self) -> str:
        replica = os.urandom(16).hex()
        self.switch_to(replica)
        return replica

    def _own_log(self, connection: sqlite3.Connection, replica: str) -> OwnLog:
        """Return this clone's log, or a new one if the old one is damaged."""
        ref = LOGS + replica
        if ref in damaged_refs(connection):
            return OwnLog(LOGS + self._switch_to_new_log(), None, 0)
        tip, committed = connection.execute(_SELECT_OWN_LOG, (ref,)).fetchone() or (None, 0)
        return OwnLog(ref, tip, committed or 0)

    def _append(self, own: OwnLog | None, entries: list[Entry]) -> None:
        """Append by compare-and-swap, retrying if another process moved the log."""
        if own is None:
            return
        for _ in range(_MAX_APPEND_ATTEMPTS):
            try:
                self._append_to(own, entries)
            except (RefLocked, DamagedCommit):
                self._switch_to_new_log()
            except RefMoved:
                pass
            else:
                return
            own = self._index.read(
                lambda connection: self._own_log(connection, self.replica or self._switch_to_new_log()),
                is_writing=True,
            )
        raise Conflict("The log kept changing while it was being written.", hint="Try again.")

    def _append_to(self, own: OwnLog, entries: list[Entry]) -> None:
        committed = max(int(self._clock().timestamp()), own.committed + 1)
        new = self._new_commit(entries, committed)
        commit_id = self._writer.append(own.ref, own.tip, new)
        parents = () if own.tip is None else (own.tip,)
        commit = Commit(commit_id, committed, parents, new.message)
        self._index.add_own_commit(own.ref, own.tip, commit, entries)

    def _new_commit(self, entries: list[Entry], committed: int) -> NewCommit:
        first = entries[0]
        written = seconds_of(first.time)
        return NewCommit(
            commit_message(entries),
            signature(first.actor, committed if written is None else written),
            signature(first.actor, committed),
        )


def _hash_arguments(arguments: tuple[object, ...]) -> str:
    text = json.dumps(arguments, sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()[:_DIGEST_CHARACTERS]


def _earlier_receipt(
    connection: sqlite3.Connection, request: str | None, digest: str | None
) -> WriteReceipt | None:
    """Return the receipt of a request if it was carried out before."""
    query = "SELECT digest, entity, operations FROM request WHERE id = ?"
    if request is None:
        return None
    row = connection.execute(query, (request,)).fetchone()
    if row is None:
        return None
    stored_digest, entity, operation_ids = row
    if stored_digest != digest:
        raise Conflict(
            "This request id was used for something else.",
            hint="Use a new id for a new request.",
            request=request,
        )
    return WriteReceipt(entity, tuple(json.loads(operation_ids)), changed=False, repeated=True)


def _by_entity(entries: Iterable[Entry]) -> Iterable[list[Entry]]:
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(entry.entity, []).append(entry)
    return groups.values()


def _split_by_size(entries: list[Entry]) -> Iterator[list[Entry]]:
    """Split operations into lists that each fit into a commit."""
    totals = accumulate(len(entry.line()) for entry in entries)
    commit_bytes = LIMITS.log_commit_bytes // _COMMIT_MARGIN
    pairs = zip(entries, totals, strict=True)
    for _, part in groupby(pairs, key=lambda pair: pair[1] // commit_bytes):
        yield [entry for entry, _ in part]
