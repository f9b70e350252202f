"""All analyses at once: sections, switches, thresholds, formats, and what they cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.analysis import reports
from holdfast.analysis.comprehensive import components
from holdfast.analysis.dead_code import dead_code_report, detection
from holdfast.analysis.debt import debt_item
from holdfast.analysis.defects import prediction
from holdfast.analysis.duplicates import clone_report, clones
from holdfast.analysis.engine import analysis_run, scan_in_progress
from holdfast.analysis.graph import dependency_graph
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools.analyze_comprehensive import (
    SECTIONS,
    AnalyzeComprehensive,
    Comprehensive,
    analyze_comprehensive,
)
from holdfast.analysis.tools.record_trend import RecordTrend, record_trend
from holdfast.analysis.toolset import analyze
from holdfast.analysis.trend.trend_point import NOT_RECORDED
from holdfast.kernel.errors import InvalidArguments
from holdfast.storage.git.repository import Repository
from tests.analysis.polyglot import TANGLE, commit, polyglot, write
from tests.analysis.sarif_schema import check_sarif

OPERATION = next(item for item in analyze.operations if item.name == "analyze_comprehensive")
COPY = f"def copied(a, b):\n{TANGLE}    return a\n"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import subprocess

    root = tmp_path_factory.mktemp("comprehensive")
    for given in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "Ada"),
        ("config", "user.email", "a@b.c"),
    ):
        subprocess.run(["git", "-C", str(root), *given], check=True)
    polyglot(root)
    write(root, {"src/copy.py": COPY, "src/copy_again.py": COPY})
    commit(root, "Copy", days_ago=3)
    return root


@pytest.fixture(scope="module")
def room(root: Path) -> Iterator[Analysis]:
    room = Analysis(Repository.at(root))
    yield room
    room.close()


def asked(room: Analysis, **arguments: Any) -> Comprehensive:
    return analyze_comprehensive(room, AnalyzeComprehensive.model_validate(arguments))


@pytest.mark.requirement("analysis-154")
def test_every_section_says_what_its_own_analysis_finds(room):
    found = asked(room)
    assert list(found.results) == ["duplicates", "dead_code", "defects", "complexity", "debt", "tdg"]
    assert found.failures == {}
    assert found.project_path == "."
    files = [
        {place["file"] for place in clone["fragments"]} for clone in found.results["duplicates"]["classes"]
    ]
    assert {"src/copy.py", "src/copy_again.py"} in files
    assert "nobody_calls_this" in {item["name"] for item in found.results["dead_code"]["findings"]}
    assert found.results["complexity"]["violations"][0]["function"] in ("tangle", "copied")
    assert {item["file"] for item in found.results["debt"]["items"]} == {"src/app.py", "src/util.py"}
    assert found.results["tdg"]["files"][0]["components"]["complexity"] > 0
    assert found.results["tdg"]["not_measured"] == {}
    assert found.summary.duplication > 0
    assert found.summary.tdg == found.results["tdg"]["score"] > 0


@pytest.mark.requirement("analysis-160", "analysis-161", "analysis-162", "analysis-163", "analysis-164")
@pytest.mark.parametrize("section", SECTIONS)
def test_a_switch_leaves_its_section_out_and_does_not_compute_it(room, section, monkeypatch):
    ran: list[str] = []
    run = analysis_run.run_analyses

    def noted(room, options, chosen):
        ran.extend(chosen)
        return run(room, options, chosen)

    monkeypatch.setattr("holdfast.analysis.tools.analyze_comprehensive.run_analyses", noted)
    found = asked(room, **{f"include_{section}": False})
    assert section not in found.results
    assert section not in ran
    if section == "tdg":
        assert "churn" not in ran
    elif section == "complexity":
        assert len(found.results["tdg"]["not_measured"]) == 1


@pytest.mark.requirement("analysis-164")
def test_with_everything_switched_off_there_is_nothing_to_do(room):
    with pytest.raises(InvalidArguments, match="No section is included"):
        asked(room, **{f"include_{section}": False for section in SECTIONS})


@pytest.mark.requirement("analysis-165")
def test_the_threshold_leaves_out_what_is_less_sure_and_counts_it(room):
    assert AnalyzeComprehensive().confidence_threshold == 0.5
    for threshold in (0.0, 0.5, 0.9, 1.0):
        found = asked(room, confidence_threshold=threshold, limit=1000)
        dead, defects = found.results["dead_code"], found.results["defects"]
        listed = [*dead["findings"], *defects["predictions"]]
        assert all(item["confidence"] >= threshold for item in listed)
        assert len(dead["findings"]) == dead["at_threshold"]
        everything = asked(room, confidence_threshold=0, limit=1000).results
        assert dead["at_threshold"] + dead["below_threshold"] == everything["dead_code"]["at_threshold"]
        assert dead["total"] == found.summary.dead_code == everything["dead_code"]["total"]
        assert defects["files"] + defects["below_threshold"] == everything["defects"]["files"]


@pytest.mark.requirement("analysis-166")
def test_min_lines_is_the_least_of_clones_and_of_files_that_are_graded(room, root):
    assert AnalyzeComprehensive().min_lines == 10
    long = asked(room, min_lines=33, limit=1000).results
    short = asked(room, min_lines=3, limit=1000).results
    assert len(long["duplicates"]["classes"]) < len(short["duplicates"]["classes"])
    assert long["duplicates"]["too_short"] > short["duplicates"]["too_short"] == 0
    assert long["duplicates"]["duplication"] == short["duplicates"]["duplication"]
    lines = {path: len((root / path).read_text().split("\n")) for path in ("web/view.ts", "src/copy.py")}
    assert lines["web/view.ts"] < 10
    for section, entries in (("tdg", "files"), ("defects", "predictions")):
        assert "web/view.ts" in {item["file"] for item in short[section][entries]}
        assert "web/view.ts" not in {item["file"] for item in long[section][entries]}
    assert long["defects"]["too_short"] > 0
    for section in (long["defects"], short["defects"]):
        probabilities = [item["probability"] for item in section["predictions"]]
        assert section["mean_probability"] == pytest.approx(sum(probabilities) / section["files"], abs=1e-3)
        assert section["max_probability"] == max(probabilities)


@pytest.mark.requirement("analysis-167", "analysis-168")
def test_patterns_choose_files(room):
    only = asked(room, include_patterns=["**/*.ts"])
    assert only.files_analyzed == only.summary.files == 2
    assert asked(room, exclude_patterns=["**/*.ts"]).files_analyzed == asked(room).files_analyzed - 2
    assert (only.trend.kept, only.trend.reason) == (False, "only a part of the project was analysed")


@pytest.mark.requirement("analysis-169")
def test_times_of_components_are_there_only_where_asked_for(room):
    assert asked(room).performance is None
    spent = asked(room, perf=True).performance
    assert set(spent.components_ms) == {
        "files", "coverage", "duplicates", "dead_code", "defects", "complexity", "debt", "churn",
    }  # fmt: skip
    assert all(value >= 0 for value in spent.components_ms.values())
    assert "Took " in OPERATION.as_text(asked(room, perf=True))


@pytest.mark.requirement("analysis-170")
def test_an_executive_summary_has_the_same_numbers_and_puts_no_findings_together(root, monkeypatch):
    made: list[object] = []
    for module, name in (
        (dead_code_report, "unused_finding"),
        (clone_report, "clone_finding"),
        (components, "clone_entry"),
        (components, "prediction_entry"),
    ):
        known = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *item, known=known: made.append(item) or known(*item))
    brief = asked(Analysis(Repository.at(root)), executive_summary=True)
    assert made == []
    assert not any(
        isinstance(value, list) for section in brief.results.values() for value in section.values()
    )
    words = OPERATION.as_text(brief.model_copy(update={"format": "markdown"}))
    assert "| technical debt gradient, 0 to 5 |" in words
    assert "\n## " not in words
    whole = asked(Analysis(Repository.at(root)))
    assert made
    assert brief.summary == whole.summary


@pytest.mark.requirement("analysis-155", "analysis-156", "analysis-157", "analysis-158")
def test_formats_say_the_same_in_their_own_way(room):
    words = {
        name: OPERATION.as_text(asked(room, format=name))
        for name in ("summary", "detailed", "json", "markdown")
    }
    assert "technical debt gradient, 0 to 5" in words["summary"]
    assert "src/copy_again.py" not in words["summary"]
    assert "src/copy_again.py:1-32" in words["detailed"]
    assert json.loads(words["json"])["analysis_type"] == "comprehensive"
    assert words["markdown"].startswith("# Comprehensive analysis\n")
    assert "\n## Dead code\n" in words["markdown"]
    assert "copy\\_again" in words["markdown"]


@pytest.mark.requirement("analysis-159")
def test_sarif_has_the_findings_of_all_sections_under_the_rules_of_their_tools(room):
    document = json.loads(OPERATION.as_text(asked(room, format="sarif")))
    check_sarif(document)
    [run] = document["runs"]
    rules = {result["ruleId"] for result in run["results"]}
    assert {"cyclomatic-complexity", "debt-defect", "dead-code/unused-function"} <= rules
    assert rules == {rule["id"] for rule in run["tool"]["driver"]["rules"]}


def test_a_section_that_fails_is_named_and_the_others_stand(room, monkeypatch):
    def broken(*_):
        raise ValueError("a secret")

    monkeypatch.setattr(reports, "project_clones", broken)
    found = asked(room, min_lines=7)
    assert list(found.failures) == ["duplicates"]
    assert "a secret" not in found.failures["duplicates"]
    assert {"dead_code", "defects", "complexity", "tdg"} <= found.results.keys()
    assert found.summary.duplication is None
    assert found.results["tdg"]["not_measured"] == {}
    assert "duplicates failed" in OPERATION.as_text(found)


def test_numbers_are_recorded_by_the_operation_that_does_and_by_no_analysis(root):
    room = Analysis(Repository.at(root))
    assert (asked(room).trend.kept, asked(room).trend.reason) == (False, NOT_RECORDED)
    assert record_trend(room, RecordTrend()).head.kept
    found = asked(room)
    assert found.trend.kept
    [numbers] = room.points.find("", [found.trend.commit])[0].values()
    assert {"duplication", "tdg", "dead_code", "mean_defect_probability", "files", "health"} <= numbers.keys()
    assert numbers["tdg"] == found.summary.tdg
    assert asked(room, min_lines=4).trend.kept  # whose other numbers are not those of the trend


def test_dead_code_of_a_part_is_recorded_only_if_the_whole_repository_is_as_committed(root):
    room, new = Analysis(Repository.at(root)), root / "web" / "new.ts"
    new.write_text("export const one = 1;\n", encoding="utf-8")
    try:
        head = record_trend(room, RecordTrend(project_path="native")).head
        points = {
            switch: asked(room, project_path="native", include_dead_code=switch).trend
            for switch in (True, False)
        }
    finally:
        new.unlink()
    assert (points[True].kept, points[True].reason) == (False, "web/new.ts is not as committed")
    assert points[False].kept
    assert head.kept
    [numbers] = room.points.find("native", [head.commit])[0].values()
    assert "dead_code" not in numbers


def test_asking_again_computes_nothing_anew(root, monkeypatch):
    # What was just written would not be trusted otherwise.
    monkeypatch.setattr(scan_in_progress, "RECENT_CHANGE_NANOSECONDS", 0)
    room = Analysis(Repository.at(root))
    first = asked(room)
    monkeypatch.setattr(reports, "complexity_report", None)
    monkeypatch.setattr(room.history, "churn", None)
    monkeypatch.setattr(clones, "clones_in_files", None)
    monkeypatch.setattr(debt_item, "file_debt", None)
    monkeypatch.setattr(prediction, "predictions", None)
    monkeypatch.setattr(detection, "find_dead_code", None)
    monkeypatch.setattr(dependency_graph, "dependency_graph", None)
    second = asked(room)
    assert second.failures == {}
    assert second.wire() | {"timestamp": ""} == first.wire() | {"timestamp": ""}


def test_an_empty_project_has_no_numbers_that_are_not_measured(tmp_path):
    found = asked(Analysis(Repository.at(tmp_path)))
    assert found.summary.files == 0
    assert (found.summary.duplication, found.summary.tdg, found.summary.mean_defect_probability) == (
        None,
        None,
        None,
    )


def test_words_have_shares_in_percent_and_not_every_place_of_a_clone(tmp_path):
    write(tmp_path, {f"src/copy_{number}.py": COPY for number in range(9)})
    words = OPERATION.as_text(asked(Analysis(Repository.at(tmp_path)), format="detailed"))
    lines = {" ".join(line.split()[:-1]): line.split()[-1] for line in words.splitlines() if line}
    assert (lines["duplication"], lines["mean defect probability"][-1]) == ("100.0%", "%")
    assert "technical debt gradient, 0 to 5" in lines
    [clone] = [line for line in words.splitlines() if "src/copy_0.py:1-" in line]
    assert (clone.count("src/copy_"), clone.endswith(", and 4 more")) == (5, True)
