"""`analyze_comprehensive`: duplicates, dead code, defects, complexity and technical debt gradient in one
result."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from pydantic import Field, StrictBool, StrictFloat

from holdfast.analysis.comprehensive.components import ReportLimits
from holdfast.analysis.comprehensive.gradient import (
    PERIOD_DAYS,
    gradients,
    missing_components,
    project_gradient,
)
from holdfast.analysis.engine.analysis_run import AnalysisRun, run_analyses
from holdfast.analysis.engine.measurements import coverage_percent
from holdfast.analysis.engine.scan import FileCounts, Project
from holdfast.analysis.engine.scope import RunOptions
from holdfast.analysis.render.markdown import LEFT, RIGHT, escape, markdown_table
from holdfast.analysis.render.sarif import sarif, sarif_text
from holdfast.analysis.render.text_layout import skipped_files_line
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools import arguments
from holdfast.analysis.toolset import analyze
from holdfast.analysis.trend.headline import section_numbers
from holdfast.analysis.trend.trend_point import TrendPoint, recorded_point
from holdfast.kernel.clock import rfc3339
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.models import AtLeast, Integer, Output, count_field, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line, table
from holdfast.kernel.untrusted import UntrustedText, visible_in
from holdfast.storage.git.project_files import checked_project

ComprehensiveFormat = Literal["summary", "detailed", "json", "markdown", "sarif"]
SECTIONS = ("duplicates", "dead_code", "defects", "complexity", "tdg")
_ALWAYS_RUN = ("debt",)
"""It is fast, and the overview and the trend always have its number."""
_RUN_FOR_GRADIENT = ("churn",)

_DEFAULT_MIN_LINES = 10
"""The number that the specification gives."""
_DEFAULT_CONFIDENCE = 0.5
"""The minimum confidence by default: a judgement, as less is more likely wrong than right."""
_MAX_FRAGMENTS_SHOWN = 5
"""Fragments of a clone in the text of a result: a judgement, as more do not fit on a line or two."""
_SHARES = ("duplication", "mean_defect_probability")
"""Numbers of the overview that the text shows in percent."""
_METHOD = (
    "Each section is the analysis of its own tool, over one scan. Duplicates are exact and renamed clones."
    " The numbers of duplicates and dead code are those of their tools by default; lists leave out clones"
    " below `min_lines`, and dead code and predictions below the requested confidence. Files with fewer lines"
    " of code than `min_lines` are neither predicted nor graded."
    " docs/analysis.md has the formula of the gradient."
)


class AnalyzeComprehensive(arguments.ProjectInput):
    """The files, the sections, and the format."""

    format: ComprehensiveFormat = Field(default="summary", description="Format of the text.")
    include_duplicates: StrictBool = Field(default=True, description="Find duplicated code.")
    include_dead_code: StrictBool = Field(default=True, description="Find unused code.")
    include_defects: StrictBool = Field(default=True, description="Predict defects by file.")
    include_complexity: StrictBool = Field(default=True, description="Measure the complexity of functions.")
    include_tdg: StrictBool = Field(
        default=True, description="Grade files by the technical debt gradient, from the sections included."
    )
    confidence_threshold: StrictFloat = Field(
        default=_DEFAULT_CONFIDENCE,
        ge=0,
        le=1,
        description="Minimum confidence of predictions and dead code.",
    )
    min_lines: AtLeast = count_field(
        _DEFAULT_MIN_LINES,
        100_000,
        "Minimum lines of a clone that is listed, and of code in a file that is predicted or graded.",
    )
    include_patterns: list[str] = Field(default=[], description='Only files that match, such as "**/*.rs".')
    exclude_patterns: list[str] = Field(
        default=[], description='No files that match, such as "**/target/**".'
    )
    perf: StrictBool = Field(default=False, description="Report the time of each component.")
    executive_summary: StrictBool = Field(default=False, description="Only numbers, which is faster.")
    limit: Integer = count_field(10, 1000, "Maximum entries of each list.")

    @property
    def sections(self) -> tuple[str, ...]:
        return tuple(name for name in SECTIONS if getattr(self, f"include_{name}"))


class Overview(Output):
    """The numbers of all sections; null if a section is not included or failed."""

    files: int
    code_lines: int
    duplication: float | None = Field(
        description="Share of lines in exact and renamed clones, from 0 to 1, as in analyze_duplicates."
    )
    clone_classes: int | None = Field(description="Exact and renamed clones, including unlisted ones.")
    dead_code: int | None = Field(description="Of at least medium confidence, as in analyze_dead_code.")
    high_risk_files: int | None
    mean_defect_probability: float | None
    functions: int | None
    complexity_errors: int | None
    complexity_warnings: int | None
    debt_items: int | None = Field(description="Comments with a debt marker.")
    tdg: float | None = Field(description="From 0 to 5; higher is worse.")


class Performance(Output):
    """How long the analyses took."""

    total_ms: float
    files_per_second: float | None
    components_ms: dict[str, float] = Field(description="Run one after another; processes read the files.")


class Comprehensive(FileCounts):
    """The results of all sections. Lists are cut to `limit`, numbers are complete."""

    analysis_type: Literal["comprehensive"] = "comprehensive"
    format: ComprehensiveFormat
    project_path: UntrustedText
    timestamp: str
    summary: Overview
    results: dict[str, Any] = Field(description="The included sections.")
    failures: dict[str, UntrustedText] = Field(description="Failed analyses, with reasons.")
    trend: TrendPoint
    performance: Performance | None = optional("Only with `perf`.")
    method: str
    sarif: dict[str, Any] | None = optional("The findings as SARIF 2.1.0, in that format.")


def _clone_text(clone: Mapping[str, Any]) -> str:
    places = [f"{each['file']}:{each['line']}-{each['end_line']}" for each in clone["fragments"]]
    more = f", and {len(places) - _MAX_FRAGMENTS_SHOWN} more" if len(places) > _MAX_FRAGMENTS_SHOWN else ""
    return f"{clone['kind']}, {clone['similarity']:.2f}: {', '.join(places[:_MAX_FRAGMENTS_SHOWN])}{more}"


def _number_row(name: str, value: float | None) -> tuple[str, str]:
    label = "technical debt gradient, 0 to 5" if name == "tdg" else name.replace("_", " ")
    if value is None:
        return label, "not measured"
    return label, f"{value:.1%}" if name in _SHARES else f"{value:.12g}"


class _ShownList(NamedTuple):
    """The list of a section that the text shows."""

    key: str
    entry_text: Callable[[Mapping[str, Any]], str]


_SHOWN_LISTS: Mapping[str, _ShownList] = {
    "duplicates": _ShownList("classes", _clone_text),
    "dead_code": _ShownList("findings", "{confidence:.2f} {file}:{line} {kind} {name}".format_map),
    "defects": _ShownList("predictions", "{probability:.2f} {risk} {file}".format_map),
    "complexity": _ShownList("violations", "{file}:{line} {function}: {message}".format_map),
    "debt": _ShownList("items", "{severity} {file}:{line} {text}".format_map),
    "tdg": _ShownList("files", "{score:.2f} {level} {file}".format_map),
}


def _text(result: Comprehensive, width: int) -> str:
    lines = [table(_overview_rows(result), width, flexible=(0,))]
    for title, entries in _titled_lists(result):
        lines += ["", f"{title}:", *(f"  {entry}" for entry in entries)]
    return "\n".join([*lines, "", *_notes(result)]).rstrip()


def _markdown(result: Comprehensive) -> str:
    numbers = markdown_table(("Number", ""), _overview_rows(result), (LEFT, RIGHT))
    lines = ["# Comprehensive analysis", "", numbers]
    for title, entries in _titled_lists(result):
        lines += ["", f"## {title}", "", *(f"- {escape(entry)}" for entry in entries)]
    return "\n".join([*lines, "", *_notes(result)]).rstrip()


def _overview_rows(result: Comprehensive) -> list[tuple[str, str]]:
    return [_number_row(name, value) for name, value in result.summary]


def _titled_lists(result: Comprehensive) -> Iterator[tuple[str, list[str]]]:
    """Yield the title of each section that has a list, and its entries."""
    if result.format == "summary":
        return
    for name, section in result.results.items():
        key, entry_text = _SHOWN_LISTS[name]
        if key in section:  # an executive summary has no lists
            title = "Technical debt gradient" if name == "tdg" else name.replace("_", " ").capitalize()
            yield title, [one_line(entry_text(entry)) for entry in section[key]] or ["none"]


def _notes(result: Comprehensive) -> list[str]:
    """Return failures, skipped files, why the numbers are not recorded, and the time taken."""
    notes = [f"{name} failed: {reason}" for name, reason in result.failures.items()]
    if skipped := skipped_files_line(result):
        notes.append(skipped)
    if not result.trend.kept:
        notes.append(f"Not recorded for the trend: {result.trend.reason}.")
    if result.performance is not None:
        parts = ", ".join(f"{name} {ms:g} ms" for name, ms in result.performance.components_ms.items())
        notes.append(f"Took {result.performance.total_ms:g} ms: {parts}.")
    return [one_line(note) for note in notes]


def _sarif(run: AnalysisRun, result: Comprehensive, limit: int | None) -> dict[str, Any]:
    findings = run.measured.findings
    return sarif(
        findings[:limit],
        total=len(findings),
        properties={"summary": result.summary.wire(), **run.scan.counts.model_dump()},
        notes=[result.method, *_notes(result)],
    )


def _gradient_section(run: AnalysisRun, args: AnalyzeComprehensive) -> dict[str, Any]:
    files = gradients(run.measured, args.min_lines)
    whole = project_gradient(run.measured, files)
    rows = [
        {"file": path, "score": file.score, "level": file.level, "components": dict(file.components)}
        for path, file in files.items()
    ]
    levels = [row["level"] for row in rows]
    section: dict[str, Any] = visible_in({
        "score": whole.score,
        "level": whole.level,
        "components": dict(whole.components),
        "not_measured": missing_components(run.measured, whole),
        "by_level": {level: levels.count(level) for level in ("critical", "warning", "normal")},
        "files": rows[: args.limit],
    })  # fmt: skip
    return section


def _overview(run: AnalysisRun, results: Mapping[str, Mapping[str, Any]]) -> Overview:
    sections: defaultdict[str, Mapping[str, Any]] = defaultdict(dict, results)
    return Overview(
        files=len(run.scan.files),
        code_lines=sum(record.code_lines for record in run.scan.files.values()),
        duplication=sections["duplicates"].get("duplication"),
        clone_classes=sections["duplicates"].get("clone_classes"),
        dead_code=sections["dead_code"].get("total"),
        high_risk_files=sections["defects"].get("by_risk", {}).get("High"),
        mean_defect_probability=sections["defects"].get("mean_probability"),
        functions=sections["complexity"].get("total_functions"),
        complexity_errors=sections["complexity"].get("errors"),
        complexity_warnings=sections["complexity"].get("warnings"),
        debt_items=sections["debt"].get("total"),
        tdg=sections["tdg"].get("score"),
    )


def _recorded_point(
    room: Analysis,
    args: AnalyzeComprehensive,
    project: Project,
    run: AnalysisRun,
    results: Mapping[str, Mapping[str, Any]],
) -> TrendPoint:
    """Return whether the numbers of these results are recorded for the trend."""
    numbers = section_numbers(results)
    # With other arguments these numbers cannot be compared with those recorded before.
    other_files = args.min_lines != _DEFAULT_MIN_LINES
    if other_files or args.sections != SECTIONS:
        numbers.pop("tdg")
    if other_files or args.confidence_threshold != _DEFAULT_CONFIDENCE:
        numbers.pop("mean_defect_probability")
        numbers.pop("max_defect_probability")
    numbers["coverage"] = coverage_percent(run.measured.files.values())
    # Code is dead only if it is not used outside the project either.
    repository = room.scan(Project()) if project.path and numbers["dead_code"] is not None else None
    return recorded_point(room, project, run.scan, numbers, repository)


@analyze.operation(
    "analyze_comprehensive",
    title="Analyze comprehensively",
    effect=Effect.READ,
    command="comprehensive",
    example="holdfast analyze comprehensive src --format markdown",
    **arguments.project_options(
        _text, markdown=_markdown, sarif=lambda result: sarif_text(result.sarif or {})
    ),
)
def analyze_comprehensive(room: Analysis, args: AnalyzeComprehensive) -> Comprehensive:
    """Combine duplicates, dead code, defect prediction, complexity and technical debt gradient of a project.

    All sections share one scan of the files. A section that fails is listed in `failures`, without effect on
    the others. Values that were not measured are null.
    """
    timestamp, started = room.clock(), time.monotonic()
    if not args.sections:
        raise InvalidArguments("No section is included.", hint="Include at least one.")
    project = Project(
        checked_project(room.repository, args.project_path),
        tuple(args.include_patterns),
        tuple(args.exclude_patterns),
    )
    limits = ReportLimits(args.confidence_threshold, args.min_lines, args.limit, brief=args.executive_summary)
    analyses = (*args.sections, *_ALWAYS_RUN, *(_RUN_FOR_GRADIENT if args.include_tdg else ()))
    components = {name: component for name, component in limits.components().items() if name in analyses}
    options = RunOptions(project, concurrent=False, period_days=PERIOD_DAYS)
    run = run_analyses(room, options, components)
    results = dict(run.sections)
    if args.include_tdg:
        results["tdg"] = _gradient_section(run, args)
    point = _recorded_point(room, args, project, run, results)
    if args.executive_summary:
        results = {name: _without_lists(section) for name, section in results.items()}
    result = Comprehensive(
        **run.scan.counts.result_fields(project.path, args.format),
        timestamp=rfc3339(timestamp),
        summary=_overview(run, results),
        results=results,
        failures=dict(run.failures),
        trend=point,
        performance=_performance(run, time.monotonic() - started) if args.perf else None,
        method=_METHOD,
    )
    if args.format == "sarif":
        return result.model_copy(update={"sarif": _sarif(run, result, arguments.document_limit(args))})
    return result


def _without_lists(section: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in section.items() if not isinstance(value, list)}


def _performance(run: AnalysisRun, seconds: float) -> Performance:
    files = len(run.scan.files)
    return Performance(
        total_ms=round(1000 * seconds, 1),
        files_per_second=round(files / seconds, 1) if files else None,
        components_ms={name: round(1000 * duration, 1) for name, duration in sorted(run.seconds.items())},
    )
