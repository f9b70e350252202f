"""Locates comments that another program wrote, which have no evidence of the version they were written for.

The VS Code extension stores a line number, a hash and the text of the line and its neighbours. Example: a
marker says line 7, `return total`, between `total += x` and a blank line. If line 7 still has that text and
those neighbours, the location is certain. If not, the newest committed version whose line 7 does is taken as
the version the comment was written for, and tracked from there. If there is none, the three stored lines are
searched as a fragment.

Contract: a line that is where its marker says, with the text that the marker stores, is certain. A committed
version with the marked line is as good as evidence of our own. A line number alone is never certain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from holdfast.comments.anchors.version_chain import VersionChain, VersionHistory
from holdfast.comments.sidecar.note import Note, NoteLocation
from holdfast.comments.sidecar.source import (
    BLANK,
    CurrentSource,
    IndexedLines,
    line_hash,
    range_hash,
    split_lines,
    trimmed,
)
from holdfast.comments.tracking.placement import Anchor, CandidateLine, Confidence, FileVersion, Placement

_MAX_COMPARED = 40
"""Committed versions that are compared with a marker. A chosen bound on time."""


def at_marked_line(note: Note, lines: IndexedLines) -> NoteLocation | None:
    """Return the location of a comment whose line matches its marker, or that has no line at all."""
    here = note.location
    if here.method == "no_line":
        return here
    if _has_hash(note) and is_marked_line(note, lines):
        return NoteLocation(here.line, here.end_line, Confidence.HIGH, "marked_line")
    return None


class Committed:
    """The committed versions of a file with their times, newest first; each is read once."""

    def __init__(self, path: str, history: VersionHistory) -> None:
        self._read: list[tuple[int, FileVersion, IndexedLines]] = []
        self._unread = self._reading(path, history)

    def __iter__(self) -> Iterator[tuple[int, FileVersion, IndexedLines]]:
        yield from self._read
        for one in self._unread:
            self._read.append(one)
            yield one

    def _reading(self, path: str, history: VersionHistory) -> Iterator[tuple[int, FileVersion, IndexedLines]]:
        for seconds, blob in history.dated_contents(path)[:_MAX_COMPARED]:
            text = history.text(blob)
            if text is not None:
                yield seconds, FileVersion(path, text), split_lines(text)


def foreign_chain(note: Note, current: CurrentSource, committed: Committed, position: int) -> VersionChain:
    """Return the version chain for a comment without stored version."""
    by_number = note.evidence is None and not _has_hash(note)
    found = _version_with_line(note, committed) if note.evidence is None else None
    anchors = (Anchor(note.line, note.end_line),)
    if found is not None:
        version, later = found
        texts = [version, *(one for one in later if one.text != current.text), current.version]
        return VersionChain(tuple(texts), anchors, (position,), by_number=by_number)
    if by_number:
        # Only a number: compare the current text with itself, so the line stays as it is.
        return VersionChain((current.version, current.version), anchors, (position,), by_number=True)
    return _fragment(note, current, position)


def is_marked_line(note: Note, lines: IndexedLines) -> bool:
    """Return whether a comment's line has the text and the neighbours that its marker stores."""
    index = note.location.line - 1
    marker = note.marker or {}
    if index >= len(lines) or not _has_marked_text(note, lines):
        return False
    neighbours = [(marker.get("prevLineText"), -1), (marker.get("nextLineText"), 1)]
    stored = [(trimmed(text), step) for text, step in neighbours if isinstance(text, str)]
    agreeing, text = _agreeing(lines, index, stored), trimmed(lines[index])
    if not text:
        return agreeing == len(stored)  # a blank line is identified by its neighbours only
    return all(_agreeing(lines, at, stored) < agreeing for at in lines.places[text] if at != index)


def _agreeing(lines: Sequence[str], index: int, stored: Sequence[tuple[str, int]]) -> int:
    """Return how many of the neighbours stored in a marker, by their distance, a line has."""
    beside = ((text, index + step) for text, step in stored)
    return sum((trimmed(lines[at]) if 0 <= at < len(lines) else "") == text for text, at in beside)


def capped_by_fragment(note: Note, answer: Placement, lines: IndexedLines) -> Placement:
    """Return a placement found from a fragment: high only if the exact line exists once."""
    if answer.line is None:
        return answer
    facts, marker = note.evidence or {}, note.marker or {}
    text = trimmed(str(facts.get("text", marker.get("lineText")) or "").split("\n")[0])
    end = answer.line + (note.end_line - note.line) if note.end_line is not None else None
    is_unique = bool(text) and lines.places.get(text) == [answer.line - 1]
    confidence = Confidence.HIGH if is_unique else Confidence.MEDIUM
    candidates = () if is_unique else answer.candidates or (CandidateLine(answer.line, 0.5),)
    return Placement(answer.line, end, confidence, "kept_lines", answer.reason, candidates)


def _version_with_line(note: Note, committed: Committed) -> tuple[FileVersion, list[FileVersion]] | None:
    """Return the committed version a comment was written for, and the later ones, oldest first."""
    later: list[FileVersion] = []
    for seconds, version, lines in committed:
        if _has_hash(note):
            is_match = is_marked_line(note, lines)
        else:
            is_match = seconds <= _seconds(note) and note.line <= len(lines)
        if is_match:
            return version, later[::-1]
        later.append(version)
    return None


def _seconds(note: Note) -> float:
    """Return when a comment was last written, or 0 if that is unknown."""
    for text in (note.updated, note.created):
        try:
            return datetime.fromisoformat(text).timestamp()
        except ValueError:
            continue
    return 0.0


def _has_hash(note: Note) -> bool:
    return bool((note.marker or {}).get("lineHash"))


def _has_marked_text(note: Note, lines: Sequence[str]) -> bool:
    marker, here = note.marker or {}, note.location
    covered = list(lines[here.line - 1 : here.end_line or here.line])
    hashes = (marker.get("lineHash"), note.raw.get("lineHash"))
    return line_hash(covered[0]) in hashes or (here.end_line is not None and range_hash(covered) in hashes)


def _fragment(note: Note, current: CurrentSource, position: int) -> VersionChain:
    """Return a chain that starts from the few lines stored in the marker itself."""
    facts, marker = note.evidence or {}, note.marker or {}
    text = facts.get("text", marker.get("lineText"))
    before: list[str] = _texts(facts.get("before", [marker.get("prevLineText")]))
    after = _texts(facts.get("after", [marker.get("nextLineText")]))
    own = "" if text == BLANK else str(text or "").split("\n")[0]
    fragment = "\n".join([*before, own, *after])
    anchor = Anchor(len(before) + 1)
    return VersionChain((FileVersion(current.path, fragment), current.version), (anchor,), (position,), True)


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str) and item] if isinstance(value, list) else []
