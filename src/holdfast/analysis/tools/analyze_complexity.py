"""`analyze_complexity`: the complexity of a project's functions, and which are too complex."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import Literal

from pydantic import Field, StrictBool

from holdfast.analysis.complexity.complexity_report import (
    ComplexFunction,
    ComplexitySummary,
    ComplexityViolation,
    MeasuredFile,
    MeasuredFunction,
    RankedFile,
    TopFiles,
    complexity_report,
    hardest_functions,
    measured_file,
    violation_of,
)
from holdfast.analysis.complexity.function_complexity import ComplexityCounting, Dialect
from holdfast.analysis.complexity.thresholds import ComplexityThresholds
from holdfast.analysis.complexity.toolchain import AUTO, TOOLCHAINS, detect_toolchains, languages_of
from holdfast.analysis.engine.scan import Project
from holdfast.analysis.render.sarif import ResultWithFindings
from holdfast.analysis.render.text_layout import lines, skipped_files_line, tally
from holdfast.analysis.room import Analysis
from holdfast.analysis.rules import COMPLEXITY_RULES
from holdfast.analysis.tools import arguments
from holdfast.analysis.toolset import analyze
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import AtMost, Input, Integer, count_field, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import table
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.garbage_collection import without_garbage_collection
from holdfast.storage.git.project_files import checked_project

ComplexityFormat = Literal["summary", "detailed", "full", "json", "sarif"]
_DEFAULT_VIOLATIONS = 50
"""Violations and functions in a result by default: a judgement, about a screen of text."""
_MAX_FILES = 20
"""Files in a result: a judgement, about a screen of text."""
_MAX_COMPLEX_SHOWN = 5
"""The most complex functions in the text of a result: a judgement, so that its summary fits on a screen."""
_MAX_FILES_SHOWN = 10
"""Files in the text of a result: a judgement for the same reason."""
_METHOD = {
    "statements": "Cyclomatic: McCabe's, counting statements, like ruff's C901.",
    "extended": "Cyclomatic: McCabe's, also counting short-circuit operators, conditional expressions and"
    " comprehensions, like radon, gocyclo and eslint.",
}
_COGNITIVE = (
    " Cognitive: SonarSource's white paper, {recursion} the increment for recursion. Only functions"
    " with a body are counted. A violation is a value above its threshold."
    " Debt: 30 minutes per point above an error threshold, 15 above a warning threshold."
    " Maintainability: 171 - 5.2 ln(Halstead volume) - 0.23 extended complexity - 16.2 ln(lines of code),"
    " of the average function, scaled to 100."
)


class AnalyzeComplexity(Input):
    """The files, the counting method and the thresholds."""

    project_path: arguments.ProjectPath
    toolchain: str = Field(
        max_length=LIMITS.path_characters,
        description="`auto` for all languages, or one of: " + ", ".join(TOOLCHAINS) + ".",
    )
    format: ComplexityFormat = Field(
        default="summary",
        description="The format of the text; the data is the same. `full` equals `detailed`.",
    )
    max_cyclomatic: AtMost | None = Field(
        default=None,
        ge=1,
        description="An error above this, a warning above three quarters of it; 20 and 10 by default.",
    )
    max_cognitive: AtMost | None = Field(
        default=None,
        ge=1,
        description="An error above this, a warning above three quarters of it; 30 and 15 by default.",
    )
    top_files: AtMost | None = Field(
        default=None, ge=0, description="How many files to rank; 0 for all violations and their files."
    )
    limit: Integer = count_field(
        _DEFAULT_VIOLATIONS,
        LIMITS.complexity_functions,
        "The number of violations and functions to return, the worst first.",
    )
    dialect: Dialect = Field(
        default="statements",
        description="What cyclomatic complexity counts: statements only, or also operators and expressions.",
    )
    recursion: bool = Field(
        default=True, strict=True, description="Whether recursion adds to the cognitive complexity."
    )
    since: arguments.Revision | None = Field(
        default=None,
        description="Only functions that are new or more complex than in this commit, branch or tag.",
    )
    diff: arguments.ForkRevision = None
    fail_on_violation: StrictBool = Field(
        default=False,
        description="If a function exceeds an error threshold, mark the result as an error and exit with"
        " status 1.",
    )


class Complexity(ResultWithFindings):
    """The complexity of a project."""

    format: ComplexityFormat
    project_path: UntrustedText
    toolchain: str
    toolchain_detected: list[str] = Field(description="Toolchains with a marker file in the project.")
    languages: dict[str, int] = Field(description="The number of analysed files in each.")
    files_read_in_part: int = Field(description="Files with syntax errors, whose functions may be missing.")
    dialect: Dialect
    compared_with: str | None = Field(description="The base commit; null if all functions are counted.")
    thresholds: dict[str, dict[str, int]]
    method: str
    summary: ComplexitySummary
    violations: list[ComplexityViolation] = Field(description="The worst first.")
    violations_total: int
    most_complex: list[ComplexFunction]
    functions: list[MeasuredFunction] = Field(description="The hardest to understand first.")
    files: list[MeasuredFile] = Field(description=f"The {_MAX_FILES} with the highest score.")
    top_files: TopFiles | None = optional("Only if requested.")

    is_error: bool = Field(
        description="Whether a function exceeds an error threshold and `fail_on_violation` is set."
    )

    @property
    def exit_code(self) -> int:
        """1 if a function exceeds an error threshold and `fail_on_violation` is set."""
        return int(self.is_error)


def _text(result: Complexity, width: int) -> str:
    parts = ["# Complexity", _figures(result)]
    if result.top_files is not None:
        columns: tuple[str, ...] = ("rank", "score", "functions", "cyclomatic", "cognitive", "effort", "file")
        rows = [_ranked_cells(row) for row in result.top_files.rankings]
        parts.append("## Most complex files\n" + table([columns, *rows], width, flexible=(6,)))
    elif result.files:
        columns = ("functions", "lines", "cyclomatic", "cognitive", "maintainability", "file")
        rows = [_file_cells(row) for row in result.files[:_MAX_FILES_SHOWN]]
        parts.append("## Files\n" + table([columns, *rows], width, flexible=(5,)))
    if result.most_complex:
        rows = [
            (str(each.complexity), f"{each.file}:{each.line}", each.function)
            for each in result.most_complex[:_MAX_COMPLEX_SHOWN]
        ]
        parts.append("## Most complex functions\n" + table(rows, width, flexible=(1, 2)))
    if result.format in ("detailed", "full") and result.functions:
        columns = ("cyclomatic", "cognitive", "nesting", "parameters", "lines", "where", "function")
        rows = [_function_cells(row) for row in result.functions]
        parts.append("## Functions\n" + table([columns, *rows], width, flexible=(5, 6)))
    is_detailed = result.format in ("detailed", "full") or result.top_files is not None
    if result.violations and (is_detailed or result.compared_with is not None):
        parts.append("## Violations\n" + _violation_lines(result.violations))
    if len(result.violations) < result.violations_total:
        shown = f"{len(result.violations)} of {result.violations_total} violations"
        parts.append(f"{shown}; a higher limit shows more.")
    return "\n\n".join(filter(None, [*parts, result.method]))


def _figures(result: Complexity) -> str:
    summary, base = result.summary, result.compared_with
    return lines(
        f"Files: {result.files_analyzed} of {result.files_discovered}",
        "" if result.files_discovered else f"There are no source files for the toolchain {result.toolchain}.",
        skipped_files_line(result),
        _partly_read_files(result),
        f"Languages: {tally(result.languages)}" if result.languages else "",
        f"Compared with {base}: new or more complex functions" if base else "",
        f"Functions: {summary.total_functions}; lines of code in the files: {summary.lines_of_code}",
        _distribution_line(summary, "cyclomatic"),
        _distribution_line(summary, "cognitive"),
        f"Maintainability: {_number(summary.maintainability_index)}",
        f"Errors: {summary.errors}; warnings: {summary.warnings}",
        f"Debt: {summary.technical_debt_hours:g} hours",
    )


def _partly_read_files(result: Complexity) -> str:
    count = result.files_read_in_part
    return f"Partly read because of syntax errors: {count}" if count else ""


def _distribution_line(summary: ComplexitySummary, metric: str) -> str:
    median, p90, highest = (getattr(summary, f"{part}_{metric}") for part in ("median", "p90", "max"))
    if median is None:
        return f"{metric.capitalize()}: not measured, there are no functions"
    return f"{metric.capitalize()}: median {median:g}, 90 % at most {p90}, highest {highest}"


def _number(value: float | None) -> str:
    return "not measured" if value is None else f"{value:g}"


def _ranked_cells(row: RankedFile) -> tuple[str, ...]:
    figures = (row.rank, row.total_score, row.function_count, row.max_cyclomatic, row.avg_cognitive)
    return (*(f"{each:g}" for each in figures), f"{row.halstead_effort:.0f}", row.file)


def _file_cells(row: MeasuredFile) -> tuple[str, ...]:
    counts = map(str, (row.functions, row.lines_of_code, row.max_cyclomatic))
    return (*counts, f"{row.avg_cognitive:g}", _number(row.maintainability_index), row.path)


def _function_cells(row: MeasuredFunction) -> tuple[str, ...]:
    counts = (row.cyclomatic, row.cognitive, row.nesting, row.parameters, row.lines_of_code)
    return (*map(str, counts), f"{row.file}:{row.line}", row.function)


def _violation_lines(violations: list[ComplexityViolation]) -> str:
    ordered = sorted(violations, key=lambda each: (each.file, each.line, each.rule))
    lines = []
    for path, group in groupby(ordered, key=lambda each: each.file):
        lines.append(path)
        lines += [f"  {each.line}: {each.function}: {each.severity}: {each.message}" for each in group]
    return "\n".join(lines)


@analyze.operation(
    "analyze_complexity",
    title="Analyze complexity",
    effect=Effect.READ,
    command="complexity",
    example="holdfast analyze complexity src --toolchain python-uv --top-files 5",
    **arguments.project_options(_text, sarif=Complexity.sarif_text)
    | {
        "fill_in": lambda room, values: {"toolchain": AUTO} | arguments.fill_in_project(room, values),
        "command_defaults": arguments.PROJECT | {"toolchain": AUTO},
    },
)
@without_garbage_collection()
def analyze_complexity(room: Analysis, args: AnalyzeComplexity) -> Complexity:
    """Analyze code complexity: cyclomatic and cognitive complexity, Halstead effort, maintainability.

    Fifteen languages, function by function. With `since` or `diff` only functions that are new or became
    more complex are counted. With `fail_on_violation` the command exits with status 1 if one exceeds an error
    threshold.
    """
    project = Project(
        checked_project(room.repository, args.project_path), languages=languages_of(args.toolchain)
    )
    base = arguments.requested_base(room, args.since, args.diff)
    scan = room.scan(project, with_names=False)
    thresholds = ComplexityThresholds.of(args.max_cyclomatic, args.max_cognitive)
    report = complexity_report(scan.files, base, ComplexityCounting(args.dialect, args.recursion), thresholds)
    max_violations = len(report.excesses) if args.top_files == 0 else args.limit
    method = _METHOD[args.dialect] + _COGNITIVE.format(recursion="with" if args.recursion else "without")
    result = Complexity(
        **scan.counts.result_fields(project.path, args.format),
        toolchain=args.toolchain,
        toolchain_detected=detect_toolchains(project.path, (*scan.files, *scan.other_files)),
        languages=dict(sorted(Counter(record.language for record in scan.files.values()).items())),
        files_read_in_part=sum(record.syntax_error is not None for record in scan.files.values()),
        dialect=args.dialect,
        compared_with=None if base is None else base.commit,
        thresholds={name: levels._asdict() for name, levels in thresholds._asdict().items()},
        method=method,
        summary=report.summary,
        violations=[violation_of(each) for each in report.excesses[:max_violations]],
        violations_total=len(report.excesses),
        most_complex=report.most_complex(),
        functions=hardest_functions(report.counted, args.limit),
        files=[measured_file(row) for row in report.ranked_files[:_MAX_FILES]],
        is_error=args.fail_on_violation and report.summary.errors > 0,
        top_files=None if args.top_files is None else report.top_files(args.top_files),
    )
    return result.with_findings(
        report.findings[: None if args.top_files == 0 else arguments.document_limit(args)],
        rules=COMPLEXITY_RULES,
        total=len(report.findings),
        properties={"summary": result.summary.wire()},
        notes=[note for note in (method, _partly_read_files(result)) if note],
    )
