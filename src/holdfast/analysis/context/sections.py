"""What each analysis says in a deep context: its section, its issues, its numbers for each file.

One analyser answers one question, whichever tool asks it: nothing is measured here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from holdfast.analysis.complexity.measure import Measure, Reading, by_file
from holdfast.analysis.complexity.report import hotspots_of, summary_of, violation_of
from holdfast.analysis.complexity.thresholds import Thresholds, Violation
from holdfast.analysis.context.gathering import Analyser, Material, Part
from holdfast.analysis.context.measurements import (
    DEAD_CODE_MINUTES,
    DEBT_MINUTES,
    SEVERITIES,
    ImportGraph,
    Issue,
)
from holdfast.analysis.dead_code.analyser import became_dead
from holdfast.analysis.dead_code.finding import Finding as Unused
from holdfast.analysis.debt.debt_item import DebtItem, debt_items, least_probability, new_items
from holdfast.analysis.defects.prediction import kept_predictions
from holdfast.analysis.graph.cross_language import cross_language_references
from holdfast.analysis.graph.cycles import cycles
from holdfast.analysis.graph.dependency_graph import CodeGraph, cached_graph
from holdfast.analysis.graph.drawing import mermaid
from holdfast.analysis.graph.excerpt import excerpt
from holdfast.analysis.rules import DEAD_CODE_RULES, DEBT_RULES
from holdfast.analysis.sarif import Finding, Level
from holdfast.kernel.errors import Unavailable
from holdfast.kernel.untrusted import visible_in
from holdfast.syntax.record import MODULE, Record

_DAY = 86_400
_SEVERITIES = {severity.capitalize(): severity for severity in SEVERITIES}
_UNUSED = ("kind", "name", "file", "line", "confidence", "level")
_HEAVY = {"error": 1.0, "warning": 0.5}
"""How much of a function's lines count as too complex."""


def syntax_trees(material: Material) -> Part:
    """Return what files define, the largest first."""
    files, limit = material.survey.files, material.asked.limit
    largest = sorted(files, key=lambda path: (-files[path].code_lines, path))
    languages = Counter(record.language for record in files.values())
    section = {
        "files": [_defined(path, files[path], limit) for path in largest[:limit]],
        "total_files": len(files),
        "total_definitions": sum(len(record.names.definitions) for record in files.values()),
        "languages": dict(sorted(languages.items())),
    }
    return Part({"ast_contexts": visible_in(section)})


def _defined(path: str, record: Record, limit: int) -> dict[str, object]:
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
        "problem": record.broken,
    }


def complexities(material: Material) -> Part:
    """Return how complex functions are, and which are over a threshold."""
    files, limit = material.survey.files, material.asked.limit
    found, base = Reading().all(files), material.asked.base
    counted = found if base is None else Reading().worse(files, base)
    over = Thresholds().violations(counted)
    worst = sorted(
        over, key=lambda item: (-item.hours, item.measure.file, item.measure.function.line, item.rule)
    )
    section = {
        "summary": summary_of(files, counted, over).wire(),
        "violations": [violation_of(item).wire() for item in worst[:limit]],
        "total_violations": len(over),
        "hotspots": [item.wire() for item in hotspots_of(counted, Thresholds.cyclomatic[0])],
    }
    weights: dict[Measure, float] = {}
    for item in over:
        weights[item.measure] = max(_HEAVY[item.severity], weights.get(item.measure, 0.0))
    numbers = {path: _complexity(group, weights) for path, group in by_file(found).items()}
    untangled = {"heavy_lines": 0.0, "cyclomatic": 0, "cognitive": 0}
    return Part({"complexity_report": section}, tuple(map(too_complex, over)), numbers, untangled)


