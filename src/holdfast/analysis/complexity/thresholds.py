"""The thresholds of complexity, and the functions above them, which are the findings of the analysis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from holdfast.analysis.complexity.function_complexity import FunctionComplexity
from holdfast.analysis.engine.code_finding import CodeFinding, FindingRule
from holdfast.analysis.rules import COGNITIVE_RULE, CYCLOMATIC_RULE

_MINUTES_PER_POINT = {"error": 30, "warning": 15}
"""The estimated minutes to lower a complexity by one: a convention, stated in docs/analysis.md."""


class ComplexityExcess(NamedTuple):
    """A function above one of its thresholds; above an error threshold, the warning threshold is ignored."""

    severity: Literal["error", "warning"]
    rule: FindingRule
    """Which of the two complexities is above its threshold."""
    value: int
    threshold: int
    measured: FunctionComplexity

    @property
    def message(self) -> str:
        kind = "Cyclomatic" if self.rule is CYCLOMATIC_RULE else "Cognitive"
        return f"{kind} complexity of {self.value} is over {self.threshold}."

    @property
    def hours(self) -> float:
        """The estimated hours to bring the function down to the threshold."""
        return (self.value - self.threshold) * _MINUTES_PER_POINT[self.severity] / 60

    @property
    def finding(self) -> CodeFinding:
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


class LevelThresholds(NamedTuple):
    """The largest values without a warning and without an error."""

    warning: int
    error: int

    @classmethod
    def below_error(cls, error: int) -> LevelThresholds:
        """Return the given error threshold, and by convention three quarters of it for warnings."""
        return cls(max(1, 3 * error // 4), error)


class ComplexityThresholds(NamedTuple):
    """The complexity above which a function gets a warning, and above which it gets an error.

    The warning thresholds are McCabe's 10 for cyclomatic complexity ("A Complexity Measure", 1976, section
    VI) and, for cognitive complexity, 15, the default of SonarSource's rule S3776. The error thresholds are
    twice that, by convention.
    """

    cyclomatic: LevelThresholds = LevelThresholds(warning=10, error=20)
    cognitive: LevelThresholds = LevelThresholds(warning=15, error=30)

    @classmethod
    def of(cls, max_cyclomatic: int | None, max_cognitive: int | None) -> ComplexityThresholds:
        """Return the thresholds for the given error thresholds; None stands for the default."""
        default = cls()
        return cls(
            default.cyclomatic if max_cyclomatic is None else LevelThresholds.below_error(max_cyclomatic),
            default.cognitive if max_cognitive is None else LevelThresholds.below_error(max_cognitive),
        )

    def excesses(self, functions: Iterable[FunctionComplexity]) -> list[ComplexityExcess]:
        """Return the functions above a threshold; one that is above those of both complexities, twice."""
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
