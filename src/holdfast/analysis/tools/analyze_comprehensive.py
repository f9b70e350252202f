"""`analyze_comprehensive`: duplicates, dead code, defects, complexity and the technical debt gradient."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Literal

from pydantic import Field, StrictBool, StrictFloat

from holdfast.analysis.comprehensive.components import CHURN_DAYS, Terms, components
from holdfast.analysis.comprehensive.gradient import gradients, missing, project_gradient
from holdfast.analysis.context.scorecard import covered_share
from holdfast.analysis.duplicates.clone import BLOCK_LINES
from holdfast.analysis.engine.analysis_run import Asked, Gathered, gather
from holdfast.analysis.engine.scan import FileCounts, Project
from holdfast.analysis.render.rules import RULES
from holdfast.analysis.render.sarif import sarif, sarif_text
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools import arguments
from holdfast.analysis.toolset import analyze
from holdfast.analysis.trend.headline import Metric
from holdfast.analysis.trend.point import TrendPoint, keep_point
from holdfast.kernel.clock import rfc3339
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.models import Integer, Output, count_field, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line, table
from holdfast.kernel.untrusted import UntrustedText, visible_in
from holdfast.storage.git.project_files import checked_project

ComprehensiveFormat = Literal["summary", "detailed", "json", "markdown", "sarif"]
SECTIONS = ("duplicates", "dead_code", "defects", "complexity", "tdg")
ALWAYS = ("debt",)
FOR_THE_GRADIENT = ("churn", "coupling")

_CONFIDENCE = 0.5
_SARIF_RESULTS = 4000
_PLACES = 5
_SHARES = ("duplication", "mean defect probability")
_METHOD = (
    "One scan, the analysers of the tools of each section. Findings of dead code and predictions of defects"
    " that are less sure than asked for are left out. The least number of lines is that of clones, and that"
    " of code in a file that is predicted or graded. Duplicates are exact and renamed ones."
    " The gradient is that of docs/analysis.md."
)


class AnalyzeComprehensive(arguments.ProjectInput):
    """What to look at, with what, and how to say it."""

    format: ComprehensiveFormat = Field(default="summary", description="How the text is written.")
    include_duplicates: StrictBool = Field(default=True, description="Look for duplicated code.")
    include_dead_code: StrictBool = Field(default=True, description="Look for code that nothing uses.")
    include_defects: StrictBool = Field(default=True, description="Predict where defects are.")
    include_complexity: StrictBool = Field(default=True, description="Measure the complexity of functions.")
    include_tdg: StrictBool = Field(
        default=True, description="Grade files by the technical debt gradient, of what else is included."
    )
    confidence_threshold: StrictFloat = Field(
        default=_CONFIDENCE, ge=0, le=1, description="How sure predictions and dead code have to be."
    )
    min_lines: Integer = count_field(
        BLOCK_LINES, 100_000, "Least lines of a clone, and least lines of code of a file to predict or grade."
    )
    include_patterns: list[str] = Field(default=[], description='Only files like these, such as "**/*.rs".')
    exclude_patterns: list[str] = Field(
        default=[], description='No files like these, such as "**/target/**".'
    )
    perf: StrictBool = Field(default=False, description="Also tell how long each component took.")
    executive_summary: StrictBool = Field(default=False, description="Numbers alone, which is faster.")
    limit: Integer = count_field(10, 1000, "Most entries of each list.")

    @property
    def wanted(self) -> tuple[str, ...]:
        """Return the sections that are switched on."""
        return tuple(name for name in SECTIONS if getattr(self, f"include_{name}"))


class Overview(Output):
    """The numbers of all sections; null where one was switched off or could not be done."""

    files: int
    code_lines: int
    duplication: float | None = Field(description="The share of lines that are in a clone, from 0 to 1.")
    clone_classes: int | None
    dead_code: int | None = Field(description="Findings that are sure enough.")
    high_risk_files: int | None
    mean_defect_probability: float | None
    functions: int | None
    complexity_errors: int | None
    complexity_warnings: int | None
    debt_items: int | None = Field(description="Debts that comments admit by a marker.")
    tdg: float | None = Field(description="From 0 to 5; higher is worse.")


class Performance(Output):
    """How long it took."""

    total_ms: float
    files_per_second: float | None
    components_ms: dict[str, float] = Field(description="One after the other; files are read by processes.")


class Comprehensive(FileCounts):
    """What all analyses say. Lists are cut to `limit`; numbers are of everything."""

    analysis_type: Literal["comprehensive"] = "comprehensive"
    format: ComprehensiveFormat
    project_path: UntrustedText
    timestamp: str
    summary: Overview
    results: dict[str, Any] = Field(description="What each section says; only those that are switched on.")
    failures: dict[str, UntrustedText] = Field(description="Analyses that could not be done, and why.")
    trend: TrendPoint
    performance: Performance | None = optional("Where `perf` asked for it.")
    method: str
    sarif: dict[str, Any] | None = optional("The findings as SARIF 2.1.0, where that was the format.")


def _clone(one: Mapping[str, Any]) -> str:
    places = [f"{each['file']}:{each['line']}-{each['end_line']}" for each in one["fragments"]]
    more = f", and {len(places) - _PLACES} more" if len(places) > _PLACES else ""
    return f"{one['kind']}, {one['similarity']:.2f}: {', '.join(places[:_PLACES])}{more}"


def _said(name: str, value: float | None) -> tuple[str, str]:
    """Return a number of the overview as people read it."""
    name = "technical debt gradient, 0 to 5" if name == "tdg" else name.replace("_", " ")
    if value is None:
        return name, "not measured"
    return name, f"{value:.1%}" if name in _SHARES else f"{value:.12g}"


_LISTED: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], str]]] = {
    "duplicates": ("classes", _clone),
    "dead_code": (
        "findings",
        lambda it: f"{it['confidence']:.2f} {it['file']}:{it['line']} {it['kind']} {it['name']}",
    ),
    "defects": ("predictions", lambda it: f"{it['probability']:.2f} {it['risk']} {it['file']}"),
    "complexity": ("violations", lambda it: f"{it['file']}:{it['line']} {it['function']}: {it['message']}"),
    "debt": ("items", lambda it: f"{it['severity']} {it['file']}:{it['line']} {it['text']}"),
    "tdg": ("files", lambda it: f"{it['score']:.2f} {it['level']} {it['file']}"),
}
"""Which list of a section is shown, and how an entry of it is said."""


def _laid_out(result: Comprehensive, width: int) -> str:
    """Say the result in the format that was asked for."""
    if result.sarif is not None:
        return sarif_text(result.sarif)
    is_markdown = result.format == "markdown"
    rows = [_said(name, value) for name, value in result.summary]
    if is_markdown:
        lines = ["# Comprehensive analysis", "", "| Number | |", "| --- | ---: |"]
        lines += [f"| {name} | {value} |" for name, value in rows]
    else:
        lines = [table(rows, width, flexible=(0,))]
    for name, section in result.results.items() if result.format != "summary" else ():
        key, said = _LISTED[name]
        if key not in section:
            continue  # an executive summary lists nothing
        entries = [one_line(said(entry)) for entry in section[key]] or ["nothing"]
        title = "Technical debt gradient" if name == "tdg" else name.replace("_", " ").capitalize()
        lines += ["", f"## {title}", ""] if is_markdown else ["", f"{title}:"]
        lines += [f"- {_escaped(entry)}" if is_markdown else f"  {entry}" for entry in entries]
    return "\n".join([*lines, "", *_notes(result)]).rstrip()


def _escaped(text: str) -> str:
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>|#" else sign for sign in text)


def _notes(result: Comprehensive) -> list[str]:
    """Return what the reader has to know."""
    notes = [f"{name} could not be done: {reason}" for name, reason in result.failures.items()]
    skipped = ", ".join(f"{count} {reason}" for reason, count in result.files_skipped.items())
    notes += [f"Files skipped: {skipped}."] if skipped else []
    notes += [] if result.trend.kept else [f"Not kept for the trend: {result.trend.reason}."]
    if result.performance is not None:
        parts = ", ".join(f"{name} {ms:g} ms" for name, ms in result.performance.components_ms.items())
        notes.append(f"Took {result.performance.total_ms:g} ms: {parts}.")
    return [one_line(note) for note in notes]


def _sarif(found: Gathered, result: Comprehensive) -> dict[str, Any]:
    findings = [issue.finding for issue in found.measured.issues]
    left = len(findings) - _SARIF_RESULTS
    notes = [result.method, *_notes(result)]
    notes += [f"{left} of {len(findings)} findings are left out."] if left > 0 else []
    used = {finding.rule for finding in findings}
    return sarif(
        [rule for rule in RULES if rule.id in used],
        findings[:_SARIF_RESULTS],
        properties={
            "summary": result.summary.wire(),
            **result.model_dump(include=set(FileCounts.model_fields)),
        },
        notes=notes,
    )


def _gradient(found: Gathered, args: AnalyzeComprehensive) -> dict[str, Any]:
    files = gradients(found.measured, args.min_lines)
    whole = project_gradient(found.measured, files)
    rows = [
        {"file": path, "score": one.score, "level": one.level, "components": dict(one.components)}
        for path, one in files.items()
    ]
    levels = [row["level"] for row in rows]
    section: dict[str, Any] = visible_in({
        "score": whole.score,
        "level": whole.level,
        "components": dict(whole.components),
        "not_measured": missing(found.measured, whole),
        "by_level": {level: levels.count(level) for level in ("critical", "warning", "normal")},
        "files": rows[: args.limit],
    })  # fmt: skip
    return section


def _overview(found: Gathered, results: Mapping[str, Mapping[str, Any]]) -> Overview:
    def number(section: str, name: str) -> Any:
        return results.get(section, {}).get(name)

    return Overview(
        files=len(found.scan.files),
        code_lines=sum(record.code_lines for record in found.scan.files.values()),
        duplication=number("duplicates", "duplication"),
        clone_classes=number("duplicates", "clone_classes"),
        dead_code=number("dead_code", "total"),
        high_risk_files=results["defects"]["by_risk"]["High"] if "defects" in results else None,
        mean_defect_probability=number("defects", "mean_probability"),
        functions=number("complexity", "total_functions"),
        complexity_errors=number("complexity", "errors"),
        complexity_warnings=number("complexity", "warnings"),
        debt_items=number("debt", "total"),
        tdg=number("tdg", "score"),
    )


def _point(
    room: Analysis,
    args: AnalyzeComprehensive,
    project: Project,
    found: Gathered,
    results: Mapping[str, Mapping[str, Any]],
) -> TrendPoint:
    more: dict[Metric, float | None] = {
        "dead_code": results.get("dead_code", {}).get("at_least_medium"),
        "mean_defect_probability": results.get("defects", {}).get("mean_probability"),
        "max_defect_probability": results.get("defects", {}).get("max_probability"),
        "coverage": covered_share(found.measured.files.values()),
    }
    if args.min_lines == BLOCK_LINES and args.wanted == SECTIONS:
        # Other terms make other numbers of the same names.
        more["duplication"] = results.get("duplicates", {}).get("duplication")
        more["tdg"] = None if found.failures else results["tdg"]["score"]
    # Uses elsewhere in the repository have a part in what is dead.
    whole = room.scan(Project()) if project.path and more["dead_code"] is not None else None
    return keep_point(room, project, found.scan, more, whole)


@analyze.operation(
    "analyze_comprehensive",
    title="Analyze comprehensively",
    effect=Effect.READ,
    command="comprehensive",
    example="holdfast analyze comprehensive src --format markdown",
    **arguments.of_project(_laid_out),
)
def analyze_comprehensive(room: Analysis, args: AnalyzeComprehensive) -> Comprehensive:
    """Combine duplicates, dead code, defect prediction, complexity and technical debt gradient of a project.

    All sections come from one reading of the files; one that fails is named in `failures`, and the others
    stand. What was not measured is null.
    """
    began, started = room.clock(), time.monotonic()
    if not args.wanted:
        raise InvalidArguments("Every section is switched off.", hint="Leave one of them on.")
    project = Project(
        checked_project(room.repository, args.project_path),
        tuple(args.include_patterns),
        tuple(args.exclude_patterns),
    )
    parts = (*args.wanted, *ALWAYS, *(FOR_THE_GRADIENT if args.include_tdg else ()))
    asked = Asked(project, parts, CHURN_DAYS, "import-graph", "normal", None, args.limit, one_by_one=True)
    terms = Terms(args.confidence_threshold, args.min_lines, args.executive_summary)
    found = gather(room, asked, components(terms))
    results = dict(found.sections)
    if args.include_tdg:
        results["tdg"] = _gradient(found, args)
    point = _point(room, args, project, found, results)
    if args.executive_summary:
        results = {name: _numbers(section) for name, section in results.items()}
    result = Comprehensive(
        **found.scan.counts.of(project.path, args.format),
        timestamp=rfc3339(began),
        summary=_overview(found, results),
        results=results,
        failures=dict(found.failures),
        trend=point,
        performance=_performance(found, time.monotonic() - started) if args.perf else None,
        method=_METHOD,
    )
    return result if args.format != "sarif" else result.model_copy(update={"sarif": _sarif(found, result)})


def _numbers(section: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in section.items() if not isinstance(value, list)}


def _performance(found: Gathered, seconds: float) -> Performance:
    files = len(found.scan.files)
    return Performance(
        total_ms=round(1000 * seconds, 1),
        files_per_second=round(files / seconds, 1) if files else None,
        components_ms={name: round(1000 * spent, 1) for name, spent in sorted(found.spent.items())},
    )
