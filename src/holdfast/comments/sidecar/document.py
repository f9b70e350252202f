"""The document of a sidecar: every dialect is read, one is written, no key is ever dropped.

Contract:
- `parse_sidecar` accepts what every version of the extension, its server, its demo, and Holdfast wrote.
  Anything else raises `CommentFileCorrupted`, and nothing is changed. A byte order mark is preserved.
- A sidecar belongs to the source that its own path names. A path inside the document is preserved and
  ignored.
- `append_comment` adds a comment to bytes that Holdfast wrote, without parsing them, with the same result as
  parsing, adding and printing. For bytes of another form it returns None.
"""

from __future__ import annotations

import copy
import hashlib
from codecs import BOM_UTF8
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from holdfast.comments.errors import CommentFileCorrupted
from holdfast.comments.sidecar.damage import comment_damage, marker_damage, repeated_ids
from holdfast.comments.sidecar.javascript_json import LONE_SURROGATE, parse, stringify
from holdfast.comments.sidecar.note import EVIDENCE_KEY, Note, NoteLocation, as_line_number
from holdfast.comments.sidecar.source import FORMAT_VERSION, sidecar_of
from holdfast.comments.tracking.placement import Confidence
from holdfast.storage.files.foreign_document import UnreadableDocument

_END_OF_LIST = b"\n  ]"
_STAMP_PREFIX = b'\n  "%s": {\n    "written": "' % EVIDENCE_KEY.encode()


def append_comment(data: bytes, comment: dict[str, Any], marker: dict[str, Any], stamp: str) -> bytes | None:
    """Return a document with one more comment and a new stamp, or None if it has another form."""
    edits = []  # start and end of the bytes to replace, and what replaces them
    for name, item in (("ghostMarkers", marker), ("comments", comment)):
        # Line breaks inside texts are escaped, so these bytes occur only at the start or end of a list.
        start = data.find(f'\n  "{name}": [\n'.encode())
        end = data.find(_END_OF_LIST, start + 1)
        if start < 0 or end < 0:
            return None
        edits.append((end, end, b",\n    " + stringify(item).replace(b"\n", b"\n    ")))
    start = data.find(_STAMP_PREFIX) + len(_STAMP_PREFIX)
    end = data.find(b'"', start)
    if data.count(_STAMP_PREFIX) != 1 or any(mark in data[start:end] for mark in (b"\\", b"\n")):
        return None
    edits.append((start, end, stringify(stamp).strip(b'"')))
    pieces, copied = [], 0
    for start, end, text in sorted(edits):
        pieces += [data[copied:start], text]
        copied = end
    return b"".join([*pieces, data[copied:]])


@dataclass
class Sidecar:
    """The comments of one source file, and the document that contains them."""

    path: str
    source_path: str
    raw: dict[str, Any]
    """The document."""
    comments: list[Note] = field(default_factory=list)
    """The comments of the document, some of whose locations were computed since it was read."""
    digest: str | None = None
    """Digest of the bytes that were read; None if there was no file."""
    byte_order_mark: bytes = b""
    """The mark that the document begins with, if any."""

    @property
    def markers(self) -> list[dict[str, Any]]:
        value = self.raw.get("ghostMarkers")
        return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []

    @property
    def stamp(self) -> object:
        """The stamp of the last write of Holdfast that the writer of this document had read."""
        value = self.raw.get(EVIDENCE_KEY)
        return value.get("written") if isinstance(value, dict) else None

    def put_stamp(self, stamp: str) -> None:
        value = self.raw.get(EVIDENCE_KEY)
        self.raw[EVIDENCE_KEY] = {**(value if isinstance(value, dict) else {}), "written": stamp}

    def find(self, name: str) -> Note | None:
        """Return the comment with that id or alias."""
        return next((note for note in self.comments if name in (note.id, note.alias)), None)

    def refresh(self) -> None:
        self.comments = _parse_notes(self.raw, self.path)


def empty_sidecar(source_path: str) -> Sidecar:
    """Return the sidecar of a file that has none yet."""
    raw: dict[str, Any] = {
        "file": source_path,
        "version": FORMAT_VERSION,
        "ghostMarkers": [],
        "comments": [],
        "filePath": source_path,
    }
    return Sidecar(sidecar_of(source_path), source_path, raw)


def parse_sidecar(source_path: str, data: bytes) -> Sidecar:
    """Parse the bytes of a sidecar, or raise `CommentFileCorrupted`."""
    path = sidecar_of(source_path)
    try:
        raw = parse(data)
    except UnreadableDocument as problem:
        raise CommentFileCorrupted(path, str(problem)) from None
    if not isinstance(raw, dict):
        raise CommentFileCorrupted(path, "it is not a JSON object")
    mark = BOM_UTF8 if data.startswith(BOM_UTF8) else b""
    return Sidecar(path, source_path, raw, _parse_notes(raw, path), digest_of(data), mark)


def bytes_of(sidecar: Sidecar) -> bytes:
    """Return the bytes of the document, or raise `CommentFileCorrupted` if it is nested too deeply."""
    try:
        return sidecar.byte_order_mark + stringify(sidecar.raw)
    except UnreadableDocument as problem:
        raise CommentFileCorrupted(sidecar.path, str(problem)) from None


