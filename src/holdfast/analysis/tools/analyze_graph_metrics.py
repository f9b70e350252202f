"""`analyze_graph_metrics`: centrality, clustering and components of the dependency graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, StrictBool

from holdfast.analysis.engine.scan import FileCounts, Project
from holdfast.analysis.graph.dependency_graph import DagType, cached_graph
from holdfast.analysis.graph.graphml import graphml
from holdfast.analysis.render.text_layout import (
    MAX_ITEMS_IN_SUMMARY,
    format_renderer,
    lines,
    shown_line,
    skipped_files_line,
)
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools import arguments
from holdfast.analysis.toolset import analyze
from holdfast.kernel.content import Content, Embedded, Text
from holdfast.kernel.errors import InvalidArguments, NotFound, TooLarge, closest
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Integer, Output, count_field, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import counted, table
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.git.project_files import checked_project

Metric = Literal["centrality", "pagerank", "clustering", "components"]
MetricsFormat = Literal["summary", "detailed", "json"]
NodeFigure = Literal["pagerank", "degree", "clustering", "weak_component"]
"""Nodes are ranked by the first of these that was requested."""
_DEFAULT_NODES = 30
"""Nodes in a result by default: a judgement, about a screen of text."""
_MAX_CANDIDATES_NAMED = 5
"""Nodes that the error for an ambiguous seed names: a judgement, so that it stays readable."""
_METHOD = (
    "Edges lead from a node to its dependency; parallel edges are merged. Degree, betweenness, closeness (by"
    " incoming paths), PageRank and strong components use the direction of edges; clustering, communities"
    " (Leiden) and weak components do not. docs/analysis.md has the formulas."
)


class AnalyzeGraphMetrics(arguments.ProjectInput):
    """The graph, and the metrics to compute."""

    metrics: list[Literal[Metric, "all"]] = Field(
        default=["all"], min_length=1, description="The metrics to compute."
    )
    pagerank_seeds: list[Annotated[str, Field(min_length=1, max_length=LIMITS.path_characters)]] = Field(
        default=[],
        max_length=LIMITS.pagerank_seeds,
        description="Restart nodes of personalised PageRank: paths, or ends of paths such as main.rs.",
    )
    dag_type: DagType = Field(
        default="import-graph",
        description="Imports between files, calls between functions, base types, or all of these.",
    )
    graphml: StrictBool = Field(default=False, description="Add the whole graph with its metrics as GraphML.")
    format: MetricsFormat = Field(default="summary", description="Format of the text.")
    limit: Integer = count_field(_DEFAULT_NODES, LIMITS.graph_nodes, "Maximum number of nodes, by rank.")


class RankedNode(Output):
    """A file or definition with its metrics."""

    id: UntrustedText = Field(description="The path, or path::Outer.inner for a definition.")
    file_path: UntrustedText | None
    in_degree: int | None = optional("Number of nodes that depend on it.")
    out_degree: int | None = optional("Number of nodes that it depends on.")
    degree: float | None = optional("Sum of both degrees, divided by the number of other nodes.")
    betweenness: float | None = optional(
        "Share of the shortest paths between other nodes through it; null if they are too many to count."
    )
    closeness: float | None = optional("By Wasserman and Faust, from 0 to 1.")
    pagerank: float | None = optional("Probability of a visit; the sum over all nodes is 1.")
    clustering: float | None = optional("Share of the pairs of its neighbours that are linked.")
    community: int | None = optional("Its community; the largest is 0.")
    weak_component: int | None = optional("Its weakly connected component; the largest is 0.")
    strong_component: int | None = optional("Its strongly connected component; the largest is 0.")


class CentralityTotals(Output):
    """Degrees, and how shortest paths were computed."""

    average_degree: float | None = Field(description="Mean number of edges at a node; null without nodes.")
    max_degree: int | None
    paths: Literal["exact", "sampled"] = Field(
        description="Whether betweenness and closeness are estimated from a sample."
    )
    path_sources: int = Field(description="Number of nodes from which shortest paths were computed.")


class PageRankTotals(Output):
    """Parameters of PageRank."""

    damping: float
    seeds: list[UntrustedText] = Field(description="The restart nodes; empty for all.")


class ClusteringTotals(Output):
    """Clustering and communities."""

    average_coefficient: float | None = Field(description="The mean over all nodes; null without nodes.")
    modularity: float | None = Field(
        description="Newman's modularity of the communities; null without edges."
    )
    communities: int
    community_sizes: list[int] = Field(description="The largest ones.")


class ComponentTotals(Output):
    """Connected components."""

    weak_components: int
    weak_sizes: list[int] = Field(description="The largest ones.")
    strong_components: int
    strong_sizes: list[int] = Field(description="The largest ones; more than 1 is a cycle.")


class GraphMetrics(FileCounts):
    """The requested metrics of a graph."""

    format: MetricsFormat
    project_path: UntrustedText
    dag_type: DagType
    total_nodes: int
    total_edges: int
    density: float | None = Field(description="Edges divided by possible edges; null below two nodes.")
    centrality: CentralityTotals | None = optional("If requested.")
    pagerank: PageRankTotals | None = optional("If requested.")
    clustering: ClusteringTotals | None = optional("If requested.")
    components: ComponentTotals | None = optional("If requested.")
    ranked_by: NodeFigure
    nodes: list[RankedNode] = Field(description="`total_nodes` has the total.")
    graphml: UntrustedText | None = optional("The whole graph, if requested.")
    method: str


def _terminal_text(result: GraphMetrics, width: int) -> str:
    """Return the text for a terminal: if requested the GraphML alone, which users redirect into a file."""
    return result.graphml if result.graphml is not None else _text(result, width)


def _content(result: GraphMetrics) -> list[Content]:
    document = Embedded("graph://metrics.graphml", "application/xml", text=result.graphml)
    return [Text(_TOOL_TEXT(result)), *([document] if result.graphml is not None else [])]


def _text(result: GraphMetrics, width: int) -> str:
    shown = result.nodes if result.format == "detailed" else result.nodes[:MAX_ITEMS_IN_SUMMARY]
    nodes = counted(result.total_nodes, "node")
    return lines(
        f"{result.dag_type} of {result.project_path}, of {counted(result.files_analyzed, 'file')}.",
        skipped_files_line(result),
        f"{nodes}, {counted(result.total_edges, 'edge')}, density {_cell(result.density)}.",
        _total_lines(result),
        f"Ranked by {result.ranked_by}:" if shown else "",
        table(list(_rows(shown)), width, flexible=(0,)) if shown else "",
        shown_line(len(shown), result.total_nodes),
        result.method,
    )


_TOOL_TEXT = format_renderer(_text, {})


def _total_lines(result: GraphMetrics) -> Iterator[str]:
    for metric in get_args(Metric):
        if totals := getattr(result, metric):
            numbers = ", ".join(f"{name.replace('_', ' ')} {_cell(value)}" for name, value in totals)
            yield f"{metric.capitalize()}: {numbers}."


def _rows(nodes: Sequence[RankedNode]) -> Iterator[tuple[str, ...]]:
    names = [name for name, value in nodes[0] if value is not None and name != "file_path"]
    yield tuple(name.replace("_", " ") for name in names)
    yield from (tuple(_cell(getattr(node, name)) for name in names) for node in nodes)


def _cell(value: Any) -> str:
    if isinstance(value, list):
        ellipsis = ["…"] if len(value) > MAX_ITEMS_IN_SUMMARY else []
        return " ".join([*map(str, value[:MAX_ITEMS_IN_SUMMARY]), *ellipsis]) or "none"
    if value is None:
        return "not defined"
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _resolve_seeds(ids: Sequence[str], wanted: Iterable[str]) -> list[str]:
    """Return the ids of the seeds, each given by its id or by an unambiguous suffix."""
    known_ids, seeds = set(ids), list[str]()
    for written in wanted:
        seed = written.removeprefix("./")
        matching = [seed] if seed in known_ids else [node for node in ids if node.endswith(f"/{seed}")]
        if len(matching) > 1:
            candidates = ", ".join(matching[:_MAX_CANDIDATES_NAMED])
            if len(matching) > _MAX_CANDIDATES_NAMED:
                candidates += f" and {len(matching) - _MAX_CANDIDATES_NAMED} more"
            raise InvalidArguments(
                f"The seed '{seed}' matches several nodes: {candidates}.",
                hint="Give more of the path in `pagerank_seeds`.",
            )
        if not matching:
            near = closest(seed, [*ids, *(name.rpartition("/")[2] for name in ids)])
            raise NotFound(
                f"The seed '{seed}' is not a node of this graph.",
                hint=f'Did you mean "{near}"?' if near else "Give a path from the root of the repository.",
            )
        seeds += matching
    return list(dict.fromkeys(seeds))


def _graphml(nodes: list[RankedNode], edges: Iterable[tuple[int, int]]) -> str:
    figures = (node.model_dump(exclude_none=True, exclude={"file_path"}) for node in nodes)
    text = graphml(figures, sorted(edges))
    if len(text.encode()) > LIMITS.graphml_bytes:
        raise TooLarge(
            f"The GraphML is larger than {LIMITS.graphml_bytes // 2**20} MiB, the limit of a result.",
            hint="Give a folder as `project_path`, or fewer `metrics`.",
        )
    return text


@analyze.operation(
    "analyze_graph_metrics",
    title="Analyze graph metrics",
    effect=Effect.READ,
    command="graph-metrics",
    example="holdfast analyze graph-metrics src --metrics pagerank --pagerank-seeds main.py",
    **arguments.project_options(_terminal_text, stages=4) | {"text": _TOOL_TEXT, "content": _content},
)
def analyze_graph_metrics(room: Analysis, args: AnalyzeGraphMetrics) -> GraphMetrics:
    """Measure the dependency graph: centrality, PageRank, clustering, communities, components.

    Nodes are files and edges imports, unless another graph is requested. With seeds, PageRank is relative to
    them. Above 5,000 nodes, betweenness and closeness are estimated from a sample, and `paths` says so.
    """
    from holdfast.analysis.graph.metrics import MetricGraph  # here, because it loads NumPy

    project = Project(checked_project(room.repository, args.project_path))
    wanted = [name for name in get_args(Metric) if name in args.metrics or "all" in args.metrics]
    if args.pagerank_seeds and "pagerank" not in wanted:
        raise InvalidArguments(
            "`pagerank_seeds` need PageRank, which is not among `metrics`.",
            hint="Add pagerank to the metrics.",
        )
    scan = room.scan(project)
    graph = cached_graph(room, scan, args.dag_type)
    indexes = {node_id: index for index, node_id in enumerate(graph.nodes)}
    edges = {(indexes[edge.origin], indexes[edge.target]) for edge in graph.edges}
    seeds = _resolve_seeds(list(indexes), args.pagerank_seeds)
    figures = MetricGraph(len(indexes), edges).figures(wanted, [indexes[seed] for seed in seeds])
    columns: dict[str, Any] = {
        name: values for figure in figures.values() for name, values in figure.columns.items()
    }
    nodes = [
        RankedNode(
            id=node_id, file_path=node.file_path, **{name: values[index] for name, values in columns.items()}
        )
        for index, (node_id, node) in enumerate(graph.nodes.items())
    ]
    ranked_by = next(name for name in get_args(NodeFigure) if name in columns)
    sign = 1 if ranked_by == "weak_component" else -1  # component 0 is the largest
    totals: dict[str, Any] = {name: _cut_lists(figure.totals, args.limit) for name, figure in figures.items()}
    if "pagerank" in totals:
        totals["pagerank"]["seeds"] = seeds  # the metric knows them only by index
    return GraphMetrics(
        **scan.counts.result_fields(project.path, args.format),
        **totals,
        dag_type=args.dag_type,
        total_nodes=len(nodes),
        total_edges=len(edges),
        density=round(len(edges) / (len(nodes) * (len(nodes) - 1)), 9) if len(nodes) > 1 else None,
        ranked_by=ranked_by,
        nodes=sorted(nodes, key=lambda node: (sign * getattr(node, ranked_by), node.id))[: args.limit],
        graphml=_graphml(nodes, edges) if args.graphml else None,
        method=_METHOD,
    )


def _cut_lists(totals: Mapping[str, Any], limit: int) -> dict[str, Any]:
    return {name: value[:limit] if isinstance(value, list) else value for name, value in totals.items()}