def _complexity(group: list[Measure], weights: Mapping[Measure, float]) -> dict[str, Any]:
    return {
        "function_lines": sum(item.function.lines_of_code for item in group),
        "heavy_lines": sum(weights.get(item, 0.0) * item.function.lines_of_code for item in group),
        "cyclomatic": sum(item.cyclomatic for item in group),
        "cognitive": max(item.cognitive for item in group),
    }


def too_complex(violation: Violation) -> Issue:
    """Return a function over a threshold as an issue."""
    function = violation.measure.function
    return Issue(
        "complexity",
        "high" if violation.severity == "error" else "medium",
        60 * violation.hours,
        Finding(
            violation.rule,
            violation.severity,
            f"{function.name}: {violation.message}",
            violation.measure.file,
            function.line,
            function.end_line,
            thing=function.name,
            properties={"value": violation.value, "threshold": violation.threshold},
        ),
    )


def changes(material: Material) -> Part:
    """Return what changed in the period."""
    room, asked = material.room, material.asked
    if asked.strategy == "offline":
        raise Unavailable("Which commits there are only git can tell, which is not asked offline.")
    since = int(room.clock().timestamp()) - asked.period_days * _DAY
    churn = room.history.churn(asked.project.path, since if since > 0 else None)
    files = [file for file in churn.files if file.path in material.survey.files]
    section = {
        "period_days": asked.period_days,
        "summary": {
            "total_commits": churn.commits,
            "total_files_changed": len(churn.files) + churn.deleted,
            "analysed_files_changed": len(files),
        },
        "files": [
            {
                "path": file.path,
                "commit_count": file.commits,
                "additions": file.additions,
                "deletions": file.deletions,
                "churn_score": file.score,
                "unique_authors": len(churn.authors(file)),
            }
            for file in files[: asked.limit]
        ],
    }
    numbers = {
        file.path: {"commits": file.commits, "changes": file.lines, "churn_score": file.score}
        for file in files
    }
    untouched = {"commits": 0, "changes": 0, "churn_score": 0.0}
    return Part({"churn_analysis": visible_in(section)}, numbers=numbers, otherwise=untouched)


def dependencies(material: Material) -> Part:
    """Return what depends on what, and where languages reach for each other."""
    survey, asked = material.survey, material.asked
    graph = cached_graph(material.room, survey, asked.dag_type)
    imports = graph if "Imports" in graph.sites else cached_graph(material.room, survey, "import-graph")
    rings = cycles(imports.edges)
    references = material.room.once(
        f"cross-language references {asked.project}",
        survey,
        lambda: cross_language_references(survey, material.resolution),
    )
    part = excerpt(graph, None, 2 * asked.limit, 4 * asked.limit)
    section = {
        "dag_type": asked.dag_type,
        "total_nodes": part.total_nodes,
        "total_edges": part.total_edges,
        "nodes": [node._asdict() for node in part.nodes],
        "edges": [
            {"from": edge.origin, "to": edge.goal, "edge_type": edge.edge_type, "weight": edge.weight}
            for edge in part.edges
        ],
        "total_cycles": len(rings),
        "cycles": [list(ring.files[: asked.limit]) for ring in rings[: asked.limit]],
        "total_cross_language_refs": len(references),
        "mermaid": mermaid(part.nodes, part.edges),
    }
    shown = [reference._asdict() for reference in references[: asked.limit]]
    edges = _imports(material, imports)
    ringed = {path for ring in rings for path in ring.files}
    importers = Counter(target for targets in edges.values() for target in targets)
    numbers = {
        path: {"imported_by": importers[path], "in_cycle": path in ringed} for path, targets in edges.items()
    }
    return Part(
        {"dependency_graph": visible_in(section), "cross_language_refs": visible_in(shown)},
        numbers=numbers,
        graph=ImportGraph(edges, tuple(ring.files for ring in rings)),
    )


