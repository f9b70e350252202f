"""Sidecar files: every dialect read, one written, no key ever dropped.

Contract:
- `read` takes what the extension wrote in any of its versions, what its server and its demo wrote, and what
  we write. What it cannot make sense of is `CommentFileCorrupted`, and nothing is changed.
- The path of a sidecar says whose it is. What it says itself about its path is kept and not believed.
- `bytes_of` gives the extension's byte form: two spaces, no escapes beyond need, no final newline.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from holdfast.comments.errors import CommentFileCorrupted
from holdfast.comments.sidecar.javascript_json import Unreadable, parsed, printed
from holdfast.comments.sidecar.names import VERSION, sidecar_of
from holdfast.comments.sidecar.note import EVIDENCE, Note, Standing
from holdfast.comments.tracking.models import Confidence

_SURROGATE = re.compile("[\ud800-\udfff]")
_LARGEST_LINE = 2**31 - 1
"""The largest number of a line that an editor can show."""


@dataclass
class Sidecar:
    """The comments of one source file, and the document that holds them."""

    path: str
    source_path: str
    raw: dict[str, Any]
    comments: list[Note] = field(default_factory=list)
    digest: str | None = None
    """Of the bytes that were read; None when there was no file."""

    @property
    def markers(self) -> list[dict[str, Any]]:
        """The markers of the document."""
        value = self.raw.get("ghostMarkers")
        return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []

    @property
    def stamp(self) -> object:
        """What we left at our last write that the writer of this document had read."""
        value = self.raw.get(EVIDENCE)
        return value.get("written") if isinstance(value, dict) else None

    def put_stamp(self, stamp: str) -> None:
        """Leave a new stamp."""
        value = self.raw.get(EVIDENCE)
        self.raw[EVIDENCE] = {**(value if isinstance(value, dict) else {}), "written": stamp}

    def find(self, name: str) -> Note | None:
        """Return the comment with that id or alias."""
        for note in self.comments:
            if name in (note.id, note.alias):
                return note
        return None

    def refresh(self) -> None:
        """Make the notes anew after the document changed."""
        self.comments = _notes(self.raw, self.path)


def empty(source_path: str) -> Sidecar:
    """Return the sidecar of a file that has none yet."""
    raw: dict[str, Any] = {
        "file": source_path,
        "version": VERSION,
        "ghostMarkers": [],
        "comments": [],
        "filePath": source_path,
    }
    return Sidecar(sidecar_of(source_path), source_path, raw)


def read(source_path: str, data: bytes) -> Sidecar:
    """Return the sidecar that the bytes hold."""
    path = sidecar_of(source_path)
    try:
        raw = parsed(data)
    except Unreadable as problem:
        raise CommentFileCorrupted(path, str(problem)) from None
    if not isinstance(raw, dict):
        raise CommentFileCorrupted(path, "it is not a JSON object")
    return Sidecar(path, source_path, raw, _notes(raw, path), digest_of(data))


def bytes_of(sidecar: Sidecar) -> bytes:
    """Return the document as it is written."""
    return printed(sidecar.raw)


def digest_of(data: bytes) -> str:
    """Return what tells one content from another."""
    return hashlib.sha256(data).hexdigest()


def whole_line(value: object) -> int | None:
    """Return a stored line number, or None when it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= _LARGEST_LINE:
        return None
    return int(value)


def _notes(raw: dict[str, Any], path: str) -> list[Note]:
    comments = raw.get("comments")
    if not isinstance(comments, list):
        raise CommentFileCorrupted(path, "it has no list of comments")
    markers = raw.get("ghostMarkers", [])
    if not isinstance(markers, list) or not all(isinstance(marker, dict) for marker in markers):
        raise CommentFileCorrupted(path, "its markers are not a list of objects")
    owned = _marker_by_comment(markers)
    return [_note(comment, owned, position, path) for position, comment in enumerate(comments, 1)]


def _marker_by_comment(markers: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return markers by their own id and by the ids of the comments they carry."""
    found: dict[str, dict[str, Any]] = {}
    for marker in markers:
        listed = marker.get("commentIds")
        names = [marker.get("commentId"), *(listed if isinstance(listed, list) else ())]
        for name in names:
            if isinstance(name, str):
                found.setdefault(f"comment {name}", marker)
        if isinstance(marker.get("id"), str):
            found.setdefault(f"marker {marker['id']}", marker)
    return found


def _note(comment: object, owned: Mapping[str, dict[str, Any]], position: int, path: str) -> Note:
    if not isinstance(comment, dict):
        raise CommentFileCorrupted(path, f"comment {position} is not an object")
    for name in ("id", "text"):
        if not isinstance(comment.get(name), str):
            raise CommentFileCorrupted(path, f"comment {position} has no {name}")
    if _SURROGATE.search(comment["id"]) is not None:
        raise CommentFileCorrupted(path, f"the id of comment {position} is no text")
    marker = owned.get(f"marker {comment.get('ghostMarkerId')}") or owned.get(f"comment {comment['id']}")
    return Note(comment, marker, _stored_standing(comment, marker))


def _stored_standing(comment: Mapping[str, Any], marker: Mapping[str, Any] | None) -> Standing:
    """Return where the document itself says a comment is; the marker is the fresher of the two."""
    marker = marker or {}
    line = whole_line(marker.get("line")) or whole_line(comment.get("startLine"))
    line = line or whole_line(comment.get("line"))
    end = whole_line(marker.get("endLine")) or whole_line(comment.get("endLine"))
    if line is None:
        return Standing(1, confidence=Confidence.NONE, reason="ambiguous", method="no_line")
    return Standing(line, end if end is not None and end > line else None)
