"""The sections of a deep context: each is the report of one analysis as JSON, with lists cut to a limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from holdfast.analysis import reports
from holdfast.analysis.churn.churn_report import ChurnReport
from holdfast.analysis.complexity.complexity_report import ComplexityReport, violation_of
from holdfast.analysis.dead_code.dead_code_report import DeadCodeReport
from holdfast.analysis.debt.debt_report import DebtReport
from holdfast.analysis.defects.defect_report import DefectReport
from holdfast.analysis.engine.analysis_report import AnalysisReport
from holdfast.analysis.engine.analysis_run import Component, Components
from holdfast.analysis.engine.scope import AnalysisScope
from holdfast.analysis.graph.dependency_graph import DagType
from holdfast.analysis.graph.drawing import mermaid
from holdfast.analysis.graph.excerpt import excerpt
from holdfast.analysis.graph.graph_report import GraphReport
from holdfast.kernel.untrusted import visible_in
from holdfast.syntax.record import MODULE, Record

_DEAD_CODE_FIELDS = ("kind", "name", "file", "line", "confidence", "level")

Section = Mapping[str, Any]
"""JSON by section name; most analyses have one section, and `limit` is the maximum length of its lists."""


def deep_context_components(limit: int, dag_type: DagType) -> Components:
    """Return the analyses of a deep context, in the order of its sections.

    Of dead code only the findings of high confidence count; defect predictions are no findings here.
    """
    return {
        "ast": Component(lambda _: AnalysisReport(), partial(_syntax_section, limit)),
        "complexity": Component(reports.complexity, partial(_complexity_section, limit)),
        "churn": Component(reports.churn, partial(_churn_section, limit)),
        "dag": Component(
            partial(reports.dependencies, dag_type=dag_type), partial(_graph_sections, limit, dag_type)
        ),
        "dead-code": Component(
            reports.dead_code,
            partial(_dead_code_section, limit),
            findings=lambda report, _: report.at_least("high").findings,
        ),
        "satd": Component(partial(reports.debt, probable=True), partial(_debt_section, limit)),
        "defect-probability": Component(
            reports.defects, partial(_defect_section, limit), findings=lambda *_: ()
        ),
    }


def _syntax_section(limit: int, _: AnalysisReport, scope: AnalysisScope) -> Section:
    files = scope.scan.files
    largest = sorted(files, key=lambda path: (-files[path].code_lines, path))
    return {"ast_contexts": visible_in([_definitions(path, files[path], limit) for path in largest[:limit]])}


def _definitions(path: str, record: Record, limit: int) -> dict[str, object]:
    """Return a file with at most `limit` definitions: nested ones are left out first, then the last."""
    definitions = sorted(record.names.definitions, key=lambda item: item.container != MODULE)
    return {
        "path": path,
        "language": record.language,
        "lines": record.lines,
        "items": [
            {
                "type": item.kind,
                "name": item.path,
                "line": item.line,
                "end_line": item.end_line,
                "visibility": "public" if item.exported else "private",
            }
            for item in sorted(definitions[:limit], key=lambda item: (item.line, item.path))
        ],
        "total_items": len(definitions),
        "imports": len({(item.module, item.level) for item in record.names.imports}),
        "problem": record.syntax_error,
    }


def _complexity_section(limit: int, report: ComplexityReport, _: AnalysisScope) -> Section:
    return {"complexity_report": {"summary": report.summary.wire(), **complexity_lists(report, limit)}}


def complexity_lists(report: ComplexityReport, limit: int) -> dict[str, Any]:
    """Return the costliest functions over a threshold, and the most complex ones."""
    violations = report.costliest
    return {
        "violations": [violation_of(item).wire() for item in violations[:limit]],
        "total_violations": len(violations),
        "most_complex": [item.wire() for item in report.most_complex()],
    }


def _churn_section(limit: int, churn: ChurnReport, scope: AnalysisScope) -> Section:
    files = [file for file in churn.files if file.path in scope.scan.files]
    section = {
        "period_days": scope.options.period_days,
        "summary": {
            "total_commits": churn.commits,
            "total_files_changed": len(churn.files) + churn.deleted_files,
            "analysed_files_changed": len(files),
        },
        "files": [
            {
                "path": file.path,
                "commit_count": file.commits,
                "additions": file.additions,
                "deletions": file.deletions,
                "churn_score": file.score,
                "unique_authors": len(churn.author_names(file)),
            }
            for file in files[:limit]
        ],
    }
    return {"churn_analysis": visible_in(section)}


def _graph_sections(limit: int, dag_type: DagType, report: GraphReport, _: AnalysisScope) -> Section:
    part = excerpt(report.graph, None, 2 * limit, 4 * limit)  # graphs usually have more edges than nodes
    section = {
        "dag_type": dag_type,
        "total_nodes": part.total_nodes,
        "total_edges": part.total_edges,
        "nodes": [node._asdict() for node in part.nodes],
        "edges": [
            {"from": edge.origin, "to": edge.target, "edge_type": edge.edge_type, "weight": edge.weight}
            for edge in part.edges
        ],
        "total_cycles": len(report.cycles),
        "cycles": [list(cycle.files[:limit]) for cycle in report.cycles[:limit]],
        "total_cross_language_refs": len(report.references),
        "mermaid": mermaid(part.nodes, part.edges),
    }
    references = [reference._asdict() for reference in report.references[:limit]]
    return {"dependency_graph": visible_in(section), "cross_language_refs": visible_in(references)}


def _dead_code_section(limit: int, report: DeadCodeReport, _: AnalysisScope) -> Section:
    findings = report.at_least("medium").most_confident_first
    section = {
        "summary": {
            "total": len(findings),
            **{level: report.by_level[level] for level in ("high", "medium", "low")},
        },
        "by_kind": report.at_least("medium").by_kind,
        "findings": [{name: getattr(item, name) for name in _DEAD_CODE_FIELDS} for item in findings[:limit]],
    }
    return {"dead_code_results": visible_in(section)}


def _debt_section(limit: int, report: DebtReport, _: AnalysisScope) -> Section:
    certain = len(report.certain)
    section = {
        "summary": {
            "total_items": len(report.items),
            "certain": certain,
            "probable": len(report.items) - certain,
        },
        "by_severity": report.by_severity,
        "by_category": report.by_category,
        "items": [asdict(item) for item in report.items[:limit]],
    }
    return {"satd_results": visible_in(section)}


def _defect_section(limit: int, report: DefectReport, _: AnalysisScope) -> Section:
    section = {
        "model": report.model.name,
        "learned_here": report.model.learned_here,
        "baseline": report.baseline.wire(),
        "ranking": [
            {
                "file": prediction.file,
                "probability": prediction.probability,
                "confidence": prediction.confidence,
                "risk_level": prediction.risk,
                "missing": sorted(prediction.missing),
            }
            for prediction in report.predictions[:limit]
        ],
        "total": len(report.predictions),
    }
    return {"defect_probability": visible_in(section)}
