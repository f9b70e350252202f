"""Figures of two sides taken in turn, and the table that holds their ratios against the bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from bench._results import Results


@dataclass
class Comparison:
    """Seconds of a baseline and of ours, round by round, and the most that ours may take of it."""

    label: str
    bar: float | None = None
    unit: str = "s"
    baseline: list[float] = field(default_factory=list)
    ours: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """Return the ratio of the medians."""
        return median(self.ours) / median(self.baseline)

    def row(self) -> tuple[str, ...]:
        """Return the cells of a table's row."""
        ratios = sorted(ours / baseline for baseline, ours in zip(*self.sides, strict=True))
        quarter = len(ratios) // 4
        spread = f"{ratios[quarter]:.2f} to {ratios[-1 - quarter]:.2f}" if len(ratios) > 1 else ""
        verdict = (
            ""
            if self.bar is None
            else f"{self.bar:.3g} {'holds' if self.ratio <= self.bar else '**misses**'}"
        )
        middles = (amount(median(side), self.unit) for side in self.sides)
        return (
            self.label,
            *middles,
            f"{self.ratio:.2g}" if self.ratio < 0.1 else f"{self.ratio:.2f}",
            spread,
            verdict,
        )

    @property
    def sides(self) -> tuple[list[float], list[float]]:
        """Return both series."""
        return self.baseline, self.ours


def compare(results: Results, name: str, sides: tuple[str, str], comparisons: Sequence[Comparison]) -> None:
    """Add a table of both sides with their ratios, and a bar for each ratio that has one."""
    columns = ("", *sides, "ratio", "middle half of rounds", "bar")
    against = None if sides[0] in ("other", "baseline") else sides[0]  # those say in their labels what
    results.table(name, columns, [comparison.row() for comparison in comparisons])
    for comparison in comparisons:
        if comparison.bar is not None:
            results.bar(comparison.label, comparison.ratio, comparison.bar, against=against)


def amount(value: float, unit: str = "s") -> str:
    """Return megabytes as they are, and seconds in the unit that suits them, with three digits."""
    if unit == "MB":
        return f"{value:,.0f} MB"
    factor, name = (1, "s") if value >= 1 else (1e3, "ms") if value >= 1e-3 else (1e6, "µs")
    return f"{value * factor:,.{max(0, 3 - len(str(int(value * factor))))}f} {name}"
