"""Locates comments that another program wrote: they have no evidence of the version they were written for.

The VS Code extension stores a line number, a hash and the text of the line and its neighbours. Example: a
marker says line 7, `return total`, between `total += x` and a blank line. If line 7 still has that text and
those neighbours, the location is certain. If not, the newest committed version with that text on line 7 is
regarded as the version the comment was written for, and the line is tracked from there. If no version has it,
the three stored lines are searched as a fragment.

Contract: a line with the number, the text and the neighbours of its marker is certain. A committed version
with such a line is as reliable as our own evidence. A line number alone is never certain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from holdfast.comments.anchors.version_chain import VersionChain, VersionHistory
from holdfast.comments.sidecar.note import Note, NoteLocation
from holdfast.comments.sidecar.source import (
    BLANK_LINE,
    CurrentSource,
    IndexedLines,
    line_hash,
    range_hash,
    split_lines,
    trim,
)
from holdfast.comments.tracking.placement import Anchor, CandidateLine, Confidence, FileVersion, Placement

_MAX_COMMITTED_VERSIONS = 40
"""Committed versions that are compared with a marker. A judgement: each one costs reading a git object."""

_FRAGMENT_SCORE = 0.5
"""Score of the only candidate found from a fragment. A judgement: as likely right as wrong."""


def location_at_marked_line(note: Note, lines: IndexedLines) -> NoteLocation | None:
    """Return a comment's location if its line matches its marker or it has no line at all, else None."""
    if note.location.method == "no_line":
        return note.location
    if _has_hash(note) and is_marked_line(note, lines):
        return NoteLocation(note.line, note.end_line, method="marked_line")
    return None


class CommittedVersions:
    """The committed versions of a file with their times, newest first; each is read once."""

    def __init__(self, path: str, history: VersionHistory) -> None:
        self._read: list[tuple[int, FileVersion, IndexedLines]] = []
        self._unread = self._read_versions(path, history)

    def __iter__(self) -> Iterator[tuple[int, FileVersion, IndexedLines]]:
        yield from self._read
        for version in self._unread:
            self._read.append(version)
            yield version

    def _read_versions(
        self, path: str, history: VersionHistory
    ) -> Iterator[tuple[int, FileVersion, IndexedLines]]:
        for seconds, blob in history.dated_contents(path)[:_MAX_COMMITTED_VERSIONS]:
            text = history.text(blob)
            if text is not None:
                yield seconds, FileVersion(path, text), split_lines(text)


def foreign_chain(
    note: Note, current: CurrentSource, committed: CommittedVersions, position: int
) -> VersionChain:
    """Return the version chain for a comment that stores no version; `position` is its own in the sidecar."""
    by_number = note.evidence is None and not _has_hash(note)
    annotated = _version_with_line(note, committed) if note.evidence is None else None
    anchors = (Anchor(note.line, note.end_line),)
    if annotated is not None:
        first, later = annotated
        changed = [version for version in later if version.text != current.text]
        return VersionChain((first, *changed, current.version), anchors, (position,), by_number=by_number)
    if by_number:
        # There is only a number: comparing the current text with itself keeps the line.
        return VersionChain((current.version, current.version), anchors, (position,), by_number=True)
    return _fragment_chain(note, current, position)


def is_marked_line(note: Note, lines: IndexedLines) -> bool:
    """Return whether a comment's line has the text that its marker stores, and more of the neighbours stored
    than any other line with this text.
    """
    index = note.location.line - 1
    marker = note.marker or {}
    if index >= len(lines) or not _has_marked_text(note, lines):
        return False
    neighbours = [(marker.get("prevLineText"), -1), (marker.get("nextLineText"), 1)]
    stored = [(trim(text), step) for text, step in neighbours if isinstance(text, str)]
    equal_count = _count_equal_neighbours(lines, index, stored)
    text = trim(lines[index])
    if not text:
        return equal_count == len(stored)  # a blank line is identified by its neighbours only
    twins = (twin for twin in lines.indices_by_text[text] if twin != index)
    return all(_count_equal_neighbours(lines, twin, stored) < equal_count for twin in twins)


def _count_equal_neighbours(lines: Sequence[str], index: int, stored: Sequence[tuple[str, int]]) -> int:
    """Count the neighbours of a line that are equal to those stored, given as text and distance."""
    count = 0
    for text, step in stored:
        neighbour = index + step
        if (trim(lines[neighbour]) if 0 <= neighbour < len(lines) else "") == text:
            count += 1
    return count


def fragment_placement(note: Note, tracked: Placement, lines: IndexedLines) -> Placement:
    """Return the placement of a comment that was tracked from a fragment, with the confidence it deserves.

    It is high only if the exact line exists once.
    """
    if tracked.line is None:
        return tracked
    facts, marker = note.evidence or {}, note.marker or {}
    text = trim(str(facts.get("text", marker.get("lineText")) or "").split("\n")[0])
    end = tracked.line + (note.end_line - note.line) if note.end_line is not None else None
    if text and lines.indices_by_text.get(text) == [tracked.line - 1]:
        return Placement(tracked.line, end, Confidence.HIGH, "kept_lines", tracked.reason)
    candidates = tracked.candidates or (CandidateLine(tracked.line, _FRAGMENT_SCORE),)
    return Placement(tracked.line, end, Confidence.MEDIUM, "kept_lines", tracked.reason, candidates)


def _version_with_line(
    note: Note, committed: CommittedVersions
) -> tuple[FileVersion, list[FileVersion]] | None:
    """Return the committed version a comment was written for, and the later ones, oldest first."""
    later: list[FileVersion] = []
    for seconds, version, lines in committed:
        if _has_hash(note):
            is_match = is_marked_line(note, lines)
        else:
            is_match = seconds <= _last_written_seconds(note) and note.line <= len(lines)
        if is_match:
            return version, later[::-1]
        later.append(version)
    return None


def _last_written_seconds(note: Note) -> float:
    """Return the time when a comment was last written in seconds since 1970, or 0 if it is unknown."""
    for text in (note.updated, note.created):
        try:
            return datetime.fromisoformat(text).timestamp()
        except ValueError:
            continue
    return 0.0


def _has_hash(note: Note) -> bool:
    return bool((note.marker or {}).get("lineHash"))


def _has_marked_text(note: Note, lines: Sequence[str]) -> bool:
    own_lines = list(lines[note.line - 1 : note.end_line or note.line])
    hashes = ((note.marker or {}).get("lineHash"), note.raw.get("lineHash"))
    return line_hash(own_lines[0]) in hashes or (
        note.end_line is not None and range_hash(own_lines) in hashes
    )


def _fragment_chain(note: Note, current: CurrentSource, position: int) -> VersionChain:
    """Return a chain from the few lines that the marker stores to the current text."""
    facts, marker = note.evidence or {}, note.marker or {}
    text = facts.get("text", marker.get("lineText"))
    before = _nonempty_strings(facts.get("before", [marker.get("prevLineText")]))
    after = _nonempty_strings(facts.get("after", [marker.get("nextLineText")]))
    own = "" if text == BLANK_LINE else str(text or "").split("\n")[0]
    fragment = "\n".join([*before, own, *after])
    anchor = Anchor(len(before) + 1)
    return VersionChain((FileVersion(current.path, fragment), current.version), (anchor,), (position,), True)


def _nonempty_strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str) and item] if isinstance(value, list) else []
