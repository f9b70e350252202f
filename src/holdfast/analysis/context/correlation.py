"""How complexity correlates with churn, and which files have findings of more than one analysis."""

from __future__ import annotations

import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from pydantic import Field

from holdfast.analysis.engine.code_finding import FindingKind
from holdfast.analysis.engine.measurements import FileMeasurements, ProjectMeasurements
from holdfast.kernel.models import Output
from holdfast.kernel.untrusted import UntrustedText

_MIN_FILES_TO_CORRELATE = 10
"""Files for which a correlation is given: a judgement, as with fewer even one of 0.6 may be chance."""


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
    elif len(changed) < _MIN_FILES_TO_CORRELATE:
        reason = f"fewer than {_MIN_FILES_TO_CORRELATE} files changed in {measured.period}"
    else:
        coefficient = rank_correlation([(file.cyclomatic or 0, file.commits or 0) for file in changed])
        reason = "all their values are equal" if coefficient is None else None
    meetings = [_meeting(measured, file) for file in measured.files.values()]
    several = [meeting for meeting in meetings if len(meeting.analyses) > 1]
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


def _meeting(measured: ProjectMeasurements, file: FileMeasurements) -> Meeting:
    """Return the analyses that have findings in a file, even if it is only one; churn is one of them."""
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
