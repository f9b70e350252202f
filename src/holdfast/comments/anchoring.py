"""Where the comments of a file are in its present text.

Contract:
- Whatever version a comment was written for, and however it is known (our evidence, git, or only the lines
  the extension keeps), the answer is a standing; nothing is written here.
- Comments written for the same version are followed together, so that a file is compared once for each.
- `Journey` holds only texts and numbers: it may be travelled in another process.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from holdfast.comments import evidence
from holdfast.comments.lines import BLANK, line_hash, split_lines, trimmed
from holdfast.comments.notes import Note, Standing
from holdfast.comments.sidecar import Sidecar, whole_line
from holdfast.comments.tracking.models import Anchor, Candidate, Confidence, Placement, Version

Between = Callable[[str, str, str | None], Sequence[Version]]
"""Given a path, the blob of a version and the commit then, returns the revisions after it, oldest first."""

Texts = Callable[[str], str | None]
"""Given the id of a version, returns its text where it is known."""


@dataclass(frozen=True)
class Present:
    """The source file as it is now."""

    path: str
    text: str
    blob: str

    @property
    def version(self) -> Version:
        """The same as tracking takes it."""
        return Version(self.path, self.text)


@dataclass(frozen=True)
class Journey:
    """Versions to follow some anchors through; the last is the present one."""

    versions: tuple[Version, ...]
    anchors: tuple[Anchor, ...]
    positions: tuple[int, ...]
    """Which comments of the sidecar the anchors belong to."""
    from_fragment: bool = False
    """Whether the first version is only the few lines that a marker keeps."""


@dataclass
class Plan:
    """What is known about a sidecar's comments without comparing texts, and what has to be compared."""

    standings: dict[int, Standing] = field(default_factory=dict)
    journeys: list[Journey] = field(default_factory=list)


def travelled(journey: Journey) -> list[Placement]:
    """Follow the anchors of a journey."""
    from holdfast.comments.tracking.follow import follow

    return follow(journey.versions, journey.anchors)


def plan(sidecar: Sidecar, present: Present | None, texts: Texts, between: Between) -> Plan:
    """Sort the comments of a sidecar into those that are settled and those to be followed."""
    found = Plan()
    waiting: dict[tuple[str, str, str | None], list[int]] = defaultdict(list)
    for position, note in enumerate(sidecar.comments):
        standing = _settled(note, present)
        facts = note.evidence
        if standing is not None:
            found.standings[position] = standing
        elif facts is not None and isinstance(facts.get("blob"), str):
            commit = facts.get("commit")
            path = str(facts.get("path") or sidecar.source_path)
            waiting[path, facts["blob"], commit if isinstance(commit, str) else None].append(position)
        else:
            waiting["", "", None].append(position)
    assert present is not None or not waiting
    for (path, blob, commit), positions in waiting.items():
        text = texts(blob) if blob else None
        if present is not None and text is not None:
            old = Version(path, text)
            versions = (old, *between(path, blob, commit), present.version)
            found.journeys.append(_journey(sidecar, versions, positions))
        elif present is not None:
            found.journeys.extend(_fragment(sidecar.comments[one], present, one) for one in positions)
    return found


def apply(sidecar: Sidecar, found: Plan, placements: Sequence[Sequence[Placement]]) -> None:
    """Give every comment its standing."""
    for position, standing in found.standings.items():
        sidecar.comments[position].placement = standing
    for journey, answers in zip(found.journeys, placements, strict=True):
        lines = split_lines(journey.versions[-1].text)
        for position, answer in zip(journey.positions, answers, strict=True):
            note = sidecar.comments[position]
            placement = _capped(note, answer, lines) if journey.from_fragment else answer
            note.placement = standing_of(note, placement)


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


def _settled(note: Note, present: Present | None) -> Standing | None:
    """Return the standing of a comment that needs no comparison of texts."""
    facts = note.evidence
    here = note.placement
    if present is None:
        good = whole_line((facts or {}).get("lastGoodLine")) or here.line
        return Standing(good, here.end_line, Confidence.NONE, "file_missing", "file_deleted")
    if facts is not None and facts.get("blob") == present.blob:
        line = whole_line(facts.get("line")) or here.line
        return Standing(line, whole_line(facts.get("endLine")), Confidence.HIGH, "unchanged")
    if facts is not None and facts.get("seenBlob") == present.blob:
        return evidence.stored_standing(note)
    if facts is not None:
        return None
    return _by_its_own_lines(note, present)


