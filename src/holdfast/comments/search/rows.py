"""The tables of the search index, and the conversion of sidecars to their rows.

The tables are on disk, so that a new process need not read every sidecar. They are derived from the sidecars
and may be deleted.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from holdfast.comments.memory.word_index import TABLES as MEMORY_TABLES
from holdfast.comments.memory.word_index import delete_memories, insert_memories
from holdfast.comments.sidecar.document import Sidecar
from holdfast.comments.sidecar.note import Note, confidence_of, model_of
from holdfast.comments.sidecar.source import REPOSITORY_NOTES
from holdfast.kernel.call import current_call
from holdfast.kernel.clock import microseconds_of
from holdfast.storage.watching.file_signature import RECENT_NANOSECONDS
from holdfast.storage.watching.watched_listing import WatchedSignature

APPLICATION_ID = 0x48464353  # "HFCS"
INDEX_VERSION = 3
INDEX_NAME = "comment-search"

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
    *MEMORY_TABLES,
)
_UPSERT_FILE = (
    "INSERT INTO file (path, signature, source, damage, generation) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (path) DO UPDATE SET signature = excluded.signature, source = excluded.source,"
    " damage = excluded.damage, generation = excluded.generation RETURNING id"
)
_INSERT_COMMENT = (
    "INSERT INTO comment (file, line, end_line, name, text, tag, author, created, moment, status,"
    " standing, reason, ai, model, confidence) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_DELETE_COMMENTS = "DELETE FROM comment WHERE file = (SELECT id FROM file WHERE path = ?)"

_RECENT_SIGNATURE = "young"
"""Stored in place of the signature of a file that must be read again; no signature is equal to it."""

_FILES_PER_REPORT = 50
"""Files between two reports of progress. A judgement: a person sees it move, at no cost."""

LoadFile = Callable[[str], tuple[str, Sidecar | str]]
"""Returns a source's signature, and its comments or the reason why they cannot be read."""


class RowWriter:
    """Writes the rows of files within the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection, load_file: LoadFile) -> None:
        self._connection = connection
        self._load_file = load_file

    def create(self, wanted: Mapping[str, WatchedSignature]) -> None:
        for statement in TABLES:
            self._connection.execute(statement)
        self._connection.execute(
            "INSERT INTO state (token, generation) VALUES (?, 0)", (os.urandom(8).hex(),)
        )
        self._write(wanted)

    def replace(self, wanted: Mapping[str, WatchedSignature]) -> None:
        """Update the tables so that exactly the wanted files have rows."""
        stored = dict(self._connection.execute("SELECT path, signature FROM file"))
        changed = {
            path: signature
            for path, signature in wanted.items()
            if stored.get(path) != _signature_text(signature)
        }
        gone = [path for path in stored if path not in wanted]
        if changed or gone:
            self._begin_generation()
        for path in gone:
            self._remove_comments(path)
            self._connection.execute("DELETE FROM file WHERE path = ?", (path,))
        self._write(changed)

    def place(self, moved: Iterable[str]) -> None:
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
            self._write_file(path, _signature_to_store(signature))
            if number % _FILES_PER_REPORT == 0:
                call.progress(number, len(files), "Indexing comments")

    def _write_file(self, path: str, signature: str) -> None:
        source, result = self._load_file(path)
        self._remove_comments(path)
        damage = result if isinstance(result, str) else None
        generation = state_of(self._connection)[1]
        file: int = self._connection.execute(
            _UPSERT_FILE, (_replace_surrogates(path), signature, source, damage, generation)
        ).fetchone()[0]
        if isinstance(result, Sidecar):
            insert_memories(self._connection, file, path, result.comments)
            if path == REPOSITORY_NOTES:
                return  # these are on no line, so they are no comments on code
            self._connection.executemany(
                _INSERT_COMMENT, [(file, *_comment_row(note)) for note in result.comments]
            )

    def _remove_comments(self, path: str) -> None:
        delete_memories(self._connection, path)
        self._connection.execute(_DELETE_COMMENTS, (path,))


def state_of(connection: sqlite3.Connection) -> tuple[str, int]:
    """Return the index's token, which identifies one build of it, and the generation of its content."""
    token, generation = connection.execute("SELECT token, generation FROM state").fetchone()
    return token, generation


def _comment_row(note: Note) -> tuple[Any, ...]:
    """Return the values of the columns that `_INSERT_COMMENT` names, in order, without the file."""
    ai = note.ai
    return (
        note.line,
        note.end_line,
        note.alias,
        _replace_surrogates(note.text),
        None if note.tag is None else _replace_surrogates(note.tag),
        _replace_surrogates(note.author),
        _replace_surrogates(note.created),
        microseconds_of(note.created),
        note.status,
        note.location.standing,
        note.reason,
        int(ai is not None),
        model_of(ai),
        confidence_of(ai),
    )


def _replace_surrogates(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _signature_text(signature: WatchedSignature) -> str:
    return " ".join(map(str, signature))


def _signature_to_store(signature: WatchedSignature) -> str:
    """Return a signature as text; for a recently changed file, a value that matches no signature.

    Another change of such a file could have the same timestamp, so it must be read again.
    """
    is_recent = max(signature.modified, signature.changed) > time.time_ns() - RECENT_NANOSECONDS
    return _RECENT_SIGNATURE if is_recent else _signature_text(signature)
