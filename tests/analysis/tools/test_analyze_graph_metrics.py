"""`analyze_graph_metrics`: what was asked for and nothing else, seeds by path, readable GraphML."""

from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from holdfast.analysis.graph import metrics as engine
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools.analyze_graph_metrics import (
    AnalyzeGraphMetrics,
    GraphMetrics,
    analyze_graph_metrics,
)
from holdfast.kernel.content import Embedded, Text
from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.errors import InvalidArguments, NotFound, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.repository import Repository
from holdfast.toolsets import toolset
from tests.conftest import RunHoldfast

TREE = {
    "app/main.py": "from kit.core import run\nfrom kit import tools\n\n\ndef main():\n    run()\n    run()\n",
    "app/__init__.py": "",
    "kit/__init__.py": "",
    "kit/core.py": "from kit import tools\n\n\ndef run():\n    tools.mend()\n",
    "kit/tools.py": "def mend():\n    from kit.core import run\n    run()\n",
    "kit/main.py": "import kit.core\n",
    "web/<odd> & 'name'.ts": "export const x = 1;\n",
}
COLUMNS = {
    "centrality": {"in_degree", "out_degree", "degree", "betweenness", "closeness"},
    "pagerank": {"pagerank"},
    "clustering": {"clustering", "community"},
    "components": {"weak_component", "strong_component"},
}
[OPERATION] = [one for one in toolset("analyze").operations if one.name == "analyze_graph_metrics"]


@pytest.fixture
def tree(repository: Path) -> Path:
    for path, text in TREE.items():
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_text(text, encoding="utf-8")
    return repository


def asked(where: Path, **arguments: Any) -> GraphMetrics:
    room = Analysis(Repository.discover(where))
    try:
        result: GraphMetrics = analyze_graph_metrics(room, validate_arguments(AnalyzeGraphMetrics, arguments))
    finally:
        room.close()
    return result


@pytest.mark.requirement("analysis-173", "analysis-174", "analysis-175", "analysis-176")
@pytest.mark.parametrize("metric", COLUMNS)
def test_only_what_was_asked_for_is_in_the_answer(tree: Path, metric: str) -> None:
    data = asked(tree, metrics=[metric]).wire()
    assert {name for name in COLUMNS if name in data} == {metric}
    assert all(set(node) == {"id", "file_path", *COLUMNS[metric]} for node in data["nodes"])


@pytest.mark.requirement("analysis-177", "analysis-172")
def test_everything_is_computed_of_the_whole_repository_unless_told_otherwise(tree: Path) -> None:
    data = asked(tree).wire()
    assert data == asked(tree, metrics=["all"], project_path=".").wire()
    assert set(COLUMNS) <= set(data)
    assert data["total_nodes"] == len(TREE)
    figures = {name for columns in COLUMNS.values() for name in columns}
    assert all(set(node) == {"id", "file_path", *figures} for node in data["nodes"])
    kit = asked(tree, project_path="kit")
    assert {node.id for node in kit.nodes} == {path for path in TREE if path.startswith("kit/")}


def test_files_with_the_same_name_stay_apart_and_edges_are_imports(tree: Path) -> None:
    nodes = {node.id: node for node in asked(tree, metrics=["centrality", "components"]).nodes}
    assert (nodes["app/main.py"].out_degree, nodes["kit/main.py"].out_degree) == (2, 1)
    assert nodes["kit/core.py"].in_degree == 3
    assert nodes["kit/core.py"].strong_component == nodes["kit/tools.py"].strong_component == 0


@pytest.mark.requirement("analysis-178")
def test_seeds_draw_pagerank_to_what_they_depend_on(tree: Path) -> None:
    plain = {node.id: node.pagerank for node in asked(tree, metrics=["pagerank"]).nodes}
    result = asked(tree, metrics=["pagerank"], pagerank_seeds=["core.py"])
    assert result.pagerank is not None
    assert result.pagerank.seeds == ["kit/core.py"]
    seeded = {node.id: node.pagerank or 0 for node in result.nodes}
    assert seeded != plain
    assert {name for name, rank in seeded.items() if rank > 0} == {"kit/core.py", "kit/tools.py"}
    assert sum(seeded.values()) == pytest.approx(1)
    assert asked(tree, metrics=["pagerank"], pagerank_seeds=["./kit/core.py", "core.py"]) == result


