"""Comments of programs that keep no version: placed by the few lines they keep, or by a number and a date.

Contract: a line that is where its marker says, with the text that the marker says, is sure. A committed
version that has the marked line is as good as evidence of ours. A number alone is never sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from holdfast.comments.anchors.version_chain import VersionChain, VersionHistory
from holdfast.comments.sidecar.note import Note, Standing
from holdfast.comments.sidecar.source import BLANK, Present, line_hash, range_hash, split_lines, trimmed
from holdfast.comments.tracking.placement import Anchor, Candidate, Confidence, Placement, Version

_MOST_LOOKED_AT = 40


def at_its_own_line(note: Note, lines: Sequence[str]) -> Standing | None:
    """Return the standing of a comment whose line is where its marker says, or that has no line at all."""
    here = note.placement
    if here.method == "no_line":
        return here
    if _has_hash(note) and is_marked_line(note, lines):
        return Standing(here.line, here.end_line, Confidence.HIGH, "marked_line")
    return None


def of_stranger(note: Note, present: Present, history: VersionHistory, position: int) -> VersionChain:
    """Return how to follow a comment for which we have no version of our own."""
    by_number = note.evidence is None and not _has_hash(note)
    found = _version_with_line(note, present.path, history) if note.evidence is None else None
    if found is not None:
        version, later = found
        texts = [version, *(one for one in later if one.text != present.text), present.version]
        anchors = (Anchor(note.line, note.end_line),)
        return VersionChain(tuple(texts), anchors, (position,), by_number=by_number)
    if by_number:
        # The number as it stands: compared with itself, it stays, as far as the file reaches.
        anchors = (Anchor(note.line, note.end_line),)
        return VersionChain((present.version, present.version), anchors, (position,), by_number=True)
    return _fragment(note, present, position)


def is_marked_line(note: Note, lines: Sequence[str]) -> bool:
    """Return whether a comment's line has the text, and the neighbours, that its marker keeps."""
    index = note.placement.line - 1
    marker = note.marker or {}
    if index >= len(lines) or not _has_marked_text(note, lines):
        return False
    neighbours = [("prevLineText", index - 1), ("nextLineText", index + 1)]
    said = [(marker[name], at) for name, at in neighbours if isinstance(marker.get(name), str)]
    agreeing = [_neighbour(lines, at) == trimmed(text) for text, at in said]
    if trimmed(lines[index]):
        return not said or any(agreeing) or _is_alone(lines, index)
    # A blank line is only as good as its neighbours.
    return all(agreeing)


def capped(note: Note, answer: Placement, lines: Sequence[str]) -> Placement:
    """Return an answer from a fragment, sure only where the very line is there once."""
    if answer.line is None:
        return answer
    facts, marker = note.evidence or {}, note.marker or {}
    text = trimmed(str(facts.get("text", marker.get("lineText")) or "").split("\n")[0])
    end = answer.line + (note.end_line - note.line) if note.end_line is not None else None
    is_sure = bool(text) and trimmed(lines[answer.line - 1]) == text and _is_alone(lines, answer.line - 1)
    confidence = Confidence.HIGH if is_sure else Confidence.MEDIUM
    candidates = () if is_sure else answer.candidates or (Candidate(answer.line, 0.5),)
    return Placement(answer.line, end, confidence, "kept_lines", answer.reason, candidates)


def _version_with_line(
    note: Note, path: str, history: VersionHistory
) -> tuple[Version, list[Version]] | None:
    """Return the committed version that a comment was made for, and those after it, oldest first."""
    dated = history.dated(path)
    later: list[Version] = []
    for seconds, blob in dated[:_MOST_LOOKED_AT]:
        text = history.text(blob)
        if text is None:
            continue
        version = Version(path, text)
        lines = split_lines(text)
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
    marker, here = note.marker or {}, note.placement
    covered = list(lines[here.line - 1 : here.end_line or here.line])
    hashes = (marker.get("lineHash"), note.raw.get("lineHash"))
    return line_hash(covered[0]) in hashes or (here.end_line is not None and range_hash(covered) in hashes)


def _fragment(note: Note, present: Present, position: int) -> VersionChain:
    """Return a chain from the few lines that the marker itself keeps."""
    facts, marker = note.evidence or {}, note.marker or {}
    text = facts.get("text", marker.get("lineText"))
    before: list[str] = _texts(facts.get("before", [marker.get("prevLineText")]))
    after = _texts(facts.get("after", [marker.get("nextLineText")]))
    own = "" if text == BLANK else str(text or "").split("\n")[0]
    fragment = "\n".join([*before, own, *after])
    anchor = Anchor(len(before) + 1)
    return VersionChain((Version(present.path, fragment), present.version), (anchor,), (position,), True)


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str) and item] if isinstance(value, list) else []


def _neighbour(lines: Sequence[str], index: int) -> str:
    return trimmed(lines[index]) if 0 <= index < len(lines) else ""


def _is_alone(lines: Sequence[str], index: int) -> bool:
    text = trimmed(lines[index])
    return sum(1 for line in lines if trimmed(line) == text) == 1
