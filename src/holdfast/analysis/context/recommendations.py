"""What to do first, by rules that stand here: each names the files it is about and why.

Contract: nothing is recommended that no measurement asks for; efforts are added up from stated minutes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import Field

from holdfast.analysis.context.measurements import Issue, Measurements
from holdfast.analysis.context.risk import Priority
from holdfast.kernel.operation import Output
from holdfast.kernel.untrusted import UntrustedText

CYCLE_MINUTES = 60
"""What breaking one cycle of imports is taken to cost."""
UNTESTED_LINE_MINUTES = 1
LITTLE_COVERAGE = 50
"""Percent; of less, a file that changes is worth a test."""
_SHOWN_FILES = 10


class Duration(Output):
    """A time span."""

    secs: int
    nanos: int = 0


class Recommendation(Output):
    """Something to do."""

    title: str
    description: UntrustedText = Field(description="What was found, and where first.")
    priority: Priority
    estimated_effort: Duration
    impact: Priority
    files: list[UntrustedText] = Field(description="The files it is about; the first ten.")
    total_files: int


def recommendations(measured: Measurements) -> list[Recommendation]:
    """Return what to do, most important first."""
    order = {"High": 0, "Medium": 1, "Low": 2}
    found = [
        *_complexity(measured),
        *_debts(measured),
        *_structure(measured),
        *_dead_code(measured),
        *_tests(measured),
    ]
    return sorted(found, key=lambda item: (order[item.priority], -item.estimated_effort.secs, item.title))


def _made(
    title: str, reason: str, issues: Sequence[Issue], levels: tuple[Priority, Priority]
) -> Recommendation:
    worst = max(issues, key=lambda issue: issue.minutes).finding
    files = list(
        dict.fromkeys(issue.finding.path for issue in sorted(issues, key=lambda issue: -issue.minutes))
    )
    first = f"{worst.path}:{worst.line or 1}: {worst.message}"
    return Recommendation(
        title=title,
        description=f"{reason} First: {first}",
        priority=levels[0],
        estimated_effort=Duration(secs=round(60 * sum(issue.minutes for issue in issues))),
        impact=levels[1],
        files=files[:_SHOWN_FILES],
        total_files=len(files),
    )


def _complexity(measured: Measurements) -> Iterator[Recommendation]:
    issues = measured.of_kind("complexity")
    changed = {path for path, file in measured.files.items() if file.commits}
    hot = [issue for issue in issues if issue.finding.path in changed]
    calm = [issue for issue in issues if issue.finding.path not in changed]
    if hot:
        words = (
            f"{len(hot)} findings over a threshold are in files that changed in {measured.period_days} days."
        )
        yield _made("Reduce complexity where the code changes", words, hot, ("High", "High"))
    if calm:
        known = " in files that did not change" if "churn" in measured.measured else ""
        words = f"{len(calm)} findings are over a threshold{known}."
        yield _made("Reduce code complexity", words, calm, ("Low" if known else "Medium", "Medium"))


def _debts(measured: Measurements) -> Iterator[Recommendation]:
    issues = measured.of_kind("technical-debt")
    serious = [issue for issue in issues if issue.severity in ("critical", "high")]
    rest = [issue for issue in issues if issue not in serious]
    if serious:
        words = f"{len(serious)} comments admit a debt of high severity."
        yield _made("Pay serious technical debts", words, serious, ("High", "High"))
    if rest:
        yield _made(
            "Address technical debt", f"{len(rest)} comments admit a debt.", rest, ("Medium", "Medium")
        )


def _dead_code(measured: Measurements) -> Iterator[Recommendation]:
    issues = measured.of_kind("dead-code")
    if issues:
        words = f"Nothing uses {len(issues)} things, at high confidence."
        yield _made("Remove unused code", words, issues, ("Low", "Low"))


def _structure(measured: Measurements) -> Iterator[Recommendation]:
    cycles = measured.graph.cycles if measured.graph is not None else ()
    if cycles:
        files = list(dict.fromkeys(path for cycle in sorted(cycles, key=len, reverse=True) for path in cycle))
        first = ", ".join(max(cycles, key=len)[:3])
        yield Recommendation(
            title="Break cycles of imports",
            description=f"{len(files)} files are in {len(cycles)} cycles. First: {first}",
            priority="Medium",
            estimated_effort=Duration(secs=60 * CYCLE_MINUTES * len(cycles)),
            impact="Medium",
            files=files[:_SHOWN_FILES],
            total_files=len(files),
        )


def _tests(measured: Measurements) -> Iterator[Recommendation]:
    untested = {
        path: file.coverable - (file.covered or 0)
        for path, file in measured.files.items()
        if file.coverable and file.commits and 100 * (file.covered or 0) < LITTLE_COVERAGE * file.coverable
    }
    if untested:
        files = sorted(untested, key=lambda path: (-untested[path], path))
        lines = sum(untested.values())
        yield Recommendation(
            title="Test what changes",
            description=f"{len(files)} files changed and tests run less than {LITTLE_COVERAGE} % of each:"
            f" {lines} lines. First: {files[0]}",
            priority="Medium",
            estimated_effort=Duration(secs=60 * UNTESTED_LINE_MINUTES * lines),
            impact="High",
            files=files[:_SHOWN_FILES],
            total_files=len(files),
        )
