"""Where the comments of a file are in its present text.

Contract:
- Whatever version a comment was written for, and however it is known (our evidence, git, or only the lines
  the extension keeps), the answer is a location; nothing is written here.
- Comments written for the same version are followed together, so that a file is compared once for each.
- Of a comment by a program that keeps no version: a line that is where its marker says, with the text
  that the marker says, is sure. A committed version that has the marked line is as good as evidence of ours.
  A number alone is never sure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from holdfast.comments.anchors.version_chain import VersionChain, VersionHistory
from holdfast.comments.sidecar import marker
from holdfast.comments.sidecar.document import Sidecar, whole_line
from holdfast.comments.sidecar.marker import LINE_NUMBER
from holdfast.comments.sidecar.note import Location, Note
from holdfast.comments.sidecar.source import (
    BLANK,
    Lines,
    Present,
    line_hash,
    range_hash,
    split_lines,
    trimmed,
)
from holdfast.comments.tracking.placement import Anchor, Candidate, Confidence, Placement, Version

_MOST_LOOKED_AT = 40


def at_marked_line(note: Note, lines: Lines) -> Location | None:
    """Return the location of a comment whose line is where its marker says, or that has no line at all."""
    here = note.location
    if here.method == "no_line":
        return here
    if _has_hash(note) and is_marked_line(note, lines):
        return Location(here.line, here.end_line, Confidence.HIGH, "marked_line")
    return None


class Committed:
    """The committed versions of a file with when each came, newest first; however often asked, read once."""

    def __init__(self, path: str, history: VersionHistory) -> None:
        self._read: list[tuple[int, Version, Lines]] = []
        self._unread = self._reading(path, history)

    def __iter__(self) -> Iterator[tuple[int, Version, Lines]]:
        yield from self._read
        for one in self._unread:
            self._read.append(one)
            yield one

    def _reading(self, path: str, history: VersionHistory) -> Iterator[tuple[int, Version, Lines]]:
        for seconds, blob in history.dated(path)[:_MOST_LOOKED_AT]:
            text = history.text(blob)
            if text is not None:
                yield seconds, Version(path, text), split_lines(text)


def foreign_chain(note: Note, present: Present, committed: Committed, position: int) -> VersionChain:
    """Return how to follow a comment for which we have no version of our own."""
    by_number = note.evidence is None and not _has_hash(note)
    found = _version_with_line(note, committed) if note.evidence is None else None
    anchors = (Anchor(note.line, note.end_line),)
    if found is not None:
        version, later = found
        texts = [version, *(one for one in later if one.text != present.text), present.version]
        return VersionChain(tuple(texts), anchors, (position,), by_number=by_number)
    if by_number:
        # The number as it stands: compared with itself, it stays, as far as the file reaches.
        return VersionChain((present.version, present.version), anchors, (position,), by_number=True)
    return _fragment(note, present, position)


def is_marked_line(note: Note, lines: Lines) -> bool:
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


def capped_by_fragment(note: Note, answer: Placement, lines: Lines) -> Placement:
    """Return an answer from a fragment, sure only where the very line is there once."""
    if answer.line is None:
        return answer
    facts, marker = note.evidence or {}, note.marker or {}
    text = trimmed(str(facts.get("text", marker.get("lineText")) or "").split("\n")[0])
    end = answer.line + (note.end_line - note.line) if note.end_line is not None else None
    is_sure = bool(text) and lines.places.get(text) == [answer.line - 1]
    confidence = Confidence.HIGH if is_sure else Confidence.MEDIUM
    candidates = () if is_sure else answer.candidates or (Candidate(answer.line, 0.5),)
    return Placement(answer.line, end, confidence, "kept_lines", answer.reason, candidates)


def _version_with_line(note: Note, committed: Committed) -> tuple[Version, list[Version]] | None:
    """Return the committed version that a comment was made for, and those after it, oldest first."""
    later: list[Version] = []
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


@dataclass
class Plan:
    """What is known about a sidecar's comments without comparing texts, and what has to be compared."""

    locations: dict[int, Location] = field(default_factory=dict)
    chains: list[VersionChain] = field(default_factory=list)


def plan(sidecar: Sidecar, present: Present | None, history: VersionHistory) -> Plan:
    """Sort the comments of a sidecar into those that are settled and those to be followed."""
    found = Plan()
    waiting: dict[_Origin, list[int]] = defaultdict(list)
    for position, note in enumerate(sidecar.comments):
        location = settled(note, present)
        if location is not None:
            found.locations[position] = location
            note.as_stored = present is not None and (note.evidence or {}).get("seenBlob") == present.blob
        else:
            waiting[_origin(note, sidecar.source_path)].append(position)
    if present is None:
        return found
    for origin, positions in waiting.items():
        text = history.text(origin.blob) if origin.blob else None
        if text is not None:
            versions = _versions_to_present(Version(origin.path, text), origin, present, history)
            found.chains.append(_chain(sidecar, versions, positions))
        else:
            committed = Committed(present.path, history)
            chains = [foreign_chain(sidecar.comments[one], present, committed, one) for one in positions]
            found.chains += _joined(chains)
    return found


