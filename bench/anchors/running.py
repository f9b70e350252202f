"""Running trackers over cases."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter

from bench.anchors.cases import Case, Label
from bench.anchors.peers import PEERS
from bench.anchors.scoring import Score
from holdfast.comments.tracking.follow import follow
from holdfast.comments.tracking.placement import Anchor, Confidence, Placement
from holdfast.comments.tracking.track import track

OURS, ONE_SHOT = "holdfast", "holdfast, without the revisions between"


@dataclass(frozen=True)
class Miss:
    """An answer of ours that was not right."""

    case: Case
    label: Label
    placement: Placement
    verdict: str


@dataclass(frozen=True)
class Outcome:
    """The scores of all trackers on a set, and what ours missed."""

    scores: dict[str, Score]
    misses: list[Miss]


def run(cases: Iterable[Case], peers: bool = True) -> Outcome:
    """Try every tracker on every case."""
    scores = {name: Score() for name in (*(PEERS if peers else ()), OURS)}
    misses: list[Miss] = []
    for case in cases:
        if peers:
            for name in PEERS:
                _peer(scores[name], name, case)
        if case.between:
            _ours(scores.setdefault(ONE_SHOT, Score()), case, (case.old, case.new))
        misses += _ours(scores[OURS], case, (case.old, *case.between, case.new))
    return Outcome(scores, misses)


def _peer(score: Score, name: str, case: Case) -> None:
    began = perf_counter()
    answers = PEERS[name](case.old, case.new, [label.line for label in case.labels])
    score.seconds += perf_counter() - began
    for label, answer in zip(case.labels, answers, strict=True):
        score.add(label.bucket, label.truth, answer, sure=False)


def _ours(score: Score, case: Case, versions: tuple[object, ...]) -> list[Miss]:
    anchors = [Anchor(label.line) for label in case.labels]
    began = perf_counter()
    if len(versions) > 2:
        placements = follow(versions, anchors)  # type: ignore[arg-type]
    else:
        placements = track(case.old, case.new, anchors)
    score.seconds += perf_counter() - began
    misses = []
    for label, placement in zip(case.labels, placements, strict=True):
        sure = placement.confidence is Confidence.HIGH
        verdict = score.add(label.bucket, label.truth, placement.line, sure)
        if verdict != "correct":
            misses.append(Miss(case, label, placement, verdict))
    return misses
