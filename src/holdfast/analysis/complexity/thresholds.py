"""What is too complex: thresholds, and the functions above them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from holdfast.analysis.complexity.measure import Measure

CYCLOMATIC = "cyclomatic-complexity"
COGNITIVE = "cognitive-complexity"
MINUTES = {"error": 30, "warning": 15}
"""How long it takes to bring a function down by one, by which debt is reckoned."""


class Violation(NamedTuple):
    """A function with more than is good for its readers."""

    severity: Literal["error", "warning"]
    rule: str
    value: int
    threshold: int
    measure: Measure

    @property
    def message(self) -> str:
        """What is wrong, in a sentence."""
        what = "Cyclomatic" if self.rule == CYCLOMATIC else "Cognitive"
        return f"{what} complexity of {self.value} is over {self.threshold}."

    @property
    def hours(self) -> float:
        """How long it takes to bring it down to the threshold."""
        return (self.value - self.threshold) * MINUTES[self.severity] / 60


@dataclass(frozen=True)
class Thresholds:
    """From which values on there is a warning, or an error."""

    cyclomatic: tuple[int, int] = (10, 20)
    cognitive: tuple[int, int] = (15, 30)

    @classmethod
    def of(cls, max_cyclomatic: int | None, max_cognitive: int | None) -> Thresholds:
        """Take the given values for errors, and three quarters of them for warnings."""
        return cls(
            cls.cyclomatic if max_cyclomatic is None else (max(1, 3 * max_cyclomatic // 4), max_cyclomatic),
            cls.cognitive if max_cognitive is None else (max(1, 3 * max_cognitive // 4), max_cognitive),
        )

    def violations(self, measures: Iterable[Measure]) -> list[Violation]:
        """Return what is too complex about functions."""
        (cyclomatic, _), (cognitive, _) = self.cyclomatic, self.cognitive
        over = [each for each in measures if each.cyclomatic > cyclomatic or each.cognitive > cognitive]
        return [violation for measure in over for violation in self._violations(measure)]

    def _violations(self, measure: Measure) -> Iterator[Violation]:
        for rule, value, (warning, error) in (
            (CYCLOMATIC, measure.cyclomatic, self.cyclomatic),
            (COGNITIVE, measure.cognitive, self.cognitive),
        ):
            if value > error:
                yield Violation("error", rule, value, error, measure)
            elif value > warning:
                yield Violation("warning", rule, value, warning, measure)
