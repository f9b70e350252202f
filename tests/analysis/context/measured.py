"""Measurements made by hand."""

from __future__ import annotations

from typing import Any

from holdfast.analysis.engine.measurements import (
    FileMeasures,
    ImportGraph,
    Issue,
    IssueKind,
    Measurements,
    Severity,
)
from holdfast.analysis.render.sarif import Finding

EVERYTHING = frozenset({"complexity", "churn", "satd", "dead-code", "dag"})


def file(path: str, **more: Any) -> FileMeasures:
    return FileMeasures(path, 100, 10, **more)


def issue(
    path: str, kind: IssueKind = "complexity", severity: Severity = "high", minutes: float = 30
) -> Issue:
    return Issue(kind, severity, minutes, Finding(kind, "warning", f"{kind} in {path}", path, 7))


def measured(*files: FileMeasures, issues: tuple[Issue, ...] = (), **more: Any) -> Measurements:
    more = {"measured": EVERYTHING, **more}
    return Measurements({item.path: item for item in files}, issues, **more)


def graph(**edges: str) -> ImportGraph:
    return ImportGraph({path: frozenset(targets.split()) for path, targets in edges.items()})
