"""The measurements of several analyses, by file: the input of everything that combines analyses, such as the
scorecard, the hotspots and the technical debt gradient.

Contract: None means not measured, and `reasons` says why; 0 is a measured value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from holdfast.analysis.engine.analysis_report import ImportGraph
from holdfast.analysis.engine.code_finding import CodeFinding, FindingKind


@dataclass(frozen=True)
class FileMeasurements:
    """The measurements of one file. The period of its history is `ProjectMeasurements.period_days`."""

    path: str
    size_bytes: int
    code_lines: int
    """Lines that are neither blank nor only comments."""
    function_lines: int = 0
    """Lines of code in functions."""
    complex_lines: float | None = None
    """Lines of functions over an error threshold, plus half the lines of those over a warning threshold."""
    risk_lines: tuple[int, ...] | None = None
    """Lines of functions of moderate, high and very high complexity, see `risk_profile.py`."""
    cyclomatic: int | None = None
    """The sum over its functions."""
    cognitive: int | None = None
    """The maximum over its functions."""
    commits: int | None = None
    """Commits that changed it in the period, without merges."""
    changed_lines: int | None = None
    """Lines added and deleted in the period."""
    churn_score: float | None = None
    """From 0 to 1, see `churn_report.py`."""
    duplicated_share: float | None = None
    """The share of its lines that are in a clone, from 0 to 1."""
    importer_count: int | None = None
    """Files of the project that import it."""
    in_cycle: bool | None = None
    """Whether it is in a cycle of imports."""
    defect_probability: float | None = None
    """That a fix changes it within a year, from 0 to 1."""
    covered_lines: int | None = None
    """Lines that tests ran."""
    coverable_lines: int | None = None
    """Lines that tests could run."""


@dataclass(frozen=True)
class ProjectMeasurements:
    """The measurements of a project."""

    files: Mapping[str, FileMeasurements]
    findings: tuple[CodeFinding, ...] = ()
    """Sorted by place, see `CodeFinding.order`."""
    analyses: frozenset[str] = frozenset()
    """The analyses that succeeded."""
    graph: ImportGraph | None = None
    """None if no analysis resolved the imports."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why each of the other requested analyses failed."""
    period_days: float = 30
    """The days of history over which commits and changed lines are counted."""

    @property
    def period(self) -> str:
        """The period in words."""
        return f"the last {self.period_days:g} days of the history"

    @cached_property
    def findings_by_file(self) -> Mapping[str, tuple[CodeFinding, ...]]:
        """The findings by file, for files that have any."""
        by_file: defaultdict[str, list[CodeFinding]] = defaultdict(list)
        for finding in self.findings:
            by_file[finding.path].append(finding)
        return {path: tuple(findings) for path, findings in sorted(by_file.items())}

    def findings_of_kind(self, kind: FindingKind) -> list[CodeFinding]:
        return [finding for finding in self.findings if finding.kind == kind]

    def reason_missing(self, analysis: str) -> str:
        """Return why there is no result of an analysis: it failed, or was not requested."""
        return self.reasons.get(analysis, f"the analysis '{analysis}' was not requested")


def coverage_percent(files: Iterable[FileMeasurements]) -> float | None:
    """Return the percentage of coverable lines that tests ran; None if no coverage is known."""
    covered = coverable = 0
    for file in files:
        if file.coverable_lines:
            covered += file.covered_lines or 0
            coverable += file.coverable_lines
    return round(100 * covered / coverable, 1) if coverable else None
