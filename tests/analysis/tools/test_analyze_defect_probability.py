"""`analyze_defect_probability`: which files are likely to need a fix, how sure that is, and why."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from math import exp
from pathlib import Path
from typing import Any

import pytest

from holdfast.analysis.defects import measures
from holdfast.analysis.defects.logistic import shipped_model
from holdfast.analysis.engine import scan_in_progress
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools.analyze_defect_probability import (
    AnalyzeDefectProbability,
    Defects,
    analyze_defect_probability,
)
from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.errors import InvalidArguments
from holdfast.storage.git.repository import Repository
from holdfast.toolsets import toolset
from tests.analysis.sarif_schema import check_sarif
from tests.storage.git_support import commit, git

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)
BRANCHES = "".join(f"    if n == {number} and n:\n        n += {number}\n" for number in range(15))
LARGE = f"from src import small\n\n\ndef decide(n):\n{BRANCHES}    return small.one(n)\n"
SMALL = "def one(n):\n    value = n\n    value += 1\n    value += 2\n    value += 3\n    value += 4\n" * 2
FEATURES = {"complexity", "churn", "duplication", "coupling", "name_quality", "test_coverage"}


def at(monkeypatch: pytest.MonkeyPatch, days_ago: int) -> None:
    moment = f"@{int((NOW - timedelta(days=days_ago)).timestamp())} +0000"
    monkeypatch.setenv("GIT_AUTHOR_DATE", moment)
    monkeypatch.setenv("GIT_COMMITTER_DATE", moment)


@pytest.fixture
def project(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is large and mended again and again, one that is neither, and one not committed."""
    at(monkeypatch, 600)
    commit(repository, {"src/large.py": LARGE, "src/small.py": SMALL, "src/__init__.py": ""}, "Begin")
    for number in range(6):
        at(monkeypatch, 60 - number)
        text = LARGE.replace("return small", f"n = {number}\n    return small")
        commit(repository, {"src/large.py": text}, "Fix a wrong sum" if number else "Sum up")
    (repository / "src" / "new.py").write_text(LARGE, encoding="utf-8")
    return repository


def asked(where: Path, **arguments: Any) -> Defects:
    room = Analysis(Repository.discover(where), lambda: NOW)
    try:
        result: Defects = analyze_defect_probability(
            room, validate_arguments(AnalyzeDefectProbability, arguments)
        )
    finally:
        room.close()
    return result


def words(result: Defects) -> str:
    name = "analyze_defect_probability"
    [operation] = [one for one in toolset("analyze").operations if one.name == name]
    return operation.as_text(result)


def by_file(result: Defects) -> dict[str, Any]:
    return {found.file: found for found in result.predictions}


@pytest.mark.requirement("analysis-139", "analysis-153")
def test_the_file_that_is_mended_again_and_again_comes_first(project):
    result = asked(project, min_confidence=0)
    assert result.predictions[0].file == "src/large.py"
    assert (result.project_path, result.summary.total_files) == (".", 4)
    assert all(0 < found.probability < 1 and 0 < found.confidence < 1 for found in result.predictions)
    levels = [found.risk_level for found in result.predictions]
    assert result.summary.high_risk == levels.count("High")
    assert [found.file for found in asked(project, project_path="src/small.py").predictions] == [
        "src/small.py"
    ]


@pytest.mark.requirement("analysis-140")
def test_only_what_is_sure_enough_is_shown_and_the_rest_counted(project):
    usual = asked(project)
    assert usual.min_confidence == 0.7
    assert {"src/large.py", "src/small.py"} <= {*by_file(usual)}
    assert all(found.confidence >= 0.7 for found in usual.predictions)
    assert usual.summary.below_confidence == 4 - usual.summary.predictions > 0
    assert asked(project, min_confidence=1).predictions == []
    for wrong in (-0.1, 1.1):
        with pytest.raises(InvalidArguments):
            asked(project, min_confidence=wrong)


@pytest.mark.requirement("analysis-141", "analysis-147", "analysis-148", "analysis-150", "analysis-151")
def test_an_explanation_has_every_measure_and_adds_up_to_the_probability(project):
    result = asked(project, explain=True)
    found = told = by_file(result)["src/large.py"]
    assert (told.measures["cyclomatic"], told.measures["cognitive"]) == (16, 30)
    assert (told.measures["commits"], told.measures["recent_commits"], told.measures["fixes"]) == (6, 6, 5)
    assert (told.measures["imports"], told.measures["imported_by"]) == (1, 0)
    assert (told.measures["scattered_share"], told.measures["poor_names_share"]) == (0, 0)
    score = result.model.intercept + sum(told.contributions.values())
    assert found.probability == pytest.approx(1 / (1 + exp(-score)), abs=0.01)
    assert told.contributions["churn"] > 0
    assert set(told.contributions) == FEATURES | {"size"}
    assert asked(project).predictions[0].measures is None


