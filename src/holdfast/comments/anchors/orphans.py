"""Finds candidate places for comments whose code is no longer in their file. A person chooses; nothing is
written.

Example: a comment on `retry(3)` in `net.py` is orphaned. Its candidates are a line in `net.py` with the same
text but other neighbours (score 0.4), and line 12 of `http.py`, which contains most of what surrounded it
(score 0.8).

Contract: candidates are listed best first; those in other files have the score that a scan would use. The
former neighbours of a deleted line are looked up in its own file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from holdfast.comments.anchors.lost_code import (
    LostCode,
    build_file_index,
    files_of_same_kind,
    group_lost_code,
    original_anchor,
)
from holdfast.comments.anchors.moved_code import MAX_COMPARED_FILES
from holdfast.comments.anchors.snippets import Snippet, lines_of_file, original_snippet, snippet_around
from holdfast.comments.search.query import CommentQuery
from holdfast.comments.sidecar.note import Note
from holdfast.comments.store import Comments
from holdfast.comments.tracking.moved_files import MovedFiles
from holdfast.comments.tracking.placement import Anchor, CandidateLine, Confidence, FileVersion
from holdfast.comments.tracking.track import track
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError

_SEARCHED_NEIGHBOURS = 4
"""Lines on each side of a deleted line that are looked up. A judgement: farther lines say little about it."""

_MAX_CANDIDATE_FILES = 3
"""Other files among the candidates of one comment. A judgement: the right one is rarely below third place."""

_MAX_CANDIDATES = 5
"""Candidates for one comment. A judgement: a person would not compare more."""

_CONTEXT_LINES = 3
"""Lines on each side that are compared, as many as a diff shows."""

_MAX_EQUAL_LINES = 50
"""Equal lines that are scored. A judgement: a line that occurs more often identifies nothing."""

_EQUAL_LINE_SCORE = 0.3
"""Score of a line with equal text and no equal neighbours. A judgement: it must stay below candidates whose
neighbours are similar."""

CandidatesByComment = Mapping[tuple[str, str], Sequence[CandidateLine]]
"""Candidates by the path of a comment's file and its id."""


def uncertain_comments(
    room: Comments, path: str | None, limit: int
) -> tuple[int, list[tuple[str, Note]], list[str]]:
    """Return how many comments are orphaned or need review, the first of them, and unreadable files."""
    answers = [
        room.search.find(
            CommentQuery(path=path, standing=standing, limit=limit, by_place=True),
            everywhere=standing == "orphaned",
        )
        for standing in ("orphaned", "review")
    ]
    paths = dict.fromkeys(hit.path for answer in answers for hit in answer.hits)
    moves = room.moves()
    loaded = ((path, room.load_owned(path, moves).comments) for path in sorted(paths))
    notes = [
        (path, note)
        for path, found in loaded
        for note in found
        if note.location.confidence is not Confidence.HIGH
    ]
    notes.sort(key=lambda item: (item[0], item[1].line, item[1].alias))
    return sum(answer.total for answer in answers), notes[:limit], answers[0].damaged


def attach_candidates(room: Comments, path: str, notes: Sequence[Note]) -> None:
    """Set the candidates of a file's orphans; other files are searched if there are not too many."""
    orphans = [note for note in notes if note.orphaned]
    if not orphans:
        return
    files = files_of_same_kind(room, [path]).signatures()
    if len(files) > MAX_COMPARED_FILES:
        candidates: CandidatesByComment = {
            (path, note.id): _candidates_in_own_file(room, path, note) for note in orphans
        }
    else:
        cache_version = (files, tuple(note.id for note in orphans))
        known = room.candidate_cache.get(path, cache_version)
        if known is None:
            known = room.candidate_cache.put(
                path, cache_version, find_candidates(room, [(path, note) for note in orphans])
            )
        candidates = known
    for note in orphans:
        note.location = replace(note.location, candidates=tuple(candidates[path, note.id]))


