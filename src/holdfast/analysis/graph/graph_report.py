"""The report on dependencies: a graph, the import cycles in it, and references between languages."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from holdfast.analysis.engine.analysis_report import AnalysisReport, ImportGraph
from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.graph.cross_language import CrossReference, cross_language_references
from holdfast.analysis.graph.cycles import Cycle, cycles
from holdfast.analysis.graph.dependency_graph import CodeGraph, DagType, cached_graph
from holdfast.analysis.room import Analysis


@dataclass(frozen=True, eq=False)
class GraphReport(AnalysisReport):
    """The dependencies in a project."""

    graph: CodeGraph
    """The graph of the requested kind."""
    imports: CodeGraph
    """A graph with the imports: the same graph, if its kind includes them."""
    references: Sequence[CrossReference]
    """References from one language to another."""
    files: Container[str]
    """The scanned files."""

    @cached_property
    def cycles(self) -> list[Cycle]:
        """The cycles of imports, the largest first."""
        return cycles(self.imports.edges)

    @cached_property
    def import_graph(self) -> ImportGraph:
        targets: defaultdict[str, set[str]] = defaultdict(set)
        for edge in self.imports.edges:
            if edge.edge_type == "Imports" and edge.origin != edge.target and edge.target in self.files:
                targets[edge.origin].add(edge.target)
        paths = (node.id for node in self.imports.nodes.values() if node.node_type == "Module")
        edges = {path: frozenset(targets[path]) for path in paths if path in self.files}
        return ImportGraph(edges, tuple(cycle.files for cycle in self.cycles))

    def file_numbers(self) -> Mapping[str, Mapping[str, Any]]:
        """Return for each file the number of its importers, and whether it is in a cycle."""
        edges = self.import_graph.edges
        in_cycle = {path for cycle in self.cycles for path in cycle.files}
        importers = Counter(target for targets in edges.values() for target in targets)
        return {
            path: {"importer_count": importers[path], "in_cycle": path in in_cycle}
            for path, targets in edges.items()
        }


def graph_report(room: Analysis, scan: Scan, dag_type: DagType = "import-graph") -> GraphReport:
    """Report on the dependencies of a scan."""
    graph = cached_graph(room, scan, dag_type)
    imports = graph if "Imports" in graph.sites else cached_graph(room, scan, "import-graph")
    references = room.cached(
        "cross-language references", scan, lambda: cross_language_references(scan, room.resolution(scan))
    )
    return GraphReport(graph, imports, references, scan.files.keys())
