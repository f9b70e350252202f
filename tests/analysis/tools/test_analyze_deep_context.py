from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from holdfast import __version__
from holdfast.analysis.context.context_text import context_text
from holdfast.analysis.render.text_layout import UNLIMITED_COLUMNS
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools.analyze_deep_context import AnalyzeDeepContext, analyze_deep_context
from holdfast.analysis.toolset import analyze
from holdfast.kernel.errors import InvalidArguments, NotFound
from holdfast.storage.git.repository import Repository
from tests.analysis.polyglot import COVERAGE, polyglot, write
from tests.analysis.sarif_schema import check_sarif
from tests.contract.prepared import HOLDFAST
from tests.wire.client import wire_client

SECTIONS = {
    "ast": {"ast_contexts"},
    "complexity": {"complexity_report"},
    "churn": {"churn_analysis"},
    "dag": {"dependency_graph", "cross_language_refs"},
    "dead-code": {"dead_code_results"},
    "satd": {"satd_results"},
    "defect-probability": {"defect_probability"},
}
OPERATION = next(item for item in analyze.operations if item.name == "analyze_deep_context")


@pytest.fixture
def room(repository: Path) -> Iterator[Analysis]:
    room = Analysis(Repository.at(polyglot(repository)))
    yield room
    room.close()


def asked(room: Analysis, **arguments: Any) -> dict[str, Any]:
    """Return the document as it is sent."""
    return analyze_deep_context(room, AnalyzeDeepContext.model_validate(arguments)).wire()


