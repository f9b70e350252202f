"""Decides which comments of a file need tracking, and through which versions.

Example: a sidecar has three comments on a file. One was placed for exactly the current text: its stored
location is used. Two were written for the same earlier version: they form one `VersionChain` (that version,
the committed revisions since, the current text), so each pair of texts is compared once for both.
`apply_placements` then gives every comment its location.

Contract: every comment gets a location, whatever version it was written for and however that version is known
(our evidence, git, or only the lines that the extension stores). Nothing is written here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from holdfast.comments.anchors.foreign_notes import (
    Committed,
    at_marked_line,
    capped_by_fragment,
    foreign_chain,
)
from holdfast.comments.anchors.version_chain import VersionChain, VersionHistory
from holdfast.comments.sidecar import marker
from holdfast.comments.sidecar.document import Sidecar, line_number_of
from holdfast.comments.sidecar.marker import LINE_NUMBER
from holdfast.comments.sidecar.note import Note, NoteLocation
from holdfast.comments.sidecar.source import CurrentSource, split_lines
from holdfast.comments.tracking.placement import Anchor, Confidence, FileVersion, Placement


@dataclass
class TrackingPlan:
    """The locations known without comparing texts, and the chains to track for the others."""

    locations: dict[int, NoteLocation] = field(default_factory=dict)
    chains: list[VersionChain] = field(default_factory=list)


def tracking_plan(sidecar: Sidecar, current: CurrentSource | None, history: VersionHistory) -> TrackingPlan:
    """Separate the comments with a known location from those that must be tracked."""
    found = TrackingPlan()
    waiting: dict[_Origin, list[int]] = defaultdict(list)
    for position, note in enumerate(sidecar.comments):
        location = location_without_tracking(note, current)
        if location is not None:
            found.locations[position] = location
            note.as_stored = current is not None and (note.evidence or {}).get("seenBlob") == current.blob
        else:
            waiting[_origin(note, sidecar.source_path)].append(position)
    if current is None:
        return found
    for origin, positions in waiting.items():
        text = history.text(origin.blob) if origin.blob else None
        if text is not None:
            versions = _versions_to_current(FileVersion(origin.path, text), origin, current, history)
            found.chains.append(_chain(sidecar, versions, positions))
        else:
            committed = Committed(current.path, history)
            chains = [foreign_chain(sidecar.comments[one], current, committed, one) for one in positions]
            found.chains += _joined(chains)
    return found


def _joined(chains: Sequence[VersionChain]) -> Iterator[VersionChain]:
    """Merge chains through the same versions: comparing texts is what takes time."""
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
    """The version in which it was last found with high confidence."""


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


def _versions_to_current(
    old: FileVersion, origin: _Origin, current: CurrentSource, history: VersionHistory
) -> tuple[FileVersion, ...]:
    """Return the versions from the one a comment was written for to the current one."""
    revisions = list(history.revisions_since(origin.path, origin.blob, origin.commit, current.path))
    if origin.good and origin.good not in (origin.blob, current.blob):
        # Where git has no revisions, this is the only intermediate version.
        text = history.text(origin.good)
        revisions += [] if text is None else [FileVersion(origin.path, text)]
    return (old, *_distinct(revisions, old.text, current), current.version)


def _distinct(revisions: Sequence[FileVersion], first: str, current: CurrentSource) -> list[FileVersion]:
    """Return the revisions without those that repeat the previous, the first or the current text."""
    found: list[FileVersion] = []
    for version in revisions:
        before = found[-1].text if found else first
        if version.text not in (before, current.text):
            found.append(version)
    return found


def apply_placements(
    sidecar: Sidecar, found: TrackingPlan, placements: Sequence[Sequence[Placement]]
) -> None:
    """Set the location of every comment."""
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


def location_of(note: Note, placement: Placement) -> NoteLocation:
    """Return a comment's location after tracking; without a line it keeps the last good one."""
    facts = note.evidence or {}
    good = line_number_of(facts.get("lastGoodLine")) or note.location.line
    is_range = note.location.end_line is not None or line_number_of(facts.get("endLine")) is not None
    if placement.line is None:
        end, line = note.location.end_line, good
    else:
        end, line = (placement.end_line if is_range else None), placement.line
    end = end if end is not None and end > line else None
    return NoteLocation(
        line, end, placement.confidence, placement.method, placement.reason, placement.candidates
    )


def location_without_tracking(note: Note, current: CurrentSource | None) -> NoteLocation | None:
    """Return the location of a comment if it is known without comparing texts."""
    facts = note.evidence
    here = note.location
    if current is None:
        good = line_number_of((facts or {}).get("lastGoodLine")) or here.line
        return NoteLocation(good, here.end_line, Confidence.NONE, "file_missing", "file_deleted")
    if facts is None:
        return at_marked_line(note, current.lines)
    if facts.get("seenBlob") == current.blob:
        return marker.stored_location(note)
    if facts.get("blob") == current.blob:
        line = line_number_of(facts.get("line")) or here.line
        return _capped_by_basis(
            facts, NoteLocation(line, line_number_of(facts.get("endLine")), Confidence.HIGH, "unchanged")
        )
    return None


def _capped_by_basis(facts: Mapping[str, Any], location: NoteLocation) -> NoteLocation:
    """Return a location no more certain than how the comment was first located."""
    if facts.get("basis") != LINE_NUMBER or location.confidence is not Confidence.HIGH:
        return location
    return replace(location, confidence=Confidence.MEDIUM, method=LINE_NUMBER)


def _chain(sidecar: Sidecar, versions: tuple[FileVersion, ...], positions: Sequence[int]) -> VersionChain:
    anchors = []
    for position in positions:
        facts = sidecar.comments[position].evidence or {}
        line = line_number_of(facts.get("line")) or sidecar.comments[position].line
        anchors.append(Anchor(line, line_number_of(facts.get("endLine"))))
    return VersionChain(versions, tuple(anchors), tuple(positions))