def _imports(material: Material, graph: CodeGraph) -> Mapping[str, frozenset[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for edge in graph.edges:
        if edge.edge_type == "Imports" and edge.origin != edge.goal:
            found[edge.origin].add(edge.goal)
    return {path: frozenset(found[path] & material.survey.files.keys()) for path in material.survey.files}


def unused_code(material: Material) -> Part:
    """Return what nothing uses; at high confidence it is an issue."""
    everything = became_dead(material.room, material.everything, material.asked.base)
    found = [item for item in everything if item.file in material.survey.files]
    sure = [item for item in found if item.level == "high"]
    worst = sorted(found, key=lambda item: (-item.confidence, item.file, item.line, item.name))
    levels, kinds = Counter(item.level for item in found), Counter(item.kind for item in found)
    section = {
        "summary": {"total": len(found), **{level: levels[level] for level in ("high", "medium", "low")}},
        "by_kind": dict(sorted(kinds.items())),
        "findings": [
            {name: getattr(item, name) for name in _UNUSED} for item in worst[: material.asked.limit]
        ],
    }
    return Part({"dead_code_results": visible_in(section)}, tuple(map(useless, sure)))


def useless(item: Unused) -> Issue:
    """Return something that nothing uses as an issue."""
    finding = Finding(
        DEAD_CODE_RULES[item.kind].id,
        "note",
        item.words,
        item.file,
        item.line,
        item.end_line,
        thing=item.name,
        properties={"confidence": item.confidence},
    )
    return Issue("dead-code", "low", DEAD_CODE_MINUTES, finding)


def admitted_debts(material: Material) -> Part:
    """Return the debts that comments admit; those that are certain are issues."""
    found = material.room.once("debt", material.survey, lambda: debt_items(material.survey))
    if material.asked.base is not None:
        found = new_items(found, material.asked.base, least_probability(None))
    certain = [item for item in found if item.certainty == "certain"]
    section = {
        "summary": {
            "total_items": len(found),
            "certain": len(certain),
            "probable": len(found) - len(certain),
        },
        "by_severity": dict(sorted(Counter(item.severity for item in found).items())),
        "by_category": dict(sorted(Counter(item.category for item in found).items())),
        "items": [asdict(item) for item in found[: material.asked.limit]],
    }
    return Part({"satd_results": visible_in(section)}, tuple(map(owed, certain)))


def owed(item: DebtItem) -> Issue:
    """Return a debt that a comment admits as an issue."""
    severity = _SEVERITIES[item.severity]
    level: Level = "error" if severity == "critical" else "warning" if severity == "high" else "note"
    finding = Finding(
        DEBT_RULES[item.category].id,
        level,
        item.text,
        item.file,
        item.line,
        column=item.column,
        properties={"category": item.category, "severity": item.severity},
    )
    return Issue("technical-debt", severity, DEBT_MINUTES[severity], finding)


def likely_defects(material: Material) -> Part:
    """Return which files are likely to need a fix."""
    room, asked = material.room, material.asked
    if asked.strategy == "offline":
        raise Unavailable("Which commits there are only git can tell, which is not asked offline.")
    report = kept_predictions(room, asked.project, material.survey)
    section = {
        "model": report.model.name,
        "learned_here": report.model.learned_here,
        "baseline": report.baseline.wire(),
        "ranking": [
            {
                "file": found.file,
                "probability": found.probability,
                "confidence": found.confidence,
                "risk_level": found.risk,
                "missing": sorted(found.missing),
            }
            for found in report.predictions[: asked.limit]
        ],
        "total": len(report.predictions),
    }
    numbers = {found.file: {"defect_probability": found.probability} for found in report.predictions}
    return Part({"defect_probability": visible_in(section)}, numbers=numbers)


ANALYSERS: Mapping[str, Analyser] = {
    "ast": syntax_trees,
    "complexity": complexities,
    "churn": changes,
    "dag": dependencies,
    "dead-code": unused_code,
    "satd": admitted_debts,
    "defect-probability": likely_defects,
}
"""What does each analysis, in the order of the document."""
