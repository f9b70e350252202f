"""Tracks anchors through the revisions of a file on two paths, and derives the confidence from both.

One path leads directly from the first version to the last, the other through every revision in between. If
they agree, confidence is high when every step had high confidence, or when a line with words was compared
more than once on the second path. (After a single edit both paths make the same comparison, so their
agreement proves nothing.) If they disagree, a third path that ignores symbols decides, and confidence is
medium at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from holdfast.comments.tracking.lines import count_distinctive, split_lines, tokens_of
from holdfast.comments.tracking.placement import (
    MAX_CANDIDATES,
    Anchor,
    CandidateLine,
    Confidence,
    FileVersion,
    Placement,
)
from holdfast.comments.tracking.track import track

_MIN_UNSUPPORTED_STRENGTH = 0.6
"""Strength that an answer needs if the other paths do not support it. This value and those below were tuned
with `bench/anchors` (docs/accuracy.md, decision 0016)."""

_MIN_DIRECT_STRENGTH = 0.8
"""Strength from which on the direct answer needs no support: it still resembles the annotated line."""

_MIN_AGREED_STRENGTH = 0.75
"""Strength that the better path needs for high confidence if two different comparisons agree."""


@dataclass(frozen=True, slots=True)
class _Path:
    """The path of an anchor through the revisions: where it was last found, and how reliably."""

    last_step: int
    """The number of the version in which it was last found."""
    anchor: Anchor
    placement: Placement
    strength: float = 1.0
    """The strength of the weakest step."""
    is_certain: bool = True
    """Whether each step had high confidence."""
    compared: int = 0
    """The number of steps in which the line was matched by similarity."""

    def advance(self, number: int, placement: Placement) -> _Path:
        """Return the path after a step; an anchor that was not found stays in its last version."""
        if placement.line is None:
            return replace(self, placement=placement)
        anchor = Anchor(placement.line, placement.end_line)
        strength = min(self.strength, _strength(placement))
        is_certain = self.is_certain and placement.confidence is Confidence.HIGH
        compared = self.compared + bool(placement.candidates)
        return _Path(number, anchor, placement, strength, is_certain, compared)


def follow(versions: Sequence[FileVersion], anchors: Sequence[Anchor]) -> list[Placement]:
    """Return where anchors of the first version are in the last; the others are the revisions in between."""
    if not versions:
        raise ValueError("following needs at least one version")
    direct = track(versions[0], versions[-1], anchors)
    steps = _drop_repeated_texts(versions)
    if len(steps) <= 2:
        return direct
    paths = _track_step_by_step(steps, anchors)
    both = list(zip(direct, paths, strict=True))
    disputed = [
        position for position, (placement, path) in enumerate(both) if placement.line != path.placement.line
    ]
    third_lines: dict[int, int | None] = {}
    if disputed:
        # Without a path there is no language, so these versions have no symbols.
        plain = [FileVersion("", version.text) for version in steps]
        third_paths = _track_step_by_step(plain, [anchors[position] for position in disputed])
        third_lines = {
            position: path.placement.line for position, path in zip(disputed, third_paths, strict=True)
        }
    lines = split_lines(versions[0].text)
    return [
        _reconcile(placement, path, third_lines.get(position), has_words=_has_words(lines, anchor))
        for position, (anchor, (placement, path)) in enumerate(zip(anchors, both, strict=True))
    ]


def _has_words(lines: Sequence[str], anchor: Anchor) -> bool:
    """Return whether an anchor's first line has tokens that distinguish it from others."""
    return 0 < anchor.line <= len(lines) and count_distinctive(tokens_of(lines[anchor.line - 1])) > 0


def _drop_repeated_texts(versions: Sequence[FileVersion]) -> list[FileVersion]:
    """Return the versions without those that repeat the text of the one before."""
    kept = [versions[0]]
    for version in versions[1:]:
        if version.text != kept[-1].text:
            kept.append(version)
    return kept


def _track_step_by_step(steps: Sequence[FileVersion], anchors: Sequence[Anchor]) -> list[_Path]:
    """Return the paths through all steps; a line that was not found is searched again in later steps."""
    paths = [
        _Path(0, anchor, Placement(anchor.line, anchor.end_line, Confidence.HIGH, "unchanged"))
        for anchor in anchors
    ]
    for number, version in enumerate(steps[1:], start=1):
        for last_step in sorted({path.last_step for path in paths}):
            positions = [position for position, path in enumerate(paths) if path.last_step == last_step]
            placements = track(steps[last_step], version, [paths[position].anchor for position in positions])
            for position, placement in zip(positions, placements, strict=True):
                paths[position] = paths[position].advance(number, placement)
    return paths


def _strength(placement: Placement) -> float:
    """Return the score of a placement's line."""
    return placement.candidates[0].score if placement.candidates else 1.0


def _reconcile(direct: Placement, path: _Path, third_line: int | None, *, has_words: bool) -> Placement:
    """Return the placement that follows from the direct path, the stepwise path and the line of the third."""
    stepwise = path.placement
    if direct.line == stepwise.line:
        was_compared_twice = (
            has_words and path.compared > 1 and max(_strength(direct), path.strength) >= _MIN_AGREED_STRENGTH
        )
        is_certain = direct.line is not None and (path.is_certain or was_compared_twice)
        return replace(direct, confidence=Confidence.HIGH) if is_certain else direct
    candidates = _merge_candidates(direct, stepwise)
    if direct.line is None or stepwise.line is None:
        found, strength = (stepwise, path.strength) if direct.line is None else (direct, _strength(direct))
    elif _strength(direct) >= _MIN_DIRECT_STRENGTH or third_line == direct.line:
        found, strength = direct, 1.0
    elif third_line == stepwise.line:
        found, strength = stepwise, 1.0
    elif path.strength > _strength(direct):
        found, strength = stepwise, path.strength
    else:
        found, strength = direct, _strength(direct)
    if strength < _MIN_UNSUPPORTED_STRENGTH:
        return Placement(None, None, Confidence.LOW, found.method, "ambiguous", candidates)
    return replace(found, confidence=Confidence.MEDIUM, reason=None, candidates=candidates)


def _merge_candidates(direct: Placement, stepwise: Placement) -> tuple[CandidateLine, ...]:
    scores: dict[int, float] = {}
    for placement in (direct, stepwise):
        if placement.line is not None:
            scores[placement.line] = max(scores.get(placement.line, 0.0), _strength(placement))
        for candidate in placement.candidates:
            scores[candidate.line] = max(scores.get(candidate.line, 0.0), candidate.score)
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return tuple(CandidateLine(line, score) for line, score in ranked[:MAX_CANDIDATES])
