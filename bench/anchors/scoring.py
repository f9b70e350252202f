"""Correct, wrong, lost: counted, and printed as a table.

Correct: the line that people say, or no line where it is gone. Wrong: another line, or a line though it is
gone. Lost: no line though it lives. Precision speaks of the placements that move a note by themselves.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from bench.anchors.cases import BUCKETS


@dataclass
class Score:
    """What one tracker did with one set of labels."""

    verdicts: Counter[str] = field(default_factory=Counter)
    buckets: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    sure: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def add(self, bucket: str, truth: int | None, answer: int | None, sure: bool) -> str:
        """Count one answer and return the verdict."""
        verdict = judge(truth, answer)
        self.verdicts[verdict] += 1
        self.buckets[bucket][verdict] += 1
        if sure and answer is not None:
            self.sure[verdict] += 1
        return verdict

    @property
    def total(self) -> int:
        """How many labels were tried."""
        return self.verdicts.total()

    def share(self, verdict: str) -> float:
        """Return a verdict's share of all labels in percent."""
        return 100 * self.verdicts[verdict] / max(1, self.total)

    @property
    def precision(self) -> float | None:
        """The share of right ones among the placements of high confidence, in percent."""
        return 100 * self.sure["correct"] / self.sure.total() if self.sure.total() else None

    def merge(self, other: Score) -> None:
        """Add what another one counted."""
        self.verdicts += other.verdicts
        self.sure += other.sure
        self.seconds += other.seconds
        for bucket, verdicts in other.buckets.items():
            self.buckets[bucket] += verdicts


def judge(truth: int | None, answer: int | None) -> str:
    """Compare an answer with what people say."""
    if answer == truth:
        return "correct"
    return "lost" if answer is None else "wrong"


def table(title: str, scores: dict[str, Score]) -> str:
    """Return a Markdown table, a row for each tracker."""
    total = next(iter(scores.values())).total if scores else 0
    rows = [
        f"### {title}: {total} labels",
        "",
        "| tracker | correct % | wrong % | lost % | precision at high % | high % of all | ms each |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, score in scores.items():
        shares = " | ".join(f"{score.share(verdict):.1f}" for verdict in ("correct", "wrong", "lost"))
        sure = (
            f"{score.precision:.1f} | {100 * score.sure.total() / total:.1f}" if score.precision else "- | -"
        )
        rows.append(f"| {name} | {shares} | {sure} | {1000 * score.seconds / max(1, total):.1f} |")
    return "\n".join(rows)


def by_bucket(scores: dict[str, Score]) -> str:
    """Return a Markdown table of correct / wrong / lost for each bucket."""
    present = [name for name in BUCKETS if any(name in score.buckets for score in scores.values())]
    rows = ["| correct / wrong / lost | " + " | ".join(present) + " |", "| --- |" + " ---: |" * len(present)]
    sizes = [_size(scores.values(), name) for name in present]
    rows.append("| labels | " + " | ".join(map(str, sizes)) + " |")
    for name, score in scores.items():
        cells = [_cell(score.buckets[bucket]) for bucket in present]
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _size(scores: Iterable[Score], bucket: str) -> int:
    return max(score.buckets[bucket].total() for score in scores)


def _cell(verdicts: Counter[str]) -> str:
    total = max(1, verdicts.total())
    return " / ".join(f"{100 * verdicts[verdict] / total:.1f}" for verdict in ("correct", "wrong", "lost"))
