"""Derives recommendations from measurements: what to do, where, why, and how long it may take.

Contract: every recommendation follows from a measurement; an effort is the sum of documented minutes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pydantic import Field

from holdfast.analysis.context.hotspots import Priority
from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.engine.duration import Duration
from holdfast.analysis.engine.measurements import ProjectMeasurements
from holdfast.kernel.models import Output
from holdfast.kernel.text import counted
from holdfast.kernel.untrusted import UntrustedText

_MINUTES_PER_CYCLE = 60
"""The effort of breaking an import cycle: a judgement, as it takes moving a definition and its callers."""
_MINUTES_PER_UNTESTED_LINE = 1
"""The effort of testing a line that no test runs: a judgement, as one test usually covers several lines."""
_LOW_COVERAGE_PERCENT = 50
"""A changing file with less coverage should get tests: a judgement, as most of its lines are untested."""
_MAX_FILES_SHOWN = 10
"""Files listed in a recommendation: a judgement, enough to start with."""


class _Levels(NamedTuple):
    priority: Priority
    impact: Priority


_SERIOUS = _Levels("High", "High")
_MEDIUM = _Levels("Medium", "Medium")


class Recommendation(Output):
    """Something to do, with the reason and the estimated effort."""

    title: str
    description: UntrustedText = Field(description="What was found, and the first place.")
    priority: Priority
    estimated_effort: Duration
    impact: Priority
    files: list[UntrustedText] = Field(description="The first ten files concerned.")
    total_files: int


def recommendations(measured: ProjectMeasurements) -> list[Recommendation]:
    """Return the recommendations by priority, the largest effort first."""
    priority_order = {"High": 0, "Medium": 1, "Low": 2}
    items = [
        *_complexity(measured),
        *_admitted_debt(measured),
        *_import_cycles(measured),
        *_dead_code(measured),
        *_tests(measured),
    ]
    return sorted(
        items, key=lambda item: (priority_order[item.priority], -item.estimated_effort.secs, item.title)
    )


def _recommendation(
    title: str, reason: str, files: Iterable[str], minutes: float, levels: _Levels
) -> Recommendation:
    distinct_files = list(dict.fromkeys(files))
    return Recommendation(
        title=title,
        description=reason,
        priority=levels.priority,
        estimated_effort=Duration(secs=round(60 * minutes)),
        impact=levels.impact,
        files=distinct_files[:_MAX_FILES_SHOWN],
        total_files=len(distinct_files),
    )


def _from_findings(
    title: str, reason: str, findings: Sequence[CodeFinding], levels: _Levels
) -> Iterator[Recommendation]:
    """Yield a recommendation to fix some findings, if there are any; the first is the costliest."""
    if findings:
        ordered = sorted(findings, key=lambda finding: -finding.minutes)
        first = ordered[0]
        description = f"{len(findings)} {reason} First: {first.path}:{first.line or 1}: {first.message}"
        minutes = sum(finding.minutes for finding in findings)
        yield _recommendation(title, description, (finding.path for finding in ordered), minutes, levels)


def _complexity(measured: ProjectMeasurements) -> Iterator[Recommendation]:
    findings = measured.findings_of_kind("complexity")
    changed = {path for path, file in measured.files.items() if file.commits}
    changing = [finding for finding in findings if finding.path in changed]
    stable = [finding for finding in findings if finding.path not in changed]
    yield from _from_findings(
        "Reduce complexity where the code changes",
        f"findings over a threshold are in files that changed in {measured.period}.",
        changing,
        _SERIOUS,
    )
    title = "Reduce code complexity"
    if "churn" in measured.analyses:
        reason = "findings are over a threshold in files that did not change."
        yield from _from_findings(title, reason, stable, _Levels("Low", impact="Medium"))
    else:
        yield from _from_findings(title, "findings are over a threshold.", stable, _MEDIUM)


def _admitted_debt(measured: ProjectMeasurements) -> Iterator[Recommendation]:
    findings = measured.findings_of_kind("technical-debt")
    serious = [finding for finding in findings if finding.severity in ("critical", "high")]
    rest = [finding for finding in findings if finding.severity not in ("critical", "high")]
    reason = "comments admit technical debt"
    yield from _from_findings("Fix serious technical debt", f"{reason} of high severity.", serious, _SERIOUS)
    yield from _from_findings("Address technical debt", f"{reason}.", rest, _MEDIUM)


def _dead_code(measured: ProjectMeasurements) -> Iterator[Recommendation]:
    reason = "definitions, imports or statements are unused, at high confidence."
    yield from _from_findings(
        "Remove unused code", reason, measured.findings_of_kind("dead-code"), _Levels("Low", "Low")
    )


def _import_cycles(measured: ProjectMeasurements) -> Iterator[Recommendation]:
    cycles = sorted(measured.graph.cycles, key=len, reverse=True) if measured.graph is not None else []
    if cycles:
        files = [path for cycle in cycles for path in cycle]
        first = ", ".join(cycles[0][:3])
        reason = f"{len(set(files))} files are in {counted(len(cycles), 'cycle')}. First: {first}"
        yield _recommendation("Break import cycles", reason, files, _MINUTES_PER_CYCLE * len(cycles), _MEDIUM)


def _tests(measured: ProjectMeasurements) -> Iterator[Recommendation]:
    untested_lines: dict[str, int] = {}
    for path, file in measured.files.items():
        if file.coverable_lines and file.commits:
            covered = file.covered_lines or 0
            if 100 * covered < _LOW_COVERAGE_PERCENT * file.coverable_lines:
                untested_lines[path] = file.coverable_lines - covered
    if untested_lines:
        files = sorted(untested_lines, key=lambda path: (-untested_lines[path], path))
        lines = sum(untested_lines.values())
        reason = (
            f"{counted(len(files), 'file')} changed, of which tests run less than {_LOW_COVERAGE_PERCENT} %"
            f" each: {counted(lines, 'line')} not run. First: {files[0]}"
        )
        yield _recommendation(
            "Test code that changes",
            reason,
            files,
            _MINUTES_PER_UNTESTED_LINE * lines,
            _Levels("Medium", impact="High"),
        )
