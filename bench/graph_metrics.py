"""All figures of a graph beside networkx, which computes the same: a random directed graph with cycles.

Both sides get the same edges and compute degree, betweenness and closeness (exactly), PageRank, clustering, a
partition with its modularity (Leiden here, Louvain there) and both kinds of components; building our graph is
in the total. Above 5,000 nodes betweenness is sampled alike, and closeness here only. Our side is measured
with the compiled core and without. Seconds of processor time, which other work on the machine changes little.

    python -m bench.graph_metrics [--nodes 5000] [--edges 25000] [--check] [--save]
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec

import networkx as nx
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python

from bench._results import Results, arguments
from holdfast.analysis.graph.metrics import EXACT_NODES, RANDOM_SEED, SAMPLED_NODES, MetricGraph

BAR = 0.05


def edges_of(nodes: int, edges: int) -> list[tuple[int, int]]:
    """Return edges to nodes that have many already more often than to others, in any direction."""
    chance = random.Random(7)
    ends = list(range(nodes))
    found: set[tuple[int, int]] = set()
    while len(found) < edges:
        origin, target = chance.choice(ends), chance.choice(ends)
        if origin != target and (origin, target) not in found:
            found.add((origin, target))
            ends += (origin, target)
    return sorted(found)


def seconds(work: Callable[[], object], reader: str = "") -> float:
    os.environ["HOLDFAST_READER"] = reader
    begun = time.process_time()
    work()
    return time.process_time() - begun


def main() -> int:
    options = arguments(__doc__, nodes=5000, edges=25_000)
    edges = edges_of(options.nodes, options.edges)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(options.nodes))
    graph.add_edges_from(edges)
    undirected = graph.to_undirected()
    sample = {"k": SAMPLED_NODES, "seed": RANDOM_SEED} if options.nodes > EXACT_NODES else {}
    pagerank = nx.pagerank if find_spec("scipy") else _pagerank_python
    seconds(MetricGraph(1, []).centrality)  # loads the core
    begun = time.process_time()
    shape = MetricGraph(options.nodes, edges)
    totals = [time.process_time() - begun] * 2 + [0.0]
    rows: list[tuple[str, Callable[[], object], tuple[Callable[[], object], ...]]] = [
        (
            f"degree, betweenness, closeness ({'sampled' if sample else 'exact'})",
            shape.centrality,
            (
                lambda: nx.degree_centrality(graph),
                lambda: nx.betweenness_centrality(graph, **sample),
                lambda: nx.closeness_centrality(graph),
            ),
        ),
        (f"PageRank (networkx by {pagerank.__name__})", shape.pagerank, (lambda: pagerank(graph),)),
        (
            "clustering, communities, modularity",
            shape.clustering,
            (
                lambda: nx.clustering(undirected),
                lambda: nx.community.modularity(
                    undirected, nx.community.louvain_communities(undirected, seed=RANDOM_SEED)
                ),
            ),
        ),
        (
            "components, weak and strong",
            shape.components,
            (
                lambda: list(nx.weakly_connected_components(graph)),
                lambda: list(nx.strongly_connected_components(graph)),
            ),
        ),
    ]
    table = []
    for label, ours, theirs in rows:
        times = seconds(ours), seconds(ours, "python"), sum(map(seconds, theirs))
        totals = [total + one for total, one in zip(totals, times, strict=True)]
        table.append((label, *times, times[0] / times[-1]))
    ratio = totals[0] / totals[-1]
    table.append(("total, with building the graph", *totals, ratio))
    core = "" if find_spec("holdfast._core") else "; the core is not built"
    corpus = f"{options.nodes:,} nodes, {len(edges):,} edges{core}"
    results = Results("bench.graph_metrics", corpus, {"networkx": nx.__version__})
    columns = ("seconds of the processor", "holdfast", "without the core", "networkx", "ratio")
    results.table("metrics", columns, table)
    results.bar(f"graph metrics at {options.nodes:,} nodes", ratio, BAR, against="networkx")
    return results.finish(options)


if __name__ == "__main__":
    sys.exit(main())
