"""Where the comments of a file are in its present text.

Contract:
- Whatever version a comment was written for, and however it is known (our evidence, git, or only the lines
  the extension keeps), the answer is a standing; nothing is written here.
- Comments written for the same version are followed together, so that a file is compared once for each.
- `VersionChain` holds only texts and numbers: it may be followed in another process.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from holdfast.comments.anchors.foreign import at_its_own_line, capped, of_stranger
from holdfast.comments.anchors.version_chain import VersionChain, VersionHistory
from holdfast.comments.sidecar import marker
from holdfast.comments.sidecar.document import Sidecar, whole_line
from holdfast.comments.sidecar.marker import LINE_NUMBER
from holdfast.comments.sidecar.note import Note, Standing
from holdfast.comments.sidecar.source import Present, split_lines
from holdfast.comments.tracking.placement import Anchor, Confidence, Placement, Version


@dataclass
class Plan:
    """What is known about a sidecar's comments without comparing texts, and what has to be compared."""

    standings: dict[int, Standing] = field(default_factory=dict)
    chains: list[VersionChain] = field(default_factory=list)


def plan(sidecar: Sidecar, present: Present | None, history: VersionHistory) -> Plan:
    """Sort the comments of a sidecar into those that are settled and those to be followed."""
    found = Plan()
    waiting: dict[_Origin, list[int]] = defaultdict(list)
    for position, note in enumerate(sidecar.comments):
        standing = settled(note, present)
        if standing is not None:
            found.standings[position] = standing
            note.as_stored = present is not None and (note.evidence or {}).get("seenBlob") == present.blob
        else:
            waiting[_origin(note, sidecar.source_path)].append(position)
    if present is None:
        return found
    for origin, positions in waiting.items():
        text = history.text(origin.blob) if origin.blob else None
        if text is not None:
            versions = _way(Version(origin.path, text), origin, present, history)
            found.chains.append(_chain(sidecar, versions, positions))
        else:
            found.chains.extend(
                of_stranger(sidecar.comments[one], present, history, one) for one in positions
            )
    return found


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


def _way(old: Version, origin: _Origin, present: Present, history: VersionHistory) -> tuple[Version, ...]:
    """Return the versions from the one a comment was written for to the present one."""
    revisions = list(history.since(origin.path, origin.blob, origin.commit))
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
    """Give every comment its standing."""
    for position, standing in found.standings.items():
        sidecar.comments[position].placement = standing
    for chain, answers in zip(found.chains, placements, strict=True):
        lines = split_lines(chain.versions[-1].text)
        for position, answer in zip(chain.positions, answers, strict=True):
            note = sidecar.comments[position]
            placement = capped(note, answer, lines) if chain.from_fragment else answer
            standing = standing_of(note, placement)
            basis = {"basis": LINE_NUMBER} if chain.by_number else note.evidence or {}
            note.placement = _capped_by_basis(basis, standing)


def standing_of(note: Note, placement: Placement) -> Standing:
    """Return where a comment stands after tracking; without a line it keeps the last good one."""
    facts = note.evidence or {}
    good = whole_line(facts.get("lastGoodLine")) or note.placement.line
    is_range = note.placement.end_line is not None or whole_line(facts.get("endLine")) is not None
    if placement.line is None:
        end, line = note.placement.end_line, good
    else:
        end, line = (placement.end_line if is_range else None), placement.line
    return Standing(
        line,
        end if end is not None and end > line else None,
        placement.confidence,
        placement.method,
        placement.reason,
        placement.candidates,
    )


def settled(note: Note, present: Present | None) -> Standing | None:
    """Return the standing of a comment that needs no comparison of texts."""
    facts = note.evidence
    here = note.placement
    if present is None:
        good = whole_line((facts or {}).get("lastGoodLine")) or here.line
        return Standing(good, here.end_line, Confidence.NONE, "file_missing", "file_deleted")
    if facts is None:
        return at_its_own_line(note, present.lines)
    if facts.get("seenBlob") == present.blob:
        return marker.stored_standing(note)
    if facts.get("blob") == present.blob:
        line = whole_line(facts.get("line")) or here.line
        return _capped_by_basis(
            facts, Standing(line, whole_line(facts.get("endLine")), Confidence.HIGH, "unchanged")
        )
    return None


def _capped_by_basis(facts: Mapping[str, Any], standing: Standing) -> Standing:
    """Return a standing that is no surer than what the comment was first known by."""
    if facts.get("basis") != LINE_NUMBER or standing.confidence is not Confidence.HIGH:
        return standing
    return replace(standing, confidence=Confidence.MEDIUM, method=LINE_NUMBER)


def _chain(sidecar: Sidecar, versions: tuple[Version, ...], positions: Sequence[int]) -> VersionChain:
    anchors = []
    for position in positions:
        facts = sidecar.comments[position].evidence or {}
        line = whole_line(facts.get("line")) or sidecar.comments[position].line
        anchors.append(Anchor(line, whole_line(facts.get("endLine"))))
    return VersionChain(versions, tuple(anchors), tuple(positions))
