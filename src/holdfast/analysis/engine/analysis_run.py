"""Runs several analyses over one scan, concurrently, and combines their reports.

Contract: results are combined in a fixed order, so they do not depend on threads or processes. An analysis
that fails is listed with the reason, and the others are unaffected.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from holdfast.analysis import reports
from holdfast.analysis.coverage.coverage_report import CoverageReport
from holdfast.analysis.engine.analysis_report import AnalysisReport
from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.engine.measurements import FileMeasurements, ProjectMeasurements
from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.engine.scope import NOT_OFFLINE, AnalysisScope, RunOptions
from holdfast.analysis.engine.stages import Stages
from holdfast.analysis.room import Analysis
from holdfast.kernel.dispatch.failures import holdfast_error
from holdfast.kernel.errors import Cancelled, DeadlineExceeded, HoldfastError
from holdfast.storage.garbage_collection import without_garbage_collection

Result = TypeVar("Result")
Report = TypeVar("Report", bound=AnalysisReport)


@dataclass(frozen=True)
class Component(Generic[Report]):
    """One analysis of a combined document: how to compute its report, and the sections that show it."""

    report: Callable[[AnalysisScope], Report]
    sections: Callable[[Report, AnalysisScope], Mapping[str, Any]]
    """Returns sections of the document, as JSON, by name."""
    findings: Callable[[Report, AnalysisScope], Iterable[CodeFinding]] = lambda report, _: report.findings
    """Returns the findings of the report that the document counts; by default all."""


Components = Mapping[str, Component[Any]]
"""The analyses of a document by name, in the order of its sections."""


@dataclass(frozen=True)
class ComponentResult:
    """What one analysis contributes to a combined document."""

    report: AnalysisReport
    sections: Mapping[str, Any]
    findings: tuple[CodeFinding, ...]


class AnalysisFailure(NamedTuple):
    """What there is instead of the result of an analysis that failed."""

    reason: str


@dataclass(frozen=True)
class AnalysisRun:
    """The reports of several analyses, combined."""

    scan: Scan
    results: Mapping[str, ComponentResult]
    measured: ProjectMeasurements
    coverage: CoverageReport
    failures: Mapping[str, str]
    """The reasons by analysis."""
    seconds: Mapping[str, float]
    """How long each stage took, concurrent ones included."""

    @property
    def sections(self) -> dict[str, Any]:
        """The sections of all analyses, in order."""
        sections: dict[str, Any] = {}
        for result in self.results.values():
            sections |= result.sections
        return sections


@without_garbage_collection()
def run_analyses(room: Analysis, options: RunOptions, components: Components) -> AnalysisRun:
    """Run analyses over one scan of a project; test coverage is always among them."""
    stages = Stages(len(components) + 2)  # the scan and coverage are stages too
    scope = stages.run("files", partial(AnalysisScope.of, room, options))
    work = {
        name: partial(attempt, partial(_component_result, component, scope))
        for name, component in components.items()
    }
    threads = (options.parallel or os.cpu_count() or 1) if options.concurrent else 1
    outcomes = stages.run_concurrently(work, threads)
    results = {name: outcome for name, outcome in outcomes.items() if isinstance(outcome, ComponentResult)}
    failures = {
        name: outcome.reason for name, outcome in outcomes.items() if isinstance(outcome, AnalysisFailure)
    }
    coverage = stages.run("coverage", partial(_coverage, scope))
    measured = _measurements(scope, results, coverage, failures)
    return AnalysisRun(scope.scan, results, measured, coverage, failures, stages.seconds)


def attempt(analysis: Callable[[], Result]) -> Result | AnalysisFailure:
    """Return the result of an analysis, or its failure; raise only if the call should stop."""
    try:
        return analysis()
    except (Cancelled, DeadlineExceeded):
        raise
    except HoldfastError as failure:
        return AnalysisFailure(failure.message)
    except Exception as failure:
        return AnalysisFailure(holdfast_error(failure).message)


def _component_result(component: Component[Report], scope: AnalysisScope) -> ComponentResult:
    report = component.report(scope)
    return ComponentResult(
        report, component.sections(report, scope), tuple(component.findings(report, scope))
    )


def _coverage(scope: AnalysisScope) -> CoverageReport:
    if scope.options.strategy == "offline":
        return CoverageReport(reason_without_reports=NOT_OFFLINE)
    return reports.coverage(scope)


def _measurements(
    scope: AnalysisScope,
    results: Mapping[str, ComponentResult],
    coverage: CoverageReport,
    failures: Mapping[str, str],
) -> ProjectMeasurements:
    """Combine the measurements of all reports by file."""
    reports = [*(result.report for result in results.values()), coverage]
    numbers = [(report.file_numbers(), report.default_numbers) for report in reports]
    files = {}
    for path, record in scope.scan.files.items():
        fields: dict[str, Any] = {}
        for by_file, default_numbers in numbers:
            fields.update(by_file.get(path, default_numbers))
        files[path] = FileMeasurements(path, scope.scan.sizes[path], record.code_lines, **fields)
    findings = [finding for result in results.values() for finding in result.findings]
    return ProjectMeasurements(
        files,
        tuple(sorted(findings, key=lambda finding: finding.order)),
        analyses=frozenset(results),
        graph=next((graph for report in reports if (graph := report.import_graph)), None),
        reasons=dict(failures),
        period_days=scope.options.period_days,
    )
