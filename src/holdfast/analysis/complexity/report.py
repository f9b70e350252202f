"""What an answer about complexity holds: figures of the whole, violations, hot spots, files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import nsmallest
from typing import Literal

from pydantic import Field

from holdfast.analysis.complexity.measure import FileMeasure, Measure, maintainability, spread
from holdfast.analysis.complexity.thresholds import Violation
from holdfast.kernel.models import Output
from holdfast.kernel.untrusted import UntrustedText
from holdfast.syntax.record import Record

HOTSPOTS = 10
"""How many of the most complex functions an answer holds."""


class ComplexitySummary(Output):
    """What the functions add up to; null where there are none."""

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


class Hotspot(Output):
    """One of the most complex functions."""

    file: UntrustedText
    function: UntrustedText
    line: int
    complexity: int
    complexity_type: str


class MeasuredFunction(Output):
    """The figures of a function."""

    file: UntrustedText
    function: UntrustedText
    line: int
    end_line: int
    cyclomatic: int
    cognitive: int
    recursive: bool = Field(description="Whether it calls itself, directly or through others of its file.")
    nesting: int
    parameters: int
    lines_of_code: int
    halstead_effort: float


class MeasuredFile(Output):
    """The figures of a file."""

    path: UntrustedText
    functions: int
    lines_of_code: int
    max_cyclomatic: int
    avg_cognitive: float
    maintainability_index: float | None


class RankedFile(Output):
    """A file with its place among the others."""

    rank: int
    file: UntrustedText
    function_count: int
    max_cyclomatic: int
    avg_cognitive: float
    halstead_effort: float = Field(description="Difficulty times volume, of all its functions.")
    total_score: float


class TopFiles(Output):
    """The most complex files."""

    requested: int
    returned: int
    rankings: list[RankedFile]


def summary_of(
    files: Mapping[str, Record], found: Sequence[Measure], violations: Sequence[Violation]
) -> ComplexitySummary:
    """Return what functions add up to."""
    cyclomatic = spread(each.cyclomatic for each in found)
    cognitive = spread(each.cognitive for each in found)
    severities = Counter(each.severity for each in violations)
    return ComplexitySummary(
        total_files=len(files),
        total_functions=len(found),
        lines_of_code=sum(record.code_lines for record in files.values()),
        median_cyclomatic=cyclomatic.median,
        median_cognitive=cognitive.median,
        max_cyclomatic=cyclomatic.highest,
        max_cognitive=cognitive.highest,
        p90_cyclomatic=cyclomatic.p90,
        p90_cognitive=cognitive.p90,
        errors=severities["error"],
        warnings=severities["warning"],
        technical_debt_hours=round(sum(each.hours for each in violations), 2),
        maintainability_index=maintainability(found),
    )


def violation_of(each: Violation) -> ComplexityViolation:
    """Return a violation as answers show it."""
    return ComplexityViolation(
        severity=each.severity,
        rule=each.rule,
        message=each.message,
        value=each.value,
        threshold=each.threshold,
        file=each.measure.file,
        line=each.measure.function.line,
        function=each.measure.function.name,
    )


def hotspots_of(found: Sequence[Measure], above: int) -> list[Hotspot]:
    """Return the most complex functions above a threshold, the worst first."""
    worst = sorted(
        (each for each in found if each.cyclomatic > above),
        key=lambda each: (-each.cyclomatic, each.file, each.function.line),
    )
    return [
        Hotspot(
            file=each.file,
            function=each.function.name,
            line=each.function.line,
            complexity=each.cyclomatic,
            complexity_type="cyclomatic",
        )
        for each in worst[:HOTSPOTS]
    ]


def top_files_of(requested: int, ranked: Sequence[FileMeasure], violations: Sequence[Violation]) -> TopFiles:
    """Rank as many files as requested; for none, those with violations."""
    blamed = {each.measure.file for each in violations}
    chosen = ranked[:requested] if requested else [row for row in ranked if row.path in blamed]
    rankings = [
        RankedFile(
            rank=rank,
            file=row.path,
            function_count=row.functions,
            max_cyclomatic=row.max_cyclomatic,
            avg_cognitive=row.avg_cognitive,
            halstead_effort=round(sum(each.function.effort for each in row.measures), 2),
            total_score=row.total_score,
        )
        for rank, row in enumerate(chosen, 1)
    ]
    return TopFiles(requested=requested, returned=len(rankings), rankings=rankings)


def functions_of(found: Sequence[Measure], most: int) -> list[MeasuredFunction]:
    """Return the figures of functions, the hardest to understand first."""
    order = lambda each: (-each.cognitive, -each.cyclomatic, each.file, each.function.line)  # noqa: E731
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
        for each in nsmallest(most, found, order)
    ]


def file_of(row: FileMeasure) -> MeasuredFile:
    """Return the figures of a file as answers show them."""
    figures = row._asdict()
    return MeasuredFile(maintainability_index=maintainability(figures.pop("measures")), **figures)
