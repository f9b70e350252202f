"""Locates comments that another program wrote."""

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

_MOST_LOOKED_AT = 40


def at_marked_line(note: Note, lines: IndexedLines) -> NoteLocation | None:
    """Return the location of a comment whose line is where its marker says, or that has no line at all."""
    here = note.location
    if here.method == "no_line":
        return here
    if _has_hash(note) and is_marked_line(note, lines):
        return NoteLocation(here.line, here.end_line, Confidence.HIGH, "marked_line")
    return None


class Committed:
    """The committed versions of a file with when each came, newest first; however often asked, read once."""

    def __init__(self, path: str, history: VersionHistory) -> None:
        self._read: list[tuple[int, FileVersion, IndexedLines]] = []
        self._unread = self._reading(path, history)

    def __iter__(self) -> Iterator[tuple[int, FileVersion, IndexedLines]]:
        yield from self._read
        for one in self._unread:
            self._read.append(one)
            yield one

    def _reading(self, path: str, history: VersionHistory) -> Iterator[tuple[int, FileVersion, IndexedLines]]:
        for seconds, blob in history.dated(path)[:_MOST_LOOKED_AT]:
            text = history.text(blob)
            if text is not None:
                yield seconds, FileVersion(path, text), split_lines(text)


def foreign_chain(note: Note, current: CurrentSource, committed: Committed, position: int) -> VersionChain:
    """Return how to follow a comment for which we have no version of our own."""
    by_number = note.evidence is None and not _has_hash(note)
    found = _version_with_line(note, committed) if note.evidence is None else None
    anchors = (Anchor(note.line, note.end_line),)
    if found is not None:
        version, later = found
        texts = [version, *(one for one in later if one.text != current.text), current.version]
        return VersionChain(tuple(texts), anchors, (position,), by_number=by_number)
    if by_number:
        # The number as it stands: compared with itself, it stays, as far as the file reaches.
        return VersionChain((current.version, current.version), anchors, (position,), by_number=True)
    return _fragment(note, current, position)


def is_marked_line(note: Note, lines: IndexedLines) -> bool:
    """Return whether a comment's line has the text, and the neighbours, that its marker keeps."""
    index = note.location.line - 1
    marker = note.marker or {}
    if index >= len(lines) or not _has_marked_text(note, lines):
        return False
    kept = [(marker.get("prevLineText"), -1), (marker.get("nextLineText"), 1)]
    said = [(trimmed(text), step) for text, step in kept if isinstance(text, str)]
    agreeing, text = _agreeing(lines, index, said), trimmed(lines[index])
    if not text:
        return agreeing == len(said)  # a blank line is only as good as its neighbours
    return all(_agreeing(lines, at, said) < agreeing for at in lines.places[text] if at != index)


def _agreeing(lines: Sequence[str], index: int, said: Sequence[tuple[str, int]]) -> int:
    """Return how many of the neighbours that a marker keeps, by their distance, a line has."""
    beside = ((text, index + step) for text, step in said)
    return sum((trimmed(lines[at]) if 0 <= at < len(lines) else "") == text for text, at in beside)


def capped_by_fragment(note: Note, answer: Placement, lines: IndexedLines) -> Placement:
    """Return an answer from a fragment, sure only where the very line is there once."""
    if answer.line is None:
        return answer
    facts, marker = note.evidence or {}, note.marker or {}
    text = trimmed(str(facts.get("text", marker.get("lineText")) or "").split("\n")[0])
    end = answer.line + (note.end_line - note.line) if note.end_line is not None else None
    is_sure = bool(text) and lines.places.get(text) == [answer.line - 1]
    confidence = Confidence.HIGH if is_sure else Confidence.MEDIUM
    candidates = () if is_sure else answer.candidates or (CandidateLine(answer.line, 0.5),)
    return Placement(answer.line, end, confidence, "kept_lines", answer.reason, candidates)


def _version_with_line(note: Note, committed: Committed) -> tuple[FileVersion, list[FileVersion]] | None:
    """Return the committed version that a comment was made for, and those after it, oldest first."""
    later: list[FileVersion] = []
    for seconds, version, lines in committed:
        if _has_hash(note):
            is_it = is_marked_line(note, lines)
        else:
            is_it = seconds <= _seconds(note) and note.line <= len(lines)
        if is_it:
            return version, later[::-1]
        later.append(version)
    return None


def _seconds(note: Note) -> float:
    """Return when a comment was last written, as far as it says; long ago where it does not."""
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
    """Return a chain from the few lines that the marker itself keeps."""
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
