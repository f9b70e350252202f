"""The thresholds of complexity, and the functions above them, which are the findings of the analysis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from holdfast.analysis.complexity.function_complexity import FunctionComplexity
from holdfast.analysis.engine.code_finding import CodeFinding, FindingRule
from holdfast.analysis.rules import COGNITIVE_RULE, CYCLOMATIC_RULE

_MINUTES_PER_POINT = {"error": 30, "warning": 15}
"""The estimated minutes to lower the complexity of a function by one: a convention, stated in
docs/analysis.md."""


class ComplexityExcess(NamedTuple):
    """A function above a threshold."""

    severity: Literal["error", "warning"]
    rule: FindingRule
    """Which of the two complexities is above its threshold."""
    value: int
    threshold: int
    measured: FunctionComplexity

    @property
    def message(self) -> str:
        """A sentence with the value and the threshold."""
        kind = "Cyclomatic" if self.rule is CYCLOMATIC_RULE else "Cognitive"
        return f"{kind} complexity of {self.value} is over {self.threshold}."

    @property
    def hours(self) -> float:
        """The estimated hours to bring the function down to the threshold."""
        return (self.value - self.threshold) * _MINUTES_PER_POINT[self.severity] / 60

    @property
    def finding(self) -> CodeFinding:
        """This function as a finding."""
        function = self.measured.function
        return CodeFinding(
            self.rule,
            self.severity,
            f"{function.name}: {self.message}",
            self.measured.file,
            function.line,
            function.end_line,
            subject=function.name,
            properties={"value": self.value, "threshold": self.threshold},
            severity="high" if self.severity == "error" else "medium",
            minutes=60 * self.hours,
        )


@dataclass(frozen=True)
class ComplexityThresholds:
    """The complexity above which a function gets a warning, and above which it gets an error.

    The warning thresholds are McCabe's 10 for cyclomatic complexity ("A Complexity Measure", 1976, section
    VI) and, for cognitive complexity, 15, the default of SonarSource's rule S3776. The error thresholds are
    twice that, by convention.
    """

    cyclomatic: tuple[int, int] = (10, 20)
    cognitive: tuple[int, int] = (15, 30)

    @classmethod
    def of(cls, max_cyclomatic: int | None, max_cognitive: int | None) -> ComplexityThresholds:
        """Return the thresholds for the given error thresholds; None stands for the default."""
        return cls(
            cls.cyclomatic if max_cyclomatic is None else _with_warning(max_cyclomatic),
            cls.cognitive if max_cognitive is None else _with_warning(max_cognitive),
        )

    def excesses(self, functions: Iterable[FunctionComplexity]) -> list[ComplexityExcess]:
        """Return the functions above a threshold; a function above both thresholds is listed twice."""
        return [excess for function in functions for excess in self._excesses_of(function)]

    def _excesses_of(self, function: FunctionComplexity) -> Iterator[ComplexityExcess]:
        for rule, value, (warning, error) in (
            (CYCLOMATIC_RULE, function.cyclomatic, self.cyclomatic),
            (COGNITIVE_RULE, function.cognitive, self.cognitive),
        ):
            if value > error:
                yield ComplexityExcess("error", rule, value, error, function)
            elif value > warning:
                yield ComplexityExcess("warning", rule, value, warning, function)


def _with_warning(error: int) -> tuple[int, int]:
    """Return the warning threshold, by convention three quarters of the error threshold, and the latter."""
    return max(1, 3 * error // 4), error
