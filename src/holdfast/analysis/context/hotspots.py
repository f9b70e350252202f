"""Hotspots: the files with findings, in the order in which improving them is worth most.

Contract: every score is computed from numbers that are shown beside it.
"""

from __future__ import annotations

import statistics
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from holdfast.analysis.engine.measurements import FileMeasurements, ProjectMeasurements
from holdfast.kernel.models import Output
from holdfast.kernel.text import counted
from holdfast.kernel.untrusted import UntrustedText

Priority = Literal["High", "Medium", "Low"]


class Location(Output):
    """A place in a file."""

    file: UntrustedText
    line: int = Field(description="The line to start with.")


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


def _percentile_ranks(values: Mapping[str, float]) -> dict[str, float]:
    """Return the percentile rank of each value among the non-zero ones, from 0 to 1.

    Equal values share a rank, and the rank of zero is 0.
    """
    ordered = sorted(filter(None, values.values()))

    def percentile_rank(value: float) -> float:
        if not value:
            return 0.0
        return (bisect_left(ordered, value) + bisect_right(ordered, value)) / 2 / len(ordered)

    return {path: percentile_rank(value) for path, value in values.items()}


def hotspots(measured: ProjectMeasurements) -> list[Hotspot]:
    """Return the files with findings, the highest score first."""
    files, findings = measured.files, measured.findings_by_file
    minutes = {path: sum(finding.minutes for finding in findings.get(path, ())) for path in files}
    rankings = [_percentile_ranks(minutes)]
    if "complexity" in measured.analyses:
        rankings.append(_percentile_ranks({path: file.cyclomatic or 0 for path, file in files.items()}))
    if "churn" in measured.analyses:
        rankings.append(_percentile_ranks({path: file.commits or 0 for path, file in files.items()}))
    spots = [
        _hotspot(measured, files[path], score=statistics.mean(ranks[path] for ranks in rankings))
        for path in findings
        if path in files
    ]
    return sorted(spots, key=lambda item: (-item.composite_score, item.location.file))


def _hotspot(measured: ProjectMeasurements, file: FileMeasurements, score: float) -> Hotspot:
    findings = sorted(measured.findings_by_file[file.path], key=lambda finding: -finding.minutes)
    kinds = Counter(finding.kind for finding in findings)
    factors = [f"{count} × {kind}" for kind, count in kinds.items()] + [findings[0].message]
    if file.commits:
        factors.append(f"{counted(file.commits, 'commit')} in {measured.period}")
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
    """Return how urgent a file is: a finding costs most where it is severe and the code still changes."""
    is_serious = not severities.isdisjoint({"critical", "high"})
    if is_serious and file.commits:
        return "High"
    return "Medium" if is_serious or file.commits else "Low"