@pytest.mark.requirement("analysis-149")
def test_copies_are_counted_with_the_files_that_hold_them(project):
    found = by_file(asked(project, min_confidence=0, explain=True))
    large, empty = found["src/large.py"].measures, found["src/__init__.py"].measures
    assert large["cloned_share"] > 0.8
    assert large["files_with_copies"] == 1  # the one that is not committed
    assert (empty["cloned_share"], empty["files_with_copies"]) == (0, 0)


def test_a_repository_whose_copies_are_mended_learns_that():
    chance = random.Random(2)
    rows = [{"code_lines": 50, "cloned_share": chance.random()} for _ in range(2000)]
    learned = shipped_model("history").adapt_to(rows, [row["cloned_share"] > 0.5 for row in rows])
    assert learned.weights["cloned_share"] > 0.2
    assert learned.learned_here


@pytest.mark.requirement("analysis-152")
def test_coverage_counts_where_a_report_speaks_of_the_file(project):
    before = by_file(asked(project))["src/large.py"]
    assert before.missing["test_coverage"] == "no report found"
    (project / "lcov.info").write_text(
        "SF:src/large.py\nDA:4,1\nDA:5,0\nDA:6,0\nDA:7,0\nend_of_record\n", encoding="utf-8"
    )
    after = by_file(asked(project, explain=True))
    large = after["src/large.py"]
    assert large.measures["uncovered_share"] == 0.75
    assert large.probability > before.probability
    assert large.confidence > before.confidence
    assert after["src/small.py"].missing["test_coverage"] == "no coverage report includes this file"


def test_what_git_does_not_track_has_no_churn_and_is_less_sure(project):
    found = by_file(asked(project, min_confidence=0))
    new, large = found["src/new.py"], found["src/large.py"]
    assert "does not track" in new.missing["churn"]
    assert new.confidence < large.confidence
    assert new.probability < large.probability


def test_without_git_the_texts_alone_are_judged_and_the_reason_is_said(tmp_path):
    (tmp_path / "a.py").write_text(LARGE, encoding="utf-8")
    result = asked(tmp_path, min_confidence=0)
    [found] = result.predictions
    assert found.missing["churn"] == result.summary.reasons["churn"] == "this is not a git repository"
    assert found.confidence < 0.7
    assert (result.model.name, result.baseline.size_auc) == ("static", None)
    assert result.baseline.reason == "this is not a git repository"
    assert "Less confident and not shown: 1" in words(asked(tmp_path))


