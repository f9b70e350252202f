"""Cycles are found, and what is shown of a graph is chosen and written so that other programs can draw it."""

from __future__ import annotations

import re

import pytest

from holdfast.analysis.graph.cycles import cycles, strong_components
from holdfast.analysis.graph.dependency_graph import CodeGraph, DependencyEdge, DependencyNode
from holdfast.analysis.graph.drawing import dot, mermaid
from holdfast.analysis.graph.excerpt import excerpt, matching_nodes, nodes_around
from tests.analysis.graph.trees import graph_of


def graph(*edges: tuple[str, str], lonely: str = "") -> CodeGraph:
    """Return a graph of nodes that are called so."""
    names = sorted({name for edge in edges for name in edge} | set(lonely.split()))
    nodes = {name: DependencyNode(name, name, "Module", name, 1, None) for name in names}
    return CodeGraph(
        nodes, tuple(DependencyEdge(*edge, "Imports", 1, "exact", False) for edge in sorted(edges)), {}, {}
    )


def test_a_ring_of_files_is_a_cycle_and_a_chain_is_none() -> None:
    found = cycles(
        graph(("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("x", "y"), ("y", "x"), ("z", "a")).edges
    )
    assert [cycle.files for cycle in found] == [("a", "b", "c"), ("x", "y")]
    assert cycles(graph(("a", "b"), ("b", "c")).edges) == []


def test_a_cycle_that_only_functions_or_types_close_is_told_apart() -> None:
    texts = {
        "a.py": "import b\n",
        "b.py": "def f():\n    import a\n",
        "c.py": "import d\n",
        "d.py": "import c\n",
        "e.py": "import f\n",
        "f.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import e\n",
    }
    found = cycles(graph_of(texts, "import-graph").edges)
    assert {cycle.files: cycle.at_load for cycle in found} == {
        ("a.py", "b.py"): False,
        ("c.py", "d.py"): True,
        ("e.py", "f.py"): False,
    }


def test_a_ring_of_very_many_files_is_found() -> None:
    count = 20_000
    following = {str(number): [str((number + 1) % count)] for number in range(count)}
    [ring] = strong_components(following)
    assert len(ring) == count


def test_a_focus_is_a_node_a_file_or_a_symbol() -> None:
    texts = {
        "p/a.py": "class A:\n    def go(self): self.stop()\n    def stop(self): pass\n",
        "q/a.py": "def go(): pass\n",
    }
    found = graph_of(texts, "call-graph")
    assert matching_nodes(found, "p/a.py::A.go") == ["p/a.py::A.go"]
    assert matching_nodes(found, "p/a.py") == ["p/a.py::A.go", "p/a.py::A.stop"]
    assert matching_nodes(found, "./p/a.py") == ["p/a.py::A.go", "p/a.py::A.stop"]
    assert matching_nodes(found, "A.go") == ["p/a.py::A.go"]
    assert matching_nodes(found, "A::go") == ["p/a.py::A.go"]
    assert matching_nodes(found, "go") == ["p/a.py::A.go", "q/a.py::go"]
    assert matching_nodes(found, "o") == []


def test_surroundings_go_both_ways_and_as_far_as_asked() -> None:
    chain = graph(("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"))
    assert nodes_around(chain, ["c"], 1) == {"c": 0, "b": 1, "d": 1}
    assert set(nodes_around(chain, ["c"], 2)) == {"a", "b", "c", "d", "e"}


def test_what_has_most_edges_is_shown_and_the_rest_is_counted() -> None:
    star = graph(("hub", "a"), ("hub", "b"), ("c", "hub"), ("a", "b"), lonely="z")
    part = excerpt(star, None, 3, 10)
    assert [node.id for node in part.nodes] == ["a", "b", "hub"]
    assert (part.total_nodes, part.total_edges, len(part.edges)) == (5, 4, 3)
    assert len(excerpt(star, None, 9, 2).edges) == 2
    near = excerpt(star, {"c": 0, "hub": 1}, 1, 10)
    assert [node.id for node in near.nodes] == ["c"], "the focus stays before what has more edges"


MERMAID_LINE = re.compile(
    r'    n\d+(?:\["[\w ./$#;-]*"\]|\("[\w ./$#;-]*"\))'
    r"|    n\d+ (?:-->|-\.->|==>)(?:\|(?:\d+|guess|\d+ guess)\|)? n\d+"
)
HOSTILE = [
    'a"] --> b["x',
    "end",
    "<img src=x onerror=alert(1)>",
    "`$(x)`",
    'x";}',
    "a\\",
    "ü\n%%{init: {}}%%",
    "#quot;",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_gets_out_of_its_label(name: str) -> None:
    nodes = [
        DependencyNode(name, name, "Function", name, 1, None),
        DependencyNode("plain", "plain", "Module", "plain", 1, None),
    ]
    edges = [
        DependencyEdge(name, "plain", "Calls", 2, "exact", False),
        DependencyEdge("plain", name, "Inherits", 1, "guess", False),
    ]
    first, *lines = mermaid(nodes, edges).splitlines()
    assert first == "graph TD"
    assert len(lines) == 4
    assert all(MERMAID_LINE.fullmatch(line) for line in lines), lines
    drawn = dot(nodes, edges)
    assert drawn.startswith("digraph dependencies {\n")
    assert len(drawn.splitlines()) == 2 + 4 + 1
    unquoted = re.sub(r'"(?:[^"\\]|\\.)*"', "", drawn)
    assert not {'"', "<", "`", "$", "\\"} & set(unquoted), "all of a name is within its quotes"


def test_kinds_of_edges_and_nodes_look_different() -> None:
    texts = {
        "a.py": "from b import B\nclass A(B):\n    def f(self): self.g()\n    def g(self): pass\n",
        "b.py": "class B: pass\n",
    }
    found = graph_of(texts, "full-dependency")
    picture = mermaid(list(found.nodes.values()), found.edges)
    assert {"-->", "-.->", "==>"} <= set(picture.split())
    assert '("A.f")' in picture
    assert '["a.py"]' in picture
