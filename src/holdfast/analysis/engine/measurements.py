"""What the analyses measured, file by file, in one shape: everything that compares them reads this.

Contract: None means not measured, and `reasons` says why; 0 means measured and none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from holdfast.analysis.render.sarif import Finding

IssueKind = Literal["complexity", "technical-debt", "dead-code", "duplication", "defect"]
Severity = Literal["critical", "high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low")

DEBT_MINUTES: Mapping[Severity, int] = {"critical": 120, "high": 60, "medium": 30, "low": 15}
"""What paying a debt that somebody admitted is taken to cost, by its severity."""
DEAD_CODE_MINUTES = 5
"""What removing something unused is taken to cost."""


@dataclass(frozen=True)
class Issue:
    """Something that an analysis would have changed, and what that is taken to cost."""

    kind: IssueKind
    severity: Severity
    minutes: float
    finding: Finding


@dataclass(frozen=True)
class FileMeasures:
    """What is known about one file."""

    path: str
    size: int
    code_lines: int
    function_lines: int = 0
    heavy_lines: float | None = None
    """Lines in functions over a threshold: whole where it is an error, half where it is a warning."""
    cyclomatic: int | None = None
    """Of all its functions together."""
    cognitive: int | None = None
    """Of its most complex function."""
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
class ImportGraph:
    """Which file imports which."""

    edges: Mapping[str, frozenset[str]]
    cycles: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Measurements:
    """What is known about a project."""

    files: Mapping[str, FileMeasures]
    issues: tuple[Issue, ...] = ()
    measured: frozenset[str] = frozenset()
    """Analyses that gave an answer."""
    graph: ImportGraph | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why others gave none."""
    period_days: int = 30

    @cached_property
    def by_file(self) -> Mapping[str, tuple[Issue, ...]]:
        """Return the issues of each file that has some."""
        found: defaultdict[str, list[Issue]] = defaultdict(list)
        for issue in self.issues:
            found[issue.finding.path].append(issue)
        return {path: tuple(issues) for path, issues in sorted(found.items())}

    def of_kind(self, kind: IssueKind) -> list[Issue]:
        """Return the issues that one analysis found."""
        return [issue for issue in self.issues if issue.kind == kind]

    def why_not(self, analysis: str) -> str:
        """Return why an analysis gave no answer."""
        return self.reasons.get(analysis, f"the analysis '{analysis}' was not asked for")
