"""Detects and restores updates that another program overwrote from its memory.

The VS Code extension reads a sidecar once and later writes all of it. Each write of Holdfast ("we") leaves a
stamp that the extension preserves, so the stamp in its document shows which of our writes it had read.
Example: we add comment A (write 7) and B (write 8); the extension, which read write 7, saves a document
without B. It had not read B, so B was lost and is restored. If A is missing as well, it had been read, so it
was deleted.

Contract:
- A missing comment that we wrote is restored unless it was deleted: by us, by a writer that had read it, or
  by git replacing the file. A comment in an older state than we wrote is restored to our state unless the
  writer had read that.
- If the sidecar is exactly what HEAD has, git replaced it: nothing is restored, and what is missing was
  deleted.
- `find_lost_updates` writes nothing.
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
class SidecarComparison:
    """The result of comparing a sidecar with its record."""

    restored: list[CommentRecord] = field(default_factory=list)
    """Records of comments that are to be put back."""
    newly_elsewhere: list[CommentRecord] = field(default_factory=list)
    """Records of comments that another program has now written, so it has them in memory."""
    forgotten: list[str] = field(default_factory=list)
    """Ids of comments that another program or git deleted; their records are to be removed."""


def find_lost_updates(
    sidecar: Sidecar, data: bytes, record: SidecarRecord, read_up_to: int | None, history: FileHistory
) -> SidecarComparison:
    """Compare a sidecar that another program wrote (`data` are its bytes) with the record of what we wrote.

    `read_up_to` is the last of our writes that the other program had read, if the sidecar has a stamp.
    """
    result = SidecarComparison()
    stored = {note.id: note for note in sidecar.comments}
    written = [entry for entry in record.entries if entry.content is not None]
    present = [entry for entry in written if entry.comment_id in stored]
    missing = [entry for entry in written if entry.comment_id not in stored]
    stale = [entry for entry in present if stored[entry.comment_id].updated < entry.updated]
    result.newly_elsewhere = [
        entry._replace(known_elsewhere=True) for entry in present if not entry.known_elsewhere
    ]
    if not missing and not stale:
        return result
    if history.committed(sidecar.path) == data:
        result.forgotten = [entry.comment_id for entry in missing]
        return result
    if read_up_to is None:
        # Without a stamp, comments that are exactly as we wrote them show what the program had read.
        unchanged = [entry for entry in present if stored[entry.comment_id].updated == entry.updated]
        read_up_to = max((entry.sequence for entry in unchanged), default=0)
        # A comment that another program has written itself counts as read.
        unread = [entry for entry in missing if entry.sequence > read_up_to and not entry.known_elsewhere]
    else:
        unread = [entry for entry in missing if entry.sequence > read_up_to]
    removed = _removed_by_git(history, sidecar, [entry.comment_id for entry in unread])
    result.restored = [entry for entry in unread if entry.comment_id not in removed]
    result.forgotten = [entry.comment_id for entry in missing if entry not in result.restored]
    result.restored.extend(entry for entry in stale if entry.sequence > read_up_to)
    return result


def _removed_by_git(history: FileHistory, sidecar: Sidecar, comment_ids: list[str]) -> Set[str]:
    """Return the comments that some commit has but the HEAD commit does not: git removed them."""
    head_data = history.committed(sidecar.path) or b""
    sought = tuple(comment_id for comment_id in comment_ids if comment_id.encode() not in head_data)
    if not sought:
        return frozenset()
    # Cached, because searching all commits is slow and the sidecar does not change until it is written.
    cache_version = (sidecar.digest, history.head(), sought)
    removed = history.past_texts.get(sidecar.path, cache_version)
    if removed is None:
        found = history.find_past_texts(sidecar.path, sought)
        removed = history.past_texts.put(sidecar.path, cache_version, found)
    return removed


def restore_comments(sidecar: Sidecar, restored: list[CommentRecord]) -> None:
    """Put comments and their markers back into the document, in their recorded state."""
    comments: list[Any] = sidecar.raw["comments"]
    markers: list[Any] = sidecar.raw.setdefault("ghostMarkers", [])
    for entry in restored:
        content = json.loads(entry.content or "{}")
        _put_item(comments, content["comment"])
        if content.get("marker") is not None:
            _put_item(markers, content["marker"])
    if restored:
        sidecar.refresh()


def _put_item(items: list[Any], item: Mapping[str, Any]) -> None:
    """Update the item with the same id, or append the item."""
    for index, existing in enumerate(items):
        if isinstance(existing, dict) and existing.get("id") == item["id"]:
            # Keys that only the other program wrote are preserved.
            items[index] = {**existing, **item}
            return
    items.append(dict(item))
