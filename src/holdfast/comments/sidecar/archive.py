"""What the room keeps beside the sidecars: the versions that comments were written for, and what we wrote.

Contract:
- A version is kept under the id that git gives its bytes, and stays for good: no garbage collection of git
  takes it, and it is there for text that was never committed and outside git. Where it is missing (another
  clone wrote the comment), git's objects are asked.
- What was last written of each comment is kept, so that a program which writes a sidecar from its memory
  cannot lose it. A comment that we deleted stays on record without its content.
- Reading a workspace that nobody has commented on leaves no trace on disk.
- Lost updates are found by comparing a sidecar with the record. A comment of ours that is gone was lost, and
  comes back, unless somebody deleted it: we did; or the writer had read it (the stamp of our writes that it
  carries along shows how far); or git replaced the file. A comment of ours that went back to an older state
  was overwritten from memory, and our state comes back.
- The sidecars have the comments. A database that is damaged, empty or missing keeps nobody from reading and
  writing them: it is set aside and begun anew.
- A comparison writes nothing. `Merged` says what to put back, and what the record should say from now on.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from holdfast.comments.sidecar.document import Sidecar
from holdfast.kernel.errors import Busy, Corrupted, Denied, Unavailable
from holdfast.storage.git.history.file_history import FileHistory
from holdfast.storage.git.repository import Repository
from holdfast.storage.lazy import Lazy
from holdfast.storage.sql.sqlite import Database
from holdfast.storage.sql.store_file import StoreFile

DATABASE_NAME = "comments.sqlite"
APPLICATION_ID = 0x4846434D  # "HFCM"
NUMBERS_NAME = "comments.numbers"
LOCKS_NAME = "comments.locks"

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


_NEW_VERSION = "INSERT INTO version (blob, data) VALUES (?, ?) ON CONFLICT (blob) DO NOTHING"
_VERSION = "SELECT data FROM version WHERE blob = ?"
_SIDECAR = "SELECT digest, sequence FROM sidecar WHERE work_tree = ? AND path = ?"
_NEW_SIDECAR = "INSERT OR REPLACE INTO sidecar (work_tree, path, digest, sequence) VALUES (?, ?, ?, ?)"
_ENTRIES = (
    "SELECT comment_id, sequence, updated, entry, known_elsewhere FROM written"
    " WHERE work_tree = ? AND path = ? ORDER BY sequence"
)
_NEW_ENTRY = (
    "INSERT OR REPLACE INTO written (work_tree, path, comment_id, sequence, updated, entry, known_elsewhere)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_FORGET = "DELETE FROM written WHERE work_tree = ? AND path = ? AND comment_id = ?"
_REPLICA = "SELECT id FROM replica"


Answer = TypeVar("Answer")


class Entry(NamedTuple):
    """What is on record about one comment."""

    comment_id: str
    sequence: int
    """When we last wrote it, counted within its sidecar."""
    updated: str
    content: str | None
    """The comment and its marker as JSON; None when we deleted it."""
    known_elsewhere: bool
    """Whether another program has written a sidecar with it, and so has it in memory."""


class Record(NamedTuple):
    """What is on record about one sidecar."""

    digest: str | None = None
    sequence: int = 0
    """How often we wrote it."""
    entries: tuple[Entry, ...] = ()


def blob_id(data: bytes) -> str:
    """Return the id that git gives these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


