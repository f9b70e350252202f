"""Lost updates."""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from holdfast.comments.sidecar.archive import CommentRecord, SidecarRecord
from holdfast.comments.sidecar.document import Sidecar
from holdfast.storage.git.file_history import FileHistory


@dataclass
class LostUpdates:
    """What a comparison with the record found."""

    restored: list[CommentRecord] = field(default_factory=list)
    known: list[CommentRecord] = field(default_factory=list)
    """Entries that another program has written, and so knows."""
    forgotten: list[str] = field(default_factory=list)
    """Ids of comments that somebody else took away."""


def lost_updates(
    sidecar: Sidecar, data: bytes, record: SidecarRecord, read_up_to: int | None, history: FileHistory
) -> LostUpdates:
    """Compare a sidecar that somebody else has written, with the bytes `data`, with what we wrote.

    `read_up_to` is the last of our writes that the writer had read, where the sidecar shows it.
    """
    found = LostUpdates()
    stored = {note.id: note for note in sidecar.comments}
    ours = [one for one in record.entries if one.content is not None]
    present = [one for one in ours if one.comment_id in stored]
    missing = [one for one in ours if one.comment_id not in stored]
    stale = [one for one in present if stored[one.comment_id].updated < one.updated]
    found.known = [one._replace(known_elsewhere=True) for one in present if not one.known_elsewhere]
    if not missing and not stale:
        return found
    if history.committed(sidecar.path) == data:
        found.forgotten = [one.comment_id for one in missing]
        return found
    up_to = read_up_to
    if up_to is None:
        # No stamp of ours: what is in the file just as we wrote it shows how far the writer had read.
        unchanged = [one for one in present if stored[one.comment_id].updated == one.updated]
        up_to = max((one.sequence for one in unchanged), default=0)
        missing_known = {one.comment_id for one in missing if one.known_elsewhere}
    else:
        missing_known = set()
    unread = [one for one in missing if one.sequence > up_to and one.comment_id not in missing_known]
    elsewhere = _only_elsewhere(history, sidecar, [one.comment_id for one in unread])
    found.restored = [one for one in unread if one.comment_id not in elsewhere]
    found.forgotten = [one.comment_id for one in missing if one not in found.restored]
    found.restored.extend(one for one in stale if one.sequence > up_to)
    return found


def _only_elsewhere(history: FileHistory, sidecar: Sidecar, comment_ids: list[str]) -> Set[str]:
    """Return the comments that are in some commit but not in the last: git, not a program, took them away."""
    last = history.committed(sidecar.path) or b""
    sought = tuple(one for one in comment_ids if one.encode() not in last)
    if not sought:
        return frozenset()
    # To read what other commits held takes long, and the sidecar stays as it is until somebody writes it.
    sign = (sidecar.digest, history.head(), sought)
    known = history.held.recall(sidecar.path, sign)
    if known is None:
        known = history.held.keep(sidecar.path, sign, history.ever_held(sidecar.path, sought))
    return known


def restore(sidecar: Sidecar, restored: list[CommentRecord]) -> None:
    """Put comments and their markers back into the document, in the state that we wrote."""
    comments: list[Any] = sidecar.raw["comments"]
    markers: list[Any] = sidecar.raw.setdefault("ghostMarkers", [])
    for one in restored:
        content = json.loads(one.content or "{}")
        _put(comments, content["comment"])
        if content.get("marker") is not None:
            _put(markers, content["marker"])
    if restored:
        sidecar.refresh()


def _put(items: list[Any], item: Mapping[str, Any]) -> None:
    for position, known in enumerate(items):
        if isinstance(known, dict) and known.get("id") == item["id"]:
            # What the other program knows beyond ours stays.
            items[position] = {**known, **item}
            return
    items.append(dict(item))
