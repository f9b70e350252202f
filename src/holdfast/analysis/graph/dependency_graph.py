"""The graph of what depends on what: functions by their calls, files by their imports, types by their bases.

Contract
- A node is a file, by its path, or a definition, as `path::Outer.inner`; equal names in a file are one node.
- An edge is there because a place in the text says so; its weight is the number of such places, its certainty
  that of the surest of them. Places that could not be resolved are counted, never drawn.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.graph.file_scope import CONSTRUCTOR, TYPES, function_of
from holdfast.analysis.graph.imports.target import Certainty
from holdfast.analysis.graph.meaning import LOCAL, Meaning, Place
from holdfast.analysis.graph.resolution import Resolution
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
_SURENESS: Mapping[Certainty, int] = {"exact": 0, "likely": 1, "guess": 2, "unknown": 3}
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


class Node(NamedTuple):
    """A file, a definition, or a package outside of the project."""

    id: str
    label: str
    node_type: NodeType
    file_path: str | None
    line_number: int | None
    complexity: int | None
    """Cyclomatic complexity, for a class or file that of all its functions; None where none was measured."""


class Edge(NamedTuple):
    """That one node depends on another."""

    origin: str
    goal: str
    edge_type: EdgeType
    weight: int
    certainty: Certainty
    deferred: bool
    """Whether it is an import that does not happen while its file is loaded: in a function, or for types."""


class Sites(NamedTuple):
    """What became of the places that could be edges."""

    total: int = 0
    resolved: int = 0
    external: int = 0
    unresolved: int = 0


@dataclass(frozen=True)
class Graph:
    """Nodes and edges, in order."""

    nodes: dict[str, Node]
    edges: tuple[Edge, ...]
    sites: Mapping[EdgeType, Sites]
    external: Mapping[str, int]
    """How many places use each package outside of the project."""

    def since(self, before: Graph) -> Graph:
        """Return what an earlier graph does not have: edges with what they join, other nodes, packages."""
        known = {edge[:3] for edge in before.edges}
        edges = tuple(edge for edge in self.edges if edge[:3] not in known)
        ends = {end for edge in edges for end in edge[:2]}
        nodes = {at: node for at, node in self.nodes.items() if at in ends or at not in before.nodes}
        external = {name: sites for name, sites in self.external.items() if name not in before.external}
        return replace(self, nodes=nodes, edges=edges, external=external)

    def coupling(self) -> dict[str, tuple[int, int]]:
        """Return how many other files depend on each file, and on how many it depends."""
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
) -> Graph:
    """Return the graph of a kind, with the packages outside of the project as nodes where they are wanted."""
    builder = _Builder(resolution, include_external)
    wanted = EDGE_TYPES[dag_type]
    call = current_call()
    for done, (path, record) in enumerate(scan.files.items()):
        if done % _OFTEN == 0:
            call.progress(done, len(scan.files), "Resolving names")
        builder.add(path, record, wanted)
    return builder.graph(wanted)


def kept_graph(room: Analysis, scan: Scan, dag_type: DagType) -> Graph:
    """Return the graph of a scan, made anew only where something in it changed."""
    return room.cached(dag_type, scan, lambda: dependency_graph(scan, room.resolution(scan), dag_type))


class _Builder:
    """Collects nodes and edges, file by file."""

    def __init__(self, resolution: Resolution, include_external: bool) -> None:
        self.resolution = resolution
        self.include_external = include_external
        self.nodes: dict[str, Node] = {}
        self.edges: dict[tuple[str, str, EdgeType], tuple[int, Certainty, bool]] = {}
        self.sites: dict[EdgeType, list[int]] = defaultdict(lambda: [0, 0, 0])
        self.external: Counter[str] = Counter()
        self._measured: dict[str, dict[str, int]] = {}
        self._callables: dict[Place, str | None] = {}

    def add(self, path: str, record: Record, wanted: tuple[EdgeType, ...]) -> None:
        """Add what a file has."""
        self._add_nodes(path, record, wanted)
        if "Imports" in wanted:
            self._add_imports(path, record)
        if "Calls" in wanted:
            self._add_calls(path, record)
        if "Inherits" in wanted:
            self._add_bases(path, record)

    def _add_nodes(self, path: str, record: Record, wanted: tuple[EdgeType, ...]) -> None:
        """Add a file and its definitions, as far as they are nodes of such a graph."""
        if "Imports" in wanted:
            self._node(Place(path, MODULE))
        kinds = (FUNCTIONS if "Calls" in wanted else _NONE) | (TYPES if "Inherits" in wanted else _NONE)
        for index, definition in enumerate(record.names.definitions):
            if definition.kind in kinds:
                self._node(Place(path, index))

    def _node(self, place: Place) -> str:
        """Return the id of a place, whose node is added where it is new."""
        path, index = place
        record = self.resolution.records[path]
        if index == MODULE:
            if path not in self.nodes:
                own = {function.name: function.cyclomatic for function in record.functions}
                complexity = sum(own.values()) if own else None
                self.nodes[path] = Node(path, path.rpartition("/")[2], "Module", path, 1, complexity)
            return path
        definition = record.names.definitions[index]
        name = definition.path if " for " not in definition.path else definition.path.rpartition(" for ")[2]
        key = f"{path}::{name}"
        if key not in self.nodes:
            kind = _NODE_TYPES.get(definition.kind, "Class")
            if kind == "Interface" and record.language == "rust":
                kind = "Trait"
            self.nodes[key] = Node(key, name, kind, path, definition.line, self._complexity(path).get(name))
        return key

    def _complexity(self, path: str) -> dict[str, int]:
        """Return the complexity of each function of a file, and their sums by what holds them."""
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
        """Add what a file imports."""
        names = record.names
        for imported in names.imports:
            target = self.resolution.target(path, imported)
            files = [file for file in target.files if file in self.resolution.records and file != path]
            certainty = target.certainty
            if len(files) > 1:  # a package is many files: those that define what is used here
                used = self._used_names(path)
                chosen = [
                    file for file in files if not used.isdisjoint(self.resolution.layout.top_names(file))
                ]
                files, certainty = (chosen, certainty) if chosen else (files, "likely")
            inner = function_of(names.definitions, imported.definition)
            deferred = imported.typing_only or inner != MODULE
            self._count("Imports", 1, resolved=certainty != "unknown", package=target.package)
            for file in files:
                self._edge((path, self._node(Place(file, MODULE)), "Imports"), 1, certainty, deferred)
            if target.package:
                self._leave(path, target.package, "Imports", 1)

    def _used_names(self, path: str) -> frozenset[str]:
        uses = self.resolution.records[path].names.uses
        return frozenset(name for use in uses for some in (use.names, use.attributes) for name in some)

    def _add_calls(self, path: str, record: Record) -> None:
        """Add what the functions of a file call."""
        scope = self.resolution.scope(path)
        callers: dict[int, str] = {}
        meant: dict[tuple[int, str], tuple[Meaning, list[str]]] = {}  # many functions call the same things
        for (definition, receivers, callee), weight in _called(record.names.calls).items():
            key = (scope.viewpoint(definition, callee.partition(".")[0]), callee)
            known = meant.get(key) if not receivers else None
            if known is None:
                found = self.resolution.called(path, definition, callee, receivers)
                known = (found, [goal for place in found.places if (goal := self._callable(place))])
                if not receivers:
                    meant[key] = known
            found, goals = known
            self._count("Calls", weight, resolved=bool(goals) or found is LOCAL, package=found.package)
            if goals or (found.package and self.include_external):
                caller = callers.get(definition)
                if caller is None:
                    caller = callers[definition] = self._node(Place(path, scope.runs_in(definition)))
                for goal in goals:
                    self._edge((caller, goal, "Calls"), weight, found.certainty)
                if found.package:
                    self._leave(caller, found.package, "Calls", weight)

    def _callable(self, place: Place) -> str | None:
        """Return the node that runs in a call: a function, the constructor of a class, or the class."""
        if place not in self._callables:
            self._callables[place] = self._run_by(place)
        return self._callables[place]

    def _run_by(self, place: Place) -> str | None:
        if place.definition == MODULE:
            return None
        scope = self.resolution.scope(place.path)
        definition = scope.definitions[place.definition]
        if definition.kind in TYPES:
            members = scope.members.get(scope.paths[place.definition], {})
            index = next((members[name][0] for name in _CONSTRUCTORS if name in members), place.definition)
            return self._node(Place(place.path, index))
        return self._node(place) if definition.kind in FUNCTIONS else None

    def _add_bases(self, path: str, record: Record) -> None:
        """Add what the types of a file extend and implement."""
        for index, definition in enumerate(record.names.definitions):
            if not definition.bases:
                continue
            node = self._node(Place(path, index))
            for base in self.resolution.bases(Place(path, index)):
                goals = [self._node(place) for place in base.places if place.definition != MODULE]
                self._count("Inherits", 1, resolved=bool(goals), package=base.package)
                for goal in goals:
                    self._edge((node, goal, "Inherits"), 1, base.certainty)
                if base.package:
                    self._leave(node, base.package, "Inherits", 1)

    def _count(self, edge_type: EdgeType, weight: int, *, resolved: bool, package: str) -> None:
        counted = self.sites[edge_type]
        counted[1 if package else 0 if resolved else 2] += weight
        if package:
            self.external[package] += weight

    def _leave(self, origin: str, package: str, edge_type: EdgeType, weight: int) -> None:
        """Add an edge that leads out of the project, where these are wanted."""
        if self.include_external:
            key = EXTERNAL + package
            self.nodes.setdefault(key, Node(key, package, "External", None, None, None))
            self._edge((origin, key, edge_type), weight, "exact")

    def _edge(
        self, key: tuple[str, str, EdgeType], weight: int, certainty: Certainty, deferred: bool = False
    ) -> None:
        before = self.edges.get(key)
        if before is not None:
            weight += before[0]
            certainty = min(certainty, before[1], key=_SURENESS.__getitem__)
            deferred = deferred and before[2]
        self.edges[key] = (weight, certainty, deferred)

    def graph(self, wanted: tuple[EdgeType, ...]) -> Graph:
        """Return what was collected, in order."""
        edges = tuple(Edge(*key, *self.edges[key]) for key in sorted(self.edges))
        sites = {kind: Sites(sum(self.sites[kind]), *self.sites[kind]) for kind in wanted}
        external = dict(sorted(self.external.items(), key=lambda item: (-item[1], item[0])))
        return Graph({key: self.nodes[key] for key in sorted(self.nodes)}, edges, sites, external)


def _called(calls: tuple[CallSite, ...]) -> Counter[tuple[int, tuple[str, ...], str]]:
    """Return how often each definition calls what, and on the result of which call that may be."""
    found: Counter[tuple[int, tuple[str, ...], str]] = Counter()
    for number, site in enumerate(calls):
        receivers: tuple[str, ...] = ()
        if site.callee[:1] == ".":
            beside = (*calls[max(0, number - 1) : number], *calls[number + 1 : number + 2])
            same = (other for other in beside if other[::2] == site[::2])  # in that definition, on that line
            receivers = tuple(other.callee for other in same)
        found[site.definition, receivers, site.callee] += 1
    return found
