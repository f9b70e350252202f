"""`analyze_deep_context`: all analyses of a project in one document."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from posixpath import dirname
from typing import Any, Literal, get_args

from pydantic import Field, StrictFloat, model_validator

from holdfast import __version__
from holdfast.analysis.context.annotated_tree import file_tree
from holdfast.analysis.context.context_document import (
    CacheStats,
    DeepContext,
    Format,
    Metadata,
    defect_summary,
)
from holdfast.analysis.context.context_html import context_html
from holdfast.analysis.context.context_text import context_text
from holdfast.analysis.context.correlation import correlation
from holdfast.analysis.context.hotspots import hotspots
from holdfast.analysis.context.provenance import Provenance, provenance_of
from holdfast.analysis.context.recommendations import recommendations
from holdfast.analysis.context.scorecard import Scorecard, scorecard
from holdfast.analysis.context.sections import deep_context_components
from holdfast.analysis.engine.analysis_run import AnalysisRun, run_analyses
from holdfast.analysis.engine.duration import Duration
from holdfast.analysis.engine.scan import CacheStrategy, Project, Scan
from holdfast.analysis.engine.scope import NOT_OFFLINE, RunOptions
from holdfast.analysis.graph.dependency_graph import DagType
from holdfast.analysis.render.sarif import sarif, sarif_text
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools import arguments
from holdfast.analysis.toolset import analyze
from holdfast.analysis.trend.headline import scorecard_numbers
from holdfast.analysis.trend.trend_point import TrendPoint, recorded_point
from holdfast.kernel.clock import rfc3339
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.models import AtMost, Input, Integer
from holdfast.kernel.operation import Effect
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.project_files import checked_project

AnalysisName = Literal["ast", "complexity", "churn", "dag", "dead-code", "satd", "defect-probability"]

_FORMER_ANALYSIS_NAMES = {
    "dead_code": "dead-code",
    "defect_probability": "defect-probability",
    "tdg": "defect-probability",
}
_FORMER_ARGUMENT_NAMES = {"include_pattern": "include_patterns", "exclude_pattern": "exclude_patterns"}
_TREE_NODES_PER_ENTRY = 6
"""The tree may have this many times as many files and folders as other lists have entries: a judgement, as an
entry of the tree is one line, and those of other lists are several."""
_DEFAULT_PERIOD_DAYS = 30
"""A judgement: what changed in the last month is likely to change again soon."""


class AnalyzeDeepContext(Input):
    """The files, the analyses, and the format."""

    project_path: str = Field(default=".", description="A folder or file, from the root of the repository.")
    include_analyses: list[AnalysisName] | None = Field(
        default=None, min_length=1, description="Only these analyses."
    )
    exclude_analyses: list[AnalysisName] = Field(default=[], description="Analyses to leave out.")
    period_days: StrictFloat = Field(
        default=_DEFAULT_PERIOD_DAYS, ge=1, le=36_500, description="Days of churn to HEAD's newest commit."
    )
    dag_type: DagType = Field(default="import-graph", description="Edges of the dependency graph.")
    max_depth: AtMost | None = Field(
        default=None, ge=0, le=1000, description="Levels of subfolders; 0 for none."
    )
    include_patterns: list[str] = Field(default=[], description="Only files that match, such as src/**/*.rs.")
    exclude_patterns: list[str] = Field(default=[], description="No files that match.")
    cache_strategy: CacheStrategy = Field(
        default="normal",
        description="normal reads changed files, force-refresh all files, offline only the cache.",
    )
    parallel: AtMost | None = Field(default=None, ge=1, le=64, description="Maximum number of processes.")
    format: Format = Field(default="markdown", description="Format of the text.")
    limit: Integer = Field(default=10, ge=1, le=1000, description="Maximum entries of each list.")
    since: arguments.Revision | None = Field(
        default=None, description="Only findings that are new or worse since this commit, branch or tag."
    )
    diff: arguments.ForkRevision = None

    @model_validator(mode="before")
    @classmethod
    def _accept_former_names(cls, values: Any) -> Any:
        """Accept the names of arguments and analyses that clients of earlier programs send.

        An argument with a former name may be a single pattern instead of a list.
        """
        if not isinstance(values, dict):
            return values
        renamed: dict[str, Any] = {}
        for name, value in values.items():
            is_single = name in _FORMER_ARGUMENT_NAMES and isinstance(value, str)
            renamed[_FORMER_ARGUMENT_NAMES.get(name) or name] = [value] if is_single else value
        if len(renamed) < len(values):
            raise InvalidArguments(
                "Patterns are given by two names.", hint="Use include_patterns and exclude_patterns."
            )
        for name in ("include_analyses", "exclude_analyses"):
            analyses = renamed.get(name)
            if isinstance(analyses, list | tuple):
                renamed[name] = [
                    _FORMER_ANALYSIS_NAMES.get(analysis, analysis) if isinstance(analysis, str) else analysis
                    for analysis in analyses
                ]
        return renamed


_DETAILS = (
    "file_tree.root.children",
    "analyses.ast_contexts",
    "analyses.dependency_graph.mermaid",
    "analyses.dependency_graph.edges",
    "analyses.dependency_graph.nodes",
)
"""Four fifths of a typical result, and what other tools answer for a single file or question."""


@analyze.operation(
    "analyze_deep_context",
    title="Analyze deep context",
    effect=Effect.READ,
    command="context",
    example="holdfast analyze context src --include-analyses complexity --include-analyses churn",
    **arguments.project_options(
        context_text, sarif=lambda result: sarif_text(result.sarif or {}), html=context_html
    )
    | {"listed": True, "report_formats": ("markdown",), "details": _DETAILS},
)
def analyze_deep_context(room: Analysis, args: AnalyzeDeepContext) -> DeepContext:
    """Combine all analyses of a project: scorecard, files to improve, recommendations, annotated file tree.

    Every number is measured, or null with a reason; test coverage comes from reports.
    """
    timestamp, started = room.clock(), time.monotonic()
    analyses, options = _selected_analyses(args), _run_options(room, args)
    components = deep_context_components(args.limit, args.dag_type)
    run = run_analyses(room, options, {name: components[name] for name in analyses})
    measured, project = run.measured, options.project
    all_hotspots = hotspots(measured)
    scores = {hotspot.location.file: hotspot.composite_score for hotspot in all_hotspots}
    provenance, no_provenance_reason = _provenance(room, options, run.scan, args.limit)
    quality = scorecard(measured, run.coverage.reason)
    folder = dirname(project.path) if project.path in run.scan.files else project.path
    result = DeepContext(
        **run.scan.counts.wire(),
        format=args.format,
        metadata=Metadata(
            generated_at=rfc3339(timestamp),
            tool_version=__version__,
            project_root=project.path or ".",
            analyses=list(analyses),
            period_days=args.period_days,
            cache_strategy=args.cache_strategy,
            cache_stats=_cache_stats(run.scan),
            compared_with=None if options.base is None else options.base.commit,
            analysis_duration=Duration.since(started),
            trend=_recorded_point(room, options, analyses, run.scan, quality),
        ),
        quality_scorecard=quality,
        defect_summary=defect_summary(measured),
        hotspots=all_hotspots[: args.limit],
        total_hotspots=len(all_hotspots),
        recommendations=recommendations(measured),
        defect_correlation=correlation(measured, args.limit),
        coverage=run.coverage.summary,
        template_provenance=provenance,
        template_provenance_reason=no_provenance_reason,
        analyses=run.sections,
        failures=dict(run.failures),
        file_tree=file_tree(measured, folder, scores, _TREE_NODES_PER_ENTRY * args.limit),
    )
    if args.format == "sarif":
        return result.model_copy(update={"sarif": _sarif(run, result, arguments.document_limit(args))})
    return result


def _selected_analyses(args: AnalyzeDeepContext) -> tuple[str, ...]:
    included: Iterable[str] = args.include_analyses or get_args(AnalysisName)
    selected = tuple(
        name for name in get_args(AnalysisName) if name in included and name not in args.exclude_analyses
    )
    if not selected:
        raise InvalidArguments("No analysis is selected.", hint="Exclude fewer analyses.")
    return selected


def _run_options(room: Analysis, args: AnalyzeDeepContext) -> RunOptions:
    base = arguments.requested_base(room, args.since, args.diff)
    if base is not None and args.cache_strategy == "offline":
        raise InvalidArguments(
            "An offline analysis cannot be compared with a commit.",
            hint=f"{NOT_OFFLINE.capitalize()}; use another cache_strategy.",
        )
    project = Project(
        checked_project(room.repository, args.project_path),
        tuple(args.include_patterns),
        tuple(args.exclude_patterns),
        args.max_depth,
    )
    return RunOptions(project, base, args.cache_strategy, args.parallel, period_days=args.period_days)


def _provenance(
    room: Analysis, options: RunOptions, scan: Scan, limit: int
) -> tuple[Provenance | None, str | None]:
    if options.strategy == "offline":
        return None, NOT_OFFLINE
    return provenance_of(Tree(room.repository), options.project.path, scan.files, limit)


def _recorded_point(
    room: Analysis, options: RunOptions, analyses: tuple[str, ...], scan: Scan, quality: Scorecard
) -> TrendPoint:
    """Return whether the numbers of a scan are recorded for the trend, and those of the scorecard too.

    With other arguments the numbers of the scorecard cannot be compared with those recorded before.
    """
    if options.strategy == "offline":
        return TrendPoint(kept=False, commit=None, reason=NOT_OFFLINE)
    is_comparable = (
        analyses == get_args(AnalysisName)
        and options.period_days == _DEFAULT_PERIOD_DAYS
        and options.base is None
    )
    return recorded_point(room, options.project, scan, scorecard_numbers(quality) if is_comparable else {})


def _cache_stats(scan: Scan) -> CacheStats:
    looked_up = scan.hits + scan.misses
    rate = round(scan.hits / looked_up, 3) if looked_up else None
    return CacheStats(hits=scan.hits, misses=scan.misses, hit_rate=rate)


def _sarif(run: AnalysisRun, result: DeepContext, limit: int | None) -> dict[str, Any]:
    findings = run.measured.findings
    notes = [f"{name} failed: {reason}" for name, reason in run.failures.items()]
    notes += [
        f"{name} was not measured: {reason}" for name, reason in result.quality_scorecard.not_measured.items()
    ]
    quality: Mapping[str, Any] = result.quality_scorecard.wire()
    return sarif(
        findings[:limit],
        total=len(findings),
        properties={
            "overall_health_score": quality["overall_health"],
            "technical_debt_hours": quality["technical_debt_hours"],
            "cache_hit_rate": result.metadata.cache_stats.hit_rate,
            **run.scan.counts.model_dump(),
        },
        notes=notes,
    )
