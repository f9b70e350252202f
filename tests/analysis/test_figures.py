"""A figure is the same in every view that shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.analysis.room import Analysis
from holdfast.storage.git.repository import Repository
from holdfast.toolsets import toolset
from tests.analysis.polyglot import commit, write

OPERATIONS = {operation.name: operation for operation in toolset("analyze").operations}
Measure = Callable[..., dict[str, Any]]


@pytest.fixture
def measure(repository: Path) -> Iterator[Measure]:
    """Run an operation in the repository."""
    room = Analysis(Repository.discover(repository))

    def run(name: str, **arguments: Any) -> dict[str, Any]:
        operation = OPERATIONS[name]
        given = operation.input.model_validate({"project_path": ".", **arguments})
        result: dict[str, Any] = operation.function(room, given).wire()
        return result

    yield run
    room.close()


def test_every_view_counts_changes_back_from_the_newest_commit(repository: Path, measure: Measure) -> None:
    for number, days_ago in enumerate((900, 480, 470, 460)):
        write(repository, {"a.py": f"def busy(a):\n    return {number} if a else 0\n"})
        commit(repository, "Change it", days_ago=days_ago)
    [changed] = measure("analyze_code_churn", period_days=90)["files"]
    [mapped] = measure("measure_files")["files"]
    heat = measure("analyze_function_heat")
    context = measure("analyze_deep_context", period_days=90, format="json")
    defects = measure("analyze_defect_probability", min_confidence=0, explain=True)
    counts = {
        "churn": changed["commit_count"],
        "files": mapped["churn"],
        "heat": heat["changes"],
        "heat of the function": heat["functions"][0]["changes"],
        "context": context["analyses"]["churn_analysis"]["files"][0]["commit_count"],
        "defects": defects["predictions"][0]["measures"]["recent_commits"],
    }
    assert counts == dict.fromkeys(counts, 3)
