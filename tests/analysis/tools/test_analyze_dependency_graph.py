"""`analyze_dependency_graph`: what depends on what, in every format, and each argument with its effect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdfast.analysis.room import Analysis
from holdfast.analysis.tools.analyze_dependency_graph import (
    AnalyzeDependencyGraph,
    DependencyGraph,
    analyze_dependency_graph,
)
from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.errors import InvalidArguments, InvalidPath, NotFound
from holdfast.storage.git.repository import Repository
from holdfast.toolsets import toolset
from tests.conftest import RunHoldfast
from tests.storage.git_support import commit

TREE = {
    "app/main.py": "from kit.core import Engine\nimport os\n\n\ndef main():\n    Engine().start()\n"
    "    os.getcwd()\n",
    "kit/__init__.py": "",
    "kit/core.py": "from kit import tools\n\n\nclass Base:\n    pass\n\n\nclass Engine(Base):\n"
    "    def start(self):\n"
    "        if self:\n            tools.mend()\n",
    "kit/tools.py": "def mend():\n    from kit.core import Engine\n    Engine\n",
    "web/page.ts": 'import { lib } from "@/lib";\nexport function page() { lib(); }\n',
    "web/src/lib.ts": "export function lib() {}\n",
    "web/tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
    "native/a.rs": "#[wasm_bindgen]\npub fn greet() {}\n",
    "bundle.min.js": "x;" * 4000,
}


@pytest.fixture
def tree(repository: Path) -> Path:
    """A repository in several languages."""
    for path, text in TREE.items():
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_text(text, encoding="utf-8")
    return repository


def asked(where: Path, **arguments: Any) -> DependencyGraph:
    room = Analysis(Repository.discover(where))
    try:
        result: DependencyGraph = analyze_dependency_graph(
            room, validate_arguments(AnalyzeDependencyGraph, arguments)
        )
    finally:
        room.close()
    return result


def words(result: DependencyGraph) -> str:
    [operation] = [one for one in toolset("analyze").operations if one.name == "analyze_dependency_graph"]
    return operation.as_text(result)


def edges(result: DependencyGraph) -> set[str]:
    return {f"{edge.origin} {edge.edge_type} {edge.target}" for edge in result.edges}


IMPORTS = {
    "app/main.py Imports kit/core.py",
    "kit/core.py Imports kit/tools.py",
    "kit/tools.py Imports kit/core.py",
    "web/page.ts Imports web/src/lib.ts",
}
CALLS = {
    "app/main.py::main Calls kit/core.py::Engine",
    "app/main.py::main Calls kit/core.py::Engine.start",
    "kit/core.py::Engine.start Calls kit/tools.py::mend",
    "web/page.ts::page Calls web/src/lib.ts::lib",
}
INHERITS = {"kit/core.py::Engine Inherits kit/core.py::Base"}


@pytest.mark.parametrize(
    ("dag_type", "expected"),
    [
        ("import-graph", IMPORTS),
        ("call-graph", CALLS),
        ("inheritance", INHERITS),
        ("full-dependency", IMPORTS | CALLS | INHERITS),
    ],
)
def test_each_kind_of_graph_has_its_edges(tree: Path, dag_type: str, expected: set[str]) -> None:
    result = asked(tree, dag_type=dag_type)
    assert edges(result) == expected
    assert result.total_edges == len(expected)
    assert {name for edge in result.edges for name in (edge.origin, edge.target)} <= {
        n.id for n in result.nodes
    }


@pytest.mark.requirement("analysis-214")
def test_numbers_follow_from_the_files(tree: Path) -> None:
    result = asked(tree)
    assert result.sites["Imports"].model_dump() == {"total": 5, "resolved": 4, "external": 1, "unresolved": 0}
    assert [(item.package, item.sites) for item in result.external] == [("os", 1)]
    assert [(cycle.files, cycle.at_load) for cycle in result.cycles] == [
        (["kit/core.py", "kit/tools.py"], False)
    ]
    core = next(item for item in result.coupling if item.file_path == "kit/core.py")
    assert (core.dependents, core.dependencies) == (2, 1)
    start = next(n for n in asked(tree, dag_type="call-graph").nodes if n.label == "Engine.start")
    assert (start.complexity, start.line_number) == (2, 9)
    (tree / "kit/tools.py").write_text("def mend(): pass\n")
    changed = asked(tree)
    assert (changed.total_cycles, changed.total_edges) == (0, 3)
    assert asked(tree, dag_type="call-graph").total_cycles is None, "nothing was measured"


@pytest.mark.requirement("analysis-215")
def test_an_empty_folder_is_empty_a_missing_one_is_named_and_every_place_is_there(tree: Path) -> None:
    (tree / "hollow").mkdir()
    nothing = asked(tree, project_path="hollow")
    assert (nothing.nodes, nothing.edges, nothing.files_discovered) == ([], [], 0)
    with pytest.raises(NotFound, match="gone"):
        asked(tree, project_path="gone")
    with pytest.raises(InvalidPath):
        asked(tree, project_path="../elsewhere")
    for node in asked(tree, dag_type="full-dependency").nodes:
        assert node.file_path is not None
        lines = (tree / node.file_path).read_text().splitlines()
        assert node.line_number is not None
        assert node.node_type == "Module" or node.label.rpartition(".")[2] in lines[node.line_number - 1]


@pytest.mark.requirement("analysis-216")
def test_files_are_counted_and_the_reasons_of_those_left_out(tree: Path) -> None:
    result = asked(tree)
    assert (result.files_discovered, result.files_analyzed) == (8, 7)
    assert sum(result.files_skipped.values()) == 1


@pytest.mark.requirement("analysis-217")
@pytest.mark.parametrize(
    "arguments",
    [
        {"project_path": "kit"},
        {"dag_type": "inheritance"},
        {"format": "dot"},
        {"format": "json"},
        {"focus": "web/page.ts"},
        {"focus": "app/main.py", "depth": 2},
        {"include_external": True},
        {"limit": 2},
    ],
)
def test_every_argument_changes_the_answer(tree: Path, arguments: dict[str, Any]) -> None:
    without = {"focus": arguments["focus"]} if "depth" in arguments else {}
    assert words(asked(tree, **arguments)) != words(asked(tree, **without))
    if arguments.keys() != {"format"}:
        assert asked(tree, **arguments).nodes != asked(tree, **without).nodes


def test_a_depth_without_a_focus_and_a_focus_that_is_nowhere_are_refused(tree: Path) -> None:
    with pytest.raises(InvalidArguments, match="depth"):
        asked(tree, depth=2)
    with pytest.raises(NotFound, match="nobody"):
        asked(tree, focus="nobody")


def test_formats_say_the_same(tree: Path) -> None:
    data = json.loads(words(asked(tree, format="json")))
    assert {f"{edge['from']} {edge['edge_type']} {edge['to']}" for edge in data["edges"]} == IMPORTS
    picture = words(asked(tree, format="mermaid", focus="web/page.ts"))
    assert picture == 'graph TD\n    n0["web/page.ts"]\n    n1["web/src/lib.ts"]\n    n0 -.-> n1\n'
    assert '"web/page.ts" -> "web/src/lib.ts"' in words(asked(tree, format="dot"))
    summary = words(asked(tree))
    assert "4 of 4 edges" in summary
    assert "kit/core.py, kit/tools.py" in summary


def test_what_is_left_out_is_counted(tree: Path) -> None:
    result = asked(tree, limit=2)
    assert len(result.nodes) == 2
    assert result.total_nodes == 7
    assert "2 of 7 nodes" in words(result)


def test_references_between_languages_and_damaged_settings_are_told(tree: Path) -> None:
    (tree / "web/tsconfig.json").write_text("{")
    result = asked(tree)
    assert [(item.source_file, item.line, item.reference_type) for item in result.references] == [
        ("native/a.rs", 2, "WasmBinding")
    ]
    assert list(result.damaged_settings) == ["web/tsconfig.json"]
    assert "web/tsconfig.json could not be read" in words(result)
    assert "web/page.ts Imports web/src/lib.ts" not in edges(result)


def test_with_a_base_only_what_it_did_not_have_is_shown(tree):
    commit(tree, TREE)
    nothing = asked(tree, since="HEAD", include_external=True)
    assert (nothing.total_edges, nothing.total_cycles, nothing.external, nothing.references) == (0, 0, [], [])
    assert asked(tree).total_edges > 0
    (tree / "kit" / "core.py").write_text(
        "import sys\nfrom app import main\n" + TREE["kit/core.py"], encoding="utf-8"
    )
    result = asked(tree, diff="main", include_external=True)
    assert [(edge.origin, edge.target) for edge in result.edges if "::" not in edge.target][:1] == [
        ("kit/core.py", "app/main.py")
    ]
    assert [package.package for package in result.external] == ["sys"]
    assert result.total_cycles == 1
    assert f"Only dependencies that are new since {result.compared_with}." in words(result)
    with pytest.raises(NotFound, match="nowhere"):
        asked(tree, since="nowhere")


def test_a_command_counts_a_folder_from_where_it_is_typed(run_holdfast: RunHoldfast, repository: Path):
    (repository / "src" / "deep").mkdir(parents=True)
    (repository / "src" / "deep" / "lamp.py").write_text("import os\n")
    typed = run_holdfast("analyze", "graph", "deep", cwd=repository / "src")
    assert typed.stdout.startswith("import-graph of src/deep: 1 of 1 nodes")
