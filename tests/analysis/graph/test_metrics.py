"""Figures of graphs: each equal to what networkx computes for the same graph."""

from __future__ import annotations

import math
import random
import subprocess
import sys
import tracemalloc
from bisect import bisect_left
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python  # the public one needs SciPy

from holdfast.analysis.graph import metrics
from holdfast.analysis.graph.adjacency import ArrayAdjacency
from holdfast.analysis.graph.metrics import DAMPING, RANDOM_SEED, Figures, MetricGraph
from holdfast.kernel.call import Call, running
from holdfast.kernel.errors import Cancelled
from tests.reliability.samples import examples

Edges = list[tuple[int, int]]


@pytest.fixture(params=["core", "python"])
def implementation(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the compiled core, where there is one, or the implementation that does without."""
    if request.param == "core":
        pytest.importorskip("holdfast._core", reason="the compiled core is not built")
    monkeypatch.setenv("HOLDFAST_READER", request.param)


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
def test_closeness_along_long_paths_is_that_of_networkx(
    exact: bool, implementation: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes, edges = 150, [(node, node + 1) for node in range(149)] + [(node, node // 3) for node in range(100)]
    if not exact:
        monkeypatch.setattr(metrics, "EXACT_NODES", 2)
        monkeypatch.setattr(metrics, "SAMPLED_NODES", nodes)
    same(
        MetricGraph(nodes, edges).centrality().columns["closeness"],
        nx.closeness_centrality(theirs(nodes, edges)),
    )


def test_communities_are_the_same_in_every_thread_and_as_good_as_those_of_louvain() -> None:
    graph = nx.gnp_random_graph(300, 0.02, seed=3, directed=True)
    shape = [MetricGraph(300, list(graph.edges)) for _ in range(8)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda one: one.clustering(), shape))
    assert all(one == found[0] for one in found)
    undirected = graph.to_undirected()
    louvain = nx.community.louvain_communities(undirected, seed=1)
    assert found[0].totals["modularity"] > nx.community.modularity(undirected, louvain) - 0.01


def test_communities_are_the_best_that_are_known(implementation: None) -> None:
    club = nx.karate_club_graph()
    found = MetricGraph(len(club), club.edges).clustering()
    assert found.totals["modularity"] == pytest.approx(
        0.4198, abs=1e-4
    )  # the optimum (Brandes and others, 2008)
    cliques = nx.connected_caveman_graph(30, 6)
    groups = groups_in(MetricGraph(180, cliques.edges).clustering(), "community")
    assert set(map(frozenset, groups)) <= {
        frozenset(node for first in firsts for node in range(first, first + 6))
        for count in (1, 2)
        for start in range(0, 180, 6)
        for firsts in [[(start + 6 * more) % 180 for more in range(count)]]
    }


@pytest.mark.parametrize("metric", ["centrality", "pagerank", "clustering"])
def test_long_work_is_called_off(metric: str, implementation: None) -> None:
    call = Call()
    call.cancel()
    with running(call), pytest.raises(Cancelled):
        MetricGraph(200, [(node, node + 1) for node in range(199)]).figures([metric], [])


HOSTILE = {
    "nothing": (0, []),
    "one node": (1, []),
    "one loop": (1, [(0, 0)]),
    "loops alone": (4, [(node, node) for node in range(4)]),
    "parallel edges": (3, [(0, 1)] * 5 + [(1, 0)] * 3 + [(1, 2), (1, 2)]),
    "pieces": (9, [(0, 1), (1, 2), (2, 0), (4, 5), (7, 7)]),
    "a star": (400, [(0, node) for node in range(1, 400)]),
    "everything": (60, [(one, two) for one in range(60) for two in range(60)]),
    "many paths": (60, [(2 * at + a, 2 * at + 2 + b) for at in range(29) for a in (0, 1) for b in (0, 1)]),
    "deep rings": (400, [(node, node ^ 1) for node in range(400)] + [(n, n + 1) for n in range(1, 399, 2)]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_figures_of_odd_graphs_are_those_of_networkx(name: str, implementation: None) -> None:
    nodes, edges = HOSTILE[name]
    graph, shape = theirs(nodes, edges), MetricGraph(nodes, edges)
    centrality, clustering = shape.centrality().columns, shape.clustering()
    same(centrality["degree"], nx.degree_centrality(graph))
    same(centrality["betweenness"], nx.betweenness_centrality(graph))
    same(centrality["closeness"], nx.closeness_centrality(graph))
    same(clustering.columns["clustering"], nx.clustering(graph.to_undirected()))
    same(shape.pagerank().columns["pagerank"], _pagerank_python(graph, tol=1e-12) if nodes else {})
    groups = groups_in(clustering, "community")
    modularity = nx.community.modularity(graph.to_undirected(), groups) if edges else None
    assert clustering.totals["modularity"] == pytest.approx(modularity, abs=1e-6)
    components = shape.components().totals
    assert components["weak_sizes"] == sorted(map(len, nx.weakly_connected_components(graph)), reverse=True)
    assert components["strong_sizes"] == sorted(
        map(len, nx.strongly_connected_components(graph)), reverse=True
    )


def test_a_chain_of_very_many_nodes_is_measured(
    implementation: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes, sources = 100_000, 3
    monkeypatch.setattr(metrics, "SAMPLED_NODES", sources)
    order = list(range(nodes))
    random.Random(5).shuffle(order)
    edges = list(pairwise(order))
    shape = MetricGraph(nodes, edges)
    place = {node: at for at, node in enumerate(order)}
    starts = sorted(place[node] for node in random.Random(RANDOM_SEED).sample(range(nodes), sources))
    centrality, middle = shape.centrality(), order[nodes // 2]
    before = [start for start in starts if start < nodes // 2]
    through = len(before) * (nodes - 1 - nodes // 2) / (sources * (nodes - 2))
    assert centrality.columns["betweenness"][middle] == pytest.approx(through)
    distances = sum(nodes // 2 - start for start in before)
    near = len(before) ** 2 / (distances * sources)
    assert centrality.columns["closeness"][middle] == pytest.approx(near)
    assert sum(shape.pagerank().columns["pagerank"]) == pytest.approx(1)
    components = shape.components().totals
    assert (components["weak_sizes"], components["strong_components"]) == ([nodes], nodes)
    clustering = shape.clustering().totals
    assert clustering["modularity"] > 0.98
    assert sum(clustering["community_sizes"]) == nodes


def test_betweenness_is_unknown_where_paths_are_too_many_to_count(implementation: None) -> None:
    edges = [(2 * at + a, 2 * at + 2 + b) for at in range(1100) for a in (0, 1) for b in (0, 1)]
    centrality = MetricGraph(2202, edges).centrality()
    assert centrality.columns["betweenness"][1000] is None
    assert centrality.columns["closeness"][4] == pytest.approx(16 / (4 * 1.5 * 2201))


def test_a_dense_graph_takes_little_memory_without_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_READER", "python")
    shape = MetricGraph(600, [(one, two) for one in range(600) for two in range(600)])
    tracemalloc.start()
    try:
        shape.centrality()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 150 * 2**20


@given(graphs(), st.data())
def test_the_core_computes_the_same_to_the_last_bit(made: tuple[int, Edges], data: st.DataObject) -> None:
    compare_with_core(*made, data.draw(st.permutations(range(made[0]))))


@pytest.mark.parametrize("seed", range(4))
def test_the_core_computes_the_same_of_larger_graphs(seed: int) -> None:
    graph = nx.scale_free_graph(700, seed=seed)
    compare_with_core(700, list(set(graph.edges())), random.Random(seed).sample(range(700), 100))


def compare_with_core(nodes: int, edges: Edges, sources: Sequence[int]) -> None:
    core = pytest.importorskip("holdfast._core", reason="the compiled core is not built")
    both = sorted({(one, two) for one, two in edges} | {(two, one) for one, two in edges})
    for pairs in (sorted(set(edges)), sorted([*both, *((one, two) for one, two in both if one == two)])):
        starts = [bisect_left(pairs, (node,)) for node in range(nodes + 1)]
        targets = [target for _, target in pairs]
        ours, compiled = ArrayAdjacency(starts, targets), core.Graph(starts, targets)
        for found, expected in zip(
            ours.shortest_paths(sources), compiled.shortest_paths(sources), strict=True
        ):
            assert list(map(float, expected)) == found
    membership = list(range(nodes))
    for _ in range(3):
        expected = compiled.leiden_pass(membership)
        assert ours.leiden_pass(membership) == expected
        membership = expected


def test_the_core_refuses_what_is_no_graph() -> None:
    core = pytest.importorskip("holdfast._core", reason="the compiled core is not built")
    for starts, targets in (([], []), ([0, 2], [0]), ([0, 1], [1]), ([1, 0, 1], [0])):
        with pytest.raises(ValueError, match="not the edges of a graph"):
            core.Graph(starts, targets)


def test_numpy_and_the_core_are_loaded_on_use() -> None:
    code = (
        "import sys, holdfast.toolsets as t; t.toolset('analyze')\n"
        "print('numpy' in sys.modules, 'holdfast._core' in sys.modules)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["False", "False"]
