"""The document of a sidecar: every dialect read, one written, no key ever dropped.

Contract:
- `read` takes what the extension wrote in any of its versions, what its server and its demo wrote, and what
  we write. What it cannot make sense of is `CommentFileCorrupted`, and nothing is changed.
- The path of a sidecar says whose it is. What it says itself about its path is kept and not believed.
- `bytes_of` gives the very bytes of JavaScript's `JSON.stringify(value, null, 2)`, without a final newline:
  what `parsed` returns, `printed` gives back byte by byte when JavaScript wrote it. Numbers are those of
  JavaScript: whole ones have no point, small and large ones its exponent. Half a surrogate pair is escaped.
- `appended` adds a comment to the bytes that we wrote ourselves, without taking them apart, and gives what
  reading, adding and printing would give. Where the bytes are not of the expected form it gives None.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any

from holdfast.comments.errors import CommentFileCorrupted
from holdfast.comments.sidecar.note import EVIDENCE, Location, Note
from holdfast.comments.sidecar.source import VERSION, sidecar_of
from holdfast.comments.tracking.placement import Confidence
from holdfast.storage.files.foreign_document import UnreadableDocument, json_of

_HALF_PAIR = re.compile("[\ud800-\udfff]")
_REMEMBERED = 4096
_compact = json.JSONEncoder(ensure_ascii=False).encode
_LARGEST_PLAIN = 21
_SMALLEST_PLAIN = -7


def parsed(data: bytes) -> Any:
    """Return the value that the bytes hold, or raise `UnreadableDocument`."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise UnreadableDocument("it is not UTF-8") from None
    text = text.removeprefix("\ufeff")
    try:
        return json_of(text, parse_constant=_refuse, parse_float=_float, parse_int=_int)
    except UnreadableDocument as error:
        if error.line is None:
            raise
        if any(line.startswith("<<<<<<<") for line in text.split("\n")):
            raise UnreadableDocument("it holds the conflict markers of an unfinished merge") from None
        raise UnreadableDocument(f"it is not JSON (line {error.line})", error.line) from None


def printed(value: Any) -> bytes:
    """Return the bytes of a value."""
    try:
        text = _document(value) if isinstance(value, dict) else _written(value, "\n")
    except RecursionError:
        raise UnreadableDocument("it is nested too deeply") from None
    return _HALF_PAIR.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()


def _document(value: dict[str, Any]) -> str:
    """Return an object whose long lists are mostly what they were when they were last written."""
    members = []
    for key, member in value.items():
        if isinstance(member, list) and member:
            items = ",\n    ".join(_item(_compact(item)) for item in member)
            text = f"[\n    {items}\n  ]"
        else:
            text = _written(member, "\n  ")
        members.append(f"{encode_basestring(key)}: {text}")
    return "{\n  " + ",\n  ".join(members) + "\n}" if members else "{}"


@lru_cache(maxsize=_REMEMBERED)
def _item(compact: str) -> str:
    """Return an item of a list inside an object; laying it out takes much longer than recognising it."""
    return _written(json.loads(compact), "\n    ")


def _written(value: Any, newline: str) -> str:
    """Return a value as text; `newline` ends a line and indents the next as far as this one."""
    if type(value) is str:
        return encode_basestring(value)
    if isinstance(value, dict):
        inner = newline + "  "
        members = [f"{encode_basestring(key)}: {_written(member, inner)}" for key, member in value.items()]
        return f"{{{inner}{f',{inner}'.join(members)}{newline}}}" if members else "{}"
    if isinstance(value, list | tuple):
        inner = newline + "  "
        items = [_written(item, inner) for item in value]
        return f"[{inner}{f',{inner}'.join(items)}{newline}]" if items else "[]"
    return number_text(value) if isinstance(value, float) else json.dumps(value)


def number_text(value: float) -> str:
    """Return a finite number as JavaScript writes it."""
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, power = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(power or 0)
    if not whole.strip("0"):
        point -= len(fraction) - len(fraction.lstrip("0")) + len(whole)
    digits = digits.rstrip("0")
    return sign + _placed(digits, point)


def _placed(digits: str, point: int) -> str:
    """Write digits with the decimal point after the first `point` of them."""
    if len(digits) <= point <= _LARGEST_PLAIN:
        return digits + "0" * (point - len(digits))
    if 0 < point <= _LARGEST_PLAIN:
        return f"{digits[:point]}.{digits[point:]}"
    if _SMALLEST_PLAIN < point - 1 < 0:
        return f"0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{rest}e{point - 1:+d}"


def _float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise UnreadableDocument("it holds a number that is too large")
    return value


def _int(text: str) -> int:
    _float(text)  # what JavaScript cannot hold, no program that reads these files can
    return int(text)


def _refuse(text: str) -> Any:
    raise UnreadableDocument(f"{text} is no JSON")


_END_OF_LIST = b"\n  ]"
_STAMP_BEGINS = b'\n  "%s": {\n    "written": "' % EVIDENCE.encode()


def appended(data: bytes, comment: dict[str, Any], marker: dict[str, Any], stamp: str) -> bytes | None:
    """Return a document with one more comment and its marker, and with a new stamp."""
    edits = []
    for name, item in (("ghostMarkers", marker), ("comments", comment)):
        # A line break inside a text is escaped, so that these bytes stand only where a list begins or ends.
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
    except UnreadableDocument as problem:
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
    if _HALF_PAIR.search(comment["id"]) is not None:
        raise CommentFileCorrupted(path, f"the id of comment {position} is no text")
    marker = owned.get(f"marker {comment.get('ghostMarkerId')}") or owned.get(f"comment {comment['id']}")
    return Note(comment, marker, _stored_location(comment, marker))


def _stored_location(comment: Mapping[str, Any], marker: Mapping[str, Any] | None) -> Location:
    """Return where the document itself says a comment is; the marker is the fresher of the two."""
    marker = marker or {}
    line = whole_line(marker.get("line")) or whole_line(comment.get("startLine"))
    line = line or whole_line(comment.get("line"))
    end = whole_line(marker.get("endLine")) or whole_line(comment.get("endLine"))
    if line is None:
        return Location(1, confidence=Confidence.NONE, reason="ambiguous", method="no_line")
    return Location(line, end if end is not None and end > line else None)


def remove(sidecar: Sidecar, note: Note) -> None:
    """Take a comment out of the document, and its marker when it carries no other."""
    sidecar.comments.remove(note)
    sidecar.raw["comments"] = [item for item in sidecar.raw["comments"] if item is not note.raw]
    for marker in [one for one in sidecar.raw.get("ghostMarkers") or [] if note.id in comment_ids(one)]:
        if len(comment_ids(marker)) > 1:
            detach(marker, note.id)
        else:
            sidecar.raw["ghostMarkers"] = [one for one in sidecar.raw["ghostMarkers"] if one is not marker]


def comment_ids(marker: dict[str, Any]) -> list[str]:
    """Return the ids of the comments that a marker carries."""
    listed = marker.get("commentIds")
    names = [*(listed if isinstance(listed, list) else ()), marker.get("commentId")]
    return list(dict.fromkeys(name for name in names if isinstance(name, str)))


def detach(marker: dict[str, Any], comment_id: str) -> None:
    """Take a comment off a marker that carries others."""
    marker["commentIds"] = [one for one in comment_ids(marker) if one != comment_id]
    if "commentId" in marker:
        marker["commentId"] = marker["commentIds"][0]


def carry(leaving: Sidecar, arriving: Sidecar, note: Note) -> None:
    """Take a comment, and a copy of its marker, from one document into another."""
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
