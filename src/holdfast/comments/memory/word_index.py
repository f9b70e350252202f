"""The tables of memories in the search index, and how texts become words.

BM25 over words and the parts of identifiers, by SQLite's FTS5: `parseConfig` is found by `parse`, `config`
and `parseconfig`, and English endings are removed (Porter's stemmer).
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable

from holdfast.comments.anchors.cache import location_from_json, location_to_json
from holdfast.comments.memory.record import record_of
from holdfast.comments.sidecar.note import Note

TABLES = (
    """
    CREATE TABLE memory (
        id INTEGER PRIMARY KEY, file INTEGER NOT NULL, name TEXT NOT NULL, folder TEXT, line INTEGER NOT NULL,
        updated TEXT NOT NULL, retired INTEGER NOT NULL, note TEXT NOT NULL
    ) STRICT
    """,
    "CREATE INDEX memory_of_file ON memory (file)",
    "CREATE INDEX memory_by_name ON memory (name)",
    "CREATE INDEX memory_by_time ON memory (updated)",
    "CREATE INDEX memory_by_folder ON memory (folder, updated)",
    "CREATE INDEX memory_retired ON memory (retired)",
    "CREATE VIRTUAL TABLE memory_words USING fts5 (text, about, tokenize = 'porter unicode61')",
)
_INSERT = "INSERT INTO memory (file, name, folder, line, updated, retired, note) VALUES (?, ?, ?, ?, ?, ?, ?)"
_INSERT_WORDS = "INSERT INTO memory_words (rowid, text, about) VALUES (?, ?, ?)"
_DELETE_WORDS = (
    "DELETE FROM memory_words WHERE rowid IN"
    " (SELECT id FROM memory WHERE file = (SELECT id FROM file WHERE path = ?))"
)
_DELETE = "DELETE FROM memory WHERE file = (SELECT id FROM file WHERE path = ?)"

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, each identifier followed by its parts."""
    words = []
    for word in _WORD.findall(text):
        words.append(word.lower())
        parts = _PART.findall(word.replace("_", " "))
        if len(parts) > 1:
            words += [part.lower() for part in parts]
    return words


def insert_memories(connection: sqlite3.Connection, file: int, path: str, notes: Iterable[Note]) -> None:
    """Write the rows of those notes of a file that are memories."""
    for note in notes:
        record = record_of(note)
        if record is None:
            continue
        folder = record.folder if record.scope in ("folder", "repository") else None
        about = f"{path if folder is None else folder} {record.symbol or ''}"
        row = (file, note.alias, folder, note.line, note.updated, record.retired is not None, _to_json(note))
        texts = (" ".join(words_of(text)) for text in (_storable(note.text), _storable(about)))
        connection.execute(_INSERT_WORDS, (connection.execute(_INSERT, row).lastrowid, *texts))


def _to_json(note: Note) -> str:
    """Return a comment with its marker and its location, which are read again without its document."""
    return json.dumps([note.raw, note.marker, location_to_json(note.location)])


def note_from_json(text: str) -> Note:
    """Return a comment as it was indexed."""
    raw, marker, location = json.loads(text)
    return Note(raw, marker, location_from_json(location))


def delete_memories(connection: sqlite3.Connection, path: str) -> None:
    """Delete the rows of a file's memories."""
    connection.execute(_DELETE_WORDS, (path,))
    connection.execute(_DELETE, (path,))


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
