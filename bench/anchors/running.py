"""Running trackers over cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter

from bench.anchors.cases import Case, Label
from bench.anchors.peers import PEERS
from bench.anchors.scoring import Score
from bench.anchors.served import placements
from holdfast.comments.tracking.follow import follow
from holdfast.comments.tracking.placement import Anchor, Confidence, FileVersion, Placement
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


def run(cases: Iterable[Case], peers: bool = True, served: bool = False) -> Outcome:
    """Try every tracker on every case; ours alone and the server's way where it is to be `served`."""
    scores = {name: Score() for name in (*(PEERS if peers else ()), OURS)}
    misses: list[Miss] = []
    for case in cases:
        if served:
            misses += _counted(scores[OURS], case, placements)
            continue
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
        score.add(label.bucket, label.truth, answer, sure=True)


def _ours(score: Score, case: Case, versions: Sequence[FileVersion]) -> list[Miss]:
    anchors = [Anchor(label.line) for label in case.labels]
    return _counted(
        score,
        case,
        lambda case: follow(versions, anchors) if case.between else track(case.old, case.new, anchors),
    )


def _counted(score: Score, case: Case, answer: Callable[[Case], list[Placement]]) -> list[Miss]:
    began = perf_counter()
    found = answer(case)
    score.seconds += perf_counter() - began
    misses = []
    for label, placement in zip(case.labels, found, strict=True):
        # Without a line a note is an orphan, which says so, or one to be reviewed.
        sure = placement.confidence in (Confidence.HIGH, Confidence.NONE)
        verdict = score.add(label.bucket, label.truth, placement.line, sure)
        if not verdict.startswith("right"):
            misses.append(Miss(case, label, placement, verdict))
    return misses
