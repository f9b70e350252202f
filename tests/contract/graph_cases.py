"""Arguments for the graph of dependencies, as a program sends them and as a person types them."""

from __future__ import annotations

from tests.contract.case import Case

_GRAPH = "analyze_dependency_graph"

GRAPH_CASES = [
    Case(_GRAPH, ("analyze", "graph")),
    Case(
        _GRAPH,
        ("analyze", "graph", "src", "--dag-type", "call-graph", "--format", "mermaid", "--limit", "5"),
        {"project_path": "src", "dag_type": "call-graph", "format": "mermaid", "limit": 5},
    ),
    Case(
        _GRAPH,
        (
            "analyze",
            "graph",
            "--focus",
            "src/main.py",
            "--depth",
            "2",
            "--include-external",
            "--format",
            "dot",
        ),
        {"focus": "src/main.py", "depth": 2, "include_external": True, "format": "dot"},
    ),
    Case(_GRAPH, ("analyze", "graph", "gone"), {"project_path": "gone"}, "not_found"),
    Case(_GRAPH, ("analyze", "graph", "../x"), {"project_path": "../x"}, "invalid_path"),
    Case(_GRAPH, ("analyze", "graph", "--focus", "nobody"), {"focus": "nobody"}, "not_found"),
    Case(_GRAPH, ("analyze", "graph", "--depth", "2"), {"depth": 2}, "invalid_arguments"),
    Case(_GRAPH, ("analyze", "graph", "--format", "svg"), {"format": "svg"}, "invalid_arguments"),
]

GRAPH_PLAIN_TEXT = {
    "DependencyGraph.files_skipped": "words of ours, with numbers",
    "DependencyGraph.method": "a sentence that stands in our code",
}
