"""The measurements of several analyses, by file: the input of everything that combines analyses, such as the
scorecard, the hotspots and the technical debt gradient.

Contract: None means not measured, and `reasons` says why; 0 is a measured value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from holdfast.analysis.engine.analysis_report import ImportGraph
from holdfast.analysis.engine.code_finding import CodeFinding, FindingKind


@dataclass(frozen=True)
class FileMeasures:
    """The measurements of one file."""

    path: str
    size: int
    code_lines: int
    function_lines: int = 0
    complex_lines: float | None = None
    """Lines of functions over an error threshold, plus half the lines of those over a warning threshold."""
    cyclomatic: int | None = None
    """The sum over its functions."""
    cognitive: int | None = None
    """The maximum over its functions."""
    commits: int | None = None
    changes: int | None = None
    """Lines added and deleted in the period."""
    churn_score: float | None = None
    duplicated: float | None = None
    """The share of its lines that are in a clone, from 0 to 1."""
    imports: int | None = None
    defect_probability: float | None = None
    imported_by: int | None = None
    in_cycle: bool | None = None
    covered: int | None = None
    """Lines that tests ran."""
    coverable: int | None = None
    """Lines that tests could run."""


@dataclass(frozen=True)
class Measurements:
    """The measurements of a project."""

    files: Mapping[str, FileMeasures]
    findings: tuple[CodeFinding, ...] = ()
    measured: frozenset[str] = frozenset()
    """The analyses that succeeded."""
    graph: ImportGraph | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why each of the other analyses failed."""
    period_days: int = 30

    @cached_property
    def by_file(self) -> Mapping[str, tuple[CodeFinding, ...]]:
        """The findings by file, for files that have any."""
        by_file: defaultdict[str, list[CodeFinding]] = defaultdict(list)
        for finding in self.findings:
            by_file[finding.path].append(finding)
        return {path: tuple(findings) for path, findings in sorted(by_file.items())}

    def findings_of_kind(self, kind: FindingKind) -> list[CodeFinding]:
        """Return the findings of one kind."""
        return [finding for finding in self.findings if finding.kind == kind]

    def reason_missing(self, analysis: str) -> str:
        """Return why there is no result of an analysis."""
        return self.reasons.get(analysis, f"the analysis '{analysis}' was not requested")
