"""Combines the findings of several analyses: which files to improve first (hotspots), which files have
findings of more than one analysis, and how complexity correlates with churn.

Contract: every score is computed from numbers that are shown beside it.
"""

from __future__ import annotations

import statistics
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from holdfast.analysis.engine.code_finding import FindingKind
from holdfast.analysis.engine.measurements import FileMeasurements, ProjectMeasurements
from holdfast.kernel.models import Output
from holdfast.kernel.text import counted
from holdfast.kernel.untrusted import UntrustedText

MIN_FILES_TO_CORRELATE = 10
"""Files for which a correlation is given: a judgement, as with fewer even one of 0.6 may be chance."""
Priority = Literal["High", "Medium", "Low"]


class Location(Output):
    """A place in a file."""

    file: UntrustedText
    line: int = Field(description="The line to start with.")


class Meeting(Output):
    """A file with findings of several analyses."""

    file: UntrustedText
    analyses: list[str]
    cyclomatic: int | None
    commits: int | None
    debts: int | None
    dead_code: int | None


class Correlation(Output):
    """The correlation of complexity and churn, and files with findings of several analyses."""

    complexity_and_churn: float | None = Field(
        description="Spearman's rank correlation of cyclomatic complexity and commits over changed files."
    )
    files_compared: int
    reason: str | None = Field(description="Why there is no correlation.")
    meetings: list[Meeting] = Field(description="Files with findings of several analyses, most first.")
    total: int


class Effort(Output):
    """The estimated effort of fixing the findings in a file."""

    estimated_hours: float = Field(description="The sum over its findings.")
    priority: Priority


class Hotspot(Output):
    """A file to improve first."""

    location: Location
    composite_score: float = Field(
        description="From 0 to 1: the mean of its ranks by cost of findings, complexity and commits."
    )
    contributing_factors: list[UntrustedText]
    refactoring_effort: Effort


def percentile_ranks(values: Mapping[str, float]) -> dict[str, float]:
    """Return the percentile rank of each value among the non-zero ones, from 0 to 1.

    Equal values share a rank, and the rank of zero is 0.
    """
    ordered = sorted(filter(None, values.values()))

    def percentile_rank(value: float) -> float:
        if not value:
            return 0.0
        return (bisect_left(ordered, value) + bisect_right(ordered, value)) / 2 / len(ordered)

    return {path: percentile_rank(value) for path, value in values.items()}


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return Spearman's rank correlation with mean ranks for ties; None if all values of a side are equal."""
    first_ranks = _ranks([first for first, _ in pairs])
    second_ranks = _ranks([second for _, second in pairs])
    try:
        return round(statistics.correlation(first_ranks, second_ranks), 3)
    except statistics.StatisticsError:
        return None


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value, counted from 1; equal values share their mean rank."""
    ordered = sorted(values)
    return [(bisect_left(ordered, value) + bisect_right(ordered, value) + 1) / 2 for value in values]


def correlation(measured: ProjectMeasurements, limit: int) -> Correlation:
    """Return the correlation, and the files with findings of several analyses."""
    changed = [file for file in measured.files.values() if file.commits and file.cyclomatic is not None]
    coefficient, reason = None, None
    if not {"complexity", "churn"} <= measured.analyses:
        reason = "complexity and churn were not both measured"
    elif len(changed) < MIN_FILES_TO_CORRELATE:
        reason = f"fewer than {MIN_FILES_TO_CORRELATE} files changed in {measured.period_days} days"
    else:
        coefficient = rank_correlation([(file.cyclomatic or 0, file.commits or 0) for file in changed])
        reason = "all their values are equal" if coefficient is None else None
    files = [_findings_by_analysis(measured, file) for file in measured.files.values()]
    several = [file for file in files if len(file.analyses) > 1]
    several.sort(
        key=lambda item: (-len(item.analyses), -(item.commits or 0), -(item.cyclomatic or 0), item.file)
    )
    return Correlation(
        complexity_and_churn=coefficient,
        files_compared=len(changed),
        reason=reason,
        meetings=several[:limit],
        total=len(several),
    )


def _findings_by_analysis(measured: ProjectMeasurements, file: FileMeasurements) -> Meeting:
    findings = measured.findings_by_file.get(file.path, ())
    kinds = [finding.kind for finding in findings]

    def count(kind: FindingKind, analysis: str) -> int | None:
        return kinds.count(kind) if analysis in measured.analyses else None

    contributing = [*dict.fromkeys(kinds), *(["churn"] if file.commits else [])]
    return Meeting(
        file=file.path,
        analyses=sorted(contributing),
        cyclomatic=file.cyclomatic,
        commits=file.commits,
        debts=count("technical-debt", "satd"),
        dead_code=count("dead-code", "dead-code"),
    )


def hotspots(measured: ProjectMeasurements) -> list[Hotspot]:
    """Return the files with findings, the highest score first."""
    files, by_file = measured.files, measured.findings_by_file
    costs = {path: sum(finding.minutes for finding in by_file.get(path, ())) for path in files}
    ranks = [percentile_ranks(costs)]
    if "complexity" in measured.analyses:
        ranks.append(percentile_ranks({path: file.cyclomatic or 0 for path, file in files.items()}))
    if "churn" in measured.analyses:
        ranks.append(percentile_ranks({path: file.commits or 0 for path, file in files.items()}))
    spots = [
        _hotspot(measured, files[path], statistics.mean(rank[path] for rank in ranks))
        for path in by_file
        if path in files
    ]
    return sorted(spots, key=lambda item: (-item.composite_score, item.location.file))


def _hotspot(measured: ProjectMeasurements, file: FileMeasurements, score: float) -> Hotspot:
    findings = sorted(measured.findings_by_file[file.path], key=lambda finding: -finding.minutes)
    kinds = Counter(finding.kind for finding in findings)
    factors = [f"{count} × {kind}" for kind, count in kinds.items()] + [findings[0].message]
    if file.commits:
        factors.append(f"{counted(file.commits, 'commit')} in {measured.period_days} days")
    if file.in_cycle:
        factors.append("in an import cycle")
    return Hotspot(
        location=Location(file=file.path, line=findings[0].line or 1),
        composite_score=round(score, 3),
        contributing_factors=factors,
        refactoring_effort=Effort(
            estimated_hours=round(sum(finding.minutes for finding in findings) / 60, 1),
            priority=_priority(file, {finding.severity for finding in findings}),
        ),
    )


def _priority(file: FileMeasurements, severities: set[str]) -> Priority:
    is_serious = not severities.isdisjoint({"critical", "high"})
    if is_serious and file.commits:
        return "High"
    return "Medium" if is_serious or file.commits else "Low"
