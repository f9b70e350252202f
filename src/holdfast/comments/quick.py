"""The notes of one file for hooks, read from its sidecar without loading the trackers.

Contract: nothing is written. A line is the stored one if its text is still there, else the nearest line with
that text; where no line has it, the note has lost its code. An unreadable sidecar has no notes here; other
commands report it.
"""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from holdfast.storage.sql.quick import NeedsFullProgram, QuickStore

_MAX_BYTES = 1024 * 1024
"""Of a sidecar or a source. A judgement: a hook must be quick, and few files are longer."""
REPOSITORY_NOTES = ".holdfast"
"""What the notes about the whole repository, or a folder, are stored beside, as in `sidecar.source`."""
_DATABASE = ("comments.sqlite", 0x4846434D, 1)
"""Name, application id and version of the store in `sidecar.archive`, which takes too long to import; a test
compares them."""
_RECENT_FILES = (
    "SELECT path FROM written WHERE work_tree = ? GROUP BY path ORDER BY max(updated) DESC LIMIT ?"
)


class QuickNote(NamedTuple):
    """An open note."""

    file: str
    line: int | None
    """None if its code is gone."""
    tag: str
    author: str
    text: str
    id: str = ""
    code: str = ""
    """The text of its line when it was last tracked."""


def notes_of(root: str, file: str) -> list[QuickNote]:
    """Return the open notes of a file, by line; those without code last."""
    data = _read(os.path.join(root, f"{file}.comments"))
    return parse_notes(file, data, source_text(root, file)) if data else []


def parse_notes(file: str, data: bytes, source: str) -> list[QuickNote]:
    """Return the open notes in a sidecar; none if it is damaged."""
    try:
        document = json.loads(data)
        markers = {marker["id"]: marker for marker in document["ghostMarkers"]}
        comments = [comment for comment in document["comments"] if _is_open(comment)]
        lines = [line.strip() for line in source.split("\n")]
        notes = [
            _note(file, comment, markers.get(comment.get("ghostMarkerId")), lines) for comment in comments
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []
    return sorted(notes, key=lambda note: (note.line is None, note.line or 0))


def source_text(root: str, file: str) -> str:
    """Return the text of a file; an empty one if it cannot be read or is very long."""
    return _read(os.path.join(root, file)).decode("utf-8", "replace")


def recently_noted_files(root: str, directory: str, limit: int) -> list[str]:
    """Return the files whose notes were written last in this work tree, the latest first."""
    name, application_id, version = _DATABASE
    store = QuickStore(os.path.join(directory, name), application_id, version)
    try:
        return [row[0].removesuffix(".comments") for row in store.rows(_RECENT_FILES, (root, limit))]
    except NeedsFullProgram:
        return []


def _is_open(comment: dict[str, Any]) -> bool:
    is_retired = "retired" in comment.get("holdfastMemory", ())
    return comment.get("status", "open") == "open" and not is_retired


def _note(file: str, comment: dict[str, Any], marker: dict[str, Any] | None, lines: list[str]) -> QuickNote:
    code = str((marker or {}).get("lineText", "")).strip()
    stored = int((marker or comment).get("line") or comment["line"])
    line: int | None = stored
    if code and not (0 < stored <= len(lines) and lines[stored - 1] == code):
        places = (number for number, text in enumerate(lines, 1) if text == code)
        line = min(places, key=lambda number: abs(number - stored), default=None)
    tag, author = str(comment.get("tag") or "NOTE"), str(comment.get("author") or "")
    return QuickNote(file, line, tag, author, str(comment["text"]), str(comment["id"]), code)


def _read(path: str) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return b""
    try:
        data = os.read(descriptor, _MAX_BYTES + 1)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
    return data if len(data) <= _MAX_BYTES else b""
