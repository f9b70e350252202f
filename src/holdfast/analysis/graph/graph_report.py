"""The report on dependencies: a graph, the cycles of its imports, and references between languages."""

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
from holdfast.analysis.graph.dependency_graph import DagType, Graph, kept_graph
from holdfast.analysis.room import Analysis


@dataclass(frozen=True, eq=False)
class GraphReport(AnalysisReport):
    """What depends on what in a project."""

    graph: Graph
    """Of the requested kind."""
    imports: Graph
    """A graph that has the imports; the same one if it is of such a kind."""
    references: Sequence[CrossReference]
    """Where one language refers to another."""
    files: Container[str]
    """The scanned files."""

    @cached_property
    def cycles(self) -> list[Cycle]:
        """The cycles of imports, the largest first."""
        return cycles(self.imports.edges)

    @cached_property
    def import_graph(self) -> ImportGraph:
        """The imports between scanned files."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for edge in self.imports.edges:
            if edge.edge_type == "Imports" and edge.origin != edge.goal and edge.goal in self.files:
                found[edge.origin].add(edge.goal)
        paths = (node.id for node in self.imports.nodes.values() if node.node_type == "Module")
        edges = {path: frozenset(found[path]) for path in paths if path in self.files}
        return ImportGraph(edges, tuple(cycle.files for cycle in self.cycles))

    def file_numbers(self) -> Mapping[str, Mapping[str, Any]]:
        """Return how many files import each file, how many it imports, and whether it is in a cycle."""
        edges = self.import_graph.edges
        in_cycle = {path for cycle in self.cycles for path in cycle.files}
        importers = Counter(target for targets in edges.values() for target in targets)
        return {
            path: {"imported_by": importers[path], "imports": len(targets), "in_cycle": path in in_cycle}
            for path, targets in edges.items()
        }


def graph_report(room: Analysis, scan: Scan, dag_type: DagType = "import-graph") -> GraphReport:
    """Report on the dependencies of a scan."""
    graph = kept_graph(room, scan, dag_type)
    imports = graph if "Imports" in graph.sites else kept_graph(room, scan, "import-graph")
    references = room.cached(
        "cross-language references", scan, lambda: cross_language_references(scan, room.resolution(scan))
    )
    return GraphReport(graph, imports, references, scan.files.keys())
