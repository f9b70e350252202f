"""Trends: points of commits, gaps, past commits, a tree that is not as committed, and who records."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.analysis.engine import product
from holdfast.analysis.engine.scan import Project
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools.analyze_trend import AnalyzeTrend, Trend, analyze_trend
from holdfast.analysis.tools.record_trend import RecordedTrend, RecordTrend, record_trend
from holdfast.analysis.trend.headline import scan_numbers
from holdfast.analysis.trend.trend_point import NOT_RECORDED
from holdfast.kernel.errors import Unavailable
from holdfast.storage.git.repository import Repository
from holdfast.toolsets import toolset
from tests.storage.git_support import commit, git

ONE = "def one(a):\n    # TODO: more\n    return 1 if a else 2\n"  # hygiene: to be found
TWO = "def two(a, b):\n    if a:\n        if b:\n            return 1\n    return 2\n"


@pytest.fixture
def room(repository: Path) -> Iterator[Analysis]:
    commit(repository, {"src/a.py": ONE, "notes.txt": "none"})
    commit(repository, {"src/b.py": TWO})
    commit(repository, {"notes.txt": "some"})
    git(repository, "rm", "--quiet", "src/a.py")
    commit(repository, {"lib/c.py": TWO})
    room = Analysis(Repository.discover(repository))
    yield room
    room.close()


def trend(room: Analysis, **arguments: object) -> Trend:
    return analyze_trend(room, AnalyzeTrend.model_validate(arguments))


def table(result: Trend) -> str:
    operation = next(one for one in toolset("analyze").operations if one.name == "analyze_trend")
    assert operation.table is not None
    return operation.table(result, 100)


def recorded(room: Analysis, **arguments: object) -> RecordedTrend:
    return record_trend(room, RecordTrend.model_validate(arguments))


def files(result: Trend) -> list[float | None]:
    return [point.numbers["files"] for point in result.points]


def test_a_clean_tree_is_a_point_and_past_commits_are_computed_on_request(room):
    first = trend(room)
    assert (first.head.kept, first.head.reason, files(first)) == (False, NOT_RECORDED, [2])
    assert first.head.commit == first.points[-1].commit
    past = trend(room, backfill=3)
    assert (files(past), past.backfilled) == ([2, 2, 2], 2)
    everything = trend(room, backfill=100)
    assert (files(everything), everything.backfilled) == ([1, 2, 2, 2], 3)
    debts = next(series for series in everything.series if series.metric == "debt_items")
    assert (debts.first, debts.last, debts.change, debts.points) == (1, 0, -1, 4)


def test_what_was_recorded_is_shown_and_recorded_once(room):
    assert recorded(room, backfill=3).backfilled == 2
    found = trend(room)
    assert (found.head.kept, files(found), found.backfilled) == (True, [2, 2, 2], 0)
    assert found.points[-1].numbers["health"] is not None
    assert recorded(room, backfill=100).backfilled == 1
    assert recorded(room, backfill=100).backfilled == 0
    assert (files(trend(room)), trend(room, backfill=100).backfilled) == ([1, 2, 2, 2], 0)


def test_commits_without_numbers_are_counted_and_nothing_is_put_in_their_place(room):
    oldest = git(room.repository.root, "rev-list", "--max-parents=0", "HEAD").strip()
    room.points.add("", oldest, {"tdg": 0.25}, 1)
    found = trend(room)
    assert [point.missing_before for point in found.points] == [0, 2]
    assert (found.points[0].numbers["tdg"], found.points[0].numbers["files"]) == (0.25, None)
    assert (found.points[1].numbers["tdg"], found.points[1].numbers["files"]) == (None, 2)
    rows = list(csv.reader(io.StringIO(table(trend(room, format="csv")))))
    assert rows[0][:3] == ["commit", "committed_at", "files"]
    assert [row[2] for row in rows[1:]] == ["", "2"]
    line = next(row for row in table(found).splitlines() if row.startswith("files"))
    assert line.split()[-1] == "··▁"


@pytest.mark.parametrize(
    ("name", "text"),
    [("src/b.py", "def two():\n    pass\n"), ("src/new.py", ""), ("src/b.py", None)],
    ids=["changed", "untracked", "gone"],
)
def test_a_tree_that_is_not_as_committed_keeps_nothing_and_says_so(room, repository, name, text):
    file = repository / name
    file.unlink() if text is None else file.write_text(text, encoding="utf-8")
    found = trend(room)
    assert (found.head.kept, found.points) == (False, [])
    assert found.head.reason == f"{name} is not as committed"
    assert "is not recorded: " in table(found)
    assert recorded(room).head.reason == found.head.reason
    assert recorded(room, project_path="lib").head.kept  # which does not have that file


def test_a_file_that_is_no_source_may_be_changed(room, repository):
    (repository / "notes.txt").write_text("other", encoding="utf-8")
    assert recorded(room).head.kept


def test_a_commit_read_from_objects_tells_what_its_work_tree_tells(room):
    project = Project()
    now, then = room.scan(project), room.scan_commit("HEAD", project)
    assert (then.files, then.sizes, then.other_files) == (now.files, now.sizes, now.other_files)
    assert scan_numbers(room, then) == scan_numbers(room, now)


def test_past_commits_cost_what_they_changed(room, monkeypatch, python_reader):
    parsed: list[str] = []
    read = product.read_record
    monkeypatch.setattr(product, "read_record", lambda path, text: parsed.append(path) or read(path, text))
    room.scan(Project())
    assert sorted(parsed) == ["lib/c.py"]  # the other has the same content
    trend(room, backfill=4)
    assert sorted(parsed) == ["lib/c.py", "src/a.py"]


def test_only_first_parents_count_and_the_newest_points_are_listed(room, repository):
    git(repository, "checkout", "-q", "-b", "side", "HEAD~1")
    commit(repository, {"side.py": ONE})
    git(repository, "checkout", "-q", "main")
    git(repository, "merge", "-q", "--no-ff", "-m", "Merge", "side")
    found = trend(room, backfill=100, limit=2, metric=["files"])
    assert (found.commits_looked_at, found.total_points, files(found)) == (5, 5, [2, 3])
    assert [series.metric for series in found.series] == ["files"]
    assert list(found.points[0].numbers) == ["files"]


def test_without_commits_there_are_no_points_and_without_git_no_history(repository, tmp_path):
    found = trend(Analysis(Repository.discover(repository)))
    assert (found.points, found.series, found.head.commit) == ([], [], None)
    plain = tmp_path / "plain"
    plain.mkdir()
    with pytest.raises(Unavailable, match="not in a git repository"):
        trend(Analysis(Repository.discover(plain)))


def test_words_have_the_change_and_a_line_of_bars(room):
    alone = next(row for row in table(trend(room)).splitlines() if row.startswith("files"))
    assert alone.split() == ["files", "2", "2", "▁"]  # one point shows no change
    words = table(trend(room, backfill=100))
    line = next(row for row in words.splitlines() if row.startswith("files"))
    assert line.split() == ["files", "1", "2", "+1", "▁███"]
    assert "| files | 1 | 2 | +1 | ▁███ |" in table(trend(room, backfill=100, format="markdown"))


def test_a_content_that_git_does_not_have_ends_no_analysis(room, repository):
    identifier = git(repository, "rev-parse", "HEAD:notes.txt").strip()
    (repository / ".git/objects" / identifier[:2] / identifier[2:]).unlink()
    found = trend(room, backfill=2)
    assert files(found) == [2, 2]