class Archive:
    """The database of one repository, shared by its work trees; opened at first use."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        # Two work trees have two sidecars of the same name, on two branches.
        self._work_tree = os.fsencode(repository.root).decode("utf-8", "replace")
        self._file = StoreFile(os.path.join(repository.store_directory, DATABASE_NAME))
        self._database = Lazy(self._open, lambda: self._file.was_created)
        self._known_replica: str | None = None

    def keep_version(self, data: bytes) -> str:
        """Keep the bytes of a source file, durably, and return the id to ask for them."""
        blob = blob_id(data)
        if self.version(blob) is None:
            row = (blob, zlib.compress(data, 6))
            self._change(lambda connection: connection.execute(_NEW_VERSION, row))
        return blob

    def version(self, blob: str) -> bytes | None:
        """Return the bytes kept under an id, or None when we have none."""

        def kept(connection: sqlite3.Connection) -> bytes | None:
            row = connection.execute(_VERSION, (blob,)).fetchone()
            return None if row is None else zlib.decompress(row[0])

        return self._ask(kept, None)

    def record(self, path: str, digest: str | None = None) -> Record:
        """Return what is on record about a sidecar; its entries only if its content is not `digest`."""

        def found(connection: sqlite3.Connection) -> Record:
            sidecar, count = connection.execute(_SIDECAR, (self._work_tree, path)).fetchone() or (None, 0)
            if sidecar is not None and sidecar == digest:
                return Record(sidecar, count)
            rows = connection.execute(_ENTRIES, (self._work_tree, path)).fetchall()
            entries = [Entry(row[0], row[1], row[2], row[3], bool(row[4])) for row in rows]
            return Record(sidecar, count, tuple(entries))

        return self._ask(found, Record())

    def remember(
        self, path: str, digest: str, sequence: int, entries: Iterable[Entry], forgotten: Iterable[str] = ()
    ) -> None:
        """Put on record what a sidecar holds now, after we wrote it for the `sequence`th time, if that works.

        The sidecar is written by then, and its stamp says by whom; the next reader compares again.
        """
        place = (self._work_tree, path)
        rows = [(*place, *one) for one in entries]
        gone = [(*place, comment_id) for comment_id in forgotten]

        def put(connection: sqlite3.Connection) -> None:
            connection.execute(_NEW_SIDECAR, (*place, digest, sequence))
            connection.executemany(_NEW_ENTRY, rows)
            connection.executemany(_FORGET, gone)

        try:
            self._change(put)
        except (Busy, Corrupted, Denied, Unavailable):
            pass

    def stamp(self, sequence: int) -> str:
        """Return what we leave in a sidecar, so that we know it again in what others write from memory."""
        if not self._file.was_created:
            self._database.get()
        return f"{self._replica()}:{sequence}"

    def sequence_in(self, stamp: object) -> int | None:
        """Return which of our writes a stamp comes from, or None when it is not of this work tree."""
        owner, colon, number = str(stamp).rpartition(":")
        return int(number) if colon and number.isdecimal() and owner == self._replica() else None

    def _replica(self) -> str:
        if self._known_replica is None:
            replica = self._ask(lambda connection: str(connection.execute(_REPLICA).fetchone()[0]), None)
            if replica is None:
                return ""  # that of nobody; the next one who writes begins anew
            tree = hashlib.blake2b(self._work_tree.encode(), digest_size=3).hexdigest()
            self._known_replica = f"{replica}-{tree}"
        return self._known_replica

    def verify(self) -> list[str]:
        """Return what is wrong with the database; nothing when there is none."""
        try:
            database = self._database.get_existing()
        except Corrupted as failure:
            return [failure.message]
        return [] if database is None else database.verify()

    def close(self) -> None:
        """Close the database, if it was needed."""
        self._database.close()

    def _ask(self, question: Callable[[sqlite3.Connection], Answer], otherwise: Answer) -> Answer:
        """Return what a question finds; `otherwise` where there is nothing to ask, or what is damaged."""
        identity = self._file.identity()
        try:
            if (database := self._database.get_existing()) is not None:
                with database.read() as connection:
                    return question(connection)
        except (Corrupted, zlib.error):
            try:
                self._set_aside(identity)
            except (Denied, Unavailable):
                pass  # it stays in the way of writing, not of reading
        return otherwise

    def _change(self, action: Callable[[sqlite3.Connection], object]) -> None:
        identity = self._file.identity()
        try:
            with self._database.get().write() as connection:
                action(connection)
        except Corrupted:
            self._set_aside(identity)
            with self._database.get().write() as connection:
                action(connection)

    def _set_aside(self, damaged: tuple[int, int] | None) -> None:
        """Let a database that was found damaged be begun anew, unless somebody else saw to that."""
        with self._database.locked():
            if self._file.identity() == damaged:
                self._database.discard()
            self._file.set_aside(damaged)

    def _open(self) -> Database:
        self._repository.ensure_store()
        return Database(self._file.path, application_id=APPLICATION_ID, migrations=MIGRATIONS)


@dataclass
class LostUpdates:
    """What a comparison with the record found."""

    restored: list[Entry] = field(default_factory=list)
    known: list[Entry] = field(default_factory=list)
    """Entries that another program has written, and so knows."""
    forgotten: list[str] = field(default_factory=list)
    """Ids of comments that somebody else took away."""


def lost_updates(
    sidecar: Sidecar, data: bytes, record: Record, read_up_to: int | None, history: FileHistory
) -> LostUpdates:
    """Compare a sidecar that somebody else has written, with the bytes `data`, with what we wrote.

    `read_up_to` is the last of our writes that the writer had read, where the sidecar shows it.
    """
    found = LostUpdates()
    stored = {note.id: note for note in sidecar.comments}
    ours = [one for one in record.entries if one.content is not None]
    present = [one for one in ours if one.comment_id in stored]
    missing = [one for one in ours if one.comment_id not in stored]
    stale = [one for one in present if stored[one.comment_id].updated < one.updated]
    found.known = [one._replace(known_elsewhere=True) for one in present if not one.known_elsewhere]
    if not missing and not stale:
        return found
    if history.committed(sidecar.path) == data:
        found.forgotten = [one.comment_id for one in missing]
        return found
    up_to = read_up_to
    if up_to is None:
        # No stamp of ours: what is in the file just as we wrote it shows how far the writer had read.
        unchanged = [one for one in present if stored[one.comment_id].updated == one.updated]
        up_to = max((one.sequence for one in unchanged), default=0)
        missing_known = {one.comment_id for one in missing if one.known_elsewhere}
    else:
        missing_known = set()
    unread = [one for one in missing if one.sequence > up_to and one.comment_id not in missing_known]
    elsewhere = _only_elsewhere(history, sidecar, [one.comment_id for one in unread])
    found.restored = [one for one in unread if one.comment_id not in elsewhere]
    found.forgotten = [one.comment_id for one in missing if one not in found.restored]
    found.restored.extend(one for one in stale if one.sequence > up_to)
    return found


def _only_elsewhere(history: FileHistory, sidecar: Sidecar, comment_ids: list[str]) -> Set[str]:
    """Return the comments that are in some commit but not in the last: git, not a program, took them away."""
    last = history.committed(sidecar.path) or b""
    sought = tuple(one for one in comment_ids if one.encode() not in last)
    if not sought:
        return frozenset()
    # To read what other commits held takes long, and the sidecar stays as it is until somebody writes it.
    sign = (sidecar.digest, history.head(), sought)
    known = history.held.get(sidecar.path, sign)
    if known is None:
        known = history.held.put(sidecar.path, sign, history.ever_held(sidecar.path, sought))
    return known


def restore(sidecar: Sidecar, restored: list[Entry]) -> None:
    """Put comments and their markers back into the document, in the state that we wrote."""
    comments: list[Any] = sidecar.raw["comments"]
    markers: list[Any] = sidecar.raw.setdefault("ghostMarkers", [])
    for one in restored:
        content = json.loads(one.content or "{}")
        _put(comments, content["comment"])
        if content.get("marker") is not None:
            _put(markers, content["marker"])
    if restored:
        sidecar.refresh()


def _put(items: list[Any], item: Mapping[str, Any]) -> None:
    for position, known in enumerate(items):
        if isinstance(known, dict) and known.get("id") == item["id"]:
            # What the other program knows beyond ours stays.
            items[position] = {**known, **item}
            return
    items.append(dict(item))


def entry_of(comment: Mapping[str, Any], marker: Mapping[str, Any] | None, sequence: int) -> Entry:
    """Return what goes on record about a comment that we write now."""
    content = json.dumps({"comment": comment, "marker": marker})
    # Half a character in a moment of another program is no text that a database takes.
    updated = str(comment.get("updated", "")).encode("utf-8", "replace").decode()
    return Entry(str(comment["id"]), sequence, updated, content, False)


def tombstone(comment_id: str, moment: str, sequence: int) -> Entry:
    """Return what goes on record about a comment that we delete."""
    return Entry(comment_id, sequence, moment, None, False)
