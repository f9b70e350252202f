"""Arguments for the graph of dependencies, as a program sends them and as a person types them."""

from __future__ import annotations

from tests.contract.case import Case

_GRAPH = "analyze_dependency_graph"
_METRICS = "analyze_graph_metrics"

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
    Case(_GRAPH, ("analyze", "graph", "--since", "HEAD"), {"since": "HEAD"}),
    Case(_GRAPH, ("analyze", "graph", "--diff", "nowhere"), {"diff": "nowhere"}, "not_found"),
    Case(_GRAPH, ("analyze", "graph", "gone"), {"project_path": "gone"}, "not_found"),
    Case(_GRAPH, ("analyze", "graph", "../x"), {"project_path": "../x"}, "invalid_path"),
    Case(_GRAPH, ("analyze", "graph", "--focus", "nobody"), {"focus": "nobody"}, "not_found"),
    Case(_GRAPH, ("analyze", "graph", "--depth", "2"), {"depth": 2}, "invalid_arguments"),
    Case(_GRAPH, ("analyze", "graph", "--format", "svg"), {"format": "svg"}, "invalid_arguments"),
    Case(_METRICS, ("analyze", "graph-metrics"), {"project_path": "."}),
    Case(
        _METRICS,
        (
            "analyze",
            "graph-metrics",
            "src",
            "--metrics",
            "pagerank",
            "--metrics",
            "components",
            "--pagerank-seeds",
            "main.py",
            "--format",
            "detailed",
            "--limit",
            "2",
        ),
        {
            "project_path": "src",
            "metrics": ["pagerank", "components"],
            "pagerank_seeds": ["main.py"],
            "format": "detailed",
            "limit": 2,
        },
    ),
    Case(
        _METRICS,
        ("analyze", "graph-metrics", "--dag-type", "call-graph", "--graphml", "--format", "json"),
        {"project_path": ".", "dag_type": "call-graph", "graphml": True, "format": "json"},
    ),
    Case(_METRICS, ("analyze", "graph-metrics", "gone"), {"project_path": "gone"}, "not_found"),
    Case(_METRICS, ("analyze", "graph-metrics", "../x"), {"project_path": "../x"}, "invalid_path"),
    Case(
        _METRICS,
        ("analyze", "graph-metrics", "--pagerank-seeds", "nobody.py"),
        {"pagerank_seeds": ["nobody.py"]},
        "not_found",
    ),
    Case(
        _METRICS,
        ("analyze", "graph-metrics", "--pagerank-seeds", "main.py", "--metrics", "clustering"),
        {"pagerank_seeds": ["main.py"], "metrics": ["clustering"]},
        "invalid_arguments",
    ),
    Case(_METRICS, ("analyze", "graph-metrics", "--metrics", "x"), {"metrics": ["x"]}, "invalid_arguments"),
    Case(_METRICS, ("analyze", "graph-metrics", "--format", "svg"), {"format": "svg"}, "invalid_arguments"),
]

GRAPH_PLAIN_TEXT = {
    "GraphMetrics.files_skipped": "words of ours, with numbers",
    "GraphMetrics.method": "a sentence that stands in our code",
    "DependencyGraph.compared_with": "the id of a commit",
    "DependencyGraph.files_skipped": "words of ours, with numbers",
    "DependencyGraph.method": "a sentence that stands in our code",
}
