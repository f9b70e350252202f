"""Describes an orphaned or uncertain comment in a prompt: its text, its old code, its candidates."""

from __future__ import annotations

import json
from collections.abc import Iterable

from holdfast.comments.anchors.orphans import CandidatesByComment, former_surroundings
from holdfast.comments.anchors.snippets import Snippet, number_lines, original_snippet, snippet_around
from holdfast.comments.sidecar.note import Note
from holdfast.comments.store import Comments
from holdfast.comments.text import UNTAGGED, line_label
from holdfast.comments.tracking.placement import CandidateLine
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import visible

_MAX_CANDIDATES_SHOWN = 3
"""Candidates listed for each comment. A judgement: a prompt lists up to twenty comments."""

_CONTEXT_LINES = 3
"""Lines of code before and after the line of interest, as in a diff."""


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
    neighbours = former_surroundings(room, path, note, _CONTEXT_LINES) if note.orphaned else None
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
