"""`quality_gate`: what passes, what fails, and that nothing passes because it was not looked at."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random
from typing import Any

import pytest

from holdfast.analysis.gate.checks import CHECKS
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools.quality_gate import GateResult, QualityGate, quality_gate
from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.errors import Conflict, Invalid, InvalidArguments, NotFound, Unavailable
from holdfast.storage.git.repository import Repository
from holdfast.toolsets import toolset
from tests.analysis.junit_schema import check_junit
from tests.analysis.sarif_schema import check_sarif
from tests.contract.prepared import HOLDFAST
from tests.storage.git_support import commit, git
from tests.wire.client import ENVELOPE, wire_client

FIXME = "FIXME"


TESTS = ("a == {}", "a in [{}]", "not a", "a.b > {}", "a() < {}", "a is {}", "a[{}]", "a ** {}")
DEEDS = ("return {}", "a += {}", "print(a, {})", "a = [{}]", "raise a", "a = a(b={})", "del a[{}]")


def branches(number: int, name: str = "f") -> str:
    """Return a function that is used and like no other, of cyclomatic complexity `number`."""
    chosen = Random(f"{name}{number}")
    lines = [(chosen.choice(TESTS), chosen.choice(DEEDS)) for _ in range(number - 1)]
    body = "".join(f"    if {test}:\n        {deed}\n".replace("{}", str(len(deed))) for test, deed in lines)
    return f"def {name}(a):\n{body}    return a\n\n\nprint({name}(1))\n"


def report(**files: tuple[int, int]) -> str:
    """Return a report of coverage by which so many of so many lines of a file were run."""
    classes = "".join(
        f'<class filename="{name}.py"><lines>'
        + "".join(f'<line number="{line}" hits="{int(line <= hit)}"/>' for line in range(1, total + 1))
        + "</lines></class>"
        for name, (hit, total) in files.items()
    )
    return f"<coverage><packages><package><classes>{classes}</classes></package></packages></coverage>"


def write(root: Path, name: str, text: str, *, age: int = 0) -> None:
    place = root / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
    if age:
        status = place.stat()
        os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns - age * 10**9))


def asked(where: Path, **arguments: Any) -> GateResult:
    room = Analysis(Repository.at(where))
    try:
        given = validate_arguments(QualityGate, arguments)
        assert isinstance(given, QualityGate)
        result: GateResult = quality_gate(room, given)
    finally:
        room.close()
    return result


def words(result: GateResult) -> str:
    [operation] = [one for one in toolset("analyze").operations if one.name == "quality_gate"]
    return operation.as_text(result)


def statuses(result: GateResult) -> dict[str, str]:
    return {one.check: one.status for one in result.checks}


def check(result: GateResult, name: str) -> Any:
    return next(one for one in result.checks if one.check == name)


def broken(result: GateResult, name: str) -> list[tuple[str, int | None, float | None]]:
    return [(one.file, one.line, one.actual) for one in check(result, name).violations]


@pytest.fixture
def project(repository: Path) -> Path:
    """A repository with one function over the threshold, one debt and one thing that nothing uses."""
    commit(
        repository,
        {
            "src/a.py": branches(11),
            "src/b.py": f"# {FIXME}: wrong\nx = 1\nprint(x)\n\n\ndef unused():\n    return 1\n",
            "c.py": branches(3),
        },
    )
    return repository


@pytest.mark.requirement("analysis-195", "analysis-196", "analysis-198", "analysis-206")
def test_a_gate_says_what_was_measured_against_which_threshold_and_what_breaks_it(project):
    result = asked(project)
    assert (result.passed, result.project_path, result.compared_with, result.settings) == (
        False,
        ".",
        None,
        None,
    )
    assert {one.check: (one.threshold, one.actual, one.status) for one in result.checks} == {
        "complexity": (10, 11, "fail"),
        "duplication": (5, 0, "pass"),
        "coverage": (80, None, "not_measured"),
        "defects": (0.3, check(result, "defects").actual, "pass"),
        "debt": (0, 1, "fail"),
        "dead_code": (0, 1, "fail"),
    }
    assert broken(result, "complexity") == [("src/a.py", 1, 11)]
    assert broken(result, "debt") == [("src/b.py", 1, 1)]
    assert broken(result, "dead_code") == [("src/b.py", 6, 1)]
    assert result.reason == "3 of 6 checks fail: complexity, debt, dead_code; not measured: coverage."
    only = asked(project, project_path="c.py")
    assert (only.passed, only.files_analyzed, check(only, "complexity").actual) == (True, 1, 3)
    looser = asked(project, complexity_threshold=11, debt_threshold=1, dead_code_threshold=1)
    assert looser.passed
    assert set(statuses(looser).values()) == {"pass", "not_measured"}
    assert broken(asked(project, cognitive_threshold=5), "cognitive") == [("src/a.py", 1, 10)]


@pytest.mark.requirement("analysis-206")
def test_a_gate_of_which_nothing_was_measured_does_not_pass(repository):
    write(repository, "README.md", "# Nothing\n")
    result = asked(repository)
    assert not result.passed
    assert set(statuses(result).values()) == {"not_measured"}
    assert result.reason == "Nothing was measured, so the gate does not pass."


def test_an_analysis_that_fails_is_a_check_that_fails(project, monkeypatch):
    def failing(*_: object) -> Any:
        raise Unavailable("the disk is gone")

    monkeypatch.setitem(CHECKS, "debt", failing)  # type: ignore[misc]
    result = asked(project, project_path="c.py")
    assert statuses(result)["debt"] == "fail"
    assert check(result, "debt").reason == "its analysis failed: the disk is gone"
    assert not result.passed


# Coverage


@pytest.mark.requirement("analysis-198")
def test_coverage_is_that_of_reports_and_at_least_the_threshold(project):
    write(project, "coverage.xml", report(c=(4, 5)))
    measured = check(asked(project, project_path="c.py"), "coverage")
    assert (measured.status, measured.actual) == ("pass", 80.0)
    write(project, "coverage.xml", report(c=(3, 4)))
    failed = check(asked(project), "coverage")
    assert (failed.status, failed.actual) == ("fail", 75.0)
    assert [(one.file, one.line, one.actual, one.threshold) for one in failed.violations] == [
        ("c.py", None, 75, 80)
    ]
    assert check(asked(project, coverage_threshold=75), "coverage").status == "pass"


def test_a_damaged_report_fails_and_a_missing_one_can_be_made_to(project):
    assert check(asked(project), "coverage").reason == "no report found"
    write(project, ".holdfast.toml", "[gate]\nrequire_coverage = true\n")
    assert check(asked(project), "coverage").status == "fail"
    write(project, "coverage.xml", report(c=(5, 5)))
    assert check(asked(project), "coverage").status == "pass"
    write(project, "lcov.info", "\0nothing")
    damaged = check(asked(project), "coverage")
    assert damaged.status == "fail"
    assert "lcov.info" in damaged.reason


def test_with_a_base_coverage_is_that_of_new_lines_and_stale_reports_do_not_count(repository):
    commit(repository, {"c.py": "a = 1\nb = 2\nc = 3\n", "d.py": "a = 1\n"})
    write(repository, "c.py", "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\n", age=10)
    write(repository, "coverage.xml", report(c=(4, 5), d=(0, 1)))
    measured = check(asked(repository, since="HEAD"), "coverage")
    assert (measured.status, measured.actual) == ("fail", 50.0)
    assert broken(asked(repository, since="HEAD"), "coverage") == [("c.py", None, 50)]
    assert check(asked(repository, since="HEAD", count_all=True), "coverage").actual == 66.67
    write(repository, "coverage.xml", report(c=(4, 5)), age=60)
    stale = check(asked(repository, since="HEAD"), "coverage")
    assert (stale.status, stale.reason) == (
        "not_measured",
        "1 changed files are newer than the report on them",
    )
    git(repository, "checkout", "--quiet", "c.py")
    assert check(asked(repository, since="HEAD"), "coverage").status == "pass"


# Against a base


def test_with_a_base_only_what_is_new_or_worse_counts(project):
    assert asked(project, since="HEAD").passed
    assert not asked(project, since="HEAD", count_all=True).passed
    write(project, "src/a.py", f"# moved down\n{branches(11)}\n\n{branches(12, 'g')}")
    result = asked(project, since="HEAD")
    assert broken(result, "complexity") == [("src/a.py", 29, 12)]
    assert statuses(result)["debt"] == statuses(result)["dead_code"] == "pass"
    write(project, "src/a.py", branches(13))
    assert broken(asked(project, diff="main"), "complexity") == [("src/a.py", 1, 13)]
    write(project, "src/a.py", branches(10))
    assert check(asked(project, since="HEAD"), "complexity").status == "pass"
    write(
        project,
        "src/b.py",
        f"# {FIXME}: wrong\nx = 1\n# {FIXME}: twice\nprint(x)\n\n\ndef unused():\n    return 1\n",
    )
    assert broken(asked(project, since="HEAD"), "debt") == [("src/b.py", 3, 1)]


def test_what_is_in_a_renamed_file_is_not_new(project):
    git(project, "mv", "src/a.py", "src/renamed.py")
    git(project, "mv", "src/b.py", "src/other.py")
    assert asked(project, since="HEAD").passed
    git(project, "reset", "--quiet", "--hard")
    (project / "src" / "copy.py").write_bytes((project / "src" / "a.py").read_bytes())
    assert statuses(asked(project, since="HEAD"))["complexity"] == "fail"


def test_a_base_that_is_missing_is_an_error(project):
    with pytest.raises(NotFound, match="nowhere"):
        asked(project, since="nowhere")
    with pytest.raises(NotFound, match="nowhere"):
        asked(project, diff="nowhere", count_all=True)
    with pytest.raises(InvalidArguments, match="two ways"):
        asked(project, since="HEAD", diff="HEAD")
    with pytest.raises(InvalidArguments, match="count_all"):
        asked(project, count_all=True)


def test_staged_judges_what_the_next_commit_would_hold(project):
    write(project, "untracked.py", branches(12))
    assert not asked(project, since="HEAD").passed
    assert asked(project, staged=True).passed
    git(project, "add", "untracked.py")
    assert broken(asked(project, staged=True), "complexity") == [("untracked.py", 1, 12)]
    write(project, "untracked.py", branches(2))
    with pytest.raises(Conflict, match="untracked"):
        asked(project, staged=True)
    (project / "untracked.py").unlink()
    with pytest.raises(Conflict, match="untracked"):
        asked(project, staged=True)


# Settings


def test_thresholds_come_from_the_nearest_settings_and_arguments_win(project):
    write(
        project,
        "pyproject.toml",
        "[tool.holdfast.gate]\ncomplexity_threshold = 20\ndisable = ['debt', 'dead_code']\n",
    )
    result = asked(project)
    assert (result.passed, result.settings) == (True, "pyproject.toml")
    assert result.switched_off == ["debt", "dead_code"]
    assert "Disabled: debt, dead_code." in words(result)
    assert check(asked(project, complexity_threshold=5), "complexity").threshold == 5
    assert statuses(asked(project, debt_threshold=0))["debt"] == "fail"
    write(project, "src/.holdfast.toml", "[gate]\ncomplexity_threshold = 2.5\nexclude = ['a.py']\n")
    nearer = asked(project, project_path="src")
    assert (nearer.settings, check(nearer, "complexity").threshold) == ("src/.holdfast.toml", 2.5)
    assert nearer.files_analyzed == 1
    assert asked(project, project_path="c.py").settings == "pyproject.toml"


def test_the_settings_of_debt_and_dead_code_say_what_counts(project):
    write(project, ".holdfast.toml", "[gate]\ndebt_severity = 'Critical'\ndead_code_confidence = 'low'\n")
    result = asked(project)
    assert statuses(result)["debt"] == "pass"
    assert "confidence low" in check(result, "dead_code").measure


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("pyproject.toml", "[tool.holdfast.gate]\ncomplexity = 3\n", ["pyproject.toml", '"complexity"']),
        (
            ".holdfast.toml",
            "[gate]\ncoverage_threshold = 'most'\n",
            [".holdfast.toml", '"coverage_threshold"'],
        ),
        (".holdfast.toml", "[gate]\ncoverage_threshold = '80'\n", [".holdfast.toml", '"coverage_threshold"']),
        (".holdfast.toml", "[gate]\ndebt_threshold = true\n", [".holdfast.toml", '"debt_threshold"']),
        (".holdfast.toml", "[gate]\ndefect_threshold = nan\n", [".holdfast.toml", '"defect_threshold"']),
        (".holdfast.toml", "[gate]\ndisable = ['all']\n", [".holdfast.toml", '"disable.0"']),
        (".holdfast.toml", "[gates]\n", [".holdfast.toml", "`gates`"]),
        (".holdfast.toml", "gate = 3\n", [".holdfast.toml", "`gate`"]),
        ("pyproject.toml", "[tool]\nholdfast = 3\n", ["pyproject.toml", "`holdfast`"]),
        ("pyproject.toml", "[tool.holdfast\n", ["pyproject.toml", "cannot be read"]),
        (".holdfast.toml", "[gate]\n# \udcff\n", [".holdfast.toml", "UTF-8"]),
    ],
)
def test_settings_that_cannot_be_meant_are_errors_that_name_the_file_and_the_key(project, name, text, said):
    (project / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(Invalid) as refused:
        asked(project)
    assert [word for word in said if word not in refused.value.message] == []


def test_a_gate_with_every_check_switched_off_does_not_pass(project):
    write(
        project,
        ".holdfast.toml",
        "[gate]\ndisable = ['complexity', 'duplication', 'coverage', 'defects', 'debt', 'dead_code']\n",
    )
    result = asked(project, fail_on_violation=True)
    assert (result.passed, result.is_error, result.checks) == (False, True, [])
    assert len(result.switched_off) == 6


def test_settings_behind_a_link_are_an_error(project):
    (project / "elsewhere.toml").write_text("[tool.holdfast.gate]\n", encoding="utf-8")
    (project / "pyproject.toml").symlink_to("elsewhere.toml")
    with pytest.raises(Invalid, match="pyproject"):
        asked(project)


def test_two_tables_in_one_folder_are_an_error(project):
    write(project, "pyproject.toml", "[tool.holdfast.gate]\n")
    write(project, ".holdfast.toml", "[gate]\n")
    with pytest.raises(Invalid, match=r"pyproject.toml and \.holdfast.toml"):
        asked(project)


# Formats


@pytest.mark.requirement("analysis-200", "analysis-201")
def test_words_say_the_checks_and_the_detailed_ones_all_violations(project):
    write(project, "many.py", "\n\n".join(branches(12, f"f{number}") for number in range(8)))
    summary, detailed = words(asked(project)), words(asked(project, format="detailed"))
    assert summary.startswith("Quality gate: FAILED. ")
    assert "Violations of complexity: 9" in summary
    assert "  4. 6 more" in summary
    assert "  9. src/a.py:1: f: cyclomatic complexity of 11 is over 10." in detailed
    assert "  3. 7 more" in words(asked(project, format="detailed", limit=2))
    assert words(asked(project, project_path="c.py")).startswith("Quality gate: passed.")


@pytest.mark.requirement("analysis-202")
def test_json_is_the_data_itself(project):
    result = asked(project, format="json")
    assert json.loads(words(result)) == result.wire()


@pytest.mark.requirement("analysis-203")
def test_sarif_has_the_violations_under_the_rules_of_the_analyses(project):
    write(project, "coverage.xml", report(c=(1, 4)))
    document = check_sarif(words(asked(project, format="sarif")))
    [run] = document["runs"]
    assert [one["ruleId"] for one in run["results"]] == [
        "cyclomatic-complexity",
        "test-coverage",
        "debt-defect",
        "dead-code/unused-function",
    ]
    assert {one["level"] for one in run["results"]} == {"error"}
    assert run["properties"]["passed"] is False
    nothing = check_sarif(words(asked(project, project_path="c.py", coverage_threshold=25, format="sarif")))[
        "runs"
    ][0]
    assert nothing["results"] == []


@pytest.mark.requirement("analysis-204")
def test_junit_has_one_case_for_each_check(project):
    suite = check_junit(words(asked(project, format="junit")))
    found = {case.attrib["name"]: [child.tag for child in case] for case in suite.findall("testcase")}
    assert found == {
        "complexity": ["failure"],
        "duplication": [],
        "coverage": ["skipped"],
        "defects": [],
        "debt": ["failure"],
        "dead_code": ["failure"],
    }
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert failure.text == "src/a.py:1: f: cyclomatic complexity of 11 is over 10."


@pytest.mark.requirement("analysis-204")
def test_junit_holds_whatever_names_and_comments_hold(repository):
    texts = {f"a&b<'\"{number}.py": f"# {FIXME}: </failure> ]]> & \"'\n" for number in range(2)}
    hidden = {"c.py": f"# {FIXME}: \x1b[31m\x00\x08\ufffe\uffff\u202e here\n"}
    commit(repository, texts | hidden)
    suite = check_junit(words(asked(repository, format="junit")))
    failure = suite.find("testcase[@name='debt']/failure")
    assert failure is not None
    assert failure.text is not None
    assert "</failure> ]]> & \"'" in failure.text
    assert "a&b<'\"0.py:1" in failure.text


# Failing


@pytest.mark.requirement("analysis-205")
def test_a_command_ends_with_1_only_where_that_was_asked_for(project, run_holdfast):
    gate = ("analyze", "gate", "--fail-on-violation")
    assert run_holdfast("analyze", "gate").returncode == 0
    failed = run_holdfast(*gate, "--json")
    assert failed.returncode == 1
    assert json.loads(failed.stdout)["passed"] is False
    assert run_holdfast(*gate, "c.py").returncode == 0
    assert run_holdfast(*gate, "--since", "nowhere").returncode == NotFound.exit_code
    assert run_holdfast(*gate, "--complexity-threshold", "many").returncode == InvalidArguments.exit_code
    write(project, "pyproject.toml", "[tool.holdfast.gate]\nnothing = 1\n")
    assert run_holdfast(*gate).returncode == Invalid.exit_code


@pytest.mark.requirement("analysis-205")
def test_a_failing_gate_is_an_error_with_the_whole_report(project):
    with wire_client([HOLDFAST, "serve"], cwd=project) as client:

        def called(number: int, **arguments: Any) -> dict[str, Any]:
            call = {"name": "quality_gate", "arguments": arguments, "_meta": ENVELOPE}
            answer: dict[str, Any] = client.ask(number, "tools/call", call)["result"]
            return answer

        failed, told = called(1, fail_on_violation=True), called(2)
        passed = called(3, fail_on_violation=True, project_path="c.py")
    assert [answer.get("isError", False) for answer in (failed, told, passed)] == [True, False, False]
    assert failed["structuredContent"]["checks"][0]["violations"]
    assert failed["structuredContent"]["passed"] is False
    assert failed["content"][0]["text"].startswith("Quality gate: FAILED.")
