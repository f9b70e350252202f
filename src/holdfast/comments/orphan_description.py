"""Describes an orphaned or uncertain comment in a prompt: its text, its old code with the lines that were
around it, its candidates.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from holdfast.comments.anchors.orphans import CandidatesByComment
from holdfast.comments.anchors.snippets import Snippet, number_lines, original_snippet, snippet_around
from holdfast.comments.sidecar.note import Note
from holdfast.comments.store import Comments
from holdfast.comments.text import UNTAGGED, line_label
from holdfast.comments.tracking.placement import Anchor, CandidateLine, Confidence, FileVersion
from holdfast.comments.tracking.track import track
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import visible

_MAX_CANDIDATES_SHOWN = 3
"""Candidates listed for each comment. A judgement: a prompt lists up to twenty comments."""

_CONTEXT_LINES = 3
"""Lines of code before and after the line of interest, as in a diff."""

_SEARCHED_NEIGHBOURS = 4
"""Lines on each side of a deleted line that are looked up. A judgement: farther lines say little about it."""


def describe_orphan(
    room: Comments, number: int, path: str, note: Note, candidates_by_comment: CandidatesByComment
) -> str:
    """Describe a comment without a certain line: its text, its former code, and its candidates."""
    state = "orphaned" if note.orphaned else "needs review"
    reason = (note.reason or "uncertain").replace("_", " ")
    place = f"{visible(path)}, {line_label(note.line, note.end_line).lower()}"
    lines = [
        f"{number}. {note.alias} ({visible(note.tag or UNTAGGED)}) {state}: {reason}; last known at {place}",
        f"   Written by {one_line(note.author)}, {one_line(note.created)}:",
        *(f"   > {line}" for line in visible(note.text).split("\n")),
    ]
    old = original_snippet(room, note, path, _CONTEXT_LINES)
    lines.append(
        "   The code is not known." if old is None else f"   The code it was about:\n{_format_snippet(old)}"
    )
    candidates = candidates_by_comment[path, note.id][:_MAX_CANDIDATES_SHOWN]
    for rank, candidate in enumerate(candidates, 1):
        lines += _describe_candidate(room, path, note, rank, candidate)
    if not candidates:
        lines.append("   There are no candidates.")
    neighbours = _former_surroundings(room, path, note) if note.orphaned else None
    if neighbours is not None:
        lines.append(f"   Its former neighbours are now in {visible(path)}:\n{_format_snippet(neighbours)}")
    return "\n".join(lines)


def _describe_candidate(
    room: Comments, path: str, note: Note, rank: int, candidate: CandidateLine
) -> Iterable[str]:
    target = candidate.path or path
    yield f"   Candidate {rank}: {visible(target)}:{candidate.line} (score {candidate.score:.2f})"
    try:
        yield _format_snippet(
            snippet_around(target, room.text_of(target), candidate.line, None, _CONTEXT_LINES)
        )
    except HoldfastError:
        return  # the file was deleted after the search
    arguments = {
        "sourceFile": path,
        "targetFile": target,
        "commentId": note.alias,
        "targetLine": candidate.line,
    }
    yield f"      move_comment {visible(json.dumps(arguments, ensure_ascii=False))}"


def _format_snippet(snippet: Snippet) -> str:
    lines = number_lines(snippet.lines, snippet.start, snippet.own).split("\n")
    return "\n".join(f"      {visible(line)}" for line in lines)


def _former_surroundings(room: Comments, path: str, note: Note) -> Snippet | None:
    """Return the current lines around the former neighbours of a comment's line, if one still exists."""
    version = room.annotated_version(note)
    if version is None:
        return None
    try:
        text = room.text_of(path)
    except HoldfastError:
        return None  # the file is gone as well
    above, below = _locate_neighbours(version, note.original_anchor, FileVersion(path, text))
    if above is not None:
        first = above
    elif below is not None:
        first = max(1, below - 1)
    else:
        return None
    last = below if below is not None and below >= first else first
    last = min(last, first + 2 * _CONTEXT_LINES)  # much may have been inserted between the neighbours
    return replace(snippet_around(path, text, first, last, _CONTEXT_LINES), own=range(0))


def _locate_neighbours(old: FileVersion, anchor: Anchor, new: FileVersion) -> tuple[int | None, int | None]:
    """Return the current lines of the nearest lines above and below an anchor whose places are certain."""
    old_lines = old.text.split("\n")
    end = anchor.end_line or anchor.line
    above = range(anchor.line - 1, max(0, anchor.line - 1 - _SEARCHED_NEIGHBOURS), -1)
    below = range(end + 1, min(len(old_lines), end + _SEARCHED_NEIGHBOURS) + 1)
    distinctive = [line for line in (*above, *below) if any(map(str.isalnum, old_lines[line - 1]))]
    if not distinctive:
        return None, None
    placements = track(old, new, [Anchor(line) for line in distinctive])
    certain = {
        line: placement.line
        for line, placement in zip(distinctive, placements, strict=True)
        if placement.confidence is Confidence.HIGH
    }
    return (
        next((certain[line] for line in above if line in certain), None),
        next((certain[line] for line in below if line in certain), None),
    )