def find_candidates(room: Comments, notes: Sequence[tuple[str, Note]]) -> CandidatesByComment:
    """Return where the code of each comment may be, in its own file and in others, best first."""
    found = {(path, note.id): _candidates_in_own_file(room, path, note) for path, note in notes}
    missing = group_lost_code(room, [(path, note) for path, note in notes if note.orphaned])
    if missing:
        index = build_file_index(room, missing)
        for lost in missing:
            for name, anchor in zip(lost.names, lost.anchors, strict=True):
                current_call().check()
                known = found[lost.path, name]
                others = _candidates_in_other_files(index, lost, anchor)
                known += [other for other in others if not _is_in(other, known)]
    for candidates in found.values():
        candidates.sort(key=lambda candidate: (-candidate.score, candidate.path or "", candidate.line))
        del candidates[_MAX_CANDIDATES:]
    return found


def _candidates_in_own_file(room: Comments, path: str, note: Note) -> list[CandidateLine]:
    """Return the candidates that tracking found, and every line equal to the comment's own."""
    known = list(note.location.candidates)
    original = original_snippet(room, note, path, _CONTEXT_LINES)
    try:
        lines = lines_of_file(room.text_of(path))
    except HoldfastError:
        return known
    if original is None or not original.own:
        return known
    own_text = original.line(original.own[0]).strip()
    if not any(map(str.isalnum, own_text)):
        return known
    equal = [number for number, line in enumerate(lines, 1) if line.strip() == own_text]
    others = [
        CandidateLine(number, _context_score(original, lines, number)) for number in equal[:_MAX_EQUAL_LINES]
    ]
    return known + [other for other in others if not _is_in(other, known)]


def _context_score(original: Snippet, lines: Sequence[str], number: int) -> float:
    """Return the share of a line's old neighbours that an equal line has, scaled to 0.3 to 1."""
    old_lines = {line.strip() for line in original.lines} - {""}
    start = max(0, number - 1 - _CONTEXT_LINES)
    new_lines = {line.strip() for line in lines[start : number + _CONTEXT_LINES]}
    # The line itself is in both sets and is not one of its neighbours.
    share = (len(old_lines & new_lines) - 1) / max(1, len(old_lines) - 1)
    return round(_EQUAL_LINE_SCORE + (1 - _EQUAL_LINE_SCORE) * share, 3)


def _is_in(candidate: CandidateLine, known: Sequence[CandidateLine]) -> bool:
    return any((other.path, other.line) == (candidate.path, candidate.line) for other in known)


def _candidates_in_other_files(index: MovedFiles, lost: LostCode, anchor: Anchor) -> Iterator[CandidateLine]:
    """Yield a place in each file that contains enough of an anchor's surroundings."""
    for moved in index.candidates(lost.version, anchor, _MAX_CANDIDATE_FILES):
        if moved.placement.line is not None:
            yield CandidateLine(moved.placement.line, round(moved.share, 3), moved.path)


def former_surroundings(room: Comments, path: str, note: Note, margin: int) -> Snippet | None:
    """Return the current lines around the former neighbours of a comment's line, if one still exists."""
    version = room.annotated_version(note.marker)
    if version is None:
        return None
    try:
        text = room.text_of(path)
    except HoldfastError:
        return None  # the file is gone as well
    above, below = _locate_neighbours(version, original_anchor(note), FileVersion(path, text))
    if above is not None:
        first = above
    elif below is not None:
        first = max(1, below - 1)
    else:
        return None
    last = below if below is not None and below >= first else first
    return replace(snippet_around(path, text, first, min(last, first + 2 * margin), margin), own=range(0))


def _locate_neighbours(old: FileVersion, anchor: Anchor, new: FileVersion) -> tuple[int | None, int | None]:
    """Return where the nearest lines above and below an anchor are now, if that is certain."""
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
