"""What every analysis promises: arguments have an effect, numbers follow from the input."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.analysis.room import Analysis
from holdfast.kernel.errors import NotFound
from holdfast.storage.git.repository import Repository
from holdfast.toolsets import toolset
from tests.analysis.polyglot import COPIES, commit, larger, polyglot, write

OPERATIONS = {operation.name: operation for operation in toolset("analyze").operations}
NEEDED: dict[str, dict[str, Any]] = {
    "analyze_complexity": {"toolchain": "auto"},
    "analyze_name_similarity": {"query": "helper"},
}
"""What a tool requires beside the project."""
TIMES = (
    "total_ms",
    "files_per_second",
    "components_ms",
    "generated_at",
    "analysis_duration",
    "cache_stats",
    "timestamp",
)
NAMES_NO_FILES = {"analyze_trend", "draw_dependency_graph", "record_trend"}
TIME_ALONE = {("analyze_deep_context", "parallel")}
"""Arguments that may change nothing but how long it takes."""

FLIPS: dict[str, dict[str, Any]] = {
    "analyze_complexity": {
        "project_path": "web",
        "toolchain": "rust",
        "format": "json",
        "max_cyclomatic": 2,
        "max_cognitive": 2,
        "top_files": 1,
        "limit": ({"max_cyclomatic": 1, "max_cognitive": 1}, 1),
        "dialect": "extended",
        "recursion": False,
        "fail_on_violation": ({"max_cyclomatic": 1}, True),
        "since": "HEAD",
        "diff": "HEAD",
    },
    "analyze_code_churn": {"project_path": "src", "period_days": 90, "format": "csv", "limit": 1},
    "analyze_function_heat": {"project_path": "src", "period_days": 36_000, "limit": 1},
    "analyze_debt": {
        "project_path": "web",
        "include_probable": False,
        "min_probability": 0.99,
        "min_severity": "High",
        "ages": "none",
        "since": "HEAD",
        "diff": "HEAD",
        "format": "json",
        "limit": 1,
    },
    "analyze_defect_probability": {
        "project_path": "web",
        "min_confidence": 0.95,
        "explain": True,
        "sarif": True,
        "format": "json",
        "rank_by": ({"min_confidence": 0}, "risk-per-line"),
        "limit": ({"min_confidence": 0}, 1),
    },
    "analyze_dead_code": {
        "project_path": "web",
        "min_confidence": "low",
        "kinds": ["import"],
        "include_tests": False,
        "since": "HEAD",
        "diff": "HEAD",
        "format": "json",
        "limit": 1,
        "fail_on_violation": True,
    },
    "analyze_dependency_graph": {
        "project_path": "web",
        "dag_type": "call-graph",
        "format": "json",
        "focus": "web/view.ts",
        "depth": ({"focus": "src/shapes.py"}, 2),
        "include_external": True,
        "since": "HEAD",
        "diff": "HEAD",
        "limit": 1,
    },
    "draw_dependency_graph": {"project_path": "web", "limit": 2, "folders_first": True},
    "measure_files": {"project_path": "web", "measure": "duplication", "limit": 1},
    "quality_gate": {
        "project_path": "web",
        "complexity_threshold": 20,
        "cognitive_threshold": 3,
        "duplication_threshold": 0.5,
        "coverage_threshold": 50,
        "defect_threshold": 0.01,
        "debt_threshold": 5,
        "dead_code_threshold": 500,
        "since": "HEAD",
        "diff": "HEAD",
        "count_all": ({"since": "HEAD"}, True),
        "staged": True,
        "format": "json",
        "fail_on_violation": True,
        "fail_on_predictions": True,
        "fail_on_tests": True,
        "limit": ({"complexity_threshold": 1}, 1),
    },
    "analyze_graph_metrics": {
        "project_path": "web",
        "metrics": ["pagerank"],
        "pagerank_seeds": ["shapes.py"],
        "dag_type": "call-graph",
        "graphml": True,
        "format": "json",
        "limit": 1,
    },
    "analyze_comprehensive": {
        "project_path": "web",
        "format": "json",
        "include_duplicates": False,
        "include_dead_code": False,
        "include_defects": False,
        "include_complexity": False,
        "include_tdg": False,
        "confidence_threshold": 0.95,
        "min_lines": 3,
        "include_patterns": ["*.ts"],
        "exclude_patterns": ["*.ts"],
        "perf": True,
        "executive_summary": True,
        "limit": 1,
    },
    "analyze_trend": {
        "project_path": "web",
        "metric": ["files"],
        "backfill": ({"project_path": "src"}, 3),
        "format": "csv",
        "limit": ({"backfill": 3}, 1),
    },
    "record_trend": {"project_path": "web", "backfill": 3},
    "analyze_name_similarity": {
        "query": "square",
        "project_path": "src",
        "top_k": 1,
        "phonetic": True,
        "scope": "types",
        "format": "json",
    },
    "analyze_duplicates": {
        "project_path": "copies",
        "detection_type": "exact",
        "threshold": 1.0,
        "gpu": True,
        "perf": True,
        "format": "json",
        "min_lines": 20,
        "min_tokens": 1000,
        "limit": 1,
    },
    "analyze_deep_context": {
        "project_path": "web",
        "include_analyses": ["ast"],
        "exclude_analyses": ["ast"],
        "period_days": 90,
        "dag_type": "call-graph",
        "max_depth": 0,
        "include_patterns": ["*.ts"],
        "exclude_patterns": ["*.ts"],
        "cache_strategy": "offline",
        "format": "json",
        "limit": 1,
        "since": "HEAD",
        "diff": "HEAD",
    },
}
"""What to give each argument, so that the answer is another; a pair has what the others get both times."""

FIXED = {
    "analyze_complexity": ("thresholds",),
    "analyze_code_churn": ("period_days",),
    "analyze_debt": ("min_probability", "threshold"),
    "analyze_graph_metrics": ("pagerank.damping",),
    "draw_dependency_graph": ("folders",),  # which takes more files than there are boxes
    "analyze_name_similarity": ("least_score",),
    "analyze_duplicates": ("threshold", "effective_thresholds", "min_lines", "min_tokens", "gpu"),
    "analyze_trend": ("backfilled",),
    "record_trend": ("backfilled",),
    "analyze_comprehensive": (
        "results.duplicates.too_short",  # which takes a clone of fewer than ten lines
        "results.defects.by_risk",  # which takes a year of history
        "summary.high_risk_files",
        "results.defects.below_threshold",
        "results.dead_code.below_threshold",
    ),
    "analyze_defect_probability": (
        "min_confidence",
        "model",
        "baseline",  # which takes a year of history
        "summary.high_risk",
        "summary.medium_risk",
    ),
    "analyze_deep_context": (
        "metadata.period_days",
        "analyses.churn_analysis.period_days",
        "quality_scorecard.weights",
        "analyses.defect_probability.baseline",  # which takes a year of history
    ),
}
"""What says how something was asked for, and not what came out; these need not move."""


def answer(room: Analysis, tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    operation = OPERATIONS[tool]
    given = {"project_path": ".", **NEEDED.get(tool, {}), **arguments}
    result = operation.function(room, operation.input.model_validate(given))
    return operation.as_text(result), result.wire()


def steady(value: Any) -> Any:
    """Return a result without what differs from run to run."""
    if isinstance(value, dict):
        return {name: steady(item) for name, item in value.items() if name not in TIMES}
    return [steady(item) for item in value] if isinstance(value, list) else value


def numbers(value: Any, path: str = "") -> Iterator[tuple[str, float | None]]:
    """Yield every number outside of lists, and every null in place of one."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from numbers(item, f"{path}.{name}" if path else name)
    elif value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        yield path, value


