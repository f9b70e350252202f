"""Detects and restores updates that another program overwrote from its memory.

The VS Code extension reads a sidecar once and later writes all of it. Each write of ours leaves a stamp that
the extension preserves, so the stamp in its write shows which of our writes it had read. Example: we add
comment A (write 7) and B (write 8); the extension, which read write 7, saves a document without B. B was
never read, so it was lost, and is restored. If A is missing as well, it had been read, so it was deleted.

Contract:
- A comment of ours that is missing is restored unless it was deleted: by us, by a writer that had read it, or
  by git replacing the file. A comment of ours with an older state was overwritten, and our state is restored.
- Comparing writes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from holdfast.comments.sidecar.archive import CommentRecord, SidecarRecord
from holdfast.comments.sidecar.document import Sidecar
from holdfast.storage.git.history.file_history import FileHistory


@dataclass
class LostUpdates:
    """The result of comparing a sidecar with its record."""

    restored: list[CommentRecord] = field(default_factory=list)
    known: list[CommentRecord] = field(default_factory=list)
    """Records of comments that another program has written, and so knows."""
    forgotten: list[str] = field(default_factory=list)
    """Ids of comments that someone else deleted."""


def lost_updates(
    sidecar: Sidecar, data: bytes, record: SidecarRecord, read_up_to: int | None, history: FileHistory
) -> LostUpdates:
    """Compare a sidecar that someone else wrote, with the bytes `data`, with what we wrote.

    `read_up_to` is the last of our writes that the writer had read, if the sidecar has a stamp.
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
        # No stamp: comments that are exactly as we wrote them show how far the writer had read.
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
    """Return the comments that some commit has but the last does not: git removed them."""
    last = history.committed(sidecar.path) or b""
    sought = tuple(one for one in comment_ids if one.encode() not in last)
    if not sought:
        return frozenset()
    # Cached: searching other commits is slow, and the sidecar does not change until it is written.
    cache_version = (sidecar.digest, history.head(), sought)
    known = history.past_texts.get(sidecar.path, cache_version)
    if known is None:
        known = history.past_texts.put(
            sidecar.path, cache_version, history.find_past_texts(sidecar.path, sought)
        )
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
            # Keys that only the other program wrote are preserved.
            items[position] = {**known, **item}
            return
    items.append(dict(item))
