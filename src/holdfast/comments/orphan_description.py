"""Describes an orphaned or uncertain comment in a prompt: its text, its old code, its candidates."""

from __future__ import annotations

import json
from collections.abc import Iterable

from holdfast.comments.anchors.orphans import Offers, former_surroundings
from holdfast.comments.anchors.snippets import Snippet, around, as_it_was, numbered
from holdfast.comments.sidecar.note import Note
from holdfast.comments.store import Comments
from holdfast.comments.text import UNTAGGED, line_label
from holdfast.comments.tracking.placement import CandidateLine
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import visible

_MAX_CANDIDATES = 3
_MARGIN = 3


def describe_orphan(room: Comments, number: int, path: str, note: Note, offers: Offers) -> str:
    """Describe a comment without a certain line: its text, its former code, and its candidates."""
    state = "orphaned" if note.orphaned else "needs review"
    why = (note.reason or "uncertain").replace("_", " ")
    place = f"{visible(path)}, {line_label(note.line, note.end_line).lower()}"
    lines = [
        f"{number}. {note.alias} ({visible(note.tag or UNTAGGED)}) {state}: {why}; last known at {place}",
        f"   Written by {one_line(note.author)}, {one_line(note.created)}:",
        *(f"   > {line}" for line in visible(note.text).split("\n")),
    ]
    old = as_it_was(room, note, path, _MARGIN)
    lines.append(
        "   The code is not known." if old is None else f"   The code it was about:\n{_indented(old)}"
    )
    candidates = offers[path, note.id][:_MAX_CANDIDATES]
    lines += [
        part for rank, one in enumerate(candidates, 1) for part in _candidate(room, path, note, rank, one)
    ]
    if not candidates:
        lines.append("   There are no candidates.")
    beside = former_surroundings(room, path, note, _MARGIN) if note.orphaned else None
    if beside is not None:
        lines.append(f"   Its former neighbours are now in {visible(path)}:\n{_indented(beside)}")
    return "\n".join(lines)


def _candidate(room: Comments, path: str, note: Note, rank: int, one: CandidateLine) -> Iterable[str]:
    target = one.path or path
    yield f"   Candidate {rank}: {visible(target)}:{one.line} (score {one.score:.2f})"
    try:
        yield _indented(around(target, room.text_of(target), one.line, None, _MARGIN))
    except HoldfastError:
        return  # deleted since it was found
    arguments = {"sourceFile": path, "targetFile": target, "commentId": note.alias, "targetLine": one.line}
    yield f"      move_comment {visible(json.dumps(arguments, ensure_ascii=False))}"


def _indented(snippet: Snippet) -> str:
    lines = numbered(snippet.lines, snippet.start, snippet.own).split("\n")
    return "\n".join(f"      {visible(line)}" for line in lines)