@pytest.fixture
def years(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Forty files, of which the twenty with many lines were mended in the last year."""
    at(monkeypatch, 700)
    sources = {
        f"src/f{number}.py": "".join(f"x{line} = {line}\n" for line in range(20 + number + 80 * (number % 2)))
        for number in range(40)
    }
    commit(repository, sources, "Begin")
    at(monkeypatch, 100)
    mended = {path: text.replace("x1 = 1\n", "x1 = 2\n") for path, text in sources.items()}
    commit(repository, dict(list(mended.items())[1::2]), "Fix the first value")
    return repository


def test_the_own_history_teaches_the_model_and_size_is_the_baseline(years):
    result = asked(years)
    assert (result.baseline.files, result.baseline.fixed) == (40, 20)
    assert result.baseline.size_auc == 1.0
    assert result.baseline.model_auc == 1.0
    assert result.model.learned_here
    assert "by size alone 1.000" in words(result)


def test_a_part_is_judged_among_the_files_of_its_repository(years):
    everywhere = asked(years, explain=True, min_confidence=0)
    first = everywhere.predictions[0]
    for part in (first.file, first.file.rpartition("/")[0] or "."):
        found = asked(years, explain=True, min_confidence=0, project_path=part)
        assert by_file(found)[first.file] == first
        assert (found.model, found.baseline) == (everywhere.model, everywhere.baseline)
    alone = asked(years, project_path=first.file, min_confidence=0)
    assert [one.file for one in alone.predictions] == [first.file]
    assert alone.files_analyzed == alone.summary.total_files == 1


def test_ranking_by_risk_per_line_prefers_small_files(years):
    plain, dense = asked(years), asked(years, rank_by="risk-per-line")
    densities = [found.risk_per_100_lines for found in dense.predictions]
    assert densities == sorted(densities, reverse=True)
    order = [[found.file for found in result.predictions] for result in (plain, dense)]
    assert sorted(order[0]) == sorted(order[1])
    assert order[0] != order[1]
    assert len(asked(years, limit=3).predictions) == 3


@pytest.mark.requirement("analysis-143", "analysis-144", "analysis-145")
def test_a_summary_is_short_details_have_reasons_and_json_is_the_data(project):
    summary = words(asked(project))
    assert "src/large.py" in summary
    assert "Not compared with ranking by size" in summary
    detailed = words(asked(project, format="detailed", explain=True))
    assert "Factors (log-odds)" in detailed
    assert "Measured: code_lines" in detailed
    result = asked(project, format="json")
    assert json.loads(words(result)) == result.wire()
    with pytest.raises(InvalidArguments, match="summary"):
        asked(project, format="xml")


@pytest.mark.requirement("analysis-142", "analysis-146")
def test_sarif_is_valid_and_wins_over_the_format(project):
    result = asked(project, sarif=True, format="json")
    assert result.format == "sarif"
    document = json.loads(words(result))
    check_sarif(document)
    [run] = document["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["defect-prediction"]
    assert len(run["results"]) == result.summary.predictions
    for found, told in zip(result.predictions, run["results"], strict=True):
        assert told["level"] == {"High": "error", "Medium": "warning", "Low": "note"}[found.risk_level]
        assert told["properties"]["defect_probability"] == found.probability
        assert told["properties"]["confidence"] == found.confidence
    assert words(asked(project, format="sarif")) == words(result)


def test_only_files_that_changed_are_measured_again(project, monkeypatch):
    looked_at = []
    monkeypatch.setattr(measures, "cohesion", lambda record: looked_at.append(record) or 1.0)
    room = Analysis(Repository.discover(project), lambda: NOW)
    analyze_defect_probability(room, AnalyzeDefectProbability())
    assert len(looked_at) == 4
    (project / "src" / "small.py").write_text("x = 1\n", encoding="utf-8")
    analyze_defect_probability(room, AnalyzeDefectProbability())
    room.close()
    assert len(looked_at) == 5


def test_a_second_answer_is_the_same_and_a_new_commit_is_seen(project, monkeypatch):
    room = Analysis(Repository.discover(project), lambda: NOW)
    question = validate_arguments(AnalyzeDefectProbability, {"explain": True})
    first = analyze_defect_probability(room, question)
    assert analyze_defect_probability(room, question).wire() == first.wire()
    at(monkeypatch, 1)
    commit(project, {"src/small.py": SMALL + "\n\nvalue = 1\n"}, "Fix it")
    after = analyze_defect_probability(room, question)
    room.close()
    assert by_file(after)["src/small.py"].measures["fixes"] == 1


def test_a_report_of_coverage_that_git_ignores_is_seen_by_whoever_asks_again(project, monkeypatch):
    monkeypatch.setattr(scan_in_progress, "RECENT_CHANGE_NANOSECONDS", -(10**15))
    (project / ".gitignore").write_text("lcov.info\n", encoding="utf-8")
    room = Analysis(Repository.discover(project), lambda: NOW)

    def uncovered() -> float | None:
        found = analyze_defect_probability(room, AnalyzeDefectProbability(explain=True, min_confidence=0))
        return by_file(found)["src/large.py"].measures.get("uncovered_share")

    seen = [uncovered()]
    for hits in (0, 1):
        report = f"SF:src/large.py\nDA:1,{hits}\nend_of_record\n" + "\n" * hits
        (project / "lcov.info").write_text(report, encoding="utf-8")
        seen.append(uncovered())
    room.close()
    assert seen == [None, 1.0, 0.0]


def test_a_partial_clone_predicts_without_its_churn(project, tmp_path):
    git(project, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", "--filter=blob:none", f"file://{project}", "partial")
    result = asked(tmp_path / "partial", min_confidence=0)
    assert {one.file for one in result.predictions} == {"src/large.py", "src/small.py", "src/__init__.py"}
    assert "lacks the contents" in result.predictions[0].missing["churn"]
