"""The analysis of complexity as an operation: arguments, figures, words, what got worse, and on the wire."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from holdfast.analysis.complexity.function_complexity import FileComplexity
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools import analyze_complexity as tool
from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.errors import InvalidArguments, NotFound
from holdfast.storage.git.repository import Repository
from holdfast.toolsets import toolset
from tests.analysis.sarif_schema import check_sarif
from tests.storage.git_support import commit, git
from tests.wire.client import wire_client

SERVE = [sys.executable, "-m", "holdfast", "serve", "--profile", "toolkit"]


def branches(name: str, count: int) -> str:
    """Write a function of Python with so many conditions, one beside the other."""
    return f"def {name}(x):\n" + "".join(f"    if x == {one}:\n        x += 1\n" for one in range(count))


RECURSIVE = "def again(n):\n    return again(n - 1) if n and n > 1 else 1\n"
TREE = {
    "pyproject.toml": "",
    "app/deep.py": branches("deep", 22) + "\n\n" + branches("middle", 12) + "\n\n" + branches("flat", 1),
    "app/again.py": RECURSIVE,
    "web/shop.ts": "export function price(a: number, b: number) { return a && b ? a : b }\n",
    "core/main.go": "package main\nfunc main() { for { if true { break } } }\n",
    "core/lib.rs": "fn run(a: bool) { if a { } else { } }\n",
}


OPERATION = next(one for one in toolset("analyze").operations if one.name == "analyze_complexity")


def analyzed(root: Path, **given: Any) -> tool.Complexity:
    room = Analysis(Repository.at(root))
    arguments = validate_arguments(tool.AnalyzeComplexity, {"project_path": ".", "toolchain": "auto"} | given)
    try:
        return tool.analyze_complexity(room, arguments)
    finally:
        room.close()


def words(result: tool.Complexity) -> str:
    return OPERATION.as_text(result)


@pytest.fixture
def tree(repository: Path) -> Path:
    commit(repository, TREE)
    return repository


@pytest.mark.requirement("analysis-64", "analysis-65", "analysis-66")
def test_path_and_toolchain_are_required_and_what_is_unknown_is_told_with_what_is_known(tree: Path) -> None:
    for missing in ("project_path", "toolchain"):
        given = {"project_path": ".", "toolchain": "auto"}
        given.pop(missing)
        with pytest.raises(InvalidArguments, match=missing):
            validate_arguments(tool.AnalyzeComplexity, given)
    with pytest.raises(InvalidArguments, match="cobol") as refused:
        analyzed(tree, toolchain="cobol")
    assert all(name in (refused.value.hint or "") for name in ("auto", "python-uv", "deno", "kotlin"))
    with pytest.raises(InvalidArguments, match="detailed, full, json, sarif, summary"):
        analyzed(tree, format="xml")
    with pytest.raises(NotFound, match="gone"):
        analyzed(tree, project_path="gone")


@pytest.mark.parametrize(
    ("toolchain", "languages"),
    [
        ("auto", {"go": 1, "python": 2, "rust": 1, "typescript": 1}),
        ("rust", {"rust": 1}),
        ("deno", {"typescript": 1}),
        ("node", {"typescript": 1}),
        ("python-uv", {"python": 2}),
        ("go", {"go": 1}),
        ("typescript", {"typescript": 1}),
        ("swift", {}),
    ],
)
@pytest.mark.requirement("analysis-65")
def test_a_toolchain_means_its_languages(tree: Path, toolchain: str, languages: dict[str, int]) -> None:
    found = analyzed(tree, toolchain=toolchain)
    assert found.languages == languages
    assert found.toolchain_detected == ["python-uv"]
    assert found.files_analyzed == sum(languages.values())


@pytest.mark.requirement("analysis-71", "analysis-214")
def test_the_figures_are_those_of_the_functions(tree: Path) -> None:
    found = analyzed(tree)
    cyclomatic = [23, 13, 2, 1, 1, 3, 2]
    cognitive = [22, 12, 1, 3, 2, 3, 2]
    summary = found.summary
    assert (summary.total_files, summary.total_functions) == (5, 7)
    assert (summary.median_cyclomatic, summary.max_cyclomatic) == (median(cyclomatic), 23)
    assert (summary.median_cognitive, summary.max_cognitive) == (median(cognitive), 22)
    assert (summary.p90_cyclomatic, summary.p90_cognitive) == (23, 22)
    assert (summary.errors, summary.warnings) == (1, 2)
    # 23 is 3 over 20: an error, 30 minutes each. 13 is 3 over 10, and 22 is 7 over 15: warnings, 15 minutes.
    assert summary.technical_debt_hours == 3 * 0.5 + 3 * 0.25 + 7 * 0.25
    first = found.violations[0]
    assert (first.severity, first.rule, first.value, first.threshold) == (
        "error",
        "cyclomatic-complexity",
        23,
        20,
    )
    assert (first.file, first.line, first.function) == ("app/deep.py", 1, "deep")
    assert [(spot.function, spot.complexity) for spot in found.most_complex] == [("deep", 23), ("middle", 13)]
    assert (found.exit_code, found.is_error) == (0, False)
    failed = analyzed(tree, fail_on_violation=True)
    assert (failed.exit_code, failed.is_error) == (1, True)
    assert analyzed(tree, fail_on_violation=True, max_cyclomatic=23).exit_code == 0


@pytest.mark.requirement("analysis-67", "analysis-68")
def test_thresholds_decide_what_is_a_violation(tree: Path) -> None:
    def kinds(**given: Any) -> list[tuple[str, str, int]]:
        return [(each.severity, each.rule[:3], each.threshold) for each in analyzed(tree, **given).violations]

    assert kinds(max_cyclomatic=100, max_cognitive=100) == []
    assert analyzed(tree, max_cyclomatic=100, max_cognitive=100).exit_code == 0
    assert kinds(max_cyclomatic=23, max_cognitive=100) == [("warning", "cyc", 17)]  # 23 is not over 23
    assert kinds(max_cyclomatic=22, max_cognitive=100) == [("error", "cyc", 22)]
    assert kinds(max_cyclomatic=100, max_cognitive=21) == [("error", "cog", 21)]
    assert kinds(max_cyclomatic=100, max_cognitive=1)[0] == ("error", "cog", 1)
    assert analyzed(tree, max_cyclomatic=1).thresholds["cyclomatic"] == {"warning": 1, "error": 1}


@pytest.mark.requirement("analysis-69", "analysis-72", "analysis-73", "analysis-74")
def test_files_are_ranked_only_where_that_is_asked_for(tree: Path) -> None:
    assert "top_files" not in analyzed(tree).wire()
    found = analyzed(tree, top_files=2).wire()["top_files"]
    assert (found["requested"], found["returned"]) == (2, 2)
    first = found["rankings"][0]
    assert list(first) == [
        *(
            "rank",
            "file",
            "function_count",
            "max_cyclomatic",
            "avg_cognitive",
            "halstead_effort",
            "total_score",
        )
    ]
    assert (first["rank"], first["file"], first["function_count"]) == (1, "app/deep.py", 3)
    assert first["halstead_effort"] > found["rankings"][1]["halstead_effort"] > 0
    many = analyzed(tree, top_files=99).top_files
    assert many is not None
    assert (many.requested, many.returned) == (99, 5)
    assert [row.total_score for row in many.rankings] == sorted(
        (row.total_score for row in many.rankings), reverse=True
    )


@pytest.mark.requirement("analysis-75")
def test_the_score_is_that_of_the_specification() -> None:
    assert FileComplexity("context.rs", 30, 195, 32, 5.8, ()).total_score == 30.92
    assert FileComplexity("most.rs", 100, 1, 50, 100, ()).total_score == 90
    assert FileComplexity("more.rs", 1000, 1, 500, 1000, ()).total_score == 90


@pytest.mark.requirement("analysis-70")
def test_top_files_zero_shows_all_violations(repository: Path) -> None:
    commit(repository, {"many.py": "\n\n".join(branches(f"f{number}", 12) for number in range(60))})
    some, every = analyzed(repository), analyzed(repository, top_files=0)
    assert (len(some.violations), some.violations_total) == (50, 60)
    assert "50 of 60 violations" in words(some)
    assert len(every.violations) == every.violations_total == 60
    assert every.top_files is not None
    assert [row.file for row in every.top_files.rankings] == ["many.py"]


@pytest.mark.requirement("analysis-217")
def test_as_many_functions_and_violations_are_returned_as_the_limit_says(tree: Path) -> None:
    found = analyzed(tree, limit=2)
    assert [(row.function, row.cognitive) for row in found.functions] == [("deep", 22), ("middle", 12)]
    assert (len(found.violations), found.violations_total) == (2, 3)
    every = analyzed(tree, limit=100)
    assert len(every.functions) == every.summary.total_functions == 7
    again = next(row for row in every.functions if row.function == "again")
    assert (again.line, again.end_line, again.parameters, again.recursive) == (1, 2, 1, True)
    assert "app/deep.py:1" in words(analyzed(tree, format="detailed"))


@pytest.mark.requirement("analysis-217")
def test_dialect_and_recursion_change_what_is_counted(tree: Path) -> None:
    def figures(**given: Any) -> tuple[int | None, int | None]:
        found = analyzed(tree, project_path="app/again.py", **given).summary
        return found.max_cyclomatic, found.max_cognitive

    assert figures() == (1, 3)  # the conditional expression, the operator, the call of itself
    assert figures(dialect="extended") == (3, 3)
    assert figures(recursion=False) == (1, 2)
    assert "radon" in analyzed(tree, dialect="extended").method


@pytest.mark.requirement("analysis-66")
def test_each_format_says_the_same_data(tree: Path) -> None:
    summary, detailed, full = (words(analyzed(tree, format=one)) for one in ("summary", "detailed", "full"))
    assert "Errors: 1; warnings: 2" in summary
    assert "## Violations" not in summary
    assert "1: deep: error: Cyclomatic complexity of 23 is over 20." in detailed
    assert full == detailed
    as_json = json.loads(words(analyzed(tree, format="json")))
    assert as_json == analyzed(tree, format="json").wire()
    document = check_sarif(words(analyzed(tree, format="sarif")))
    [first, *_] = document["runs"][0]["results"]
    assert first["ruleId"] == "cyclomatic-complexity"
    assert first["locations"][0]["physicalLocation"]["region"]["startLine"] == 1


@pytest.mark.requirement("analysis-214", "analysis-215")
def test_every_number_moves_with_the_tree(repository: Path) -> None:
    empty = analyzed(repository)
    assert empty.summary.median_cyclomatic is empty.summary.maintainability_index is None
    assert (empty.violations, empty.most_complex, empty.files, empty.languages) == ([], [], [], {})
    assert empty.files_discovered == 0
    seen = [empty.summary.wire()]
    commit(repository, {"a.py": branches("a", 3)})
    seen.append(analyzed(repository).summary.wire())
    commit(repository, TREE)
    seen.append(analyzed(repository).summary.wire())
    commit(repository, {f"more/m{one}.py": branches("again", 25) + branches("b", 40) for one in range(9)})
    seen.append(analyzed(repository).summary.wire())
    for name in seen[0]:
        values = [each[name] for each in seen]
        assert len({str(value) for value in values}) >= 3, name
    found = analyzed(repository)
    for each in found.violations:
        line = (repository / each.file).read_text(encoding="utf-8").split("\n")[each.line - 1]
        assert f"def {each.function}(" in line


def test_only_what_is_new_or_worse_counts_against_a_base(tree: Path) -> None:
    worse = branches("deep", 22) + "\n\n" + branches("middle", 13) + "\n\n" + branches("added", 1)
    (tree / "app/deep.py").write_text(worse, encoding="utf-8")
    (tree / "app/new.py").write_text(branches("fresh", 30), encoding="utf-8")
    found = analyzed(tree, since="HEAD")
    assert found.compared_with == git(tree, "rev-parse", "HEAD").strip()
    assert found.summary.total_functions == 3
    assert {each.function for each in found.violations} == {"middle", "fresh"}
    assert analyzed(tree, since="HEAD", fail_on_violation=True).exit_code == 1
    higher = {"max_cyclomatic": 40, "max_cognitive": 40}
    assert analyzed(tree, since="HEAD", fail_on_violation=True, **higher).exit_code == 0
    commit(tree, {"app/new.py": branches("fresh", 30), "app/deep.py": worse})
    assert analyzed(tree, since="HEAD").violations == []


def test_a_branch_is_compared_with_where_it_left_the_other(tree: Path) -> None:
    git(tree, "checkout", "-q", "-b", "feature")
    commit(tree, {"app/mine.py": branches("mine", 12)})
    git(tree, "checkout", "-q", "main")
    commit(tree, {"app/again.py": "def again(n):\n    return n\n"})
    git(tree, "checkout", "-q", "feature")
    assert {each.function for each in analyzed(tree, diff="main").violations} == {"mine"}
    assert analyzed(tree, diff="main").summary.total_functions == 1
    assert analyzed(tree, since="main").summary.total_functions == 2  # what main made simpler is worse here


@pytest.mark.parametrize("given", [{"since": "nowhere"}, {"diff": "nowhere"}, {"since": "HEAD:app"}])
def test_a_base_that_is_not_there_is_an_error_and_no_pass(tree: Path, given: dict[str, str]) -> None:
    with pytest.raises(NotFound, match="to compare with"):
        analyzed(tree, **given)


@pytest.mark.requirement("analysis-64", "analysis-76")
def test_the_bare_method_answers_with_the_data_itself(tree: Path) -> None:
    with wire_client(SERVE, cwd=tree) as client:
        client.initialize("2024-11-05")
        given = {"project_path": "./", "toolchain": "rust", "format": "json", "top_files": 5}
        bare = client.ask(1, "analyze_complexity", given)["result"]
        assert bare["summary"]["total_functions"] == 1
        assert bare["violations"] == []
        assert bare["top_files"]["requested"] == 5
        assert bare["top_files"]["rankings"][0]["file"] == "core/lib.rs"
        called = client.call(2, "analyze_complexity", **given)["result"]
        assert json.loads(called["content"][0]["text"]) == bare
        tools = {each["name"]: each for each in client.ask(3, "tools/list")["result"]["tools"]}
        assert set(tools["analyze_complexity"]["inputSchema"]["required"]) == {"project_path", "toolchain"}
        refused = client.ask(4, "analyze_complexity", {"project_path": ".", "toolchain": "cobol"})["error"]
        assert refused["code"] == -32602


def test_files_with_errors_in_their_syntax_are_counted(tree: Path) -> None:
    assert analyzed(tree).files_read_in_part == 0
    (tree / "broken.py").write_text("def f(:\n    x = [\n", encoding="utf-8")
    result = analyzed(tree)
    assert result.files_read_in_part == 1
    assert "Partly read because of syntax errors: 1" in words(result)
