"""Complexity thresholds, and the functions above them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from holdfast.analysis.complexity.function_complexity import FunctionComplexity
from holdfast.analysis.engine.code_finding import CodeFinding, FindingRule
from holdfast.analysis.rules import COGNITIVE_RULE, CYCLOMATIC_RULE

MINUTES_PER_POINT = {"error": 30, "warning": 15}
"""The estimated minutes to lower the complexity of a function by one: a convention, stated in
docs/analysis.md."""


class ComplexityExcess(NamedTuple):
    """A function above a threshold."""

    severity: Literal["error", "warning"]
    rule: FindingRule
    value: int
    threshold: int
    measured: FunctionComplexity

    @property
    def message(self) -> str:
        """What is wrong, in a sentence."""
        kind = "Cyclomatic" if self.rule is CYCLOMATIC_RULE else "Cognitive"
        return f"{kind} complexity of {self.value} is over {self.threshold}."

    @property
    def hours(self) -> float:
        """The estimated hours to bring the function down to the threshold."""
        return (self.value - self.threshold) * MINUTES_PER_POINT[self.severity] / 60

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
    """The values above which a function gets a warning or an error.

    Cyclomatic 10: McCabe, "A Complexity Measure" (1976), section VI; cognitive 15: the default of
    SonarSource's rule S3776. By default an error threshold is twice the warning threshold, by convention.
    """

    cyclomatic: tuple[int, int] = (10, 20)
    cognitive: tuple[int, int] = (15, 30)

    @classmethod
    def of(cls, max_cyclomatic: int | None, max_cognitive: int | None) -> ComplexityThresholds:
        """Use the given values for errors, and three quarters of them, a convention, for warnings."""
        return cls(
            cls.cyclomatic if max_cyclomatic is None else (max(1, 3 * max_cyclomatic // 4), max_cyclomatic),
            cls.cognitive if max_cognitive is None else (max(1, 3 * max_cognitive // 4), max_cognitive),
        )

    def excesses(self, functions: Iterable[FunctionComplexity]) -> list[ComplexityExcess]:
        """Return the functions above a threshold; one above both is listed twice."""
        (cyclomatic, _), (cognitive, _) = self.cyclomatic, self.cognitive
        above = [each for each in functions if each.cyclomatic > cyclomatic or each.cognitive > cognitive]
        return [excess for function in above for excess in self._excesses(function)]

    def _excesses(self, function: FunctionComplexity) -> Iterator[ComplexityExcess]:
        for rule, value, (warning, error) in (
            (CYCLOMATIC_RULE, function.cyclomatic, self.cyclomatic),
            (COGNITIVE_RULE, function.cognitive, self.cognitive),
        ):
            if value > error:
                yield ComplexityExcess("error", rule, value, error, function)
            elif value > warning:
                yield ComplexityExcess("warning", rule, value, warning, function)
