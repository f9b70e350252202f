"""The measurements of several analyses by file, for code that combines or compares analyses.

Contract: None means not measured, and `reasons` says why; 0 means that it was measured and there is none.
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
    heavy_lines: float | None = None
    """Lines of functions over an error threshold, and half of those over a warning threshold."""
    cyclomatic: int | None = None
    """The sum over its functions."""
    cognitive: int | None = None
    """The maximum over its functions."""
    commits: int | None = None
    changes: int | None = None
    """Lines added and deleted in the period."""
    churn_score: float | None = None
    duplicated: float | None = None
    """The share of its lines that are in a clone."""
    imports: int | None = None
    defect_probability: float | None = None
    imported_by: int | None = None
    in_cycle: bool | None = None
    covered: int | None = None
    coverable: int | None = None


@dataclass(frozen=True)
class Measurements:
    """The measurements of a project."""

    files: Mapping[str, FileMeasures]
    findings: tuple[CodeFinding, ...] = ()
    measured: frozenset[str] = frozenset()
    """The analyses that succeeded."""
    graph: ImportGraph | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why others failed."""
    period_days: int = 30

    @cached_property
    def by_file(self) -> Mapping[str, tuple[CodeFinding, ...]]:
        """The findings by file, for files that have any."""
        found: defaultdict[str, list[CodeFinding]] = defaultdict(list)
        for finding in self.findings:
            found[finding.path].append(finding)
        return {path: tuple(findings) for path, findings in sorted(found.items())}

    def of_kind(self, kind: FindingKind) -> list[CodeFinding]:
        """Return the findings of one kind."""
        return [finding for finding in self.findings if finding.kind == kind]

    def why_not(self, analysis: str) -> str:
        """Return why there is no result of an analysis."""
        return self.reasons.get(analysis, f"the analysis '{analysis}' was not requested")
