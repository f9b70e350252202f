"""The resources for comments: `comment://workspace/…`, each a JSON document.

Reading a resource changes nothing; each comment has its current line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any
from urllib.parse import quote

from holdfast.comments.sidecar.document import Sidecar
from holdfast.comments.sidecar.note import EVIDENCE_KEY, KNOWN_TAGS, Note
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
from holdfast.kernel.text import shorten
from holdfast.kernel.untrusted import visible, visible_in

_WORKSPACE_URI = "comment://workspace/"
_JSON_MEDIA_TYPE = "application/json"

_MAX_TAG_CHARACTERS = 100
"""Characters of an unknown tag that an error repeats. A judgement: no tag is longer."""


def _list_files(room: Comments) -> Iterable[ListedResource]:
    """Return one resource for each file that has comments."""
    return [
        ListedResource(
            uri=comments_uri(path),
            name=visible(path),
            description="Comments of this file",
            mime_type=_JSON_MEDIA_TYPE,
        )
        for path in room.sidecar_paths()
    ]


def comments_uri(path: str) -> str:
    """Return the URI of a file's comments."""
    return f"{_WORKSPACE_URI}{quote(path)}.comments"


def complete_commented_path(room: Comments, typed: str) -> Iterable[str]:
    """Return the files with comments whose paths start with `typed`."""
    return (path for path in room.sidecar_paths() if path.startswith(typed))


def _complete_tag(_room: Comments, typed: str) -> list[str]:
    return [tag for tag in KNOWN_TAGS if tag.startswith(typed.upper())]


_workspace_resource = partial(comments.resource, mime_type=_JSON_MEDIA_TYPE, topic="comments", specified=True)


@_workspace_resource(
    _WORKSPACE_URI + "all", name="Workspace comments", description="All comments across entire workspace"
)
def all_comments(room: Comments) -> str:
    """Return every comment, grouped by file."""
    files, total = _AnswerItems(), 0
    for sidecar in files.sidecars(room):
        markers = [marker for note in sidecar.comments if (marker := _marker_data(note)) is not None]
        data = [_comment_data(note) for note in sidecar.comments]
        files.add({"filePath": sidecar.source_path, "comments": data, "ghostMarkers": markers})
        total += len(data)
    return files.document({}, "files", {"totalComments": total, "totalFiles": files.count})


@_workspace_resource(
    _WORKSPACE_URI + "orphaned",
    name="Orphaned comments",
    description="Comments whose anchors no longer exist",
)
def orphaned_comments(room: Comments) -> str:
    """Return the comments whose code is gone, each with the reason and its candidates."""
    items = _AnswerItems()
    for path, note in items.notes(room, lambda note: note.orphaned):
        candidates = [
            {"filePath": candidate.path, "line": candidate.line, "score": round(candidate.score, 3)}
            for candidate in note.location.candidates
        ]
        items.add({**_comment_with_location(path, note), "reason": note.reason, "candidates": candidates})
    return items.document({}, "orphanedComments", {"totalCount": items.count})


@_workspace_resource(
    _WORKSPACE_URI + "ai-enriched", name="AI-enriched comments", description="Comments with AI metadata"
)
def enriched_comments(room: Comments) -> str:
    """Return the comments with AI metadata, and the models."""
    items, models = _AnswerItems(), set()
    for path, note in items.notes(room, lambda note: note.ai is not None):
        items.add(_comment_with_location(path, note))
        models.add(str((note.ai or {}).get("model") or ""))
    more = {"totalCount": items.count, "models": sorted(models - {""})}
    return items.document({}, "comments", more)


@comments.resource(
    _WORKSPACE_URI + "{+filePath}.comments",
    name="File comments",
    description="Comments for specific file",
    mime_type=_JSON_MEDIA_TYPE,
    topic="comments/{filePath}",
    list_topic="comments/*",
    members=_list_files,
    complete={"filePath": complete_commented_path},
    specified=True,
)
def file_comments(room: Comments, **parts: str) -> str:
    """Return the comments of one file; an empty list if it has none."""
    sidecar = room.load(source_path(parts["filePath"]).text)
    return _compact_json(_file_document(sidecar))


@_workspace_resource(
    _WORKSPACE_URI + "tags/{tag}",
    name="Comments by tag",
    description="All comments with specific tag",
    complete={"tag": _complete_tag},
)
def tagged_comments(room: Comments, tag: str) -> str:
    """Return the comments with one tag."""
    items = _AnswerItems()
    for path, note in items.notes(room, lambda note: note.tag == tag):
        items.add(_comment_with_location(path, note))
    if not items.count and tag not in KNOWN_TAGS:
        uri = f"{_WORKSPACE_URI}tags/{shorten(tag, _MAX_TAG_CHARACTERS)}"
        raise UnknownResource(f"Resource not found: {uri}", hint=did_you_mean(tag, KNOWN_TAGS), uri=uri)
    return items.document({"tag": tag}, "comments", {"totalCount": items.count})


def _file_document(sidecar: Sidecar) -> dict[str, Any]:
    """Return a sidecar's document with the current locations of its comments."""
    markers = {id(note.marker): _marker_data(note) for note in sidecar.comments if note.marker is not None}
    return {
        **{key: value for key, value in sidecar.raw.items() if key not in ("comments", "ghostMarkers")},
        "filePath": sidecar.source_path,
        "comments": [_comment_data(note) for note in sidecar.comments],
        "ghostMarkers": list(markers.values()),
    }


def _comment_with_location(path: str, note: Note) -> dict[str, Any]:
    return {"filePath": path, "comment": _comment_data(note), "ghostMarker": _marker_data(note)}


def _comment_data(note: Note) -> dict[str, Any]:
    data = {**note.raw, "id": note.alias, "line": note.line}
    if note.alias != note.id:
        data["storedId"] = note.id
    if note.end_line is not None:
        data |= {"startLine": note.line, "endLine": note.end_line}
    return data


def _marker_data(note: Note) -> dict[str, Any] | None:
    """Return a comment's marker with its current location and without the evidence."""
    if note.marker is None:
        return None
    data = {key: value for key, value in note.marker.items() if key != EVIDENCE_KEY}
    data |= {
        "line": note.line,
        "isOrphaned": note.orphaned,
        "confidence": note.location.confidence.value,
        "needsReview": note.location.needs_review,
    }
    return data if note.end_line is None else data | {"endLine": note.end_line}


class _AnswerItems:
    """The list in an answer. Items are serialized as they are added, so the size limit applies at once."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._bytes_left = LIMITS.response_bytes
        self._damaged: list[dict[str, str]] = []

    @property
    def count(self) -> int:
        return len(self._texts)

    def add(self, item: dict[str, Any]) -> None:
        self._texts.append(_compact_json(item))
        self._bytes_left -= len(self._texts[-1])
        if self._bytes_left < 0:
            raise TooLarge(
                f"The requested comments are larger than {LIMITS.response_bytes} bytes.",
                hint=f"Read the comments of one file, {_WORKSPACE_URI}<path>.comments, or call"
                " `search_comments`.",
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
        """Return a JSON object: the members of `before`, the list under `name`, the members of `after`."""
        rest = after | ({"damaged": self._damaged} if self._damaged else {})
        # The items are JSON already, so the members around them are joined as text, without their braces.
        first = f"{_compact_json(before)[1:-1]}," if before else ""
        return f'{{{first}"{name}":[{",".join(self._texts)}],{_compact_json(rest)[1:]}'


def _compact_json(value: dict[str, Any]) -> str:
    return json.dumps(visible_in(value), ensure_ascii=False, separators=(",", ":"))
