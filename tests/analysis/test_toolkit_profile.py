"""The toolkit's own server lists every tool of its specification with every argument documented there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.wire.client import wire_client

_PROJECT = {"project_path", "format"}
DOCUMENTED = {
    "generate_template": {"resource_uri", "parameters"},
    "list_templates": {"toolchain", "category"},
    "validate_template": {"resource_uri", "parameters"},
    "scaffold_project": {"toolchain", "templates", "parameters"},
    "search_templates": {"query", "toolchain"},
    "analyze_complexity": _PROJECT | {"toolchain", "max_cyclomatic", "max_cognitive", "top_files"},
    "analyze_code_churn": _PROJECT | {"period_days"},
    "analyze_deep_context": _PROJECT
    | {
        *("include_analyses", "exclude_analyses", "period_days", "dag_type", "max_depth"),
        *("include_patterns", "exclude_patterns", "cache_strategy", "parallel"),
    },
    "analyze_duplicates": _PROJECT | {"detection_type", "threshold", "gpu", "perf", "min_lines"},
    "analyze_defect_probability": _PROJECT | {"min_confidence", "explain", "sarif"},
    "analyze_comprehensive": _PROJECT
    | {
        *("include_duplicates", "include_dead_code", "include_defects", "include_complexity", "include_tdg"),
        *("confidence_threshold", "min_lines", "include_patterns", "exclude_patterns", "perf"),
        "executive_summary",
    },
    "analyze_graph_metrics": _PROJECT | {"metrics", "pagerank_seeds", "graphml"},
    "analyze_name_similarity": _PROJECT | {"query", "top_k", "phonetic", "scope"},
    "quality_gate": _PROJECT
    | {
        *("complexity_threshold", "duplication_threshold", "coverage_threshold", "defect_threshold"),
        "fail_on_violation",
    },
}
"""As the specification has them; `project_path` where it is optional there may be left out."""
REQUIRED = {
    "generate_template": {"resource_uri", "parameters"},
    "validate_template": {"resource_uri", "parameters"},
    "scaffold_project": {"toolchain", "templates", "parameters"},
    "search_templates": {"query"},
    "analyze_complexity": {"project_path", "toolchain"},
    "analyze_code_churn": {"project_path"},
    "analyze_name_similarity": {"query"},
}


@pytest.mark.requirement("transport-25")
def test_all_fourteen_tools_are_listed_with_every_documented_argument(repository: Path) -> None:
    with wire_client(
        [sys.executable, "-m", "holdfast", "serve", "--profile", "toolkit"], cwd=repository
    ) as client:
        client.initialize("2024-11-05")
        tools = {
            tool["name"]: tool["inputSchema"] for tool in client.ask(1, "tools/list", {})["result"]["tools"]
        }
    assert tools.keys() == DOCUMENTED.keys()
    for name, arguments in DOCUMENTED.items():
        assert arguments <= tools[name]["properties"].keys(), name
        assert set(tools[name].get("required", ())) == REQUIRED.get(name, set()), name
