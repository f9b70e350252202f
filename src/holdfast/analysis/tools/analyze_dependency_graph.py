"""`analyze_dependency_graph`: dependencies between files or definitions, as text, data or a diagram."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import Field, StrictBool

from holdfast.analysis.engine.scan import FileCounts, Project, Scan
from holdfast.analysis.graph.cross_language import CrossReference, ReferenceType, cross_language_references
from holdfast.analysis.graph.cycles import Cycle, cycles
from holdfast.analysis.graph.dependency_graph import (
    CodeGraph,
    DagType,
    DependencyEdge,
    DependencyNode,
    EdgeType,
    NodeType,
    dependency_graph,
)
from holdfast.analysis.graph.drawing import MAX_MERMAID_EDGES, MAX_MERMAID_NODES, dot, mermaid
from holdfast.analysis.graph.excerpt import (
    SELECTION_METHOD,
    SELECTION_METHOD_AROUND_FOCUS,
    excerpt,
    matching_nodes,
    nodes_around,
)
from holdfast.analysis.graph.imports.target import Certainty
from holdfast.analysis.render.text_layout import lines, skipped_files_line
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools import arguments
from holdfast.analysis.toolset import analyze
from holdfast.kernel.errors import InvalidArguments, NotFound
from holdfast.kernel.models import Input, Integer, IntegerOrNone, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText

_DEFAULT_NODES = 30
"""Nodes in a result by default: a judgement, as many as a diagram shows legibly."""
_MAX_NODES = 1000
"""Nodes in a result at most: a judgement, so that it has about a megabyte at most."""
_EDGES_PER_NODE = 5
"""Edges in a result, as a multiple of the nodes: a judgement, above what most files import in a project."""
_MAX_ENTRIES_LISTED = 10
"""Cycles, packages and coupled files in a result: a judgement, enough to see where to start."""
_MAX_DEPTH = 10
"""Edges from the focus: a judgement, as few nodes of a graph are farther apart."""
GraphFormat = Literal["summary", "json", "mermaid", "dot"]


class AnalyzeDependencyGraph(Input):
    """The graph, and the part of it to return."""

    project_path: str = Field(default=".", description="A folder or file, from the root of the repository.")
    dag_type: DagType = Field(
        default="import-graph",
        description="Calls between functions, imports between files, base types, or all of these.",
    )
    format: GraphFormat = Field(default="summary", description="Text, all data, or a diagram as text.")
    focus: str | None = Field(
        default=None,
        min_length=1,
        max_length=1000,
        description="Only the surroundings of a file, a node id, or a symbol such as Class.method.",
    )
    depth: IntegerOrNone = Field(
        default=None,
        ge=1,
        le=_MAX_DEPTH,
        description="Maximum distance from the focus, in edges; 1 by default.",
    )
    include_external: StrictBool = Field(default=False, description="Show external packages as nodes.")
    since: arguments.Revision | None = Field(
        default=None,
        description="Only dependencies, cycles and packages that this commit, branch or tag did not have.",
    )
    diff: arguments.ForkRevision = None
    limit: Integer = Field(
        default=_DEFAULT_NODES, ge=1, le=_MAX_NODES, description="Maximum number of nodes."
    )


class GraphNode(Output):
    """A file, a definition, or an external package."""

    id: UntrustedText = Field(description="The path, or path::Outer.inner for a definition.")
    label: UntrustedText
    node_type: NodeType
    file_path: UntrustedText | None
    line_number: int | None
    complexity: int | None = Field(
        description="Cyclomatic; of a class or file, the sum over its functions. Null if not measured."
    )


class GraphEdge(Output):
    """A dependency of one node on another."""

    origin: UntrustedText = Field(alias="from")
    target: UntrustedText = Field(alias="to")
    edge_type: EdgeType
    weight: int = Field(description="Number of places in the source.")
    certainty: Certainty = Field(
        description="exact: by the language's rules. likely: by convention. guess: by a name defined once."
    )


class SiteCounts(Output):
    """How the places that may be dependencies were resolved."""

    total: int = Field(description="Sum of resolved, external and unresolved.")
    resolved: int = Field(description="To a node of the project.")
    external: int = Field(description="To an external package.")
    unresolved: int = Field(description="Not resolved.")


class ImportCycle(Output):
    """Files that import each other in a cycle."""

    files: list[UntrustedText]
    size: int
    at_load: bool = Field(
        description="Whether the imports run at load time, not only in functions or for types."
    )


def first_cycles(cycles: Sequence[Cycle], limit: int) -> list[ImportCycle]:
    """Return at most `limit` cycles, with at most `limit` files of each."""
    return [
        ImportCycle(files=list(cycle.files[:limit]), size=len(cycle.files), at_load=cycle.at_load)
        for cycle in cycles[:limit]
    ]


class Coupling(Output):
    """The coupling of a file, by the edges of this graph."""

    file_path: UntrustedText
    dependents: int = Field(description="Files that depend on it (afferent).")
    dependencies: int = Field(description="Files that it depends on (efferent).")


class ExternalPackage(Output):
    """An external package."""

    package: UntrustedText
    sites: int = Field(description="Number of places in the source that use it.")


class LanguageReference(Output):
    """A reference from code in one language to code in another."""

    source_file: UntrustedText
    line: int
    text: UntrustedText = Field(description="The source text of the reference.")
    reference_type: ReferenceType
    target_file: UntrustedText | None = Field(description="Null if it resolves to no file of the project.")
    confidence: Certainty


class DependencyGraph(FileCounts):
    """The requested part of a graph, with totals."""

    project_path: UntrustedText
    dag_type: DagType
    format: GraphFormat
    focus: UntrustedText | None
    compared_with: str | None = Field(description="The base commit; null without one.")
    total_nodes: int
    total_edges: int
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    sites: dict[EdgeType, SiteCounts]
    total_cycles: int | None = Field(description="Null if the graph has no imports.")
    cycles: list[ImportCycle] = Field(description="The largest cycles.")
    coupling: list[Coupling] = Field(description="The files with most dependents.")
    total_external: int
    external: list[ExternalPackage] = Field(description="The packages used most.")
    total_references: int
    references: list[LanguageReference] = Field(description="The first references between languages.")
    damaged_settings: dict[UntrustedText, UntrustedText] = Field(
        description="Settings files that could not be read, with reasons."
    )
    method: str = Field(description="How nodes and edges were chosen if not all are shown.")


def _shown_graph(result: DependencyGraph) -> tuple[list[DependencyNode], list[DependencyEdge]]:
    nodes = [DependencyNode(**node.model_dump()) for node in result.nodes]
    edges = [
        DependencyEdge(edge.origin, edge.target, edge.edge_type, edge.weight, edge.certainty)
        for edge in result.edges
    ]
    return nodes, edges


def _text(result: DependencyGraph, _: int) -> str:
    nodes = f"{len(result.nodes):,} of {result.total_nodes:,} nodes"
    edges = f"{len(result.edges):,} of {result.total_edges:,} edges"
    return lines(
        f"{result.dag_type} of {result.project_path}: {nodes}, {edges}.",
        f"Only dependencies that are new since {result.compared_with}." if result.compared_with else "",
        (_site_line(kind, sites) for kind, sites in result.sites.items()),
        f"Files analysed: {result.files_analyzed:,}.",
        skipped_files_line(result),
        (f"{path} could not be read: {reason}" for path, reason in result.damaged_settings.items()),
        _titled_list(f"Import cycles, {result.total_cycles}:", map(_cycle_line, result.cycles)),
        _titled_list("Most depended on:", map(_coupling_line, result.coupling)),
        _titled_list(
            f"External packages, {result.total_external:,}:",
            (f"{item.sites:>5} places  {item.package}" for item in result.external),
        ),
        _titled_list(
            f"References between languages, {result.total_references:,}:",
            map(_reference_line, result.references),
        ),
        _titled_list(f"Around {result.focus}:", map(_edge_line, result.edges)) if result.focus else [],
    )


def _titled_list(title: str, entries: Iterable[str]) -> list[str]:
    """Return a title and the indented entries, or nothing if there are no entries."""
    indented = [f"  {entry}" for entry in entries]
    return [title, *indented] if indented else []


def _site_line(kind: EdgeType, sites: SiteCounts) -> str:
    return (
        f"{kind}: {sites.total:,} places, {sites.resolved:,} in the project, {sites.external:,} external,"
        f" {sites.unresolved:,} not resolved."
    )


def _cycle_line(cycle: ImportCycle) -> str:
    more = f" and {cycle.size - len(cycle.files)} more" if cycle.size > len(cycle.files) else ""
    load = "" if cycle.at_load else " (only in functions or for types)"
    return f"{cycle.size} files{load}: {', '.join(cycle.files)}{more}"


def _coupling_line(item: Coupling) -> str:
    return f"{item.dependents:>5} dependents, {item.dependencies:>4} dependencies  {item.file_path}"


def _reference_line(item: LanguageReference) -> str:
    target = f" -> {item.target_file}" if item.target_file else ""
    return f"{item.reference_type} ({item.confidence}) {item.source_file}:{item.line}  {item.text}{target}"


def _edge_line(edge: GraphEdge) -> str:
    return f"{edge.origin} {edge.edge_type.lower()} {edge.target} ({edge.certainty}, {edge.weight})"


@analyze.operation(
    "analyze_dependency_graph",
    title="Analyze dependencies",
    effect=Effect.READ,
    command="graph",
    example="holdfast analyze graph src --dag-type import-graph --format mermaid",
    **arguments.project_options(
        _text,
        specified=False,
        stages=2,
        mermaid=lambda result: mermaid(*_shown_graph(result)),
        dot=lambda result: dot(*_shown_graph(result)),
    ),
)
def analyze_dependency_graph(room: Analysis, args: AnalyzeDependencyGraph) -> DependencyGraph:
    """Show dependencies: calls between functions, imports between files, base types.

    Names are resolved by the rules of each language, and every edge has a certainty. With a focus, only its
    surroundings are shown. Also: import cycles, coupling, external packages, references between languages.
    """
    if args.depth is not None and args.focus is None:
        raise InvalidArguments("`depth` needs a focus.", hint="Give a file or symbol as focus.")
    base = arguments.requested_base(room, args.since, args.diff)
    scan = room.scan(Project(path=args.project_path))
    key = f"dependencies {args.dag_type} {args.include_external}"
    graph, references, damaged = room.cached(key, scan, lambda: _resolve(room, scan, args))
    import_cycles = cycles(graph.edges)
    if base is not None:
        base_graph, base_references, _ = _resolve(room, base.scan(scan), args)
        base_cycles = cycles(base_graph.edges)
        import_cycles = [cycle for cycle in import_cycles if cycle not in base_cycles]
        graph, references = graph.new_since(base_graph), _new_references(references, base_references)
    distances = _distances_from_focus(graph, args)
    max_nodes, max_edges = args.limit, args.limit * _EDGES_PER_NODE
    if args.format == "mermaid":
        max_nodes, max_edges = min(max_nodes, MAX_MERMAID_NODES), min(max_edges, MAX_MERMAID_EDGES)
    part = excerpt(graph, distances, max_nodes, max_edges)
    return DependencyGraph(
        **scan.counts.model_dump(),
        project_path=args.project_path,
        dag_type=args.dag_type,
        format=args.format,
        focus=args.focus,
        compared_with=None if base is None else base.commit,
        total_nodes=part.total_nodes,
        total_edges=part.total_edges,
        nodes=[GraphNode(**node._asdict()) for node in part.nodes],
        edges=[GraphEdge.model_validate(edge, from_attributes=True) for edge in part.edges],
        sites={kind: SiteCounts(**sites._asdict()) for kind, sites in graph.sites.items()},
        total_cycles=len(import_cycles) if "Imports" in graph.sites else None,
        cycles=first_cycles(import_cycles, _MAX_ENTRIES_LISTED),
        coupling=_coupling(graph, distances),
        total_external=len(graph.external),
        external=[
            ExternalPackage(package=package, sites=sites)
            for package, sites in list(graph.external.items())[:_MAX_ENTRIES_LISTED]
        ],
        total_references=len(references),
        references=[LanguageReference(**item._asdict()) for item in references[: args.limit]],
        damaged_settings=damaged,
        method=SELECTION_METHOD if distances is None else SELECTION_METHOD_AROUND_FOCUS,
    )


def _resolve(
    room: Analysis, scan: Scan, args: AnalyzeDependencyGraph
) -> tuple[CodeGraph, list[CrossReference], dict[str, str]]:
    resolution = room.resolution(scan)
    graph = dependency_graph(scan, resolution, args.dag_type, include_external=args.include_external)
    return graph, cross_language_references(scan, resolution), resolution.damaged_settings


def _new_references(
    references: list[CrossReference], base_references: list[CrossReference]
) -> list[CrossReference]:
    # A reference on another line is the same.
    at_base = {reference._replace(line=0) for reference in base_references}
    return [reference for reference in references if reference._replace(line=0) not in at_base]


def _distances_from_focus(graph: CodeGraph, args: AnalyzeDependencyGraph) -> dict[str, int] | None:
    """Return the nodes around the focus, each with its distance in edges; None without a focus."""
    if args.focus is None:
        return None
    seeds = matching_nodes(graph, args.focus)
    if not seeds:
        raise NotFound(
            f"This {args.dag_type} has no node '{args.focus}'.",
            hint="Give a path from the root of the repository, or a symbol such as Class.method.",
        )
    return nodes_around(graph, seeds, args.depth or 1)


def _coupling(graph: CodeGraph, distances: dict[str, int] | None) -> list[Coupling]:
    """Return the files with most dependents; with a focus, only those around it."""
    files = None if distances is None else {graph.nodes[node].file_path for node in distances}
    coupling = [
        Coupling(file_path=file, dependents=dependents, dependencies=dependencies)
        for file, (dependents, dependencies) in graph.coupling().items()
        if files is None or file in files
    ]
    coupling.sort(key=lambda item: (-item.dependents, -item.dependencies, item.file_path))
    return coupling[:_MAX_ENTRIES_LISTED]
