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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from holdfast.comments.anchors.foreign_notes import (
    CommittedVersions,
    foreign_chain,
    fragment_placement,
    location_at_marked_line,
)
from holdfast.comments.anchors.version_chain import VersionChain, VersionHistory
from holdfast.comments.memory.record import record_of
from holdfast.comments.sidecar import marker
from holdfast.comments.sidecar.document import Sidecar
from holdfast.comments.sidecar.marker import LINE_NUMBER
from holdfast.comments.sidecar.note import Note, NoteLocation, as_line_number
from holdfast.comments.sidecar.source import CurrentSource, split_lines
from holdfast.comments.tracking.placement import Confidence, FileVersion, Placement


@dataclass
class TrackingPlan:
    """The locations known without comparing texts, and the chains to track for the others."""

    locations: dict[int, NoteLocation] = field(default_factory=dict)
    """By the position of the comment in its sidecar."""
    chains: list[VersionChain] = field(default_factory=list)


def plan_tracking(sidecar: Sidecar, current: CurrentSource | None, history: VersionHistory) -> TrackingPlan:
    """Separate the comments with a known location from those that must be tracked.

    `current` is None if the source is gone; then every location is known.
    """
    plan = TrackingPlan()
    untracked: dict[_Origin, list[int]] = defaultdict(list)
    for position, note in enumerate(sidecar.comments):
        location = location_without_tracking(note, current)
        if location is not None:
            plan.locations[position] = location
            note.as_stored = current is not None and (note.evidence or {}).get("seenBlob") == current.blob
        else:
            untracked[_origin(note, sidecar.source_path)].append(position)
    if current is None:
        return plan
    for origin, positions in untracked.items():
        notes = [sidecar.comments[position] for position in positions]
        text = history.text(origin.blob) if origin.blob else None
        if text is not None:
            versions = _versions_to_current(FileVersion(origin.path, text), origin, current, history)
            anchors = tuple(note.original_anchor for note in notes)
            plan.chains.append(VersionChain(versions, anchors, tuple(positions)))
        else:
            committed = CommittedVersions(current.path, history)
            plan.chains += _join_chains(
                foreign_chain(note, current, committed, position)
                for note, position in zip(notes, positions, strict=True)
            )
    return plan


def _join_chains(chains: Iterable[VersionChain]) -> Iterator[VersionChain]:
    """Merge chains through the same versions, because comparing texts is what takes time."""
    groups: dict[tuple[Any, ...], list[VersionChain]] = defaultdict(list)
    for chain in chains:
        groups[chain.versions, chain.from_fragment, chain.by_number].append(chain)
    for group in groups.values():
        anchors = tuple(anchor for chain in group for anchor in chain.anchors)
        positions = tuple(position for chain in group for position in chain.positions)
        yield replace(group[0], anchors=anchors, positions=positions)


class _Origin(NamedTuple):
    """The version that a comment was written for."""

    path: str = ""
    blob: str = ""
    commit: str | None = None
    last_good_blob: str = ""
    """The version in which it was last found with high confidence."""


def _origin(note: Note, source_path: str) -> _Origin:
    """Return the version that a comment was written for; an empty one if it has no evidence."""
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
    """Return the versions from the one a comment was written for to the current one, without repetitions."""
    revisions = list(history.revisions_since(origin.path, origin.blob, origin.commit, current.path))
    if origin.last_good_blob and origin.last_good_blob not in (origin.blob, current.blob):
        # If git has no revisions, the last good version is the only one in between.
        text = history.text(origin.last_good_blob)
        revisions += [] if text is None else [FileVersion(origin.path, text)]
    versions = [old]
    for version in revisions:
        if version.text not in (versions[-1].text, current.text):
            versions.append(version)
    return (*versions, current.version)


def apply_placements(sidecar: Sidecar, plan: TrackingPlan, placements: Sequence[Sequence[Placement]]) -> None:
    """Set the location of every comment; `placements` has those of each chain of the plan, in order."""
    for position, location in plan.locations.items():
        sidecar.comments[position].location = location
    for chain, chain_placements in zip(plan.chains, placements, strict=True):
        lines = split_lines(chain.versions[-1].text)
        for position, tracked in zip(chain.positions, chain_placements, strict=True):
            note = sidecar.comments[position]
            placement = fragment_placement(note, tracked, lines) if chain.from_fragment else tracked
            location = location_of(note, placement)
            basis = {"basis": LINE_NUMBER} if chain.by_number else note.evidence or {}
            note.location = _cap_by_basis(basis, location)


def location_of(note: Note, placement: Placement) -> NoteLocation:
    """Return a comment's location after tracking; a placement without a line keeps the last good line."""
    facts = note.evidence or {}
    is_range = note.location.end_line is not None or as_line_number(facts.get("endLine")) is not None
    if placement.line is None:
        line, end = note.last_good_line, note.end_line
    else:
        line, end = placement.line, placement.end_line if is_range else None
    if end is not None and end <= line:
        end = None
    return NoteLocation(
        line, end, placement.confidence, placement.method, placement.reason, placement.candidates
    )


def location_without_tracking(note: Note, current: CurrentSource | None) -> NoteLocation | None:
    """Return the location of a comment if it is known without comparing texts."""
    facts = note.evidence
    if current is None:
        return NoteLocation(
            note.last_good_line, note.end_line, Confidence.NONE, "file_missing", "file_deleted"
        )
    memory = record_of(note)
    if memory is not None and memory.scope == "file":
        return NoteLocation(1, method="file")
    if facts is None:
        return location_at_marked_line(note, current.lines)
    if facts.get("seenBlob") == current.blob:
        return marker.stored_location(note)
    if facts.get("blob") == current.blob:
        anchor = note.original_anchor
        return _cap_by_basis(facts, NoteLocation(anchor.line, anchor.end_line, method="unchanged"))
    return None


def _cap_by_basis(facts: Mapping[str, Any], location: NoteLocation) -> NoteLocation:
    """Lower the confidence to medium if the comment was first located by its line number alone."""
    if facts.get("basis") != LINE_NUMBER or location.confidence is not Confidence.HIGH:
        return location
    return replace(location, confidence=Confidence.MEDIUM, method=LINE_NUMBER)