def steady(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document without what differs from run to run."""
    about = {
        name: value
        for name, value in document["metadata"].items()
        if name not in ("generated_at", "analysis_duration", "cache_stats")
    }
    return document | {"metadata": about}


def files(document: dict[str, Any]) -> list[str]:
    """Return the files of the tree."""

    def below(node: dict[str, Any]) -> Iterator[str]:
        if node["node_type"] == "file":
            yield node["path"]
        for child in node.get("children") or ():
            yield from below(child)

    return sorted(below(document["file_tree"]["root"]))


def node(document: dict[str, Any], path: str) -> dict[str, Any]:
    found = document["file_tree"]["root"]
    for depth in range(1, path.count("/") + 2):
        wanted = "/".join(path.split("/")[:depth])
        found = next(child for child in found["children"] if child["path"] == wanted)
    return found


@pytest.mark.requirement(
    "analysis-81",
    "analysis-107",
    "analysis-112",
    "analysis-113",
    "analysis-114",
    "analysis-115",
    "analysis-216",
)
def test_the_document_has_every_part_measured_on_the_whole_repository(room: Analysis) -> None:
    document = asked(room)
    assert document["failures"] == {}
    assert document["metadata"]["tool_version"] == __version__
    assert document["metadata"]["project_root"] == "."
    assert set(document["metadata"]["analysis_duration"]) == {"secs", "nanos"}
    assert set(document["analyses"]) == set().union(*SECTIONS.values())
    assert (document["files_discovered"], document["files_analyzed"]) == (6, 6)
    tree = document["file_tree"]
    assert (tree["total_files"], files(document)) == (
        6,
        ["native/lib.rs", "src/app.py", "src/shapes.py", "src/util.py", "web/index.ts", "web/view.ts"],
    )
    root = Path(room.repository.root)
    assert tree["total_size_bytes"] == sum((root / path).stat().st_size for path in files(document))
    about = node(document, "src/app.py")["annotations"]
    assert about["complexity_score"] == 16 + 1 + 1  # tangle, main, nobody_calls_this
    assert (about["commits"], about["satd_items"]) == (1, 1)
    assert about["dead_code_items"] >= 1
    assert about["imported_by"] == 1
    assert about["defect_score"] == document["hotspots"][0]["composite_score"]
    assert "test_coverage" not in about
    [meeting] = [item for item in document["defect_correlation"]["meetings"] if item["file"] == "src/app.py"]
    assert meeting["analyses"] == ["churn", "complexity", "dead-code", "technical-debt"]


@pytest.mark.requirement(
    "analysis-108", "analysis-109", "analysis-110", "analysis-111", "analysis-116", "analysis-117"
)
def test_scorecard_hotspots_and_recommendations_speak_of_what_was_found(room: Analysis) -> None:
    document = asked(room)
    card = document["quality_scorecard"]
    assert 0 <= card["overall_health"] <= 100
    assert card["complexity_score"] < 100
    assert card["maintainability_index"] == pytest.approx(
        (card["complexity_score"] + card["change_score"]) / 2, abs=0.06
    )
    assert card["technical_debt_hours"] > 0
    assert (card["test_coverage"], card["not_measured"]) == (None, {"test_coverage": "no report found"})
    first = document["hotspots"][0]
    assert first["location"]["file"] == "src/app.py"
    assert first["location"]["line"] == 7
    assert first["refactoring_effort"]["priority"] == "High"
    titles = [item["title"] for item in document["recommendations"]]
    assert titles[0] == "Reduce complexity where the code changes"
    assert "Break import cycles" in titles
    assert document["recommendations"][0]["files"] == ["src/app.py"]


@pytest.mark.parametrize("name", SECTIONS)
@pytest.mark.requirement(
    "analysis-82", "analysis-83", "analysis-84", "analysis-85", "analysis-86", "analysis-87", "analysis-88",
    "analysis-89", "analysis-90",
)  # fmt: skip
def test_only_what_is_named_is_done_and_what_is_excluded_is_not(room: Analysis, name: str) -> None:
    alone = asked(room, include_analyses=[name])
    assert set(alone["analyses"]) == SECTIONS[name]
    assert alone["metadata"]["analyses"] == [name]
    others = asked(room, exclude_analyses=[name])
    assert set(others["analyses"]) == set().union(*SECTIONS.values()) - SECTIONS[name]


def test_each_section_holds_what_its_analysis_found(room: Analysis) -> None:
    found = asked(room)["analyses"]
    [app] = [item for item in found["ast_contexts"] if item["path"] == "src/app.py"]
    assert {item["name"] for item in app["items"]} >= {"tangle", "main"}
    worst = found["complexity_report"]["violations"][0]
    assert (worst["file"], worst["function"], worst["line"]) == ("src/app.py", "tangle", 7)
    assert found["churn_analysis"]["files"][0]["path"] == "src/app.py"
    assert found["churn_analysis"]["summary"]["total_commits"] == 1
    assert found["dependency_graph"]["cycles"] == [["src/app.py", "src/util.py"]]
    assert (
        "graph" in found["dependency_graph"]["mermaid"] or "flowchart" in found["dependency_graph"]["mermaid"]
    )
    dead = {item["name"]: item for item in found["dead_code_results"]["findings"]}
    assert dead["nobody_calls_this"]["confidence"] >= 0.9
    assert dead["json"]["kind"] == "import"
    debts = [(item["file"], item["line"]) for item in found["satd_results"]["items"]]
    assert debts == [("src/app.py", 8), ("src/util.py", 5)]
    ranking = found["defect_probability"]["ranking"]
    assert ranking[0]["file"] == "src/app.py"
    assert 0 < ranking[-1]["probability"] < ranking[0]["probability"] < 1


@pytest.mark.requirement("analysis-119", "analysis-120", "analysis-121")
def test_languages_that_reach_for_each_other_are_named_with_the_evidence(room: Analysis) -> None:
    found = asked(room)["analyses"]["cross_language_refs"]
    kinds = {(item["source_file"], item["reference_type"]) for item in found}
    assert {
        ("src/app.py", "FfiCall"),
        ("native/lib.rs", "FfiCall"),
        ("native/lib.rs", "WasmBinding"),
    } <= kinds
    assert all(item["text"] and item["line"] > 0 for item in found)


@pytest.mark.requirement("analysis-91")
def test_the_period_decides_which_commits_count(room: Analysis) -> None:
    commits = [
        asked(room, include_analyses=["churn"], **more)["analyses"]["churn_analysis"]["summary"][
            "total_commits"
        ]
        for more in ({}, {"period_days": 30}, {"period_days": 90}, {"period_days": 200})
    ]
    assert commits == [1, 1, 2, 3]


@pytest.mark.parametrize(
    ("kind", "edges"),
    [
        pytest.param("call-graph", {"Calls"}, marks=pytest.mark.requirement("analysis-92")),
        pytest.param("import-graph", {"Imports"}, marks=pytest.mark.requirement("analysis-93")),
        pytest.param("inheritance", {"Inherits"}, marks=pytest.mark.requirement("analysis-94")),
        pytest.param(
            "full-dependency", {"Calls", "Imports", "Inherits"}, marks=pytest.mark.requirement("analysis-95")
        ),
    ],
)
def test_the_kind_of_graph_decides_its_edges_and_not_the_modularity(
    room: Analysis, kind: str, edges: set[str]
) -> None:
    document = asked(room, include_analyses=["dag"], dag_type=kind)
    graph = document["analyses"]["dependency_graph"]
    assert {edge["edge_type"] for edge in graph["edges"]} == edges
    assert document["quality_scorecard"]["modularity_score"] == pytest.approx(
        asked(room, include_analyses=["dag"])["quality_scorecard"]["modularity_score"]
    )


@pytest.mark.requirement("analysis-96", "analysis-97", "analysis-98")
def test_depth_and_patterns_decide_which_files_are_looked_at(room: Analysis) -> None:
    write(Path(room.repository.root), {"top.py": "x = 1\n"})
    assert files(asked(room, max_depth=0)) == ["top.py"]
    assert files(asked(room, include_patterns=["web/**"])) == ["web/index.ts", "web/view.ts"]
    assert "src/app.py" not in files(asked(room, exclude_patterns=["**/app.py"]))
    assert files(asked(room, project_path="native")) == ["native/lib.rs"]
    assert files(asked(room, project_path="native/lib.rs")) == ["native/lib.rs"]


@pytest.mark.requirement("analysis-82", "analysis-97", "analysis-98")
def test_other_spellings_mean_the_same(room: Analysis) -> None:
    same = [
        ({"include_analyses": ["dead_code"]}, {"include_analyses": ["dead-code"]}),
        ({"include_analyses": ["defect_probability"]}, {"include_analyses": ["defect-probability"]}),
        ({"include_analyses": ["tdg"]}, {"include_analyses": ["defect-probability"]}),
        ({"include_pattern": "web/**"}, {"include_patterns": ["web/**"]}),
        ({"exclude_pattern": ["web/**"]}, {"exclude_patterns": ["web/**"]}),
    ]
    for one, other in same:
        assert steady(asked(room, **one)) == steady(asked(room, **other))


@pytest.mark.parametrize(
    "arguments",
    [
        {"include_analyses": ["provability"]},
        {"include_analyses": []},
        {"exclude_analyses": ["everything"]},
        {"dag_type": "circle"},
        {"cache_strategy": "sometimes"},
        {"format": "yaml"},
        {"parallel": 0},
        {"period_days": 0},
        {"max_depth": -1},
        {"include_pattern": "a", "include_patterns": ["b"]},
        {"deep": True},
    ],
)
def test_what_is_no_argument_is_refused(room: Analysis, arguments: dict[str, Any]) -> None:
    with pytest.raises((ValidationError, InvalidArguments)):
        asked(room, **arguments)


def test_nothing_left_to_do_is_refused(room: Analysis) -> None:
    with pytest.raises(InvalidArguments, match="No analysis is selected"):
        asked(room, include_analyses=["ast"], exclude_analyses=["ast"])


@pytest.mark.requirement("analysis-215")
def test_a_path_that_is_not_there_is_named_and_an_empty_folder_has_no_findings(room: Analysis) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        asked(room, project_path="nowhere")
    (Path(room.repository.root) / "empty").mkdir()
    document = asked(room, project_path="empty")
    assert document["hotspots"] == document["recommendations"] == files(document) == []
    assert document["defect_summary"]["total_defects"] == document["files_analyzed"] == 0
    card = document["quality_scorecard"]
    assert card["overall_health"] is None
    assert card["not_measured"]["overall_health"] == "no part was measured"


@pytest.mark.requirement("analysis-102", "analysis-217")
def test_any_degree_of_parallelism_gives_the_same_document(room: Analysis) -> None:
    documents = [json.dumps(steady(asked(room, parallel=count))) for count in (1, 2, 8)]
    assert documents[0] == documents[1] == documents[2]


@pytest.mark.requirement("analysis-99", "analysis-100", "analysis-123")
def test_a_second_look_reads_only_what_changed_unless_everything_is_wanted(room: Analysis) -> None:
    asked(room)
    write(Path(room.repository.root), {"web/view.ts": "export const view = 1;\n"})
    stats = asked(room)["metadata"]["cache_stats"]
    assert (stats["hits"], stats["misses"], stats["hit_rate"]) == (5, 1, 0.833)
    stats = asked(room, cache_strategy="force-refresh")["metadata"]["cache_stats"]
    assert (stats["hits"], stats["hit_rate"]) == (0, 0.0)


@pytest.mark.requirement("analysis-101")
def test_offline_only_what_is_cached_is_measured_and_the_rest_is_named(room: Analysis) -> None:
    before = asked(room)
    write(Path(room.repository.root), {"web/new.ts": "export const added = 1;\n"})
    document = asked(room, cache_strategy="offline")
    assert files(document) == files(before)
    assert document["metadata"]["cache_stats"]["hit_rate"] == 1.0
    assert document["coverage"]["reason"] == document["template_provenance_reason"]
    assert "offline" in document["coverage"]["reason"]
    assert "churn" in document["failures"]
    assert document["quality_scorecard"]["not_measured"]["change_score"] == document["failures"]["churn"]


def test_coverage_comes_from_a_report_that_is_there(room: Analysis) -> None:
    write(Path(room.repository.root), {"coverage.xml": COVERAGE.replace("kelp/", "")})
    document = asked(room)
    assert document["coverage"]["percent"] == document["quality_scorecard"]["test_coverage"] == 50.0
    assert node(document, "src/util.py")["annotations"]["test_coverage"] == 50.0
    assert document["coverage"]["reports"][0]["path"] == "coverage.xml"
    assert document["coverage"]["stale_files"] == 0
    os.utime(Path(room.repository.root) / "coverage.xml", (1000, 1000))
    assert asked(room)["coverage"]["stale_files"] == 1


@pytest.mark.requirement("analysis-103")
def test_markdown_is_a_report_with_an_annotated_tree(room: Analysis) -> None:
    words = OPERATION.as_text(analyze_deep_context(room, AnalyzeDeepContext()))
    assert words.startswith("# Deep context\n")
    for heading in (
        "Quality scorecard",
        "Defects",
        "Recommendations",
        "Files to improve first",
        "Files with findings of several analyses",
        "Files",
    ):
        assert f"\n## {heading}" in words
    [line] = [line for line in words.splitlines() if line.strip().startswith("app.py  [")]
    assert "complexity" in line
    assert "1 commits" in line
    assert "| test coverage | not measured | no report found |" in words


@pytest.mark.requirement("analysis-104", "analysis-106")
def test_json_is_the_document_itself(room: Analysis) -> None:
    result = analyze_deep_context(room, AnalyzeDeepContext(format="json"))
    assert json.loads(OPERATION.as_text(result)) == result.wire()


@pytest.mark.requirement("analysis-105")
def test_html_has_every_part_as_one_file(room: Analysis) -> None:
    result = analyze_deep_context(room, AnalyzeDeepContext(format="html"))
    page = OPERATION.as_text(result)
    assert page.startswith("<!DOCTYPE html>")
    markdown = context_text(result, UNLIMITED_COLUMNS)
    headings = [line.removeprefix("## ") for line in markdown.splitlines() if line.startswith("## ")]
    assert re.findall("<h2>(.*?)</h2>", page) == headings
    for spot in result.hotspots:
        assert f"{spot.location.file}:{spot.location.line}" in page
    assert f"<summary>{result.file_tree.root.name}/" in page


def test_sarif_names_every_issue_where_it_is_and_what_was_not_measured(room: Analysis) -> None:
    result = analyze_deep_context(room, AnalyzeDeepContext(format="sarif"))
    document = check_sarif(OPERATION.as_text(result))
    run = document["runs"][0]
    assert len(run["results"]) == result.defect_summary.total_defects > 3
    assert run["properties"]["technical_debt_hours"] == result.quality_scorecard.technical_debt_hours
    notes = [item["message"]["text"] for item in run["invocations"][0]["toolExecutionNotifications"]]
    assert "test_coverage was not measured: no report found" in notes


def test_lists_are_cut_to_the_limit_and_totals_are_not(room: Analysis) -> None:
    short = asked(room, limit=1)
    assert len(short["analyses"]["ast_contexts"]) == len(short["hotspots"]) == 1
    assert short["total_hotspots"] > 1
    assert short["files_analyzed"] == short["file_tree"]["total_files"] == 6
    assert short["file_tree"]["shown"] == 6
    root = Path(room.repository.root)
    write(root, {f"many/m{number}.py": "x = 1\n" for number in range(30)})
    tree = asked(room, limit=1)["file_tree"]
    many = next(child for child in tree["root"]["children"] if child["name"] == "many")
    assert (many["files"], len(many["children"]) + many["omitted"]) == (30, 30)


def test_outside_of_git_churn_is_named_as_what_could_not_be_done(home: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    write(plain, {"a.py": "def f():\n    return 1\n"})
    document = asked(Analysis(Repository.at(plain)))
    assert list(document["failures"]) == ["churn"]
    [found] = document["analyses"]["defect_probability"]["ranking"]
    assert "churn" in found["missing"]
    assert document["quality_scorecard"]["complexity_score"] == 100.0
    assert document["quality_scorecard"]["maintainability_index"] is None


def test_names_that_hide_something_are_shown_without_it(room: Analysis) -> None:
    root = Path(room.repository.root)
    text = "# FIXME: \u202ehidden\nx = 1\n"  # hygiene: to be found
    write(root, {"src/we\u202eird|name.py": text})
    result = analyze_deep_context(room, AnalyzeDeepContext())
    assert "\u202e" not in OPERATION.as_text(result)
    assert "\u202e" not in json.dumps(result.wire(), ensure_ascii=False)


@pytest.mark.requirement("analysis-106")
def test_over_the_wire_the_text_is_the_document_and_progress_only_goes_on(repository: Path) -> None:
    polyglot(repository)
    arguments = {"project_path": ".", "format": "json"}
    call = {"name": OPERATION.name, "arguments": arguments, "_meta": {"progressToken": "p"}}
    heard: list[float] = []
    with wire_client([HOLDFAST, "serve"], cwd=repository) as client:
        client.initialize("2025-06-18")
        client.request(7, "tools/call", call)
        while (message := client.receive(60)).get("id") != 7:
            heard.append(message["params"]["progress"])
        resource = client.ask(8, "resources/read", {"uri": "analysis://context"})
    [content] = message["result"]["content"]
    document = json.loads(content["text"])
    assert document == message["result"]["structuredContent"]
    assert document["failures"] == {}
    assert heard == sorted(heard)
    read = json.loads(resource["result"]["contents"][0]["text"])
    assert steady(read)["quality_scorecard"] == steady(document)["quality_scorecard"]


@pytest.mark.requirement("analysis-106")
def test_the_command_line_says_the_same(room: Analysis, run_holdfast: Any) -> None:
    answer = run_holdfast("analyze", "context", "src", "--format", "json", check=True)
    assert files(json.loads(answer.stdout)) == ["src/app.py", "src/shapes.py", "src/util.py"]
    report = run_holdfast("analyze", "context", "--include-analyses", "ast", check=True)
    assert report.stdout.startswith("# Deep context")
    assert isinstance(report, subprocess.CompletedProcess)


def test_compared_with_a_commit_only_new_or_worse_findings_are_told(room: Analysis) -> None:
    before = asked(room)
    for argument in ("since", "diff"):
        same = asked(room, **{argument: "HEAD"})
        assert same["defect_summary"]["total_defects"] == 0 < before["defect_summary"]["total_defects"]
        assert same["files_analyzed"] == before["files_analyzed"]
    later = "import os\n# TODO: name the later one\n"  # hygiene: to be found
    write(Path(room.repository.root), {"src/later.py": later})
    found = asked(room, since="HEAD")
    assert found["defect_summary"]["by_type"] == {"complexity": 0, "technical-debt": 1, "dead-code": 1}
    words = OPERATION.as_text(analyze_deep_context(room, AnalyzeDeepContext(since="HEAD")))
    assert f"Compared with {found['metadata']['compared_with']}" in words
    with pytest.raises(InvalidArguments, match="An offline analysis cannot be compared"):
        asked(room, since="HEAD", cache_strategy="offline")


def test_a_terminal_gets_the_first_parts_and_a_pipe_the_whole_document(room: Analysis) -> None:
    result = analyze_deep_context(room, AnalyzeDeepContext())
    assert OPERATION.table is not None
    whole, brief = OPERATION.table(result, UNLIMITED_COLUMNS), OPERATION.table(result, 100)
    assert "## Files (" in whole
    assert len(brief.splitlines()) < len(whole.splitlines())
    assert brief.startswith(whole[: whole.index("## Files to improve first")])
    assert "Not shown: files with findings of several analyses" in brief
    assert "Not shown" not in whole
