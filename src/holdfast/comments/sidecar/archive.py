"""The database beside the sidecars: the versions that comments were written for, and what Holdfast last
wrote.

Contract ("we" is any process of Holdfast on this store):
- A version is stored under its git blob id and never removed. It therefore survives git's garbage collection,
  and exists for uncommitted text and outside git. If it is missing here (another clone wrote the comment),
  git's objects are read.
- The state in which we last wrote each comment is recorded, so a program that writes a sidecar from its
  memory cannot lose it (`lost_updates`). A comment that we deleted is recorded without its content (a
  tombstone).
- Reading a workspace without comments leaves no trace on disk.
- The comments themselves are in the sidecars. A damaged, empty or missing database never prevents reading and
  writing them: it is set aside and recreated.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from holdfast.kernel.errors import Busy, Corrupted, Denied, Unavailable
from holdfast.storage.git.repository import Repository
from holdfast.storage.lazy import Lazy
from holdfast.storage.sql.sqlite import Database
from holdfast.storage.sql.store_file import StoreFile

DATABASE_NAME = "comments.sqlite"
APPLICATION_ID = 0x4846434D  # "HFCM"
NUMBERS_NAME = "comments.numbers"
LOCKS_NAME = "comments.locks"
IGNORED_FAILURES = (Busy, Corrupted, Denied, Unavailable)
"""Failures to record a write. The sidecar is on disk by then, so they must not make the write fail."""

MIGRATIONS = (
    """
    CREATE TABLE version (
        blob TEXT PRIMARY KEY,
        data BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE sidecar (
        work_tree TEXT NOT NULL,
        path TEXT NOT NULL,
        digest TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        PRIMARY KEY (work_tree, path)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE replica (
        id TEXT NOT NULL
    ) STRICT;
    INSERT INTO replica (id) VALUES (lower(hex(randomblob(6))));
    CREATE TABLE written (
        work_tree TEXT NOT NULL,
        path TEXT NOT NULL,
        comment_id TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        updated TEXT NOT NULL,
        entry TEXT,
        known_elsewhere INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (work_tree, path, comment_id)
    ) STRICT, WITHOUT ROWID;
    """,
)


_INSERT_VERSION = "INSERT INTO version (blob, data) VALUES (?, ?) ON CONFLICT (blob) DO NOTHING"
_SELECT_VERSION = "SELECT data FROM version WHERE blob = ?"
_SELECT_SIDECAR = "SELECT digest, sequence FROM sidecar WHERE work_tree = ? AND path = ?"
_REPLACE_SIDECAR = "INSERT OR REPLACE INTO sidecar (work_tree, path, digest, sequence) VALUES (?, ?, ?, ?)"
_SELECT_COMMENTS = (
    "SELECT comment_id, sequence, updated, entry, known_elsewhere FROM written"
    " WHERE work_tree = ? AND path = ? ORDER BY sequence"
)
_REPLACE_COMMENT = (
    "INSERT OR REPLACE INTO written (work_tree, path, comment_id, sequence, updated, entry, known_elsewhere)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_DELETE_COMMENT = "DELETE FROM written WHERE work_tree = ? AND path = ? AND comment_id = ?"
_SELECT_REPLICA = "SELECT id FROM replica"


Answer = TypeVar("Answer")


class CommentRecord(NamedTuple):
    """What is recorded about one comment."""

    comment_id: str
    sequence: int
    """The number of our write, counted per sidecar, that last wrote it."""
    updated: str
    """When it was last changed, or deleted."""
    content: str | None
    """The comment and its marker as JSON; None if we deleted it."""
    known_elsewhere: bool
    """Whether another program has written a sidecar with it, and so has it in memory."""


class SidecarRecord(NamedTuple):
    """What is recorded about one sidecar."""

    digest: str | None = None
    sequence: int = 0
    """How often we wrote it."""
    entries: tuple[CommentRecord, ...] = ()


def blob_id(data: bytes) -> str:
    """Return the git blob id of these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


class Archive:
    """The database of one repository, shared by its work trees; opened at first use."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        # Two work trees may have different sidecars at the same path, on two branches.
        self._work_tree = os.fsencode(repository.root).decode("utf-8", "replace")
        self._file = StoreFile(os.path.join(repository.store_directory, DATABASE_NAME))
        self._database = Lazy(self._open, lambda: self._file.was_created)
        self._known_replica: str | None = None

    def store_version(self, data: bytes) -> str:
        """Store the bytes of a source file durably and return their blob id."""
        blob = blob_id(data)
        if self.version(blob) is None:
            row = (blob, zlib.compress(data))
            self._update(lambda connection: connection.execute(_INSERT_VERSION, row))
        return blob

    def version(self, blob: str) -> bytes | None:
        def select(connection: sqlite3.Connection) -> bytes | None:
            row = connection.execute(_SELECT_VERSION, (blob,)).fetchone()
            return None if row is None else zlib.decompress(row[0])

        return self._query(select, None)

    def record(self, path: str, digest: str | None = None) -> SidecarRecord:
        """Return the record of a sidecar, with its comments only if its content is not `digest`."""

        def select(connection: sqlite3.Connection) -> SidecarRecord:
            row = connection.execute(_SELECT_SIDECAR, (self._work_tree, path)).fetchone()
            known_digest, sequence = row or (None, 0)
            if known_digest is not None and known_digest == digest:
                return SidecarRecord(known_digest, sequence)
            rows = connection.execute(_SELECT_COMMENTS, (self._work_tree, path)).fetchall()
            # The columns are those of `CommentRecord`, in order.
            entries = tuple(CommentRecord._make(row)._replace(known_elsewhere=bool(row[-1])) for row in rows)
            return SidecarRecord(known_digest, sequence, entries)

        return self._query(select, SidecarRecord())

    def record_write(
        self,
        path: str,
        digest: str,
        sequence: int,
        entries: Iterable[CommentRecord],
        forgotten: Iterable[str] = (),
    ) -> None:
        """Record the content of a sidecar after our write number `sequence`; failures are ignored.

        The sidecar is already on disk with a stamp of this write, so without the record the next reader only
        compares it once more. `forgotten` has the ids of comments whose records are removed.
        """
        key = (self._work_tree, path)
        rows = [(*key, *entry) for entry in entries]
        forgotten_keys = [(*key, comment_id) for comment_id in forgotten]

        def replace(connection: sqlite3.Connection) -> None:
            connection.execute(_REPLACE_SIDECAR, (*key, digest, sequence))
            connection.executemany(_REPLACE_COMMENT, rows)
            connection.executemany(_DELETE_COMMENT, forgotten_keys)

        try:
            self._update(replace)
        except IGNORED_FAILURES:
            pass

    def stamp(self, sequence: int) -> str:
        """Return the stamp for a sidecar; other programs keep it, which shows which write they read."""
        if not self._file.was_created:
            self._database.get()
        return f"{self._replica()}:{sequence}"

    def sequence_in(self, stamp: object) -> int | None:
        """Return the sequence number in a stamp, or None if the stamp is not from this work tree."""
        owner, colon, number = str(stamp).rpartition(":")
        return int(number) if colon and number.isdecimal() and owner == self._replica() else None

    def _replica(self) -> str:
        """Return an id of this store and work tree; empty if there is no database yet."""
        if self._known_replica is None:
            replica = self._query(
                lambda connection: str(connection.execute(_SELECT_REPLICA).fetchone()[0]), None
            )
            if replica is None:
                return ""  # no stamp has this id; the next write creates the database
            tree = hashlib.blake2b(self._work_tree.encode(), digest_size=3).hexdigest()
            self._known_replica = f"{replica}-{tree}"
        return self._known_replica

    def verify(self) -> list[str]:
        """Return what is wrong with the database; nothing if there is none."""
        try:
            database = self._database.get_existing()
        except Corrupted as failure:
            return [failure.message]
        return [] if database is None else database.verify()

    def close(self) -> None:
        self._database.close()

    def _query(self, query: Callable[[sqlite3.Connection], Answer], default: Answer) -> Answer:
        """Return the result of a query; `default` if there is no database or it is damaged."""
        identity = self._file.identity()
        try:
            if (database := self._database.get_existing()) is not None:
                with database.read() as connection:
                    return query(connection)
        except (Corrupted, zlib.error):
            try:
                self._discard(identity)
            except (Denied, Unavailable):
                pass  # a database that cannot be set aside prevents writing, not reading
        return default

    def _update(self, action: Callable[[sqlite3.Connection], object]) -> None:
        identity = self._file.identity()
        try:
            with self._database.get().write() as connection:
                action(connection)
        except Corrupted:
            self._discard(identity)
            with self._database.get().write() as connection:
                action(connection)

    def _discard(self, damaged: tuple[int, int] | None) -> None:
        """Set a damaged database aside to be recreated, unless another process already did."""
        with self._database.locked():
            if self._file.identity() == damaged:
                self._database.discard()
            self._file.set_aside(damaged)

    def _open(self) -> Database:
        self._repository.ensure_store()
        return Database(self._file.path, application_id=APPLICATION_ID, migrations=MIGRATIONS)


def written_record(
    comment: Mapping[str, Any], marker: Mapping[str, Any] | None, sequence: int
) -> CommentRecord:
    """Return the record of a comment that is being written."""
    content = json.dumps({"comment": comment, "marker": marker})
    # Another program's timestamp may contain a lone surrogate, which SQLite rejects.
    updated = str(comment.get("updated", "")).encode("utf-8", "replace").decode()
    return CommentRecord(str(comment["id"]), sequence, updated, content, known_elsewhere=False)


def tombstone(comment_id: str, deleted_at: str, sequence: int) -> CommentRecord:
    """Return the record of a comment that is being deleted."""
    return CommentRecord(comment_id, sequence, deleted_at, None, known_elsewhere=False)
