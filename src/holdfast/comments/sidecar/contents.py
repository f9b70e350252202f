"""Taking comments out of a document and putting them into another, with the markers that carry them."""

from __future__ import annotations

import copy
from typing import Any

from holdfast.comments.sidecar.document import Sidecar
from holdfast.comments.sidecar.note import Note


def remove(sidecar: Sidecar, note: Note) -> None:
    """Take a comment out of the document, and its marker when it carries no other."""
    sidecar.comments.remove(note)
    sidecar.raw["comments"] = [item for item in sidecar.raw["comments"] if item is not note.raw]
    markers = sidecar.raw.get("ghostMarkers") or []
    for marker in markers:
        if note.id in comment_ids(marker):
            if len(comment_ids(marker)) > 1:
                detach(marker, note.id)
            else:
                sidecar.raw["ghostMarkers"] = [
                    item for item in sidecar.raw["ghostMarkers"] if item is not marker
                ]


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