def _joined(chains: Sequence[VersionChain]) -> Iterator[VersionChain]:
    """Yield one chain for all that lead through the same versions: only comparing those takes long."""
    alike: dict[tuple[Any, ...], list[VersionChain]] = defaultdict(list)
    for chain in chains:
        alike[chain.versions, chain.from_fragment, chain.by_number].append(chain)
    for group in alike.values():
        anchors = tuple(anchor for chain in group for anchor in chain.anchors)
        positions = tuple(position for chain in group for position in chain.positions)
        yield replace(group[0], anchors=anchors, positions=positions)


class _Origin(NamedTuple):
    """The version that a comment was written for."""

    path: str = ""
    blob: str = ""
    commit: str | None = None
    good: str = ""
    """The version in which it was last found for sure."""


def _origin(note: Note, source_path: str) -> _Origin:
    facts = note.evidence
    if facts is None or not isinstance(facts.get("blob"), str):
        return _Origin()
    commit = facts.get("commit")
    return _Origin(
        str(facts.get("path") or source_path),
        facts["blob"],
        commit if isinstance(commit, str) else None,
        str(facts.get("goodBlob") or ""),
    )


def _versions_to_present(
    old: Version, origin: _Origin, present: Present, history: VersionHistory
) -> tuple[Version, ...]:
    """Return the versions from the one a comment was written for to the present one."""
    revisions = list(history.since(origin.path, origin.blob, origin.commit, present.path))
    if origin.good and origin.good not in (origin.blob, present.blob):
        # Where git knows no revisions, this is the one step between then and now.
        text = history.text(origin.good)
        revisions += [] if text is None else [Version(origin.path, text)]
    return (old, *_distinct(revisions, old.text, present), present.version)


def _distinct(revisions: Sequence[Version], first: str, present: Present) -> list[Version]:
    """Return the revisions without those that only repeat the text before, the first or the present one."""
    found: list[Version] = []
    for version in revisions:
        before = found[-1].text if found else first
        if version.text not in (before, present.text):
            found.append(version)
    return found


def apply(sidecar: Sidecar, found: Plan, placements: Sequence[Sequence[Placement]]) -> None:
    """Give every comment its location."""
    for position, location in found.locations.items():
        sidecar.comments[position].location = location
    for chain, answers in zip(found.chains, placements, strict=True):
        lines = split_lines(chain.versions[-1].text)
        for position, answer in zip(chain.positions, answers, strict=True):
            note = sidecar.comments[position]
            placement = capped_by_fragment(note, answer, lines) if chain.from_fragment else answer
            location = location_of(note, placement)
            basis = {"basis": LINE_NUMBER} if chain.by_number else note.evidence or {}
            note.location = _capped_by_basis(basis, location)


def location_of(note: Note, placement: Placement) -> Location:
    """Return where a comment stands after tracking; without a line it keeps the last good one."""
    facts = note.evidence or {}
    good = whole_line(facts.get("lastGoodLine")) or note.location.line
    is_range = note.location.end_line is not None or whole_line(facts.get("endLine")) is not None
    if placement.line is None:
        end, line = note.location.end_line, good
    else:
        end, line = (placement.end_line if is_range else None), placement.line
    end = end if end is not None and end > line else None
    return Location(line, end, placement.confidence, placement.method, placement.reason, placement.candidates)


def settled(note: Note, present: Present | None) -> Location | None:
    """Return the location of a comment that needs no comparison of texts."""
    facts = note.evidence
    here = note.location
    if present is None:
        good = whole_line((facts or {}).get("lastGoodLine")) or here.line
        return Location(good, here.end_line, Confidence.NONE, "file_missing", "file_deleted")
    if facts is None:
        return at_marked_line(note, present.lines)
    if facts.get("seenBlob") == present.blob:
        return marker.stored_location(note)
    if facts.get("blob") == present.blob:
        line = whole_line(facts.get("line")) or here.line
        return _capped_by_basis(
            facts, Location(line, whole_line(facts.get("endLine")), Confidence.HIGH, "unchanged")
        )
    return None


def _capped_by_basis(facts: Mapping[str, Any], location: Location) -> Location:
    """Return a location that is no surer than what the comment was first known by."""
    if facts.get("basis") != LINE_NUMBER or location.confidence is not Confidence.HIGH:
        return location
    return replace(location, confidence=Confidence.MEDIUM, method=LINE_NUMBER)


def _chain(sidecar: Sidecar, versions: tuple[Version, ...], positions: Sequence[int]) -> VersionChain:
    anchors = []
    for position in positions:
        facts = sidecar.comments[position].evidence or {}
        line = whole_line(facts.get("line")) or sidecar.comments[position].line
        anchors.append(Anchor(line, whole_line(facts.get("endLine"))))
    return VersionChain(versions, tuple(anchors), tuple(positions))
