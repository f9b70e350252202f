"""The report on complexity: functions, files, those above a threshold, and their summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import nsmallest
from typing import Any, ClassVar, Literal

from pydantic import Field

from holdfast.analysis.complexity.function_complexity import (
    ComplexityCounting,
    FileComplexity,
    FunctionComplexity,
    file_complexities,
    group_by_file,
    maintainability_index,
    summarize,
)
from holdfast.analysis.complexity.risk_profile import NO_RISK, risk_lines
from holdfast.analysis.complexity.thresholds import ComplexityExcess, ComplexityThresholds
from holdfast.analysis.engine.analysis_report import AnalysisReport
from holdfast.analysis.engine.base_commit import BaseCommit
from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.kernel.models import Output
from holdfast.kernel.untrusted import UntrustedText
from holdfast.syntax.record import Record

MAX_MOST_COMPLEX = 10
"""Functions listed as the most complex: a judgement, enough to start with and few enough for one screen."""
_COMPLEX_SHARES: Mapping[str, float] = {"error": 1.0, "warning": 0.5}
"""The share of a function's lines that counts as too complex, by severity: a convention, stated in
docs/analysis.md."""


class ComplexitySummary(Output):
    """Totals over all functions; null without functions."""

    total_files: int
    total_functions: int
    lines_of_code: int = Field(description="Without blank lines and comments.")
    median_cyclomatic: float | None
    median_cognitive: float | None
    max_cyclomatic: int | None
    max_cognitive: int | None
    p90_cyclomatic: int | None
    p90_cognitive: int | None
    errors: int
    warnings: int
    technical_debt_hours: float
    maintainability_index: float | None = Field(description="From 0 to 100.")


class ComplexityViolation(Output):
    """A function that is too complex."""

    severity: Literal["error", "warning"]
    rule: str
    message: str
    value: int
    threshold: int
    file: UntrustedText
    line: int
    function: UntrustedText


class ComplexFunction(Output):
    """One of the most complex functions."""

    file: UntrustedText
    function: UntrustedText
    line: int
    complexity: int
    complexity_type: str


class MeasuredFunction(Output):
    """The metrics of one function."""

    file: UntrustedText
    function: UntrustedText
    line: int
    end_line: int
    cyclomatic: int
    cognitive: int
    recursive: bool = Field(description="Whether it calls itself, directly or through functions of its file.")
    nesting: int
    parameters: int
    lines_of_code: int
    halstead_effort: float


class MeasuredFile(Output):
    """The metrics of one file."""

    path: UntrustedText
    functions: int
    lines_of_code: int
    max_cyclomatic: int
    avg_cognitive: float
    maintainability_index: float | None


class RankedFile(Output):
    """A file with its rank by total score."""

    rank: int
    file: UntrustedText
    function_count: int
    max_cyclomatic: int
    avg_cognitive: float
    halstead_effort: float = Field(description="Difficulty times volume, summed over its functions.")
    total_score: float


class TopFiles(Output):
    """The most complex files."""

    requested: int
    returned: int
    rankings: list[RankedFile]


@dataclass(frozen=True, eq=False)
class ComplexityReport(AnalysisReport):
    """The complexity of the functions in some files."""

    files: Mapping[str, Record]
    functions: Sequence[FunctionComplexity]
    """All functions, by file and line."""
    counted: Sequence[FunctionComplexity]
    """The functions that findings and totals are about: with a base, those that are new or more complex."""
    thresholds: ComplexityThresholds = field(default_factory=ComplexityThresholds)

    default_numbers: ClassVar[Mapping[str, Any]] = {
        "complex_lines": 0.0,
        "risk_lines": NO_RISK,
        "cyclomatic": 0,
        "cognitive": 0,
    }

    @cached_property
    def excesses(self) -> list[ComplexityExcess]:
        """The functions above a threshold: errors before warnings, then the costliest to simplify first."""
        return sorted(
            self.thresholds.excesses(self.counted),
            key=lambda each: (each.severity, -each.hours, each.measured.file, each.measured.function.line),
        )

    @property
    def costliest(self) -> list[ComplexityExcess]:
        """The functions above a threshold, the costliest to simplify first."""
        return sorted(
            self.excesses,
            key=lambda each: (-each.hours, each.measured.file, each.measured.function.line, each.rule.id),
        )

    @cached_property
    def findings(self) -> Sequence[CodeFinding]:
        return tuple(excess.finding for excess in self.excesses)

    def file_numbers(self) -> Mapping[str, Mapping[str, Any]]:
        weights: dict[FunctionComplexity, float] = {}
        for each in self.excesses:
            weights[each.measured] = max(_COMPLEX_SHARES[each.severity], weights.get(each.measured, 0.0))
        return {
            path: {
                "function_lines": sum(each.function.lines_of_code for each in group),
                "complex_lines": sum(weights.get(each, 0.0) * each.function.lines_of_code for each in group),
                "risk_lines": risk_lines(group),
                "cyclomatic": sum(each.cyclomatic for each in group),
                "cognitive": max(each.cognitive for each in group),
            }
            for path, group in group_by_file(self.functions).items()
        }

    @cached_property
    def ranked_files(self) -> list[FileComplexity]:
        return file_complexities(self.files, self.counted)

    @property
    def summary(self) -> ComplexitySummary:
        cyclomatic = summarize(each.cyclomatic for each in self.counted)
        cognitive = summarize(each.cognitive for each in self.counted)
        severities = Counter(each.severity for each in self.excesses)
        return ComplexitySummary(
            total_files=len(self.files),
            total_functions=len(self.counted),
            lines_of_code=sum(record.code_lines for record in self.files.values()),
            median_cyclomatic=cyclomatic.median,
            median_cognitive=cognitive.median,
            max_cyclomatic=cyclomatic.highest,
            max_cognitive=cognitive.highest,
            p90_cyclomatic=cyclomatic.p90,
            p90_cognitive=cognitive.p90,
            errors=severities["error"],
            warnings=severities["warning"],
            technical_debt_hours=round(sum(each.hours for each in self.excesses), 2),
            maintainability_index=maintainability_index(self.counted),
        )

    def most_complex(self) -> list[ComplexFunction]:
        """Return the functions above the warning threshold of cyclomatic complexity, the highest first."""
        above = [each for each in self.counted if each.cyclomatic > self.thresholds.cyclomatic.warning]
        above.sort(key=lambda each: (-each.cyclomatic, each.file, each.function.line))
        return [
            ComplexFunction(
                file=each.file,
                function=each.function.name,
                line=each.function.line,
                complexity=each.cyclomatic,
                complexity_type="cyclomatic",
            )
            for each in above[:MAX_MOST_COMPLEX]
        ]

    def top_files(self, requested: int) -> TopFiles:
        """Rank the requested number of files; 0 stands for all files with a function above a threshold."""
        if requested:
            chosen = self.ranked_files[:requested]
        else:
            above = {each.measured.file for each in self.excesses}
            chosen = [row for row in self.ranked_files if row.path in above]
        rankings = [
            RankedFile(
                rank=rank,
                file=row.path,
                function_count=row.function_count,
                max_cyclomatic=row.max_cyclomatic,
                avg_cognitive=row.avg_cognitive,
                halstead_effort=round(sum(each.function.effort for each in row.functions), 2),
                total_score=row.total_score,
            )
            for rank, row in enumerate(chosen, 1)
        ]
        return TopFiles(requested=requested, returned=len(rankings), rankings=rankings)


def complexity_report(
    files: Mapping[str, Record],
    base: BaseCommit | None = None,
    counting: ComplexityCounting | None = None,
    thresholds: ComplexityThresholds | None = None,
) -> ComplexityReport:
    """Report on files; with a base, only functions that are new or more complex than there are counted."""
    counting = counting or ComplexityCounting()
    functions = counting.measure_files(files)
    counted = functions if base is None else counting.increased_functions(files, base)
    return ComplexityReport(files, functions, counted, thresholds or ComplexityThresholds())


def violation_of(each: ComplexityExcess) -> ComplexityViolation:
    """Return a function above a threshold as it is in results."""
    return ComplexityViolation(
        severity=each.severity,
        rule=each.rule.id,
        message=each.message,
        value=each.value,
        threshold=each.threshold,
        file=each.measured.file,
        line=each.measured.function.line,
        function=each.measured.function.name,
    )


def hardest_functions(functions: Sequence[FunctionComplexity], limit: int) -> list[MeasuredFunction]:
    """Return the metrics of at most `limit` functions, the hardest to understand first."""
    hardest = nsmallest(
        limit, functions, key=lambda each: (-each.cognitive, -each.cyclomatic, each.file, each.function.line)
    )
    return [
        MeasuredFunction(
            file=each.file,
            function=each.function.name,
            line=each.function.line,
            end_line=each.function.end_line,
            cyclomatic=each.cyclomatic,
            cognitive=each.cognitive,
            recursive=each.function.recursive,
            nesting=each.function.nesting,
            parameters=each.function.parameters,
            lines_of_code=each.function.lines_of_code,
            halstead_effort=round(each.function.effort, 2),
        )
        for each in hardest
    ]


def measured_file(row: FileComplexity) -> MeasuredFile:
    """Return a file as it is in results."""
    return MeasuredFile(
        path=row.path,
        functions=row.function_count,
        lines_of_code=row.lines_of_code,
        max_cyclomatic=row.max_cyclomatic,
        avg_cognitive=row.avg_cognitive,
        maintainability_index=maintainability_index(row.functions),
    )
