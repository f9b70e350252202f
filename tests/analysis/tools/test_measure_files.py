"""The numbers of files: worst first, the rest by folder, what costs much only where it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.analysis.room import Analysis
from holdfast.analysis.tools.measure_files import FilesByMeasure, MeasureFiles, measure_files
from holdfast.storage.git.repository import Repository
from tests.analysis.polyglot import COPIES, FILES, commit, write

COVERAGE = (
    '<?xml version="1.0"?><coverage line-rate="0.5"><packages><package><classes>'
    '<class filename="src/shapes.py"><lines><line number="1" hits="1"/><line number="2" hits="0"/></lines>'
    "</class></classes></package></packages></coverage>"
)


@pytest.fixture
def room(repository: Path) -> Iterator[Analysis]:
    write(repository, FILES | COPIES)
    commit(repository, "All", days_ago=100)
    for number in range(3):
        write(repository, {"web/view.ts": f"{FILES['web/view.ts']}// {number}\n"})
        commit(repository, "View", days_ago=3 - number)
    room = Analysis(Repository.discover(repository))
    yield room
    room.close()


def measured(room: Analysis, **arguments: object) -> FilesByMeasure:
    return measure_files(room, MeasureFiles.model_validate(arguments))


def test_hot_spots_are_complexity_times_the_commits_of_ninety_days(room: Analysis) -> None:
    found = measured(room)
    first = found.files[0]
    assert (first.path, first.complexity, first.churn, first.hot_spot) == ("web/view.ts", 1, 3, 3)
    rest = {one.path: one for one in found.files[1:]}
    app = rest["src/app.py"]
    assert (app.churn, app.hot_spot, app.debt, app.debt_line, app.complex_line) == (0, 0, 1, 8, 7)
    assert all(one.hot_spot == 0 for one in rest.values())
    assert found.total_lines == sum(one.lines for one in found.files)
    assert found.rest == []
    assert set(found.not_measured) == {"duplication", "defects", "coverage"}


def test_each_measure_puts_its_own_worst_file_first(room: Analysis) -> None:
    worst = {name: measured(room, measure=name).files[0].path for name in ("complexity", "churn", "debt")}
    assert worst == {"complexity": "src/app.py", "churn": "web/view.ts", "debt": "src/app.py"}
    copied = measured(room, measure="duplication").files[0]
    assert copied.path.startswith("copies/")
    assert copied.duplication is not None
    assert copied.duplication > 0.5
    risky = measured(room, measure="defects")
    chances = [one.defects for one in risky.files]
    assert None not in chances
    assert chances == sorted(chances, reverse=True)
    assert "defects" not in risky.not_measured


def test_coverage_comes_from_a_report_or_has_a_reason(room: Analysis, repository: Path) -> None:
    without = measured(room, measure="coverage")
    assert without.not_measured["coverage"] == "no report found"
    assert {one.coverage for one in without.files} == {None}
    write(repository, {"coverage.xml": COVERAGE})
    covered = measured(room, measure="coverage")
    assert (covered.files[0].path, covered.files[0].coverage) == ("src/shapes.py", 50.0)
    assert "coverage" not in covered.not_measured


def test_what_the_limit_leaves_out_is_summed_up_by_folder(room: Analysis, repository: Path) -> None:
    write(repository, {f"many/{number:03}/a.py": "x = 1\n" for number in range(120)})
    found = measured(room, limit=1)
    assert len(found.files) == 1
    folders = {one.folder: one for one in found.rest}
    assert (folders["many"].files, folders["many"].lines) == (120, 120)
    assert sum(one.files for one in found.rest) == found.files_analyzed - 1
    assert sum(one.lines for one in found.rest) + found.files[0].lines == found.total_lines


def test_an_answer_is_found_anew_only_where_something_changed(room: Analysis, repository: Path) -> None:
    first = measured(room)
    write(repository, {"web/view.ts": "export const view = 1;\n"})
    second = measured(room)
    assert second.files != first.files
    commit(repository, "Less")
    third = measured(room)
    assert {one.path: one.churn for one in third.files}["web/view.ts"] == 4


def test_without_commits_there_is_no_churn_and_a_reason(repository: Path) -> None:
    write(repository, {"a.py": "def f(a):\n    return 1 if a else 2\n"})
    room = Analysis(Repository.discover(repository))
    [only] = (found := measured(room)).files
    room.close()
    assert (only.churn, only.hot_spot, only.lines) == (None, None, 2)
    assert found.not_measured["hot_spot"] == "there is no commit"
