"""Finds candidates for the new places of orphans. A person chooses among them; nothing is written.

Example: a comment on `retry(3)` in `net.py` is orphaned. Its candidates are a line in `net.py` with the same
text but other neighbours (score 0.4), and line 12 of `http.py`, which contains most of what surrounded it
(score 0.8).

Contract: candidates are listed best first; those in other files have the score that a scan would use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from holdfast.comments.anchors.lost_code import CandidateFiles, LostCode, build_file_index, group_lost_code
from holdfast.comments.anchors.moved_code import MAX_COMPARED_FILES
from holdfast.comments.anchors.snippets import Snippet, lines_of_file, original_snippet
from holdfast.comments.sidecar.note import Note
from holdfast.comments.store import Comments
from holdfast.comments.tracking.moved_files import MovedFiles
from holdfast.comments.tracking.placement import MAX_CANDIDATES, Anchor, CandidateLine
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError

_MAX_CANDIDATE_FILES = 3
"""Other files among the candidates of one comment. A judgement: the right one is rarely below third place."""

_CONTEXT_LINES = 3
"""Lines on each side that are compared, as many as a diff shows."""

_MAX_EQUAL_LINES = 50
"""Equal lines that are scored. A judgement: a line that occurs more often identifies nothing."""

_EQUAL_LINE_SCORE = 0.3
"""Score of an equal line without equal neighbours. A judgement: candidates with similar ones must win."""

CandidatesByComment = Mapping[tuple[str, str], Sequence[CandidateLine]]
"""Candidates by the path of a comment's file and its id."""


def attach_candidates(room: Comments, path: str, notes: Sequence[Note]) -> None:
    """Set the candidates of a file's orphans; other files are searched if there are not too many."""
    orphans = [note for note in notes if note.orphaned]
    if not orphans:
        return
    files = CandidateFiles(room, [path]).signatures()
    candidates: CandidatesByComment | None
    if len(files) > MAX_COMPARED_FILES:
        candidates = {(path, note.id): _candidates_in_own_file(room, path, note) for note in orphans}
    else:
        cache_version = (files, tuple(note.id for note in orphans))
        candidates = room.candidate_cache.get(path, cache_version)
        if candidates is None:
            found = find_candidates(room, [(path, note) for note in orphans])
            candidates = room.candidate_cache.put(path, cache_version, found)
    for note in orphans:
        note.location = replace(note.location, candidates=tuple(candidates[path, note.id]))


def find_candidates(room: Comments, notes: Sequence[tuple[str, Note]]) -> CandidatesByComment:
    """Return where each comment's code may be: in its own file and, for orphans, in others; best first."""
    candidates = {(path, note.id): _candidates_in_own_file(room, path, note) for path, note in notes}
    missing = group_lost_code(room, [(path, note) for path, note in notes if note.orphaned])
    if missing:
        index = build_file_index(room, missing)
        for lost in missing:
            for comment_id, anchor in zip(lost.ids, lost.anchors, strict=True):
                current_call().check()
                elsewhere = _candidates_in_other_files(index, lost, anchor)
                _add_new_places(candidates[lost.path, comment_id], elsewhere)
    for ranked in candidates.values():
        ranked.sort(key=lambda candidate: (-candidate.score, candidate.path or "", candidate.line))
        del ranked[MAX_CANDIDATES:]
    return candidates


def _candidates_in_own_file(room: Comments, path: str, note: Note) -> list[CandidateLine]:
    """Return the candidates that tracking found, and the lines that equal the comment's own."""
    candidates = list(note.location.candidates)
    original = original_snippet(room, note, path, _CONTEXT_LINES)
    try:
        lines = lines_of_file(room.text_of(path))
    except HoldfastError:
        return candidates
    if original is None or not original.own:
        return candidates
    own_text = original.line(original.own[0]).strip()
    if any(map(str.isalnum, own_text)):
        equal = [number for number, line in enumerate(lines, 1) if line.strip() == own_text]
        _add_new_places(
            candidates,
            [
                CandidateLine(number, _context_score(original, lines, number))
                for number in equal[:_MAX_EQUAL_LINES]
            ],
        )
    return candidates


def _context_score(original: Snippet, lines: Sequence[str], number: int) -> float:
    """Return a score that grows from `_EQUAL_LINE_SCORE` to 1 with the share of equal neighbours."""
    old_lines = {line.strip() for line in original.lines} - {""}
    start = max(0, number - 1 - _CONTEXT_LINES)
    new_lines = {line.strip() for line in lines[start : number + _CONTEXT_LINES]}
    # The line itself is in both sets and is not one of its neighbours.
    share = (len(old_lines & new_lines) - 1) / max(1, len(old_lines) - 1)
    return round(_EQUAL_LINE_SCORE + (1 - _EQUAL_LINE_SCORE) * share, 3)


def _add_new_places(candidates: list[CandidateLine], additional: Iterable[CandidateLine]) -> None:
    """Append the additional candidates whose places are not listed yet."""
    places = {(candidate.path, candidate.line) for candidate in candidates}
    candidates += [candidate for candidate in additional if (candidate.path, candidate.line) not in places]


def _candidates_in_other_files(index: MovedFiles, lost: LostCode, anchor: Anchor) -> Iterator[CandidateLine]:
    """Yield a place in each file that contains enough of an anchor's surroundings."""
    for moved in index.candidates(lost.version, anchor, _MAX_CANDIDATE_FILES):
        if moved.placement.line is not None:
            yield CandidateLine(moved.placement.line, round(moved.share, 3), moved.path)
