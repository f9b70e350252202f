"""Candidate places for comments whose code is no longer in their file. People choose; nothing is written.

Example: a comment on `retry(3)` in `net.py` is orphaned. Its candidates are a line in `net.py` with the same
text but other neighbours (score 0.4), and line 12 of `http.py`, which contains most of what surrounded it
(score 0.8).

Contract: candidates in other files transfer their score, best first, and are found as in a scan. The
surroundings of a deleted line are looked up in its own file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from holdfast.comments.anchors.lost_code import (
    LostCode,
    files_of_same_kind,
    index_for,
    lost_code_of,
    original_anchor,
)
from holdfast.comments.anchors.moved_code import MAX_FILES
from holdfast.comments.anchors.snippets import Snippet, around, as_it_was, lines_of_file
from holdfast.comments.search.query import CommentQuery
from holdfast.comments.sidecar.note import Note
from holdfast.comments.store import Comments
from holdfast.comments.tracking.moved_files import MovedFiles
from holdfast.comments.tracking.placement import Anchor, CandidateLine, Confidence, FileVersion
from holdfast.comments.tracking.track import track
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError

_NEIGHBOURS = 4
"""Lines on each side of a deleted one that are searched for one that still exists. A chosen bound."""

_FILES_OFFERED = 3
"""Other files among the candidates of one comment. A chosen bound."""

_MOST = 5
"""Candidates for one comment. A chosen bound: more would not be compared."""

_AROUND = 3
"""Lines on each side whose similarity counts. A judgement."""

_MAX_EQUAL = 50
"""Equal lines that are scored. A chosen bound on time."""

_MIN_EQUAL = 0.3
"""Score of a line with equal text and no equal neighbours. A judgement: it must stay below the candidates
with context."""

Offers = Mapping[tuple[str, str], Sequence[CandidateLine]]
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
    if len(files) > MAX_FILES:
        offers: Offers = {(path, note.id): _in_its_file(room, path, note) for note in orphans}
    else:
        cache_version = (files, tuple(note.id for note in orphans))
        known = room.offers.get(path, cache_version)
        if known is None:
            known = room.offers.put(path, cache_version, candidates(room, [(path, note) for note in orphans]))
        offers = known
    for note in orphans:
        note.location = replace(note.location, candidates=tuple(offers[path, note.id]))


def candidates(room: Comments, notes: Sequence[tuple[str, Note]]) -> Offers:
    """Return where the code of each comment may be, in its own file and in others, best first."""
    found = {(path, note.id): _in_its_file(room, path, note) for path, note in notes}
    missing = lost_code_of(room, [(path, note) for path, note in notes if note.orphaned])
    if missing:
        index = index_for(room, missing)
        for one in missing:
            for name, anchor in zip(one.names, one.anchors, strict=True):
                current_call().check()
                known = found[one.path, name]
                others = _elsewhere(index, one, anchor)
                known += [other for other in others if not _is_in(other, known)]
    for offered in found.values():
        offered.sort(key=lambda one: (-one.score, one.path or "", one.line))
        del offered[_MOST:]
    return found


def _in_its_file(room: Comments, path: str, note: Note) -> list[CandidateLine]:
    """Return the candidates that tracking found, and every line equal to the comment's own."""
    known = list(note.location.candidates)
    was = as_it_was(room, note, path, _AROUND)
    try:
        lines = lines_of_file(room.text_of(path))
    except HoldfastError:
        return known
    if was is None or not was.own or not any(map(str.isalnum, own := was.line(was.own[0]).strip())):
        return known
    equal = [number for number, line in enumerate(lines, 1) if line.strip() == own]
    others = (CandidateLine(number, _similarity(was, lines, number)) for number in equal[:_MAX_EQUAL])
    return known + [other for other in others if not _is_in(other, known)]


def _similarity(was: Snippet, lines: Sequence[str], number: int) -> float:
    """Return the share of a line's old neighbours that an equal line has, scaled to 0.3 to 1."""
    before = {line.strip() for line in was.lines} - {""}
    now = {line.strip() for line in lines[max(0, number - 1 - _AROUND) : number + _AROUND]}
    return round(_MIN_EQUAL + (1 - _MIN_EQUAL) * (len(before & now) - 1) / max(1, len(before) - 1), 3)


def _is_in(candidate: CandidateLine, known: Sequence[CandidateLine]) -> bool:
    return any((one.path, one.line) == (candidate.path, candidate.line) for one in known)


def _elsewhere(index: MovedFiles, one: LostCode, anchor: Anchor) -> Iterator[CandidateLine]:
    """Yield a place in each file that contains enough of an anchor's surroundings."""
    for moved in index.candidates(one.version, anchor, _FILES_OFFERED):
        if moved.placement.line is not None:
            yield CandidateLine(moved.placement.line, round(moved.share, 3), moved.path)


def former_surroundings(room: Comments, path: str, note: Note, margin: int) -> Snippet | None:
    """Return the former neighbours of a comment's line, as they are now, if they still exist."""
    version = room.annotated_version(note.marker)
    if version is None:
        return None
    try:
        text = room.text_of(path)
    except HoldfastError:
        return None  # the file is gone as well
    above, below = _neighbours(version, original_anchor(note), FileVersion(path, text))
    if above is None and below is None:
        return None
    first = above if above is not None else max(1, (below or 1) - 1)
    last = below if below is not None and below >= first else first
    return replace(around(path, text, first, min(last, first + 2 * margin), margin), own=range(0))


def _neighbours(old: FileVersion, anchor: Anchor, new: FileVersion) -> tuple[int | None, int | None]:
    """Return where the nearest lines above and below an anchor are now, if that is certain."""
    count = old.text.count("\n") + 1
    end = anchor.end_line or anchor.line
    above = [line for line in range(anchor.line - 1, anchor.line - 1 - _NEIGHBOURS, -1) if line >= 1]
    below = [line for line in range(end + 1, end + 1 + _NEIGHBOURS) if line <= count]
    lines = old.text.split("\n")
    distinctive = [line for line in (*above, *below) if any(map(str.isalnum, lines[line - 1]))]
    if not distinctive:
        return None, None
    placed = dict(zip(distinctive, track(old, new, [Anchor(line) for line in distinctive]), strict=True))
    certain = {line: at.line for line, at in placed.items() if at.confidence is Confidence.HIGH}
    return (
        next((certain[line] for line in above if line in certain), None),
        next((certain[line] for line in below if line in certain), None),
    )
