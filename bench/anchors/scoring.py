"""What became of each note: five outcomes, counted, and printed as tables.

Right and sure, right and flagged for review; silent: on another line, or on a line though its own is gone,
without a word; wrong and flagged; lost: no line though its own lives. Of code that is gone, no line is right:
sure where the note is an orphan, flagged where it is up for review. A tracker that never flags is sure of
all it says.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from bench.anchors.cases import BUCKETS

OUTCOMES = ("right and sure", "right, flagged", "silent", "wrong, flagged", "lost")
_SURE, _RIGHT_FLAGGED, _SILENT, _WRONG_FLAGGED, _LOST = OUTCOMES


@dataclass
class Score:
    """What one tracker did with one set of labels."""

    buckets: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    seconds: float = 0.0

    def add(self, bucket: str, truth: int | None, answer: int | None, sure: bool) -> str:
        """Count one answer and return what it is."""
        outcome = judge(truth, answer, sure)
        self.buckets[bucket][outcome] += 1
        return outcome

    @property
    def outcomes(self) -> Counter[str]:
        """The outcomes of all labels."""
        return sum(self.buckets.values(), Counter())

    @property
    def total(self) -> int:
        """How many labels were tried."""
        return self.outcomes.total()

    def share(self, *outcomes: str) -> float:
        """Return the share that some outcomes have of all labels, in percent."""
        return share(self.outcomes, *outcomes)

    @property
    def correct(self) -> float:
        """The share of right ones, flagged or not."""
        return self.share(_SURE, _RIGHT_FLAGGED)

    @property
    def wrong(self) -> float:
        """The share of wrong ones, flagged or not."""
        return self.share(_SILENT, _WRONG_FLAGGED)

    @property
    def precision(self) -> float | None:
        """The share of right ones among the sure, in percent."""
        outcomes = self.outcomes
        sure = outcomes[_SURE] + outcomes[_SILENT]
        return 100 * outcomes[_SURE] / sure if sure else None

    def merge(self, other: Score) -> None:
        """Add what another one counted."""
        self.seconds += other.seconds
        for bucket, outcomes in other.buckets.items():
            self.buckets[bucket] += outcomes


def judge(truth: int | None, answer: int | None, sure: bool) -> str:
    """Compare an answer with what people say."""
    if answer == truth:
        return _SURE if sure else _RIGHT_FLAGGED
    if answer is None:
        return _LOST
    return _SILENT if sure else _WRONG_FLAGGED


def share(outcomes: Counter[str], *wanted: str) -> float:
    """Return the share of some outcomes in percent."""
    return 100 * sum(outcomes[one] for one in wanted) / max(1, outcomes.total())


def table(title: str, scores: dict[str, Score]) -> str:
    """Return a Markdown table, a row for each tracker."""
    total = next(iter(scores.values())).total if scores else 0
    rows = [
        f"### {title}: {total} labels",
        "",
        f"| % | correct | wrong | {' | '.join(OUTCOMES)} | right among sure | ms each |",
        "| --- |" + " ---: |" * (4 + len(OUTCOMES)),
    ]
    for name, score in scores.items():
        shares = [score.correct, score.wrong, *map(score.share, OUTCOMES), score.precision or 0.0]
        cells = " | ".join(f"{one:.1f}" for one in shares)
        rows.append(f"| {name} | {cells} | {1000 * score.seconds / max(1, total):.1f} |")
    return "\n".join(rows)


def by_bucket(scores: dict[str, Score]) -> str:
    """Return a Markdown table of the five outcomes for each bucket."""
    present = [name for name in BUCKETS if any(name in score.buckets for score in scores.values())]
    rows = [f"| {' / '.join(OUTCOMES)} | " + " | ".join(present) + " |", "| --- |" + " ---: |" * len(present)]
    sizes = [_size(scores.values(), name) for name in present]
    rows.append("| labels | " + " | ".join(map(str, sizes)) + " |")
    for name, score in scores.items():
        cells = [_cell(score.buckets[bucket]) for bucket in present]
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _size(scores: Iterable[Score], bucket: str) -> int:
    return max(score.buckets[bucket].total() for score in scores)


def _cell(outcomes: Counter[str]) -> str:
    return " / ".join(f"{share(outcomes, one):.1f}" for one in OUTCOMES)
