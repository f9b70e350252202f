"""Following anchors through the revisions of a file, and judging by whether the ways agree.

Contract: what the way through the revisions and the direct way agree on has high confidence. Where they
differ the answer is the one with more support, at most medium.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from holdfast.comments.tracking.models import Anchor, Candidate, Confidence, Placement, Version
from holdfast.comments.tracking.track import track

_SHOWN = 5


def follow(versions: Sequence[Version], anchors: Sequence[Anchor]) -> list[Placement]:
    """Return where anchors of the first version are in the last; those between are its revisions in order."""
    if not versions:
        raise ValueError("following needs at least one version")
    direct = track(versions[0], versions[-1], anchors)
    steps = _distinct(versions)
    if len(steps) <= 2:
        return direct
    chained = _chained(steps, anchors)
    return [_settled(one, other) for one, other in zip(direct, chained, strict=True)]


def _distinct(versions: Sequence[Version]) -> list[Version]:
    """Return the versions without those that say what the one before them said."""
    kept = [versions[0]]
    for version in versions[1:]:
        if version.text != kept[-1].text:
            kept.append(version)
    return kept


def _chained(steps: Sequence[Version], anchors: Sequence[Anchor]) -> list[Placement]:
    """Return where anchors are after each step in turn; a lost line is sought again in later steps."""
    state = [
        (0, anchor, Placement(anchor.line, anchor.end_line, Confidence.HIGH, "unchanged"))
        for anchor in anchors
    ]
    for number, version in enumerate(steps[1:], start=1):
        for seen in sorted({at for at, _, _ in state}):
            members = [position for position, (at, _, _) in enumerate(state) if at == seen and at != number]
            moved = track(steps[seen], version, [state[position][1] for position in members])
            for position, placement in zip(members, moved, strict=True):
                state[position] = _advanced(state[position], number, placement)
    return [placement for _, _, placement in state]


def _advanced(
    state: tuple[int, Anchor, Placement], number: int, placement: Placement
) -> tuple[int, Anchor, Placement]:
    """Return the state of an anchor after a step: moved on, or still where it was last seen."""
    seen, anchor, _ = state
    if placement.line is None:
        return seen, anchor, placement
    return number, Anchor(placement.line, placement.end_line), placement


def _settled(direct: Placement, chained: Placement) -> Placement:
    """Return what two ways together say."""
    if direct.line is not None and direct.line == chained.line:
        return replace(direct, confidence=Confidence.HIGH, end_line=direct.end_line)
    if direct.line is None and chained.line is None:
        return direct
    candidates = _merged(direct, chained)
    if direct.line is None or chained.line is None:
        found = direct if direct.line is not None else chained
        return replace(found, confidence=Confidence.MEDIUM, candidates=candidates)
    better = direct if direct.confidence is Confidence.HIGH else chained
    return replace(better, confidence=Confidence.MEDIUM, candidates=candidates)


def _merged(direct: Placement, chained: Placement) -> tuple[Candidate, ...]:
    """Return the candidates of both ways, best first."""
    scores: dict[int, float] = {}
    for placement in (direct, chained):
        if placement.line is not None:
            scores[placement.line] = max(scores.get(placement.line, 0.0), 0.5)
        for candidate in placement.candidates:
            scores[candidate.line] = max(scores.get(candidate.line, 0.0), candidate.score)
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Candidate(line, score) for line, score in ranked[:_SHOWN])