def digest_of(data: bytes) -> str:
    """Return the SHA-256 digest that identifies a content."""
    return hashlib.sha256(data).hexdigest()


def _parse_notes(raw: dict[str, Any], path: str) -> list[Note]:
    """Return the comments of a document, each with its marker, or raise `CommentFileCorrupted`."""
    comments = raw.get("comments")
    if not isinstance(comments, list):
        raise CommentFileCorrupted(path, "it has no list of comments")
    markers = raw.get("ghostMarkers", [])
    if not isinstance(markers, list) or not all(isinstance(marker, dict) for marker in markers):
        raise CommentFileCorrupted(path, "its markers are not a list of objects")
    index = _index_markers(markers)
    notes = [_parse_note(comment, index, position, path) for position, comment in enumerate(comments, 1)]
    repeated_notes, repeated_markers = repeated_ids(comments), repeated_ids(markers)
    for note in notes:
        note.damage = comment_damage(note.raw, repeated_notes)
        if note.damage is None and note.marker is not None:
            note.damage = marker_damage(note.marker, repeated_markers)
    return notes


def _index_markers(markers: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Index markers by `marker <id>` and, for each of their comments, by `comment <id>`."""
    index: dict[str, dict[str, Any]] = {}
    for marker in markers:
        for comment_id in comment_ids(marker):
            index.setdefault(f"comment {comment_id}", marker)
        if isinstance(marker.get("id"), str):
            index.setdefault(f"marker {marker['id']}", marker)
    return index


def _parse_note(comment: object, markers: Mapping[str, dict[str, Any]], position: int, path: str) -> Note:
    if not isinstance(comment, dict):
        raise CommentFileCorrupted(path, f"comment {position} is not an object")
    for name in ("id", "text"):
        if not isinstance(comment.get(name), str):
            raise CommentFileCorrupted(path, f"comment {position} has no {name}")
    if LONE_SURROGATE.search(comment["id"]) is not None:
        raise CommentFileCorrupted(path, f"the id of comment {position} is not valid text")
    marker = markers.get(f"marker {comment.get('ghostMarkerId')}") or markers.get(f"comment {comment['id']}")
    return Note(comment, marker, _stored_location(comment, marker))


def _stored_location(comment: Mapping[str, Any], marker: Mapping[str, Any] | None) -> NoteLocation:
    """Return the location stored in a document; the marker is updated more often than the comment."""
    marker = marker or {}
    line = as_line_number(marker.get("line")) or as_line_number(comment.get("startLine"))
    line = line or as_line_number(comment.get("line"))
    end = as_line_number(marker.get("endLine")) or as_line_number(comment.get("endLine"))
    if line is None:
        return NoteLocation(1, confidence=Confidence.NONE, reason="ambiguous", method="no_line")
    return NoteLocation(line, end if end is not None and end > line else None)


def remove_comment(sidecar: Sidecar, note: Note) -> None:
    """Remove a comment from the document, and its marker if it has no other comment."""
    sidecar.comments.remove(note)
    sidecar.raw["comments"] = [item for item in sidecar.raw["comments"] if item is not note.raw]
    remaining = []
    for marker in sidecar.raw.get("ghostMarkers") or []:
        ids = comment_ids(marker)
        if note.id not in ids:
            remaining.append(marker)
        elif len(ids) > 1:
            detach_comment(marker, note.id)
            remaining.append(marker)
    if "ghostMarkers" in sidecar.raw:
        sidecar.raw["ghostMarkers"] = remaining


def comment_ids(marker: dict[str, Any]) -> list[str]:
    """Return the ids of a marker's comments."""
    listed = marker.get("commentIds")
    names = [*(listed if isinstance(listed, list) else ()), marker.get("commentId")]
    return list(dict.fromkeys(name for name in names if isinstance(name, str)))


def detach_comment(marker: dict[str, Any], comment_id: str) -> None:
    """Remove a comment from a marker that has other comments, too."""
    marker["commentIds"] = [other for other in comment_ids(marker) if other != comment_id]
    if "commentId" in marker:
        marker["commentId"] = marker["commentIds"][0]


def transfer_comment(leaving: Sidecar, arriving: Sidecar, note: Note) -> None:
    """Move a comment, and a copy of its marker, from one document to another."""
    marker = copy.deepcopy(note.marker)
    remove_comment(leaving, note)
    existing = arriving.find(note.id)
    if existing is not None:
        remove_comment(arriving, existing)
    if marker is not None:
        taken_ids = [other.get("id") for other in arriving.markers]
        marker_id = marker.get("id")
        if not isinstance(marker_id, str) or marker_id in taken_ids or len(comment_ids(marker)) > 1:
            prefix = marker_id if isinstance(marker_id, str) else "gm"
            marker["id"] = f"{prefix}_{note.id.removeprefix('c_')}"
        marker["commentIds"], marker["commentId"] = [note.id], note.id
        note.raw["ghostMarkerId"] = marker["id"]
        arriving.raw.setdefault("ghostMarkers", []).append(marker)
    note.marker = marker
    arriving.raw["comments"].append(note.raw)
    arriving.comments.append(note)
