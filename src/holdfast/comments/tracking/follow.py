"""Tracks anchors through the revisions of a file, and judges by whether the paths agree.

There are two paths from the first version to the last: directly, and through every revision in between. If
they agree, confidence is high when every step was high, or when the line was compared more than once on the
path: after a single edit both paths make the same comparison, so their agreement proves nothing. If they
disagree, a third path that ignores symbols decides, and confidence is medium at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from holdfast.comments.tracking.placement import Anchor, CandidateLine, Confidence, FileVersion, Placement
from holdfast.comments.tracking.track import track

_SHOWN = 5
"""Candidates that are reported. A chosen bound."""

_UNSUPPORTED = 0.6
"""Strength an unsupported answer needs. This and the bounds below were tuned with `bench/anchors`
(docs/accuracy.md, decision 0016)."""

_STRONG = 0.8
"""Strength from which the direct answer needs no support: it still resembles the annotated line."""

_AGREED = 0.75
"""Strength of the better path from which agreement of different comparisons is high confidence."""


@dataclass(frozen=True, slots=True)
class _Path:
    """An anchor on its path through the revisions: where it was last found, and how reliably."""

    seen: int
    anchor: Anchor
    placement: Placement
    strength: float = 1.0
    """The strength of the weakest step."""
    is_certain: bool = True
    """Whether each step had high confidence."""
    compared: int = 0
    """The number of steps in which the line was matched by similarity."""

    def advanced(self, number: int, placement: Placement) -> _Path:
        """Return the path after a step: moved on, or still where the anchor was last found."""
        if placement.line is None:
            return replace(self, placement=placement)
        anchor = Anchor(placement.line, placement.end_line)
        strength = min(self.strength, _strength(placement))
        is_certain = self.is_certain and placement.confidence is Confidence.HIGH
        compared = self.compared + bool(placement.candidates)
        return _Path(number, anchor, placement, strength, is_certain, compared)


def follow(versions: Sequence[FileVersion], anchors: Sequence[Anchor]) -> list[Placement]:
    """Return where anchors of the first version are in the last; those in between are revisions in order."""
    if not versions:
        raise ValueError("following needs at least one version")
    direct = track(versions[0], versions[-1], anchors)
    steps = _distinct(versions)
    if len(steps) <= 2:
        return direct
    chained = _chained(steps, anchors)
    disputed = [
        position
        for position, (one, path) in enumerate(zip(direct, chained, strict=True))
        if one.line != path.placement.line
    ]
    plain = [FileVersion("", version.text) for version in steps]
    thirds = _chained(plain, [anchors[position] for position in disputed]) if disputed else []
    opinions = {position: path.placement.line for position, path in zip(disputed, thirds, strict=True)}
    return [
        _reconciled(one, path, opinions.get(position))
        for position, (one, path) in enumerate(zip(direct, chained, strict=True))
    ]


def _distinct(versions: Sequence[FileVersion]) -> list[FileVersion]:
    """Return the versions without those that repeat the text of the one before."""
    kept = [versions[0]]
    for version in versions[1:]:
        if version.text != kept[-1].text:
            kept.append(version)
    return kept


def _chained(steps: Sequence[FileVersion], anchors: Sequence[Anchor]) -> list[_Path]:
    """Return the paths through all steps; a line that was lost is searched again in later steps."""
    start = Confidence.HIGH, "unchanged"
    paths = [_Path(0, anchor, Placement(anchor.line, anchor.end_line, *start)) for anchor in anchors]
    for number, version in enumerate(steps[1:], start=1):
        for seen in sorted({path.seen for path in paths}):
            members = [position for position, path in enumerate(paths) if path.seen == seen]
            moved = track(steps[seen], version, [paths[position].anchor for position in members])
            for position, placement in zip(members, moved, strict=True):
                paths[position] = paths[position].advanced(number, placement)
    return paths


def _strength(placement: Placement) -> float:
    """Return the score of a placement's line."""
    return placement.candidates[0].score if placement.candidates else 1.0


def _reconciled(direct: Placement, path: _Path, third: int | None) -> Placement:
    """Return the placement that follows from the direct path, the chained path and the third one."""
    chained = path.placement
    if direct.line == chained.line:
        was_compared_twice = path.compared > 1 and max(_strength(direct), path.strength) >= _AGREED
        is_certain = direct.line is not None and (path.is_certain or was_compared_twice)
        return replace(direct, confidence=Confidence.HIGH) if is_certain else direct
    candidates = _merged(direct, chained)
    if direct.line is None or chained.line is None:
        found, strength = (chained, path.strength) if direct.line is None else (direct, _strength(direct))
    elif _strength(direct) >= _STRONG or third == direct.line:
        found, strength = direct, 1.0
    elif third == chained.line:
        found, strength = chained, 1.0
    else:
        found, strength = max((direct, _strength(direct)), (chained, path.strength), key=lambda one: one[1])
    if strength < _UNSUPPORTED:
        return Placement(None, None, Confidence.LOW, found.method, "ambiguous", candidates)
    return replace(found, confidence=Confidence.MEDIUM, reason=None, candidates=candidates)


def _merged(direct: Placement, chained: Placement) -> tuple[CandidateLine, ...]:
    """Return the candidates of both paths, best first."""
    scores: dict[int, float] = {}
    for placement in (direct, chained):
        if placement.line is not None:
            scores[placement.line] = max(scores.get(placement.line, 0.0), _strength(placement))
        for candidate in placement.candidates:
            scores[candidate.line] = max(scores.get(candidate.line, 0.0), candidate.score)
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return tuple(CandidateLine(line, score) for line, score in ranked[:_SHOWN])
