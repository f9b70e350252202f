"""The dependency graph of a project: calls between functions, imports between files, inheritance of types.

Contract
- The id of a node is the path of a file, or `path::Outer.inner` for a definition; equal names in a file share
  a node.
- Every edge has evidence in the source. Its weight is the number of places, its certainty the highest of
  them. Unresolved places are counted, but have no edge.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.graph.file_scope import CONSTRUCTOR, TYPES, function_of
from holdfast.analysis.graph.imports.target import Certainty
from holdfast.analysis.graph.resolution import Resolution
from holdfast.analysis.graph.resolved_name import LOCAL, DefinitionRef, ResolvedName
from holdfast.kernel.call import current_call
from holdfast.kernel.machine import without_garbage_collection
from holdfast.syntax.record import MODULE, CallSite, Record
from holdfast.syntax.symbols import FUNCTIONS

if TYPE_CHECKING:
    from holdfast.analysis.room import Analysis

DagType = Literal["call-graph", "import-graph", "inheritance", "full-dependency"]
NodeType = Literal["Module", "Function", "Class", "Struct", "Enum", "Interface", "Trait", "External"]
EdgeType = Literal["Calls", "Imports", "Inherits"]
EDGE_TYPES: Mapping[DagType, tuple[EdgeType, ...]] = {
    "call-graph": ("Calls",),
    "import-graph": ("Imports",),
    "inheritance": ("Inherits",),
    "full-dependency": ("Calls", "Imports", "Inherits"),
}
EXTERNAL = "external:"
_CERTAINTY_ORDER: Mapping[Certainty, int] = {"exact": 0, "likely": 1, "guess": 2, "unknown": 3}
_CONSTRUCTORS = (CONSTRUCTOR, "__init__", "__construct", "initialize", "init")
_NODE_TYPES: Mapping[str, NodeType] = {
    **dict.fromkeys(FUNCTIONS, "Function"),
    "Class": "Class",
    "Object": "Class",
    "Struct": "Struct",
    "Enum": "Enum",
    "Interface": "Interface",
}
_NONE: frozenset[str] = frozenset()
_OFTEN = 100
"""Files between progress reports."""


class DependencyNode(NamedTuple):
    """A file, a definition, or an external package."""

    id: str
    label: str
    node_type: NodeType
    file_path: str | None
    line_number: int | None
    complexity: int | None
    """Cyclomatic complexity, summed over the functions of a class or file; None if not measured."""


class DependencyEdge(NamedTuple):
    """A dependency of one node on another."""

    origin: str
    goal: str
    edge_type: EdgeType
    weight: int
    certainty: Certainty
    deferred: bool
    """Whether it is an import that does not run when the file loads: in a function, or for types only."""


class Sites(NamedTuple):
    """How many places of a kind were resolved, external or unresolved."""

    total: int = 0
    resolved: int = 0
    external: int = 0
    unresolved: int = 0


@dataclass(frozen=True)
class CodeGraph:
    """Nodes and edges, in order."""

    nodes: dict[str, DependencyNode]
    edges: tuple[DependencyEdge, ...]
    sites: Mapping[EdgeType, Sites]
    external: Mapping[str, int]
    """How many places use each external package."""

    def since(self, before: CodeGraph) -> CodeGraph:
        """Return the edges with their ends, nodes and packages that an earlier graph lacks."""
        known = {edge[:3] for edge in before.edges}
        edges = tuple(edge for edge in self.edges if edge[:3] not in known)
        ends = {end for edge in edges for end in edge[:2]}
        nodes = {at: node for at, node in self.nodes.items() if at in ends or at not in before.nodes}
        external = {name: sites for name, sites in self.external.items() if name not in before.external}
        return replace(self, nodes=nodes, edges=edges, external=external)

    def coupling(self) -> dict[str, tuple[int, int]]:
        """Return the afferent and efferent coupling of each file: its dependents and its dependencies."""
        incoming: dict[str, set[str]] = defaultdict(set)
        outgoing: dict[str, set[str]] = defaultdict(set)
        for edge in self.edges:
            origin, goal = self.nodes[edge.origin].file_path, self.nodes[edge.goal].file_path
            if origin and goal and origin != goal:
                outgoing[origin].add(goal)
                incoming[goal].add(origin)
        return {file: (len(incoming[file]), len(outgoing[file])) for file in sorted({*incoming, *outgoing})}


@without_garbage_collection()
def dependency_graph(
    scan: Scan, resolution: Resolution, dag_type: DagType, *, include_external: bool = False
) -> CodeGraph:
    """Build the graph of a kind, with external packages as nodes if requested."""
    builder = _Builder(resolution, include_external)
    wanted = EDGE_TYPES[dag_type]
    call = current_call()
    for done, (path, record) in enumerate(scan.files.items()):
        if done % _OFTEN == 0:
            call.progress(done, len(scan.files), "Resolving names")
        builder.add(path, record, wanted)
    return builder.graph(wanted)


def cached_graph(room: Analysis, scan: Scan, dag_type: DagType) -> CodeGraph:
    """Return the graph of a scan, cached until one of its files changes."""
    return room.cached(dag_type, scan, lambda: dependency_graph(scan, room.resolution(scan), dag_type))


class _Builder:
    """Collects nodes and edges file by file."""

    def __init__(self, resolution: Resolution, include_external: bool) -> None:
        self.resolution = resolution
        self.include_external = include_external
        self.nodes: dict[str, DependencyNode] = {}
        self.edges: dict[tuple[str, str, EdgeType], tuple[int, Certainty, bool]] = {}
        self.sites: dict[EdgeType, list[int]] = defaultdict(lambda: [0, 0, 0])
        self.external: Counter[str] = Counter()
        self._measured: dict[str, dict[str, int]] = {}
        self._callables: dict[DefinitionRef, str | None] = {}

    def add(self, path: str, record: Record, wanted: tuple[EdgeType, ...]) -> None:
        """Add the nodes and edges of a file."""
        self._add_nodes(path, record, wanted)
        if "Imports" in wanted:
            self._add_imports(path, record)
        if "Calls" in wanted:
            self._add_calls(path, record)
        if "Inherits" in wanted:
            self._add_bases(path, record)

    def _add_nodes(self, path: str, record: Record, wanted: tuple[EdgeType, ...]) -> None:
        """Add a file and its definitions, if graphs of this kind contain them."""
        if "Imports" in wanted:
            self._node(DefinitionRef(path, MODULE))
        kinds = (FUNCTIONS if "Calls" in wanted else _NONE) | (TYPES if "Inherits" in wanted else _NONE)
        for index, definition in enumerate(record.names.definitions):
            if definition.kind in kinds:
                self._node(DefinitionRef(path, index))

    def _node(self, place: DefinitionRef) -> str:
        """Return the id of the node of a definition or file; add the node if it is new."""
        path, index = place
        record = self.resolution.records[path]
        if index == MODULE:
            if path not in self.nodes:
                own = {function.name: function.cyclomatic for function in record.functions}
                complexity = sum(own.values()) if own else None
                self.nodes[path] = DependencyNode(
                    path, path.rpartition("/")[2], "Module", path, 1, complexity
                )
            return path
        definition = record.names.definitions[index]
        name = definition.path if " for " not in definition.path else definition.path.rpartition(" for ")[2]
        key = f"{path}::{name}"
        if key not in self.nodes:
            kind = _NODE_TYPES.get(definition.kind, "Class")
            if kind == "Interface" and record.language == "rust":
                kind = "Trait"
            self.nodes[key] = DependencyNode(
                key, name, kind, path, definition.line, self._complexity(path).get(name)
            )
        return key

    def _complexity(self, path: str) -> dict[str, int]:
        """Return the complexity of each function of a file, and the sums for the enclosing definitions."""
        found = self._measured.get(path)
        if found is None:
            own = {function.name: function.cyclomatic for function in self.resolution.records[path].functions}
            sums: Counter[str] = Counter()
            for name, value in own.items():
                around = name.rpartition(".")[0]
                while around:
                    sums[around] += value
                    around = around.rpartition(".")[0]
            found = self._measured[path] = {**sums, **own}
        return found

    def _add_imports(self, path: str, record: Record) -> None:
        """Add the imports of a file."""
        names = record.names
        for imported in names.imports:
            target = self.resolution.target(path, imported)
            files = [file for file in target.files if file in self.resolution.records and file != path]
            certainty = target.certainty
            if len(files) > 1:  # a package of several files: only those that define a used name
                used = self._used_names(path)
                chosen = [
                    file for file in files if not used.isdisjoint(self.resolution.layout.top_names(file))
                ]
                files, certainty = (chosen, certainty) if chosen else (files, "likely")
            inner = function_of(names.definitions, imported.definition)
            deferred = imported.typing_only or inner != MODULE
            self._count("Imports", 1, resolved=certainty != "unknown", package=target.package)
            for file in files:
                self._edge((path, self._node(DefinitionRef(file, MODULE)), "Imports"), 1, certainty, deferred)
            if target.package:
                self._add_external(path, target.package, "Imports", 1)

    def _used_names(self, path: str) -> frozenset[str]:
        uses = self.resolution.records[path].names.uses
        return frozenset(name for use in uses for some in (use.names, use.attributes) for name in some)

    def _add_calls(self, path: str, record: Record) -> None:
        """Add the calls in a file."""
        scope = self.resolution.scope(path)
        callers: dict[int, str] = {}
        resolved: dict[
            tuple[int, str], tuple[ResolvedName, list[str]]
        ] = {}  # shared: many functions call the same names
        for (definition, receivers, callee), weight in _called(record.names.calls).items():
            key = (scope.viewpoint(definition, callee.partition(".")[0]), callee)
            known = resolved.get(key) if not receivers else None
            if known is None:
                found = self.resolution.resolve_call(path, definition, callee, receivers)
                known = (found, [goal for place in found.places if (goal := self._callable(place))])
                if not receivers:
                    resolved[key] = known
            found, goals = known
            self._count("Calls", weight, resolved=bool(goals) or found is LOCAL, package=found.package)
            if goals or (found.package and self.include_external):
                caller = callers.get(definition)
                if caller is None:
                    caller = callers[definition] = self._node(DefinitionRef(path, scope.runs_in(definition)))
                for goal in goals:
                    self._edge((caller, goal, "Calls"), weight, found.certainty)
                if found.package:
                    self._add_external(caller, found.package, "Calls", weight)

    def _callable(self, place: DefinitionRef) -> str | None:
        """Return the node of the called function: for a class its constructor, or else the class itself."""
        if place not in self._callables:
            self._callables[place] = self._called_node(place)
        return self._callables[place]

    def _called_node(self, place: DefinitionRef) -> str | None:
        if place.definition == MODULE:
            return None
        scope = self.resolution.scope(place.path)
        definition = scope.definitions[place.definition]
        if definition.kind in TYPES:
            members = scope.members.get(scope.paths[place.definition], {})
            index = next((members[name][0] for name in _CONSTRUCTORS if name in members), place.definition)
            return self._node(DefinitionRef(place.path, index))
        return self._node(place) if definition.kind in FUNCTIONS else None

    def _add_bases(self, path: str, record: Record) -> None:
        """Add the base types of a file's types."""
        for index, definition in enumerate(record.names.definitions):
            if not definition.bases:
                continue
            node = self._node(DefinitionRef(path, index))
            for base in self.resolution.bases(DefinitionRef(path, index)):
                goals = [self._node(place) for place in base.places if place.definition != MODULE]
                self._count("Inherits", 1, resolved=bool(goals), package=base.package)
                for goal in goals:
                    self._edge((node, goal, "Inherits"), 1, base.certainty)
                if base.package:
                    self._add_external(node, base.package, "Inherits", 1)

    def _count(self, edge_type: EdgeType, weight: int, *, resolved: bool, package: str) -> None:
        counted = self.sites[edge_type]
        counted[1 if package else 0 if resolved else 2] += weight
        if package:
            self.external[package] += weight

    def _add_external(self, origin: str, package: str, edge_type: EdgeType, weight: int) -> None:
        """Add an edge to an external package, if requested."""
        if self.include_external:
            key = EXTERNAL + package
            self.nodes.setdefault(key, DependencyNode(key, package, "External", None, None, None))
            self._edge((origin, key, edge_type), weight, "exact")

    def _edge(
        self, key: tuple[str, str, EdgeType], weight: int, certainty: Certainty, deferred: bool = False
    ) -> None:
        before = self.edges.get(key)
        if before is not None:
            weight += before[0]
            certainty = min(certainty, before[1], key=_CERTAINTY_ORDER.__getitem__)
            deferred = deferred and before[2]
        self.edges[key] = (weight, certainty, deferred)

    def graph(self, wanted: tuple[EdgeType, ...]) -> CodeGraph:
        """Return the collected graph, sorted."""
        edges = tuple(DependencyEdge(*key, *self.edges[key]) for key in sorted(self.edges))
        sites = {kind: Sites(sum(self.sites[kind]), *self.sites[kind]) for kind in wanted}
        external = dict(sorted(self.external.items(), key=lambda item: (-item[1], item[0])))
        return CodeGraph({key: self.nodes[key] for key in sorted(self.nodes)}, edges, sites, external)


def _called(calls: tuple[CallSite, ...]) -> Counter[tuple[int, tuple[str, ...], str]]:
    """Count the calls by definition, callee, and the calls whose result they may be made on."""
    found: Counter[tuple[int, tuple[str, ...], str]] = Counter()
    for number, site in enumerate(calls):
        receivers: tuple[str, ...] = ()
        if site.callee[:1] == ".":
            beside = (*calls[max(0, number - 1) : number], *calls[number + 1 : number + 2])
            same = (other for other in beside if other[::2] == site[::2])  # in that definition, on that line
            receivers = tuple(other.callee for other in same)
        found[site.definition, receivers, site.callee] += 1
    return found
