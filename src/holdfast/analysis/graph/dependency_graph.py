"""The dependency graph of a project: calls between functions, imports between files, inheritance of types.

Contract:
- The id of a node is the path of a file, or `path::Outer.inner` for a definition; equal names in a file share
  a node.
- Every edge has evidence in the source. Its weight is the number of places that refer to the target, and its
  certainty the highest certainty among them. Unresolved places are counted, but have no edge.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.graph.file_scope import CONSTRUCTOR, innermost
from holdfast.analysis.graph.imports.target import Certainty
from holdfast.analysis.graph.resolution import Resolution
from holdfast.analysis.graph.resolved_name import LOCAL, DefinitionRef, ResolvedName
from holdfast.kernel.call import current_call
from holdfast.storage.garbage_collection import without_garbage_collection
from holdfast.syntax.record import MODULE, CallSite, Names, Record
from holdfast.syntax.symbols import CLASSES, FUNCTIONS

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
"""Starts the id of the node of an external package."""
_CERTAINTIES: tuple[Certainty, ...] = get_args(Certainty)  # the most certain first
_CONSTRUCTORS = (CONSTRUCTOR, "__init__", "__construct", "initialize", "init")
"""Names of constructors in the supported languages; the first that a class has is used."""
_NODE_TYPES: Mapping[str, NodeType] = {
    **dict.fromkeys(FUNCTIONS, "Function"),
    "Class": "Class",
    "Object": "Class",
    "Struct": "Struct",
    "Enum": "Enum",
    "Interface": "Interface",
}


class DependencyNode(NamedTuple):
    """A file, a definition, or an external package."""

    id: str
    label: str
    node_type: NodeType
    file_path: str | None
    line_number: int | None
    complexity: int | None
    """Cyclomatic complexity, summed over the functions of a class or file; None if not measured."""


EdgeKey = tuple[str, str, EdgeType]
"""The origin, the target and the type of an edge."""


class DependencyEdge(NamedTuple):
    """A dependency of one node on another."""

    origin: str
    target: str
    edge_type: EdgeType
    weight: int
    """The number of places in the source that it stands for."""
    certainty: Certainty
    """The highest of these places."""
    is_deferred: bool = False
    """Whether none of them is an import that runs when the file loads: all are in functions, or for types."""

    @property
    def ends(self) -> tuple[str, str]:
        """The ids of both nodes."""
        return self.origin, self.target

    @property
    def key(self) -> EdgeKey:
        """What tells edges of a graph apart."""
        return self.origin, self.target, self.edge_type


class Sites(NamedTuple):
    """The numbers of places in the source that refer to something, by the result of resolving them."""

    total: int = 0
    resolved: int = 0
    external: int = 0
    unresolved: int = 0


@dataclass(frozen=True)
class CodeGraph:
    """A dependency graph; nodes and edges are sorted."""

    nodes: dict[str, DependencyNode]
    """The nodes by id."""
    edges: tuple[DependencyEdge, ...]
    sites: Mapping[EdgeType, Sites]
    external: Mapping[str, int]
    """The number of places that use each external package."""

    def new_since(self, before: CodeGraph) -> CodeGraph:
        """Return the nodes, edges and packages that an earlier graph lacks, and the ends of these edges."""
        former = {edge.key for edge in before.edges}
        edges = tuple(edge for edge in self.edges if edge.key not in former)
        ends = {end for edge in edges for end in edge.ends}
        nodes = {key: node for key, node in self.nodes.items() if key in ends or key not in before.nodes}
        external = {name: sites for name, sites in self.external.items() if name not in before.external}
        return replace(self, nodes=nodes, edges=edges, external=external)

    def coupling(self) -> dict[str, tuple[int, int]]:
        """Return the afferent and efferent coupling of each file: its dependents and its dependencies."""
        incoming: dict[str, set[str]] = defaultdict(set)
        outgoing: dict[str, set[str]] = defaultdict(set)
        for edge in self.edges:
            origin, target = self.nodes[edge.origin].file_path, self.nodes[edge.target].file_path
            if origin and target and origin != target:
                outgoing[origin].add(target)
                incoming[target].add(origin)
        return {file: (len(incoming[file]), len(outgoing[file])) for file in sorted({*incoming, *outgoing})}


@without_garbage_collection()
def dependency_graph(
    scan: Scan, resolution: Resolution, dag_type: DagType, *, include_external: bool = False
) -> CodeGraph:
    """Build a graph of the requested kind, with external packages as nodes if requested."""
    builder = _Builder(resolution, include_external)
    edge_types = EDGE_TYPES[dag_type]
    call = current_call()
    for done, (path, record) in enumerate(scan.files.items()):
        call.progress(done, len(scan.files), "Resolving names")
        builder.add(path, record, edge_types)
    return builder.graph(edge_types)


def cached_graph(room: Analysis, scan: Scan, dag_type: DagType) -> CodeGraph:
    """Return the graph of a scan, cached until one of its files changes."""
    return room.cached(
        f"graph {dag_type}", scan, lambda: dependency_graph(scan, room.resolution(scan), dag_type)
    )


class _ResolvedCall(NamedTuple):
    """The definition or package that a call refers to, and the nodes of the called functions."""

    name: ResolvedName
    nodes: list[str]


class _Builder:
    def __init__(self, resolution: Resolution, include_external: bool) -> None:
        self.resolution = resolution
        self.include_external = include_external
        self.nodes: dict[str, DependencyNode] = {}
        self.edges: dict[EdgeKey, DependencyEdge] = {}
        self.sites: defaultdict[EdgeType, Counter[str]] = defaultdict(Counter)
        self.external: Counter[str] = Counter()
        self._complexity = cache(self._compute_complexity)
        self._callable_node = cache(self._find_callable_node)

    def add(self, path: str, record: Record, edge_types: tuple[EdgeType, ...]) -> None:
        self._add_nodes(path, record, edge_types)
        if "Imports" in edge_types:
            self._add_imports(path)
        if "Calls" in edge_types:
            self._add_calls(path, record)
        if "Inherits" in edge_types:
            self._add_bases(path, record)

    def _add_nodes(self, path: str, record: Record, edge_types: tuple[EdgeType, ...]) -> None:
        """Add a file and its definitions, if graphs of this kind contain them."""
        if "Imports" in edge_types:
            self._add_node(DefinitionRef(path, MODULE))
        kinds = {
            *(FUNCTIONS if "Calls" in edge_types else ()),
            *(CLASSES if "Inherits" in edge_types else ()),
        }
        for index, definition in enumerate(record.names.definitions):
            if definition.kind in kinds:
                self._add_node(DefinitionRef(path, index))

    def _add_node(self, place: DefinitionRef) -> str:
        """Add the node of a definition or file, unless it exists; return its id."""
        path, index = place
        record = self.resolution.records[path]
        if index == MODULE:
            if path not in self.nodes:
                complexities = {function.name: function.cyclomatic for function in record.functions}
                complexity = sum(complexities.values()) if complexities else None
                self.nodes[path] = DependencyNode(
                    path, path.rpartition("/")[2], "Module", path, 1, complexity
                )
            return path
        definition = record.names.definitions[index]
        name = definition.path.rpartition(" for ")[2]  # `impl Trait for Type` belongs to the type
        key = f"{path}::{name}"
        if key not in self.nodes:
            kind = _NODE_TYPES.get(definition.kind, "Class")
            if kind == "Interface" and record.language == "rust":
                kind = "Trait"
            self.nodes[key] = DependencyNode(
                key, name, kind, path, definition.line, self._complexity(path).get(name)
            )
        return key

    def _compute_complexity(self, path: str) -> dict[str, int]:
        """Return the complexity of each function of a file, and the sums for the enclosing definitions."""
        functions = self.resolution.records[path].functions
        of_functions = {function.name: function.cyclomatic for function in functions}
        sums: Counter[str] = Counter()
        for name, complexity in of_functions.items():
            container = name.rpartition(".")[0]
            while container:
                sums[container] += complexity
                container = container.rpartition(".")[0]
        return {**sums, **of_functions}

    def _add_imports(self, path: str) -> None:
        found = self.resolution.imports.by_file(
            "import edges", path, lambda: _imports_of(self.resolution, path)
        )
        for edge in found.edges:
            self._add_node(DefinitionRef(edge.target, MODULE))
            self._add_edge(edge)
        self.sites["Imports"].update(found.sites)
        self.external.update(found.external)
        for package, weight in found.external.items():
            self._add_external(path, package, "Imports", weight)

    def _add_calls(self, path: str, record: Record) -> None:
        scope = self.resolution.scope(path)
        callers: dict[int, str] = {}
        resolved: dict[tuple[int, str], _ResolvedCall] = {}  # many functions call the same names
        for (definition, receivers, callee), weight in _count_calls(record.names.calls).items():
            key = (scope.equivalent_scope(definition, callee.partition(".")[0]), callee)
            call = resolved.get(key) if not receivers else None
            if call is None:
                name = self.resolution.resolve_call(path, definition, callee, receivers)
                nodes = map(self._callable_node, name.places)
                call = _ResolvedCall(name, [node for node in nodes if node])
                if not receivers:
                    resolved[key] = call
            name, package = call.name, call.name.package
            self._count_sites("Calls", weight, resolved=bool(call.nodes) or name is LOCAL, package=package)
            if call.nodes or (package and self.include_external):
                caller = callers.get(definition)
                if caller is None:
                    place = innermost(scope.definitions, definition, FUNCTIONS | CLASSES)
                    caller = callers[definition] = self._add_node(DefinitionRef(path, place))
                for node in call.nodes:
                    self._add_edge(DependencyEdge(caller, node, "Calls", weight, name.certainty))
                if package:
                    self._add_external(caller, package, "Calls", weight)

    def _find_callable_node(self, place: DefinitionRef) -> str | None:
        """Return the node of the called function: for a class its constructor, or else the class itself."""
        if place.definition == MODULE:
            return None
        scope = self.resolution.scope(place.path)
        definition = scope.definitions[place.definition]
        if definition.kind in CLASSES:
            members = scope.members.get(scope.paths[place.definition], {})
            index = next((members[name][0] for name in _CONSTRUCTORS if name in members), place.definition)
            return self._add_node(DefinitionRef(place.path, index))
        return self._add_node(place) if definition.kind in FUNCTIONS else None

    def _add_bases(self, path: str, record: Record) -> None:
        for index, definition in enumerate(record.names.definitions):
            if not definition.bases:
                continue
            node = self._add_node(DefinitionRef(path, index))
            for base in self.resolution.bases(DefinitionRef(path, index)):
                targets = [self._add_node(place) for place in base.places if place.definition != MODULE]
                self._count_sites("Inherits", weight=1, resolved=bool(targets), package=base.package)
                for target in targets:
                    self._add_edge(DependencyEdge(node, target, "Inherits", 1, base.certainty))
                if base.package:
                    self._add_external(node, base.package, "Inherits", weight=1)

    def _count_sites(self, edge_type: EdgeType, weight: int, *, resolved: bool, package: str) -> None:
        """Count `weight` places in the source by the result of resolving them."""
        self.sites[edge_type][_site_result(resolved=resolved, package=package)] += weight
        if package:
            self.external[package] += weight

    def _add_external(self, origin: str, package: str, edge_type: EdgeType, weight: int) -> None:
        """Add an edge to an external package, if requested."""
        if self.include_external:
            key = EXTERNAL + package
            self.nodes.setdefault(key, DependencyNode(key, package, "External", None, None, None))
            self._add_edge(DependencyEdge(origin, key, edge_type, weight, "exact"))

    def _add_edge(self, edge: DependencyEdge) -> None:
        _merge_edge(self.edges, edge)

    def graph(self, edge_types: tuple[EdgeType, ...]) -> CodeGraph:
        edges = tuple(self.edges[key] for key in sorted(self.edges))
        sites = {kind: Sites(self.sites[kind].total(), **self.sites[kind]) for kind in edge_types}
        external = dict(sorted(self.external.items(), key=lambda item: (-item[1], item[0])))
        return CodeGraph({key: self.nodes[key] for key in sorted(self.nodes)}, edges, sites, external)


def _merge_edge(edges: dict[EdgeKey, DependencyEdge], edge: DependencyEdge) -> None:
    """Add an edge, or merge it with the existing one of the same type between the same nodes."""
    key = edge.key
    if existing := edges.get(key):
        edge = edge._replace(
            weight=edge.weight + existing.weight,
            certainty=min(edge.certainty, existing.certainty, key=_CERTAINTIES.index),
            is_deferred=edge.is_deferred and existing.is_deferred,
        )
    edges[key] = edge


class _FileImports(NamedTuple):
    """The imports of one file."""

    edges: tuple[DependencyEdge, ...]
    sites: Counter[str]
    """The numbers of imports by the result of resolving them."""
    external: Counter[str]
    """The numbers of imports of each external package."""


def _imports_of(resolution: Resolution, path: str) -> _FileImports:
    names = resolution.records[path].names
    found = _FileImports((), Counter(), Counter())
    edges: dict[EdgeKey, DependencyEdge] = {}
    used_names: frozenset[str] | None = None
    for imported in names.imports:
        target = resolution.imports.target(path, imported)
        files = [file for file in target.files if file in resolution.records and file != path]
        certainty = target.certainty
        if len(files) > 1:  # a package of several files: only those that define a used name
            used_names = _used_names(names) if used_names is None else used_names
            top_level_names = resolution.layout.top_level_names
            used_files = [file for file in files if not used_names.isdisjoint(top_level_names(file))]
            if used_files:
                files = used_files
            else:
                certainty = "likely"
        is_in_function = innermost(names.definitions, imported.definition, FUNCTIONS) != MODULE
        is_deferred = imported.typing_only or is_in_function
        for file in files:
            _merge_edge(edges, DependencyEdge(path, file, "Imports", 1, certainty, is_deferred))
        found.sites[_site_result(resolved=certainty != "unknown", package=target.package)] += 1
        if target.package:
            found.external[target.package] += 1
    return found._replace(edges=tuple(edges.values()))


def _used_names(names: Names) -> frozenset[str]:
    return frozenset(name for use in names.uses for name in (*use.names, *use.attributes))


def _site_result(*, resolved: bool, package: str) -> str:
    return "external" if package else "resolved" if resolved else "unresolved"


def _count_calls(calls: tuple[CallSite, ...]) -> Counter[tuple[int, tuple[str, ...], str]]:
    """Count the calls by definition, receivers and callee.

    The receivers are the adjacent calls on the same line, whose result a method call may be made on.
    """
    counts: Counter[tuple[int, tuple[str, ...], str]] = Counter()
    for number, site in enumerate(calls):
        receivers: tuple[str, ...] = ()
        if site.callee.startswith("."):
            adjacent = (*calls[max(0, number - 1) : number], *calls[number + 1 : number + 2])
            receivers = tuple(
                other.callee
                for other in adjacent
                if (other.definition, other.line) == (site.definition, site.line)
            )
        counts[site.definition, receivers, site.callee] += 1
    return counts
