"""Measurements made by hand."""

from __future__ import annotations

from typing import Any

from holdfast.analysis.engine.analysis_report import ImportGraph
from holdfast.analysis.engine.code_finding import CodeFinding, FindingKind, FindingRule, FindingSeverity
from holdfast.analysis.engine.measurements import FileMeasurements, ProjectMeasurements

EVERYTHING = frozenset({"complexity", "churn", "satd", "dead-code", "dag"})


def file(path: str, **more: Any) -> FileMeasurements:
    return FileMeasurements(path, 100, 10, **more)


def finding(
    path: str, kind: FindingKind = "complexity", severity: FindingSeverity = "high", minutes: float = 30
) -> CodeFinding:
    rule = FindingRule(kind, f"A {kind} rule.", kind)
    return CodeFinding(rule, "warning", f"{kind} in {path}", path, 7, severity=severity, minutes=minutes)


def measured(
    *files: FileMeasurements, findings: tuple[CodeFinding, ...] = (), **more: Any
) -> ProjectMeasurements:
    more = {"analyses": EVERYTHING, **more}
    return ProjectMeasurements({item.path: item for item in files}, findings, **more)


def graph(**edges: str) -> ImportGraph:
    return ImportGraph({path: frozenset(targets.split()) for path, targets in edges.items()})