def _by_its_own_lines(note: Note, present: Present) -> Standing | None:
    """Return the standing of a comment of another program, if its line is where that program left it."""
    lines = split_lines(present.text)
    here = note.placement
    if here.method == "no_line":
        return here
    if note.marker is None or not isinstance(note.marker.get("lineHash"), str):
        if here.line <= len(lines):
            # Nothing but a number is known; it may have been right when it was written.
            return Standing(here.line, here.end_line, Confidence.MEDIUM, "line_number")
        return Standing(here.line, here.end_line, Confidence.NONE, "line_number", "line_deleted")
    if here.line > len(lines) or not _is_the_marked_line(note, lines, here.line - 1):
        return None
    return Standing(here.line, here.end_line, Confidence.HIGH, "marked_line")


def _is_the_marked_line(note: Note, lines: Sequence[str], index: int) -> bool:
    marker = note.marker or {}
    hashes = (marker.get("lineHash"), note.raw.get("lineHash"))
    if line_hash(lines[index]) not in hashes:
        first = str(marker.get("lineText") or "")
        # The hash of a range covers all of its lines; the text is then what can be compared.
        if note.end_line is None or trimmed(lines[index]) != trimmed(first.split("\n")[0]):
            return False
    if trimmed(lines[index]):
        neighbours = (("prevLineText", index - 1), ("nextLineText", index + 1))
        said = [(name, at) for name, at in neighbours if isinstance(marker.get(name), str)]
        agreeing = [at for name, at in said if _neighbour(lines, at) == trimmed(marker[name])]
        return not said or bool(agreeing) or _is_alone(lines, index)
    return all(
        _neighbour(lines, at) == trimmed(str(marker.get(name, "")))
        for name, at in (("prevLineText", index - 1), ("nextLineText", index + 1))
    )


def _is_alone(lines: Sequence[str], index: int) -> bool:
    text = trimmed(lines[index])
    return sum(1 for line in lines if trimmed(line) == text) == 1


def _neighbour(lines: Sequence[str], index: int) -> str:
    text = trimmed(lines[index]) if 0 <= index < len(lines) else ""
    return "" if text == BLANK else text


def _journey(sidecar: Sidecar, versions: tuple[Version, ...], positions: Sequence[int]) -> Journey:
    anchors = []
    for position in positions:
        facts = sidecar.comments[position].evidence or {}
        line = whole_line(facts.get("line")) or sidecar.comments[position].line
        anchors.append(Anchor(line, whole_line(facts.get("endLine"))))
    return Journey(versions, tuple(anchors), tuple(positions))


def _fragment(note: Note, present: Present, position: int) -> Journey:
    """Return a journey from the few lines that the marker itself keeps."""
    facts, marker = note.evidence or {}, note.marker or {}
    text = facts.get("text", marker.get("lineText"))
    before = _texts(facts.get("before", [marker.get("prevLineText")]))
    after = _texts(facts.get("after", [marker.get("nextLineText")]))
    own = "" if text == BLANK else str(text or "")
    fragment = "\n".join([*before, own, *after])
    anchor = Anchor(len(before) + 1)
    return Journey((Version(present.path, fragment), present.version), (anchor,), (position,), True)


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str) and item] if isinstance(value, list) else []


def _capped(note: Note, answer: Placement, lines: Sequence[str]) -> Placement:
    """Return an answer from a fragment, sure only where the very line is there once."""
    if answer.line is None:
        return answer
    facts, marker = note.evidence or {}, note.marker or {}
    text = trimmed(str(facts.get("text", marker.get("lineText")) or ""))
    end = answer.line + (note.end_line - note.line) if note.end_line is not None else None
    is_sure = bool(text) and trimmed(lines[answer.line - 1]) == text and _is_alone(lines, answer.line - 1)
    confidence = Confidence.HIGH if is_sure else Confidence.MEDIUM
    candidates = answer.candidates or (Candidate(answer.line, 0.5),)
    return Placement(answer.line, end, confidence, "kept_lines", answer.reason, candidates)
