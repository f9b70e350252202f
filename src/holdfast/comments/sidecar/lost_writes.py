"""What becomes of our comments when another program has written the sidecar from its memory.

Contract:
- A comment of ours that is gone was lost, and comes back, unless somebody deleted it: we did; or the writer
  had read it (the stamp of our writes that it carries along shows how far); or git replaced the file.
- A comment of ours that went back to an older state was overwritten from memory, and our state comes back.
- Nothing here writes. `Merged` says what to put back, and what the record should say from now on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from holdfast.comments.sidecar.archive import Entry, Record
from holdfast.comments.sidecar.document import Sidecar


@dataclass
class Merged:
    """What a comparison with the record found."""

    restored: list[Entry] = field(default_factory=list)
    known: list[Entry] = field(default_factory=list)
    """Entries that another program has written, and so knows."""
    forgotten: list[str] = field(default_factory=list)
    """Ids of comments that somebody else took away."""


Question = Callable[[], bool]


@dataclass(frozen=True)
class Circumstances:
    """What is known about whoever wrote a sidecar."""

    read_up_to: int | None
    """The last of our writes that the writer had read, where the sidecar shows it."""
    is_from_git: Question
    """Tells whether the sidecar is exactly what the last commit holds."""
    git_knows: Callable[[str], bool]
    """Tells whether a comment is in some commit, though not in the last."""


def compared(sidecar: Sidecar, record: Record, known: Circumstances) -> Merged:
    """Compare a sidecar that somebody else has written with what we wrote."""
    found = Merged()
    if record.digest == sidecar.digest or not record.entries:
        return found
    stored = {note.id: note for note in sidecar.comments}
    ours = [one for one in record.entries if one.content is not None]
    present = [one for one in ours if one.comment_id in stored]
    missing = [one for one in ours if one.comment_id not in stored]
    stale = [one for one in present if stored[one.comment_id].updated < one.updated]
    found.known = [one._replace(known_elsewhere=True) for one in present if not one.known_elsewhere]
    if not missing and not stale:
        return found
    if known.is_from_git():
        found.forgotten = [one.comment_id for one in missing]
        return found
    up_to = known.read_up_to
    if up_to is None:
        # No stamp of ours: what is in the file just as we wrote it shows how far the writer had read.
        unchanged = [one for one in present if stored[one.comment_id].updated == one.updated]
        up_to = max((one.sequence for one in unchanged), default=0)
        missing_known = {one.comment_id for one in missing if one.known_elsewhere}
    else:
        missing_known = set()
    for one in missing:
        was_read = one.sequence <= up_to or one.comment_id in missing_known
        if was_read or known.git_knows(one.comment_id):
            found.forgotten.append(one.comment_id)
        else:
            found.restored.append(one)
    found.restored.extend(one for one in stale if one.sequence > up_to)
    return found


def put_back(sidecar: Sidecar, restored: list[Entry]) -> None:
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


def entry_of(comment: Mapping[str, Any], marker: Mapping[str, Any] | None, sequence: int) -> Entry:
    """Return what goes on record about a comment that we write now."""
    content = json.dumps({"comment": comment, "marker": marker})
    # Half a character in a moment of another program is no text that a database takes.
    updated = str(comment.get("updated", "")).encode("utf-8", "replace").decode()
    return Entry(str(comment["id"]), sequence, updated, content, False)


def tombstone(comment_id: str, moment: str, sequence: int) -> Entry:
    """Return what goes on record about a comment that we delete."""
    return Entry(comment_id, sequence, moment, None, False)