def test_a_seed_that_fits_several_or_nothing_is_refused_with_candidates(tree: Path) -> None:
    with pytest.raises(InvalidArguments, match=r"app/main\.py, kit/main\.py"):
        asked(tree, pagerank_seeds=["main.py"])
    with pytest.raises(NotFound, match=r"kit/cor\.py") as missing:
        asked(tree, pagerank_seeds=["kit/cor.py"])
    assert "kit/core.py" in str(missing.value.hint)
    with pytest.raises(NotFound, match="not a node"):
        asked(tree, pagerank_seeds=["ore.py"])  # an end of a name is no end of a path
    with pytest.raises(InvalidArguments, match="is not among"):
        asked(tree, pagerank_seeds=["core.py"], metrics=["components"])


@pytest.mark.requirement("analysis-179")
def test_graphml_declares_its_keys_and_holds_every_figure(tree: Path) -> None:
    result = asked(tree, graphml=True, limit=1)
    assert result.graphml is not None
    graph = nx.read_graphml(io.BytesIO(result.graphml.encode()))
    assert graph.number_of_nodes() == len(TREE)
    whole = {node.id: node.model_dump(exclude={"file_path"}) for node in asked(tree).nodes}
    assert {data["id"]: dict(data) for _, data in graph.nodes(data=True)} == whole
    ids = nx.get_node_attributes(graph, "id")
    edges = {(ids[origin], ids[target]): data for origin, target, data in graph.edges(data=True)}
    assert len(edges) == result.total_edges
    assert edges["app/main.py", "kit/core.py"] == {}  # no weight, which no metric takes into account
    root = ElementTree.fromstring(result.graphml)
    space = "{http://graphml.graphdrawing.org/xmlns}"
    declared = {key.get("id") for key in root.iter(f"{space}key")}
    assert {data.get("key") for data in root.iter(f"{space}data")} == declared


@pytest.mark.requirement("analysis-179")
def test_graphml_is_a_second_part_of_the_answer_and_alone_on_a_terminal(
    tree: Path, run_holdfast: RunHoldfast
) -> None:
    result = asked(tree, graphml=True)
    assert OPERATION.content is not None
    words, document = OPERATION.content(result)
    assert isinstance(words, Text)
    assert isinstance(document, Embedded)
    assert document.text == result.graphml
    printed = run_holdfast("analyze", "graph-metrics", "--graphml", "--root", str(tree))
    assert printed.stdout == result.graphml
    assert [type(part) for part in OPERATION.content(asked(tree))] == [Text]


def test_graphml_that_does_not_fit_is_refused(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LIMITS.__dict__, "graphml_bytes", 500)
    with pytest.raises(TooLarge, match="GraphML"):
        asked(tree, graphml=True)


@pytest.mark.requirement("analysis-180", "analysis-181", "analysis-182")
def test_each_format_says_the_same_in_its_way(tree: Path) -> None:
    for number in range(12):
        (tree / f"extra{number}.py").write_text("import kit.core\n", encoding="utf-8")
    summary, detailed, data = (
        OPERATION.as_text(asked(tree, format=name)) for name in ("summary", "detailed", "json")
    )
    assert "19 nodes" in summary
    assert "kit/core.py" in summary
    assert "Ranked by pagerank:" in summary
    assert "Shown: 10 of 19;" in summary
    assert len(summary.splitlines()) < len(detailed.splitlines())
    assert all(f"extra{number}.py" in detailed for number in range(12))
    assert json.loads(data) == asked(tree, format="json").wire()
    with pytest.raises(InvalidArguments, match="summary"):
        asked(tree, format="graphml")


def test_a_sample_is_said_to_be_one(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "EXACT_NODES", 5)
    monkeypatch.setattr(engine, "SAMPLED_NODES", 4)
    result = asked(tree)
    assert result.centrality is not None
    assert (result.centrality.paths, result.centrality.path_sources) == ("sampled", 4)
    assert "paths sampled, path sources 4" in OPERATION.as_text(result)
    assert asked(tree) == result


def test_another_graph_may_be_measured(tree: Path) -> None:
    calls = asked(tree, dag_type="call-graph", metrics=["centrality"])
    nodes = {node.id: node for node in calls.nodes}
    assert nodes["kit/core.py::run"].in_degree == 2
    assert nodes["kit/core.py::run"].file_path == "kit/core.py"