def opened(root: Path) -> Analysis:
    return Analysis(Repository.at(root))


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Analysis]:
    root = made(tmp_path_factory.mktemp("promises"))
    polyglot(root)
    write(
        root,
        {
            **COPIES,
            "src/loop.py": RECURSIVE,
            "tests/test_app.py": "import os\n\n\ndef test_nothing():\n    pass\n",
        },
    )
    commit(root, "Add a loop and a test")
    room = opened(root)
    yield room
    room.close()


RECURSIVE = (
    "import requests\n\n\ndef again(n):\n"
    "    # this is an ugly workaround, we should clean it up some day\n"
    "    return [x for x in range(n) if x and n] or again(n - 1)\n\n\n"
    "def named():\n    return 1\n\n\nNAMES = ['named']\n"
)


def made(root: Path) -> Path:
    """Return a repository without commits."""
    import subprocess

    for arguments in (
        ("init", "--quiet", "--initial-branch=main"),
        ("config", "user.name", "Ada"),
        ("config", "user.email", "ada@example.org"),
    ):
        subprocess.run(["git", "-C", str(root), *arguments], check=True)
    return root


def test_every_argument_of_every_analysis_is_tried() -> None:
    tried = {(tool, name) for tool, flips in FLIPS.items() for name in flips} | TIME_ALONE
    accepted = {(name, field) for name, item in OPERATIONS.items() for field in item.input.model_fields}
    assert tried == accepted


