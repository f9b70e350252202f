"""The tables of the search index, and how sidecars become rows of them.

The tables outlive the process, so the next one need not read every sidecar. All of it is derived from the
sidecars and may be deleted.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from holdfast.comments.sidecar.document import Sidecar
from holdfast.comments.sidecar.note import Note, confidence_of, model_of
from holdfast.kernel.call import current_call
from holdfast.kernel.clock import microseconds_of
from holdfast.storage.watching.watched_listing import WatchedSignature

APPLICATION_ID = 0x48464353  # "HFCS"
VERSION = 2
NAME = "comment-search"

TABLES = (
    "CREATE TABLE state (token TEXT NOT NULL, generation INTEGER NOT NULL) STRICT",
    """
    CREATE TABLE file (
        id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, signature TEXT NOT NULL, source TEXT NOT NULL,
        damage TEXT, generation INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE comment (
        id INTEGER PRIMARY KEY, file INTEGER NOT NULL, line INTEGER NOT NULL, end_line INTEGER,
        name TEXT NOT NULL, text TEXT NOT NULL, tag TEXT, author TEXT NOT NULL, created TEXT NOT NULL,
        moment INTEGER, status TEXT NOT NULL, standing TEXT NOT NULL, reason TEXT, ai INTEGER NOT NULL,
        model TEXT, confidence REAL
    ) STRICT
    """,
    "CREATE INDEX comment_of_file ON comment (file, line, name)",
)
_NEW_FILE = (
    "INSERT INTO file (path, signature, source, damage, generation) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (path) DO UPDATE SET signature = excluded.signature, source = excluded.source,"
    " damage = excluded.damage, generation = excluded.generation RETURNING id"
)
_NEW_COMMENT = (
    "INSERT INTO comment (file, line, end_line, name, text, tag, author, created, moment, status,"
    " standing, reason, ai, model, confidence) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_NO_COMMENTS = "DELETE FROM comment WHERE file = (SELECT id FROM file WHERE path = ?)"

_YOUNG = "young"
_YOUNG_NANOSECONDS = 2_000_000_000
"""Files modified more recently than this are read again. Chosen as the coarsest timestamp resolution in use,
the two seconds of FAT (Microsoft, 'File Times')."""


Loaded = Callable[[str], tuple[str, Sidecar | str]]
"""Returns a source's signature, and its comments or the reason why they cannot be read."""


class RowWriter:
    """Writes the rows of files within the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection, loaded: Loaded) -> None:
        self._connection = connection
        self._loaded = loaded

    def create(self, wanted: Mapping[str, WatchedSignature]) -> None:
        """Create the tables and fill them."""
        for statement in TABLES:
            self._connection.execute(statement)
        self._connection.execute(
            "INSERT INTO state (token, generation) VALUES (?, 0)", (os.urandom(8).hex(),)
        )
        self._write(wanted)

    def replace(self, wanted: Mapping[str, WatchedSignature]) -> None:
        """Update the rows: exactly the wanted files have rows."""
        known = dict(self._connection.execute("SELECT path, signature FROM file"))
        changed = {path: found for path, found in wanted.items() if known.get(path) != _text(found)}
        gone = [path for path in known if path not in wanted]
        if changed or gone:
            self._begin_generation()
        for path in gone:
            self._remove_comments(path)
            self._connection.execute("DELETE FROM file WHERE path = ?", (path,))
        self._write(changed)

    def place(self, moved: Iterable[str]) -> None:
        """Locate the comments of some files again, because their sources changed."""
        self._begin_generation()
        for path in moved:
            row = self._connection.execute("SELECT signature FROM file WHERE path = ?", (path,)).fetchone()
            if row is not None:
                self._write_file(path, row[0])

    def _begin_generation(self) -> None:
        self._connection.execute("UPDATE state SET generation = generation + 1")

    def _write(self, files: Mapping[str, WatchedSignature]) -> None:
        call = current_call()
        for number, (path, signature) in enumerate(sorted(files.items()), 1):
            self._write_file(path, _trusted(signature))
            if number % 50 == 0:
                call.progress(number, len(files), "Indexing comments")

    def _write_file(self, path: str, signature: str) -> None:
        source, found = self._loaded(path)
        self._remove_comments(path)
        damage = found if isinstance(found, str) else None
        generation = state_of(self._connection)[1]
        file: int = self._connection.execute(
            _NEW_FILE, (_storable(path), signature, source, damage, generation)
        ).fetchone()[0]
        if isinstance(found, Sidecar):
            self._connection.executemany(_NEW_COMMENT, [(file, *_row(note)) for note in found.comments])

    def _remove_comments(self, path: str) -> None:
        self._connection.execute(_NO_COMMENTS, (path,))


def state_of(connection: sqlite3.Connection) -> tuple[str, int]:
    """Return a value that changes whenever the index does."""
    token, generation = connection.execute("SELECT token, generation FROM state").fetchone()
    return token, generation


def _row(note: Note) -> tuple[Any, ...]:
    ai = note.ai
    standing = "orphaned" if note.orphaned else "review" if note.location.needs_review else "placed"
    return (
        note.line,
        note.end_line,
        note.alias,
        _storable(note.text),
        None if note.tag is None else _storable(note.tag),
        _storable(note.author),
        _storable(note.created),
        microseconds_of(note.created),
        note.status,
        standing,
        note.reason,
        int(ai is not None),
        model_of(ai),
        confidence_of(ai),
    )


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _text(signature: WatchedSignature) -> str:
    return " ".join(map(str, signature))


def _trusted(signature: WatchedSignature) -> str:
    """Return a signature for later comparison; one too young to be reliable matches nothing."""
    is_young = max(signature[2:]) > time.time_ns() - _YOUNG_NANOSECONDS
    return _YOUNG if is_young else _text(signature)
