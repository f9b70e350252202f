"""Recommendations, derived from findings by the rules below, with their files and reasons.

Contract: every recommendation follows from a measurement; efforts are sums of the documented minutes.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence

from pydantic import Field

from holdfast.analysis.context.risk import Priority
from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.engine.measurements import Measurements
from holdfast.kernel.models import Output
from holdfast.kernel.text import counted
from holdfast.kernel.untrusted import UntrustedText

CYCLE_MINUTES = 60
"""The estimated minutes to break an import cycle: a judgement."""
UNTESTED_LINE_MINUTES = 1
"""The estimated minutes to test a line that no test runs: a judgement."""
LITTLE_COVERAGE = 50
"""Percent of covered lines below which a file that changes should get tests: a judgement."""
_SHOWN_FILES = 10

_Levels = tuple[Priority, Priority]
"""Priority and impact."""


class Duration(Output):
    """A time span."""

    secs: int
    nanos: int = 0

    @classmethod
    def since(cls, started: float) -> Duration:
        """Return the time since `started`, read from the monotonic clock."""
        whole, nanos = divmod(int((time.monotonic() - started) * 1e9), 1_000_000_000)
        return cls(secs=whole, nanos=nanos)


class Recommendation(Output):
    """A recommendation."""

    title: str
    description: UntrustedText = Field(description="What was found, and the first place.")
    priority: Priority
    estimated_effort: Duration
    impact: Priority
    files: list[UntrustedText] = Field(description="The first ten files concerned.")
    total_files: int


def recommendations(measured: Measurements) -> list[Recommendation]:
    """Return the recommendations, the most important first."""
    order = {"High": 0, "Medium": 1, "Low": 2}
    found = [
        *_complexity(measured),
        *_debts(measured),
        *_structure(measured),
        *_dead_code(measured),
        *_tests(measured),
    ]
    return sorted(found, key=lambda item: (order[item.priority], -item.estimated_effort.secs, item.title))


def _recommendation(
    title: str, reason: str, files: Iterable[str], minutes: float, levels: _Levels
) -> Recommendation:
    named = list(dict.fromkeys(files))
    return Recommendation(
        title=title,
        description=reason,
        priority=levels[0],
        estimated_effort=Duration(secs=round(60 * minutes)),
        impact=levels[1],
        files=named[:_SHOWN_FILES],
        total_files=len(named),
    )


def _of_findings(
    title: str, reason: str, findings: Sequence[CodeFinding], levels: _Levels
) -> Iterator[Recommendation]:
    if findings:
        ordered = sorted(findings, key=lambda finding: -finding.minutes)
        first = ordered[0]
        description = f"{len(findings)} {reason} First: {first.path}:{first.line or 1}: {first.message}"
        minutes = sum(finding.minutes for finding in findings)
        yield _recommendation(title, description, (finding.path for finding in ordered), minutes, levels)


def _complexity(measured: Measurements) -> Iterator[Recommendation]:
    findings = measured.of_kind("complexity")
    changed = {path for path, file in measured.files.items() if file.commits}
    changing = [finding for finding in findings if finding.path in changed]
    stable = [finding for finding in findings if finding.path not in changed]
    title, reason = (
        "Reduce complexity where the code changes",
        "findings over a threshold are in files that changed",
    )
    yield from _of_findings(title, f"{reason} in {measured.period_days} days.", changing, ("High", "High"))
    known = " in files that did not change" if "churn" in measured.measured else ""
    levels: _Levels = ("Low" if known else "Medium", "Medium")
    yield from _of_findings(
        "Reduce code complexity", f"findings are over a threshold{known}.", stable, levels
    )


def _debts(measured: Measurements) -> Iterator[Recommendation]:
    findings = measured.of_kind("technical-debt")
    serious = [finding for finding in findings if finding.severity in ("critical", "high")]
    rest = [finding for finding in findings if finding.severity not in ("critical", "high")]
    reason = "comments admit technical debt"
    yield from _of_findings(
        "Fix serious technical debt", f"{reason} of high severity.", serious, ("High", "High")
    )
    yield from _of_findings("Address technical debt", f"{reason}.", rest, ("Medium", "Medium"))


def _dead_code(measured: Measurements) -> Iterator[Recommendation]:
    reason = "definitions, imports or statements are unused, at high confidence."
    yield from _of_findings("Remove unused code", reason, measured.of_kind("dead-code"), ("Low", "Low"))


def _structure(measured: Measurements) -> Iterator[Recommendation]:
    cycles = sorted(measured.graph.cycles, key=len, reverse=True) if measured.graph is not None else []
    if cycles:
        files = [path for cycle in cycles for path in cycle]
        first = ", ".join(cycles[0][:3])
        reason = f"{len(set(files))} files are in {counted(len(cycles), 'cycle')}. First: {first}"
        yield _recommendation(
            "Break import cycles", reason, files, CYCLE_MINUTES * len(cycles), ("Medium", "Medium")
        )


def _tests(measured: Measurements) -> Iterator[Recommendation]:
    untested = {
        path: file.coverable - (file.covered or 0)
        for path, file in measured.files.items()
        if file.coverable and file.commits and 100 * (file.covered or 0) < LITTLE_COVERAGE * file.coverable
    }
    if untested:
        files, lines = sorted(untested, key=lambda path: (-untested[path], path)), sum(untested.values())
        reason = (
            f"{counted(len(files), 'file')} changed, of which tests run less than {LITTLE_COVERAGE} % each:"
            f" {counted(lines, 'line')} not run. First: {files[0]}"
        )
        yield _recommendation(
            "Test code that changes", reason, files, UNTESTED_LINE_MINUTES * lines, ("Medium", "High")
        )
