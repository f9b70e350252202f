"""`analyze_duplicates`: what it finds, how it says so, and what it refuses."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.analysis.duplicates.duplicates_result import Duplicates
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools.analyze_duplicates import AnalyzeDuplicates, analyze_duplicates
from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.errors import InvalidArguments
from holdfast.storage.git.repository import Repository
from holdfast.toolsets import toolset
from tests.analysis.duplicates.test_token_clones import SUM, SUMMED
from tests.analysis.engine.test_scanner import write
from tests.analysis.sarif_schema import check_sarif

LONG = """\
    first = load(items, 1) + result
    for number in range(first):
        if number > items.limit:
            break
        result.add(items[number] * 2)
    names = sorted(result.names, key=str)
    with items.lock(names) as lock:
        lock.release(first)
    second, third = split(names)
    store(second, into=third)
    return result
"""
GAPPED = LONG.replace("    second, third", "    log('here')\n    second, third")


@pytest.fixture
def room(repository: Path) -> Iterator[Analysis]:
    """A repository with a copy, a renamed copy, a copy with another line in it, and code of its own."""
    write(
        repository,
        {
            "src/a.py": "import os\n\n\n" + SUM,
            "src/b.py": "import sys\n\n\n" + SUM,
            "lib/c.py": SUMMED,
            "lib/d.py": f"def one(items, result):\n{LONG}",
            "lib/e.py": f"def one(items, result):\n{GAPPED}",
            "lib/own.py": "class Own:\n    pass\n",
            "lib/small.min.js": "var a=1;" * 400,
        },
    )
    opened = Analysis(Repository.at(repository))
    yield opened
    opened.close()


def asked(room: Analysis, **arguments: Any) -> Duplicates:
    arguments = {"min_tokens": 20, **arguments}
    result: Duplicates = analyze_duplicates(room, validate_arguments(AnalyzeDuplicates, arguments))
    return result


def words(result: Duplicates) -> str:
    [operation] = [one for one in toolset("analyze").operations if one.name == "analyze_duplicates"]
    return operation.as_text(result)


def found(result: Duplicates) -> set[tuple[str, tuple[str, ...]]]:
    return {(one.clone_type, tuple(each.file for each in one.fragments)) for one in result.groups}


@pytest.mark.requirement("analysis-125", "analysis-216")
def test_left_out_the_project_is_everything_and_files_are_counted(room: Analysis) -> None:
    everything, part = asked(room), asked(room, project_path="src")

    assert everything.project_path == "."
    assert (everything.files_discovered, everything.files_analyzed) == (7, 6)
    assert everything.files_skipped == {"minified": 1}
    assert found(part) == {("exact", ("src/a.py", "src/b.py"))}
    assert part.summary.duplicate_lines == 10


@pytest.mark.requirement("analysis-130")
def test_all_has_what_each_type_finds_alone(room: Analysis) -> None:
    everything = asked(room, limit=1000)
    alone = {
        kind: asked(room, detection_type=kind, limit=1000)
        for kind in ("exact", "renamed", "gapped", "semantic")
    }

    places = {
        (each.file, each.start_line, each.end_line) for one in everything.groups for each in one.fragments
    }
    for one in (one for each in alone.values() for one in each.groups):
        assert one.id in {other.id for other in everything.groups} or all(
            any(
                file == each.file and start <= each.start_line <= each.end_line <= end
                for file, start, end in places
            )
            for each in one.fragments
        )
    assert ("exact", ("src/a.py", "src/b.py")) in found(alone["exact"])
    assert ("renamed", ("lib/c.py", "src/a.py", "src/b.py")) in found(alone["renamed"])
    assert ("gapped", ("lib/d.py", "lib/e.py")) in found(alone["gapped"])
    assert everything.summary.groups_by_type.keys() == {kind for kind, each in alone.items() if each.groups}
    assert all(one.lead == (one.clone_type == "semantic") for one in everything.groups)


@pytest.mark.requirement("analysis-131")
def test_a_threshold_outside_of_0_to_1_is_refused(room: Analysis) -> None:
    assert asked(room).threshold == 0.85
    assert asked(room).effective_thresholds == {"gapped": 0.697, "semantic": 0.85}
    assert asked(room, detection_type="exact").effective_thresholds == {}
    for threshold in (-0.1, 1.1, "much"):
        with pytest.raises(InvalidArguments, match="threshold"):
            asked(room, threshold=threshold)


@pytest.mark.requirement("analysis-132")
def test_a_gpu_that_is_missing_is_told_and_nothing_else_changes(
    room: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    without, asked_for = asked(room).wire(), asked(room, gpu=True).wire()

    gpu = asked_for.pop("gpu")
    assert (gpu["requested"], gpu["used"], gpu["device"]) == (True, False, None)
    assert "CuPy is not installed" in gpu["reason"]
    assert without.pop("gpu")["requested"] is False
    assert asked_for == without


@pytest.mark.requirement("analysis-133")
def test_the_work_is_measured_where_that_is_asked_for(room: Analysis) -> None:
    measured = asked(room, perf=True).performance

    assert measured is not None
    assert measured.analysis_time_s > 0
    assert "performance" not in asked(room).wire()


@pytest.mark.requirement("analysis-134")
def test_the_summary_says_how_much_and_where(room: Analysis) -> None:
    text = words(asked(room, project_path="src", detection_type="exact"))

    assert "10 of 16 lines in 2 files" in text
    assert "Groups: 1 (1 exact), and 0 leads; the largest with 2 fragments." in text
    assert "src/a.py:4-8" in text


@pytest.mark.requirement("analysis-135")
def test_the_detailed_text_has_every_place_and_how_it_begins(room: Analysis) -> None:
    text = words(asked(room, detection_type="renamed", format="detailed"))

    assert "  src/b.py:4-8 (" in text
    assert "  | def summed(rows):" in text


@pytest.mark.requirement("analysis-136")
def test_json_is_the_data_and_can_hold_all_of_it(room: Analysis) -> None:
    result = asked(room, format="json", limit=100_000)
    data = json.loads(words(result))

    assert data == json.loads(result.model_dump_json(by_alias=True))
    assert len(data["groups"]) == data["summary"]["clone_groups"]
    assert data["most_duplicated"][0]["severity"] >= data["most_duplicated"][-1]["severity"]


@pytest.mark.requirement("analysis-137")
def test_sarif_has_a_finding_for_each_group(room: Analysis) -> None:
    result = asked(room, format="sarif")
    document = json.loads(words(result))
    check_sarif(document)

    [run] = document["runs"]
    assert [one["properties"]["id"] for one in run["results"]] == [one.id for one in result.groups]
    assert {one["ruleId"] for one in run["results"]} >= {"duplicate/exact", "duplicate/renamed"}


def test_a_limit_says_what_it_leaves_out(room: Analysis) -> None:
    result = asked(room, limit=1)

    assert len(result.groups) == len(result.most_duplicated) == 1
    assert len(result.groups[0].fragments) == 2
    assert f"Shown: 1 of {result.summary.clone_groups};" in words(result)


def test_tests_are_counted_and_listed_apart(room: Analysis, repository: Path) -> None:
    text = LONG.replace("items", "rows")
    write(repository, {"tests/test_a.py": text, "tests/test_b.py": text})
    result = asked(room, detection_type="exact", min_tokens=75)

    assert result.summary.tests is not None
    assert (result.summary.duplicate_lines, result.summary.total_files) == (0, 6)
    assert (result.summary.tests.duplicate_lines, result.summary.tests.total_files) == (22, 2)
    assert [one.in_tests for one in result.groups] == [True]
    everything = asked(room, detection_type="exact").groups
    assert [one.in_tests for one in everything] == sorted(one.in_tests for one in everything)
    assert "outside tests.\nIn tests: 100.0%, 22 of 22 lines in 2 files.\n" in words(result)


def test_a_fragment_has_at_least_min_tokens(room: Analysis) -> None:
    default = validate_arguments(AnalyzeDuplicates, {})

    assert default.min_tokens == 50
    assert ("exact", ("src/a.py", "src/b.py")) in found(asked(room, min_tokens=20))
    assert ("exact", ("src/a.py", "src/b.py")) not in found(asked(room, min_tokens=21))


def test_the_same_tree_gives_the_same_bytes_for_any_number_of_workers(room: Analysis) -> None:
    from holdfast.analysis.duplicates.clone import CloneQuery
    from holdfast.analysis.duplicates.clones import clones_in_files
    from holdfast.analysis.engine.product import TOKENS
    from holdfast.analysis.engine.scan import Project
    from holdfast.analysis.engine.scanner import Scanner

    reports = []
    for workers in (1, 3):
        scanner = Scanner(room.repository, TOKENS, bytes_per_process=1)
        files = scanner.scan(Project(), "force-refresh", workers).files
        scanner.close()
        reports.append(repr(clones_in_files(files, CloneQuery(frozenset({"exact", "renamed"})), dict)))
    assert reports[0] == reports[1]


def test_a_share_that_was_not_measured_is_no_number(room: Analysis, tmp_path: Path) -> None:
    text = words(asked(room, detection_type="gapped", min_tokens=50))
    assert text.startswith("Duplication: not searched for in ")
    empty = Analysis(Repository.at(tmp_path))
    assert words(asked(empty, min_tokens=50)).startswith(
        "Duplication: nothing to measure, 0 of 0 lines in 0 files."
    )
    empty.close()
