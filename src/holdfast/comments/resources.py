"""Comments as resources. Reading changes nothing; each comment has its current line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, get_args
from urllib.parse import quote

from holdfast.comments.models import Tag
from holdfast.comments.sidecar.document import Sidecar
from holdfast.comments.sidecar.note import EVIDENCE, Note
from holdfast.comments.sidecar.source import source_path
from holdfast.comments.store import Comments
from holdfast.comments.toolset import comments
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import (
    Cancelled,
    DeadlineExceeded,
    HoldfastError,
    TooLarge,
    UnknownResource,
    did_you_mean,
)
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.resource import ListedResource
from holdfast.kernel.untrusted import visible, visible_in

_BASE = "comment://workspace/"
_JSON = "application/json"
_TAGS = (*get_args(Tag), "HACK", "WARNING")


def members(room: Comments) -> Iterable[ListedResource]:
    """Return the URI of every file that has comments."""
    return [
        ListedResource(
            uri=address_of(path), name=visible(path), description="Comments of this file", mime_type=_JSON
        )
        for path in room.sidecar_paths()
    ]


def address_of(path: str) -> str:
    """Return the URI of a file's comments."""
    return f"{_BASE}{quote(path)}.comments"


def commented(room: Comments, typed: str) -> Iterable[str]:
    """Return the files with comments whose paths start with `typed`."""
    return (path for path in room.sidecar_paths() if path.startswith(typed))


def _tags(room: Comments, typed: str) -> list[str]:
    del room
    return [tag for tag in _TAGS if tag.startswith(typed.upper())]


_shown = partial(comments.resource, mime_type=_JSON, topic="comments", specified=True)


@_shown(_BASE + "all", name="Workspace comments", description="All comments across entire workspace")
def all_comments(room: Comments) -> str:
    """Return every comment, grouped by file."""
    files, total = _Items(), 0
    for sidecar in files.sidecars(room):
        markers = [marker for note in sidecar.comments if (marker := _marker(note)) is not None]
        found = [_comment(note) for note in sidecar.comments]
        files.add({"filePath": sidecar.source_path, "comments": found, "ghostMarkers": markers})
        total += len(found)
    return files.document({}, "files", {"totalComments": total, "totalFiles": files.count})


@_shown(_BASE + "orphaned", name="Orphaned comments", description="Comments whose anchors no longer exist")
def orphaned_comments(room: Comments) -> str:
    """Return the comments whose code is gone, each with the reason and its candidates."""
    found = _Items()
    for path, note in found.notes(room, lambda note: note.orphaned):
        offered = [
            {"filePath": one.path, "line": one.line, "score": round(one.score, 3)}
            for one in note.location.candidates
        ]
        found.add({**_located(path, note), "reason": note.reason, "candidates": offered})
    return found.document({}, "orphanedComments", {"totalCount": found.count})


@_shown(_BASE + "ai-enriched", name="AI-enriched comments", description="Comments with AI metadata")
def enriched_comments(room: Comments) -> str:
    """Return the comments with AI metadata, and the models."""
    found, models = _Items(), set()
    for path, note in found.notes(room, lambda note: note.ai is not None):
        found.add(_located(path, note))
        models.add(str((note.ai or {}).get("model") or ""))
    more = {"totalCount": found.count, "models": sorted(models - {""})}
    return found.document({}, "comments", more)


@comments.resource(
    _BASE + "{+filePath}.comments",
    name="File comments",
    description="Comments for specific file",
    mime_type=_JSON,
    topic="comments/{filePath}",
    list_topic="comments/*",
    members=members,
    complete={"filePath": commented},
    specified=True,
)
def file_comments(room: Comments, **parts: str) -> str:
    """Return the comments of one file; an empty list if it has none."""
    sidecar = room.load(source_path(parts["filePath"]).text)
    return _written(_document(sidecar))