@pytest.mark.parametrize(("tool", "name"), [(tool, name) for tool, flips in FLIPS.items() for name in flips])
@pytest.mark.requirement("analysis-217")
def test_no_accepted_argument_is_without_effect(room: Analysis, tool: str, name: str) -> None:
    value = FLIPS[tool][name]
    given, value = value if isinstance(value, tuple) else ({}, value)
    before, after = answer(room, tool, **given), answer(room, tool, **given, **{name: value})
    assert steady(after[1]) != steady(before[1])
    if name == "format":
        assert after[0] != before[0]
    elif after[1].get(name) == value:
        told = {item: kept for item, kept in steady(after[1]).items() if item != name}
        assert told != {item: kept for item, kept in steady(before[1]).items() if item != name}


@pytest.mark.parametrize("tool", OPERATIONS)
@pytest.mark.requirement("analysis-214")
def test_every_number_moves_between_an_empty_folder_one_file_a_tree_and_a_larger_one(
    tmp_path: Path, home: Path, tool: str
) -> None:
    places = [tmp_path / name for name in ("empty", "one", "polyglot", "larger")]
    for place in places:
        place.mkdir()
        made(place)
    text = "import os\n\n\ndef f(a):\n    # TODO: more\n    return 1 if a else 2\n"  # hygiene: to be found
    write(places[1], {"a.py": text})
    commit(places[1], "One")
    polyglot(places[2])
    larger(places[3])
    long = "".join(f"value_{number} = {number}\n" for number in range(1000))
    long += "# FIXME: far too long\n"  # hygiene: to be found
    write(places[3], {"broken.py": "def f(:\n    x = [\n", "long.py": long})
    found = []
    for place in places:
        room = opened(place)
        found.append(dict(numbers(steady(answer(room, tool)[1]))))
        room.close()
    seen = {path: {numbers.get(path) for numbers in found} for numbers in found for path in numbers}
    still = {path for path, values in seen.items() if len(values) == 1 and values != {None}}
    told = {path for path in still if path.startswith(FIXED.get(tool, ()))}
    assert still - told == set()


@pytest.mark.parametrize("tool", OPERATIONS)
@pytest.mark.requirement("analysis-215", "analysis-216")
def test_nothing_is_found_in_nothing_and_a_missing_path_is_named(
    repository: Path, tool: str, room: Analysis
) -> None:
    (repository / "empty").mkdir()
    _, data = answer(opened(repository), tool, project_path="empty")
    assert (data["files_discovered"], data["files_analyzed"], data["files_skipped"]) == (0, 0, {})
    asked = data.pop("checks", [])  # a gate lists what it would have measured
    assert all(check["actual"] is None and check["violations"] == [] for check in asked)
    lists = {name: value for name, value in data.items() if isinstance(value, list)}
    assert all(value == [] for value in lists.values()), lists
    with pytest.raises(NotFound, match="nowhere"):
        answer(room, tool, project_path="nowhere")


@pytest.mark.parametrize("tool", OPERATIONS)
@pytest.mark.requirement("analysis-215")
def test_every_file_and_line_that_is_named_is_there(room: Analysis, tool: str) -> None:
    root = Path(room.repository.root)
    found = list(places_in(answer(room, tool)[1]))
    assert found or tool in NAMES_NO_FILES
    for path, line in found:
        lines = (root / path).read_text(encoding="utf-8").splitlines() if (root / path).is_file() else None
        assert (root / path).exists(), path
        assert line is None or (lines is not None and 1 <= line <= len(lines)), (path, line)


def places_in(value: Any) -> Iterator[tuple[str, int | None]]:
    """Yield the files that a result names, with the line that stands beside each."""
    if isinstance(value, list):
        for item in value:
            yield from places_in(item)
    elif isinstance(value, dict):
        path = next(
            (value[name] for name in ("file", "file_path", "path", "source_file") if value.get(name)), None
        )
        if isinstance(path, str):
            line = next(
                (value[name] for name in ("line", "line_number", "line_start") if name in value), None
            )
            yield path, line
        for item in value.values():
            yield from places_in(item)


@pytest.mark.parametrize("tool", OPERATIONS)
@pytest.mark.requirement("analysis-214")
def test_the_same_tree_gives_the_same_answer_as_json(room: Analysis, tool: str) -> None:
    first, second = (json.dumps(steady(answer(room, tool)[1])) for _ in range(2))
    assert first == second
