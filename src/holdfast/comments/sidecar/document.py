"""The document of a sidecar: every dialect is read, one is written, no key is ever dropped.

Contract:
- `read` accepts what every version of the extension, its server, its demo, and we wrote. Anything else is
  `CommentFileCorrupted`, and nothing is changed.
- A sidecar belongs to the source its own path names. A path inside the document is preserved and ignored.
- `appended` adds a comment to bytes that we wrote ourselves without parsing them, with the same result as
  reading, adding and printing. For bytes of another form it returns None.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from holdfast.comments.errors import CommentFileCorrupted
from holdfast.comments.sidecar.javascript_json import _LONE_SURROGATE, parsed, printed
from holdfast.comments.sidecar.note import EVIDENCE, Note, NoteLocation
from holdfast.comments.sidecar.source import VERSION, sidecar_of
from holdfast.comments.tracking.placement import Confidence
from holdfast.storage.files.foreign_document import UnreadableDocument

_END_OF_LIST = b"\n  ]"
_STAMP_BEGINS = b'\n  "%s": {\n    "written": "' % EVIDENCE.encode()


def appended(data: bytes, comment: dict[str, Any], marker: dict[str, Any], stamp: str) -> bytes | None:
    """Return a document with one more comment and its marker, and a new stamp."""
    edits = []
    for name, item in (("ghostMarkers", marker), ("comments", comment)):
        # Line breaks inside texts are escaped, so these bytes occur only where a list begins or ends.
        start = data.find(f'\n  "{name}": [\n'.encode())
        end = data.find(_END_OF_LIST, start + 1)
        if start < 0 or end < 0:
            return None
        edits.append((end, end, b",\n    " + printed(item).replace(b"\n", b"\n    ")))
    start = data.find(_STAMP_BEGINS) + len(_STAMP_BEGINS)
    end = data.find(b'"', start)
    if data.count(_STAMP_BEGINS) != 1 or any(mark in data[start:end] for mark in (b"\\", b"\n")):
        return None
    edits.append((start, end, printed(stamp)[1:-1]))
    pieces, done = [], 0
    for start, end, text in sorted(edits):
        pieces += [data[done:start], text]
        done = end
    return b"".join([*pieces, data[done:]])


_LARGEST_LINE = 2**31 - 1
"""The largest line number an editor can show: editors use 32-bit signed integers."""


@dataclass
class Sidecar:
    """The comments of one source file, and the document that contains them."""

    path: str
    source_path: str
    raw: dict[str, Any]
    comments: list[Note] = field(default_factory=list)
    digest: str | None = None
    """Digest of the bytes that were read; None if there was no file."""

    @property
    def markers(self) -> list[dict[str, Any]]:
        """The markers of the document."""
        value = self.raw.get("ghostMarkers")
        return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []

    @property
    def stamp(self) -> object:
        """The stamp of our last write that the writer of this document had read."""
        value = self.raw.get(EVIDENCE)
        return value.get("written") if isinstance(value, dict) else None

    def put_stamp(self, stamp: str) -> None:
        """Set a new stamp."""
        value = self.raw.get(EVIDENCE)
        self.raw[EVIDENCE] = {**(value if isinstance(value, dict) else {}), "written": stamp}

    def find(self, name: str) -> Note | None:
        """Return the comment with that id or alias."""
        for note in self.comments:
            if name in (note.id, note.alias):
                return note
        return None

    def refresh(self) -> None:
        """Rebuild the notes after the document changed."""
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
    """Return the sidecar that the bytes contain."""
    path = sidecar_of(source_path)
    try:
        raw = parsed(data)
    except UnreadableDocument as problem:
        raise CommentFileCorrupted(path, str(problem)) from None
    if not isinstance(raw, dict):
        raise CommentFileCorrupted(path, "it is not a JSON object")
    return Sidecar(path, source_path, raw, _notes(raw, path), digest_of(data))


def bytes_of(sidecar: Sidecar) -> bytes:
    """Return the bytes of the document."""
    return printed(sidecar.raw)


def digest_of(data: bytes) -> str:
    """Return the SHA-256 digest that identifies a content."""
    return hashlib.sha256(data).hexdigest()


def line_number_of(value: object) -> int | None:
    """Return a stored line number, or None if it is not one."""
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
    """Return markers by their own id and by the ids of their comments."""
    found: dict[str, dict[str, Any]] = {}
    for marker in markers:
        for name in comment_ids(marker):
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
    if _LONE_SURROGATE.search(comment["id"]) is not None:
        raise CommentFileCorrupted(path, f"the id of comment {position} is not valid text")
    marker = owned.get(f"marker {comment.get('ghostMarkerId')}") or owned.get(f"comment {comment['id']}")
    return Note(comment, marker, _stored_location(comment, marker))


def _stored_location(comment: Mapping[str, Any], marker: Mapping[str, Any] | None) -> NoteLocation:
    """Return where the document says a comment is; the marker is fresher than the comment."""
    marker = marker or {}
    line = line_number_of(marker.get("line")) or line_number_of(comment.get("startLine"))
    line = line or line_number_of(comment.get("line"))
    end = line_number_of(marker.get("endLine")) or line_number_of(comment.get("endLine"))
    if line is None:
        return NoteLocation(1, confidence=Confidence.NONE, reason="ambiguous", method="no_line")
    return NoteLocation(line, end if end is not None and end > line else None)


def remove(sidecar: Sidecar, note: Note) -> None:
    """Remove a comment from the document, and its marker if it has no other comment."""
    sidecar.comments.remove(note)
    sidecar.raw["comments"] = [item for item in sidecar.raw["comments"] if item is not note.raw]
    for marker in [one for one in sidecar.raw.get("ghostMarkers") or [] if note.id in comment_ids(one)]:
        if len(comment_ids(marker)) > 1:
            detach(marker, note.id)
        else:
            sidecar.raw["ghostMarkers"] = [one for one in sidecar.raw["ghostMarkers"] if one is not marker]


def comment_ids(marker: dict[str, Any]) -> list[str]:
    """Return the ids of a marker's comments."""
    listed = marker.get("commentIds")
    names = [*(listed if isinstance(listed, list) else ()), marker.get("commentId")]
    return list(dict.fromkeys(name for name in names if isinstance(name, str)))


def detach(marker: dict[str, Any], comment_id: str) -> None:
    """Remove a comment from a marker that has others."""
    marker["commentIds"] = [one for one in comment_ids(marker) if one != comment_id]
    if "commentId" in marker:
        marker["commentId"] = marker["commentIds"][0]


def transfer(leaving: Sidecar, arriving: Sidecar, note: Note) -> None:
    """Move a comment, and a copy of its marker, from one document to another."""
    marker = copy.deepcopy(note.marker)
    remove(leaving, note)
    known = arriving.find(note.id)
    if known is not None:
        remove(arriving, known)
    if marker is not None:
        taken = [one.get("id") for one in arriving.markers]
        name = marker.get("id")
        if not isinstance(name, str) or name in taken or len(comment_ids(marker)) > 1:
            marker["id"] = f"{name if isinstance(name, str) else 'gm'}_{note.id.removeprefix('c_')}"
        marker["commentIds"], marker["commentId"] = [note.id], note.id
        note.raw["ghostMarkerId"] = marker["id"]
        arriving.raw.setdefault("ghostMarkers", []).append(marker)
    note.marker = marker
    arriving.raw["comments"].append(note.raw)
    arriving.comments.append(note)