@_shown(
    _BASE + "tags/{tag}",
    name="Comments by tag",
    description="All comments with specific tag",
    complete={"tag": _tags},
)
def tagged_comments(room: Comments, tag: str) -> str:
    """Return the comments with one tag."""
    found = _Items()
    for path, note in found.notes(room, lambda note: note.tag == tag):
        found.add(_located(path, note))
    if not found.count and tag not in _TAGS:
        uri = f"{_BASE}tags/{tag[:100]}"
        raise UnknownResource(f"Resource not found: {uri}", hint=did_you_mean(tag, _TAGS), uri=uri)
    return found.document({"tag": tag}, "comments", {"totalCount": found.count})


def _document(sidecar: Sidecar) -> dict[str, Any]:
    markers = {id(note.marker): _marker(note) for note in sidecar.comments if note.marker is not None}
    return {
        **{key: value for key, value in sidecar.raw.items() if key not in ("comments", "ghostMarkers")},
        "filePath": sidecar.source_path,
        "comments": [_comment(note) for note in sidecar.comments],
        "ghostMarkers": list(markers.values()),
    }


def _located(path: str, note: Note) -> dict[str, Any]:
    return {"filePath": path, "comment": _comment(note), "ghostMarker": _marker(note)}


def _comment(note: Note) -> dict[str, Any]:
    known = {**note.raw, "id": note.alias, "line": note.line}
    if note.alias != note.id:
        known["storedId"] = note.id
    if note.end_line is not None:
        known |= {"startLine": note.line, "endLine": note.end_line}
    return known


def _marker(note: Note) -> dict[str, Any] | None:
    if note.marker is None:
        return None
    known = {key: value for key, value in note.marker.items() if key != EVIDENCE}
    known |= {"line": note.line, "isOrphaned": note.orphaned}
    known |= {"confidence": note.location.confidence.value, "needsReview": note.location.needs_review}
    return known | ({"endLine": note.end_line} if note.end_line is not None else {})


class _Items:
    """The list in an answer, each item serialized as it is added, bounded by the largest answer."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._left = LIMITS.response_bytes
        self._damaged: list[dict[str, str]] = []

    @property
    def count(self) -> int:
        return len(self._texts)

    def add(self, item: dict[str, Any]) -> None:
        self._texts.append(_written(item))
        self._left -= len(self._texts[-1])
        if self._left < 0:
            raise TooLarge(
                f"The requested comments are larger than {LIMITS.response_bytes} bytes.",
                hint=f"Read the comments of one file, {_BASE}<path>.comments, or call `search_comments`.",
                limit=LIMITS.response_bytes,
            )

    def sidecars(self, room: Comments) -> Iterator[Sidecar]:
        """Yield every sidecar that can be read; unreadable ones are reported in the answer."""
        moves = room.moves()
        for path in room.sidecar_paths():
            current_call().check()
            try:
                yield room.load_owned(path, moves)
            except (Cancelled, DeadlineExceeded):
                raise
            except HoldfastError as failure:
                self._damaged.append({"filePath": path, "problem": failure.message})

    def notes(self, room: Comments, wanted: Callable[[Note], bool]) -> Iterator[tuple[str, Note]]:
        """Yield the wanted comments, each with the path of its file."""
        for sidecar in self.sidecars(room):
            yield from ((sidecar.source_path, note) for note in sidecar.comments if wanted(note))

    def document(self, before: dict[str, Any], name: str, after: dict[str, Any]) -> str:
        """Return the whole answer: some members, the list under its name, and the other members."""
        rest = after | ({"damaged": self._damaged} if self._damaged else {})
        first = f"{_written(before)[1:-1]}," if before else ""
        return f'{{{first}"{name}":[{",".join(self._texts)}],{_written(rest)[1:]}'


def _written(value: dict[str, Any]) -> str:
    return json.dumps(visible_in(value), ensure_ascii=False, separators=(",", ":"))
