"""A figure is the same in every view that shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.analysis.room import Analysis
from holdfast.storage.git.repository import Repository
from holdfast.toolsets import toolset
from tests.analysis.polyglot import COPIES, commit, polyglot, write

OPERATIONS = {operation.name: operation for operation in toolset("analyze").operations}
LIBRARY = '[project]\nname = "kelp"\nversion = "1"\n'
REPEATED = """\
def one(b):
    b.assert_equal(f.small, g.large, f)
    g = b.create(f, name=g)
    b.assert_equal(f.small, g.large, f)
    g = b.create(f, name=g)
    b.assert_equal(f.small, g.large, f)

def two(h):
    h.assert_equal(g.small, b.large, g)
    b = h.create(g, name=b)
    h.assert_equal(g.small, b.large, g)
    b = h.create(g, name=b)
    h.assert_equal(g.small, b.large, g)

def three(a):
    a.assert_equal(g.small, b.large, g)
    a.assert_equal(g.small, b.large, g)
    b = a.create(g, name=b)
    a.assert_equal(g.small, b.large, g)
    a.assert_equal(g.small, b.large, g)
"""
"""Functions that are found to be clones only where functions are compared: their lines repeat."""
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


def test_every_view_shows_the_same_duplication(repository: Path, measure: Measure) -> None:
    write(repository, COPIES)
    write(repository, {"repeated.py": REPEATED})
    commit(repository, "Copy")
    totals = measure("analyze_duplicates")["summary"]
    assert totals["duplicate_lines"] > 0
    assert totals["gapped_lines"] > 0
    files = measure("measure_files", measure="duplication")["files"]
    section = measure("analyze_comprehensive", format="json")
    [check] = (check for check in measure("quality_gate")["checks"] if check["check"] == "duplication")
    assert measure("record_trend")["head"]["kept"]
    [point] = measure("analyze_trend")["points"]
    shares = {
        "files": round(sum(file["duplication"] * file["lines"] for file in files) / totals["total_lines"], 4),
        "comprehensive": section["summary"]["duplication"],
        "comprehensive, long clones": measure("analyze_comprehensive", min_lines=50)["summary"][
            "duplication"
        ],
        "gate": round(check["actual"] / 100, 4),
        "trend": point["numbers"]["duplication"],
    }
    assert shares == dict.fromkeys(shares, totals["duplication_ratio"])
    assert section["results"]["duplicates"]["duplicate_lines"] == totals["duplicate_lines"]


def test_every_view_shows_the_same_number_of_dead_code(repository: Path, measure: Measure) -> None:
    polyglot(repository)
    write(repository, {"pyproject.toml": LIBRARY, "kelp/__init__.py": "def offered():\n    return 1\n"})
    commit(repository, "Offer a library")
    summary = measure("analyze_dead_code")["summary"]
    levels = {"high": 0, "medium": 0, "low": 0} | measure("analyze_dead_code", min_confidence="low")[
        "summary"
    ]["by_level"]
    assert 0 < levels["high"] < summary["total"] < sum(levels.values())
    assert measure("record_trend")["head"]["kept"]
    [*_, point] = measure("analyze_trend")["points"]
    comprehensive = measure("analyze_comprehensive", confidence_threshold=0.1)
    context = measure("analyze_deep_context", format="json")
    totals = {
        "comprehensive": comprehensive["summary"]["dead_code"],
        "comprehensive, its section": comprehensive["results"]["dead_code"]["total"],
        "context": context["analyses"]["dead_code_results"]["summary"]["total"],
        "trend": point["numbers"]["dead_code"],
    }
    assert totals == dict.fromkeys(totals, summary["total"])
    assert comprehensive["results"]["dead_code"]["by_level"] == levels
    [check] = (check for check in measure("quality_gate")["checks"] if check["check"] == "dead_code")
    confident = {"gate": check["actual"], "context": context["defect_summary"]["by_type"]["dead-code"]}
    assert confident == dict.fromkeys(confident, levels["high"])
    assert check["measure"] == "unused definitions and statements, confidence high, outside tests"
