"""`analyze_debt`: what comments admit, where, how sure that is, and for how long."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from holdfast.analysis.room import Analysis
from holdfast.analysis.tools.analyze_debt import AnalyzeDebt, Debt, analyze_debt
from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.errors import InvalidArguments, NotFound
from holdfast.storage.git.repository import Repository
from holdfast.toolsets import toolset
from tests.analysis.sarif_schema import check_sarif
from tests.storage.git_support import commit

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)
TODO, FIXME = "TODO", "FIXME"
SOURCES = {
    "src/a.py": f"x = 1  # {TODO}(ann): split\n\n# {FIXME}: wrong for 0\n",
    "src/b.js": "// SECURITY: not checked\nlet x = 1;\n",
    "src/c.py": "# This is an ugly workaround, should be removed.\n",
    "src/d.py": "# Nothing to see.\n",
    "src/e.min.js": "var a=1;" * 400,
}


@pytest.fixture
def project(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with four debts, 10 days old, and one that is not committed."""
    moment = f"@{int((NOW - timedelta(days=10)).timestamp())} +0000"
    monkeypatch.setenv("GIT_AUTHOR_DATE", moment)
    monkeypatch.setenv("GIT_COMMITTER_DATE", moment)
    commit(repository, SOURCES)
    (repository / "src" / "new.py").write_text(f"# {TODO}: later\n", encoding="utf-8")
    return repository


def asked(where: Path, **arguments: Any) -> Debt:
    room = Analysis(Repository.discover(where), lambda: NOW)
    try:
        result: Debt = analyze_debt(room, validate_arguments(AnalyzeDebt, arguments))
    finally:
        room.close()
    return result


def words(result: Debt) -> str:
    [operation] = [one for one in toolset("analyze").operations if one.name == "analyze_debt"]
    return operation.as_text(result)


def places(result: Debt) -> list[tuple[str, int, int]]:
    return [(item.file, item.line, item.column) for item in result.items]


@pytest.mark.requirement("analysis-214", "analysis-215")
def test_items_are_where_they_say_and_counted_by_what_they_are(project):
    result = asked(project)
    assert places(result) == [
        ("src/b.js", 1, 4),
        ("src/a.py", 3, 3),
        ("src/a.py", 1, 10),
        ("src/new.py", 1, 3),
        ("src/c.py", 1, 3),
    ]
    for item in result.items:
        line = (project / item.file).read_text(encoding="utf-8").splitlines()[item.line - 1]
        assert line[item.column - 1 :].startswith(item.text)
    assert result.summary.total == 5
    assert result.summary.by_certainty == {"certain": 4, "probable": 1}
    assert result.summary.by_severity == {"Critical": 1, "High": 1, "Medium": 0, "Low": 3}
    assert result.summary.by_category["Security"] == 1
    assert result.summary.files_with_debt == 4


def test_what_is_certain_has_a_marker_and_what_is_probable_a_probability(project):
    result = asked(project)
    told = [item.model_dump(mode="json") for item in result.items]
    assert [item.get("marker") for item in told] == ["SECURITY", "FIXME", "TODO", "TODO", None]
    assert ["probability" in item for item in told] == [False, False, False, False, True]
    assert result.threshold is not None
    assert told[4]["probability"] >= result.threshold


@pytest.mark.requirement("analysis-214")
def test_ages_are_those_of_the_lines_or_null_with_the_reason(project):
    result = asked(project, ages="all")
    [new] = [item for item in result.items if item.file == "src/new.py"]
    assert (new.age_days, new.committed_at, new.age_unknown) == (None, None, "not committed yet")
    assert {item.age_days for item in result.items if item is not new} == {10}
    assert {item.committed_at for item in result.items} == {"2026-03-21T12:00:00Z", None}
    assert result.summary.average_age_days == 10.0
    assert result.summary.oldest is not None
    assert (result.summary.oldest.file, result.summary.oldest.age_days) == ("src/b.js", 10)
    assert result.summary.ages_unknown == {"not committed yet": 1}


@pytest.mark.requirement("analysis-216")
def test_the_result_counts_files_analysed_and_skipped(project):
    result = asked(project)
    assert (result.files_discovered, result.files_analyzed) == (6, 5)
    assert result.files_skipped == {"minified": 1}


@pytest.mark.requirement("analysis-215")
def test_an_empty_folder_has_no_debt_and_a_missing_one_is_an_error_that_names_it(project):
    (project / "empty").mkdir()
    result = asked(project, project_path="empty")
    assert (result.items, result.summary.total, result.summary.average_age_days) == ([], 0, None)
    assert "none" in words(result)
    with pytest.raises(NotFound, match="gone"):
        asked(project, project_path="gone")


@pytest.mark.requirement("analysis-217")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"project_path": "src/c.py"}, 1),
        ({"include_probable": False}, 4),
        ({"min_probability": 1.0}, 4),
        ({"min_severity": "High"}, 2),
        ({"limit": 2}, 2),
    ],
)
def test_arguments_select_items(project, arguments, expected):
    assert len(asked(project).items) == 5
    assert len(asked(project, **arguments).items) == expected


@pytest.mark.requirement("analysis-217")
def test_ages_are_left_out_where_they_are_not_wanted(project):
    by_default, none = asked(project), asked(project, ages="none")
    assert [item.age_unknown for item in by_default.items][3:] == ["not committed yet", "not requested"]
    assert by_default.summary.average_age_days == 10.0
    assert {item.age_unknown for item in none.items} == {"not requested"}
    assert none.summary.average_age_days is None


def test_a_probability_without_probable_items_is_refused(project):
    with pytest.raises(InvalidArguments):
        asked(project, include_probable=False, min_probability=0.5)


@pytest.mark.requirement("analysis-217")
def test_every_format_says_the_same(project):
    summary, detailed = (words(asked(project, format=name)) for name in ("summary", "detailed"))
    assert "4 certain, 1 probable" in summary
    assert "src/b.js:1" in detailed
    assert json.loads(words(asked(project, format="json")))["summary"]["total"] == 5
    document = json.loads(words(asked(project, format="sarif", limit=4)))
    check_sarif(document)
    [run] = document["runs"]
    assert [found["level"] for found in run["results"]] == ["error", "warning", "note", "note"]
    assert run["results"][0]["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 1,
        "startColumn": 4,
    }
    assert "1 more" in json.dumps(run["invocations"])


@pytest.mark.requirement("analysis-217")
def test_only_what_the_base_did_not_admit_is_new(project):
    (project / "src" / "a.py").write_text(
        f"# {TODO}: more\n\nx = 1  # {TODO}(ann): split\n# moved\ny = 1  # {TODO}(ann): split\n",
        encoding="utf-8",
    )
    everything = asked(project, include_probable=False)
    since, diff = asked(project, since="HEAD"), asked(project, diff="HEAD")
    assert everything.compared_with is None
    assert places(since) == places(diff) == [("src/a.py", 1, 3), ("src/a.py", 5, 10), ("src/new.py", 1, 3)]
    assert since.summary.total == 3
    assert f"new since {since.compared_with}" in words(since)
    with pytest.raises(NotFound, match="nowhere"):
        asked(project, since="nowhere")
    with pytest.raises(InvalidArguments):
        asked(project, since="HEAD", diff="HEAD")


def test_what_is_left_out_of_a_summary_is_said(repository):
    commit(repository, {"a.py": f"# {TODO}: one\n\n" * 30})
    text = words(asked(repository))
    assert "Shown: 10 of 30" in text


def test_the_same_tree_gives_the_same_answer(project):
    assert asked(project) == asked(project)
