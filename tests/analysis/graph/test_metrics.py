"""Figures of graphs: each equal to what networkx computes for the same graph."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python  # the public one needs SciPy

from holdfast.analysis.graph import metrics
from holdfast.analysis.graph.metrics import DAMPING, RANDOM_SEED, Figures, MetricGraph
from holdfast.kernel.call import Call, running
from holdfast.kernel.errors import Cancelled
from tests.reliability.samples import examples

Edges = list[tuple[int, int]]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, Edges]:
    """Graphs with and without edges, of one piece and of several, with loops and parallel edges."""
    nodes = draw(st.integers(0, 14))
    node = st.integers(0, max(0, nodes - 1))
    return nodes, draw(st.lists(st.tuples(node, node), max_size=40 if nodes else 0))


def theirs(nodes: int, edges: Edges) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from(edges)
    return graph


def groups_in(found: Figures, column: str) -> list[set[int]]:
    """Return the nodes of each group, by its number."""
    groups = found.columns[column]
    return [{node for node, own in enumerate(groups) if own == group} for group in sorted(set(groups))]


def same(ours: Sequence[float], other: dict[int, float]) -> None:
    assert len(ours) == len(other)
    for node, value in enumerate(ours):
        assert math.isclose(value, other[node], abs_tol=1e-6), (node, value, other[node])


@pytest.mark.requirement("analysis-173")
@given(graphs())
def test_degree_betweenness_and_closeness_are_those_of_networkx(made: tuple[int, Edges]) -> None:
    graph, found = theirs(*made), MetricGraph(*made).centrality()
    same(found.columns["in_degree"], dict(graph.in_degree()))
    same(found.columns["out_degree"], dict(graph.out_degree()))
    same(found.columns["degree"], nx.degree_centrality(graph))
    same(found.columns["betweenness"], nx.betweenness_centrality(graph))
    same(found.columns["closeness"], nx.closeness_centrality(graph))
    assert (found.totals["paths"], found.totals["path_sources"]) == ("exact", made[0])
    assert all(0 <= value <= 1 for name in ("closeness", "betweenness") for value in found.columns[name])


@pytest.mark.requirement("analysis-174", "analysis-178")
@given(graphs(), st.data())
def test_pagerank_is_that_of_networkx_with_seeds_and_without(
    made: tuple[int, Edges], data: st.DataObject
) -> None:
    graph, shape = theirs(*made), MetricGraph(*made)
    seeds = data.draw(st.sets(st.integers(0, made[0] - 1))) if made[0] else set()
    settled = {"alpha": DAMPING, "max_iter": 10_000, "tol": 1e-12}
    same(shape.pagerank().columns["pagerank"], _pagerank_python(graph, **settled) if made[0] else {})
    if seeds:
        wanted = dict.fromkeys(seeds, 1.0)
        same(
            shape.pagerank(seeds).columns["pagerank"],
            _pagerank_python(graph, personalization=wanted, **settled),
        )


@pytest.mark.requirement("analysis-175")
@given(graphs())
def test_clustering_and_the_modularity_of_the_communities_are_those_of_networkx(
    made: tuple[int, Edges],
) -> None:
    graph, found = theirs(*made).to_undirected(), MetricGraph(*made).clustering()
    same(found.columns["clustering"], nx.clustering(graph))
    average = nx.average_clustering(graph) if graph else None
    assert found.totals["average_coefficient"] == pytest.approx(average, abs=1e-6)
    groups = groups_in(found, "community")
    modularity = nx.community.modularity(graph, groups) if graph.edges else None
    assert found.totals["modularity"] == pytest.approx(modularity, abs=1e-6)
    assert found.totals["community_sizes"] == [len(group) for group in groups]
    assert found.totals["communities"] == len(groups)


@pytest.mark.requirement("analysis-176")
@given(graphs())
def test_components_are_those_of_networkx_the_largest_first(made: tuple[int, Edges]) -> None:
    graph, found = theirs(*made), MetricGraph(*made).components()
    for kind, expected in (
        ("weak", nx.weakly_connected_components(graph)),
        ("strong", nx.strongly_connected_components(graph)),
    ):
        groups = groups_in(found, f"{kind}_component")
        assert set(map(frozenset, groups)) == set(map(frozenset, expected))
        assert found.totals[f"{kind}_sizes"] == sorted(map(len, groups), reverse=True)
        assert found.totals[f"{kind}_components"] == len(groups)


@settings(max_examples=examples(20))
@given(st.integers(3, 30), st.randoms(use_true_random=False))
def test_sampled_figures_are_those_of_networkx_for_the_same_sample(nodes: int, chance) -> None:
    edges = [(chance.randrange(nodes), chance.randrange(nodes)) for _ in range(4 * nodes)]
    graph = theirs(nodes, edges)
    count = max(2, nodes // 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(metrics, "EXACT_NODES", 2)
        patch.setattr(metrics, "SAMPLED_NODES", count)
        found = MetricGraph(nodes, edges).centrality()
        patch.setattr(metrics, "SAMPLED_NODES", nodes)
        whole = MetricGraph(nodes, edges).centrality()
    assert (found.totals["paths"], found.totals["path_sources"]) == ("sampled", count)
    same(found.columns["betweenness"], nx.betweenness_centrality(graph, k=count, seed=RANDOM_SEED))
    assert all(0 <= value <= 1 for value in found.columns["closeness"])
    same(whole.columns["closeness"], nx.closeness_centrality(graph))  # a sample of all nodes


@pytest.mark.parametrize("exact", [True, False])
def test_closeness_along_long_paths_is_that_of_networkx(exact: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes, edges = 150, [(node, node + 1) for node in range(149)] + [(node, node // 3) for node in range(100)]
    if not exact:
        monkeypatch.setattr(metrics, "EXACT_NODES", 2)
        monkeypatch.setattr(metrics, "SAMPLED_NODES", nodes)
    same(
        MetricGraph(nodes, edges).centrality().columns["closeness"],
        nx.closeness_centrality(theirs(nodes, edges)),
    )


def test_communities_are_the_same_in_every_thread_and_leave_pythons_chance_alone() -> None:
    graph = nx.gnp_random_graph(300, 0.02, seed=3, directed=True)
    shape = [MetricGraph(300, list(graph.edges)) for _ in range(8)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda one: one.clustering(), shape))
    assert all(one == found[0] for one in found)
    undirected = graph.to_undirected()
    louvain = nx.community.louvain_communities(undirected, seed=1)
    assert found[0].totals["modularity"] > nx.community.modularity(undirected, louvain) - 0.02


def test_long_work_is_called_off() -> None:
    call = Call()
    call.cancel()
    with running(call), pytest.raises(Cancelled):
        MetricGraph(200, [(node, node + 1) for node in range(199)]).centrality()


def test_igraph_is_loaded_on_use_and_draws_with_nothing() -> None:
    code = (
        "import sys, holdfast.toolsets as t; t.toolset('analyze'); print('igraph' in sys.modules)\n"
        "from holdfast.analysis.graph.metrics import MetricGraph; MetricGraph(1, [])\n"
        "print('matplotlib' in sys.modules)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["False", "False"]
