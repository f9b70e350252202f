"""What only warns in a gate, and fails it on request: predictions, and violations in tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.analysis.gate.test_duplication import BLOCK
from tests.analysis.junit_schema import check_junit
from tests.analysis.sarif_schema import check_sarif
from tests.analysis.tools.test_quality_gate import FIXME, asked, branches, check, statuses, words, write
from tests.storage.git_support import commit

COUNTED = ("complexity", "duplication", "debt")


@pytest.fixture
def project(repository: Path) -> Path:
    """A repository whose tests alone violate thresholds."""
    commit(
        repository,
        {
            "app.py": branches(3, "app"),
            "tests/test_app.py": f"# {FIXME}: wrong\n{branches(12, 'test_app')}\n\n{BLOCK}",
            "tests/test_other.py": BLOCK,
        },
    )
    return repository


def levels(result: Any, name: str) -> list[str]:
    return [violation.level for violation in check(result, name).violations]


@pytest.mark.requirement("analysis-205")
def test_tests_only_warn_unless_they_may_fail(project: Path) -> None:
    result = asked(project, fail_on_violation=True)
    assert {name: statuses(result)[name] for name in COUNTED} == dict.fromkeys(COUNTED, "warn")
    assert (result.passed, result.is_error) == (True, False)
    assert "warnings: complexity, duplication, debt" in result.reason
    complexity = check(result, "complexity")
    assert (complexity.actual, complexity.measure) == (
        3,
        "highest cyclomatic complexity of a function, outside tests",
    )
    assert (levels(result, "complexity"), complexity.warnings_total) == (["warning"], 1)
    strict = asked(project, fail_on_violation=True, fail_on_tests=True)
    assert {name: statuses(strict)[name] for name in COUNTED} == dict.fromkeys(COUNTED, "fail")
    assert (strict.is_error, check(strict, "complexity").actual) == (True, 12)
    assert levels(strict, "complexity") == ["error"]
    write(project, ".holdfast.toml", "[gate]\nfail_on_tests = true\n")
    assert statuses(asked(project))["debt"] == "fail"


def test_code_that_fails_is_listed_before_tests_that_warn(project: Path) -> None:
    write(project, "app.py", branches(11, "app"))
    result = asked(project)
    assert (statuses(result)["complexity"], levels(result, "complexity")) == ("fail", ["error", "warning"])
    assert "Violations of complexity: 2, 1 of them warnings" in words(result)
    write(project, "app.py", branches(3, "app") + f"# {FIXME}: this, too\n")
    assert levels(asked(project, debt_threshold=1), "debt") == []
    assert statuses(asked(project, since="HEAD"))["debt"] == "fail"


def test_a_copy_in_code_and_tests_is_one_of_the_code(project: Path) -> None:
    write(project, "copied.py", BLOCK)
    result = asked(project)
    duplication = check(result, "duplication")
    assert duplication.status == "fail"
    assert [(each.file, each.level) for each in duplication.violations] == [("copied.py", "error")]
    assert statuses(asked(project, since="HEAD"))["duplication"] == "fail"


def test_predictions_only_warn_unless_they_may_fail(project: Path) -> None:
    predicted = asked(project, defect_threshold=0)
    assert (statuses(predicted)["defects"], set(levels(predicted, "defects"))) == ("warn", {"warning"})
    assert predicted.passed
    strict = asked(project, defect_threshold=0, fail_on_predictions=True)
    assert (statuses(strict)["defects"], strict.passed) == ("fail", False)
    assert {each.file: each.level for each in check(strict, "defects").violations} == {
        "app.py": "error",
        "tests/test_app.py": "warning",
        "tests/test_other.py": "warning",
    }


@pytest.mark.requirement("analysis-203", "analysis-204")
def test_documents_for_programs_are_complete_unless_a_limit_is_given(project: Path) -> None:
    many = "\n\n".join(branches(12, f"f{number}") for number in range(25))
    write(project, "many.py", many)
    [run] = check_sarif(words(asked(project, format="sarif", duplication_threshold=100)))["runs"]
    found = [each["level"] for each in run["results"] if each["ruleId"] == "cyclomatic-complexity"]
    assert found == ["error"] * 25 + ["warning"]
    suite = check_junit(words(asked(project, format="junit")))
    failure = suite.find("testcase[@name='complexity']/failure")
    assert failure is not None
    assert len((failure.text or "").splitlines()) == 26
    assert f"tests/test_app.py:1: warning: {FIXME}: wrong" in (suite.findtext("system-out") or "")
    [run] = check_sarif(words(asked(project, format="sarif", limit=1)))["runs"]
    assert [each["ruleId"] for each in run["results"]].count("cyclomatic-complexity") == 1
    cut = check_junit(words(asked(project, format="junit", limit=1))).findtext("testcase/failure")
    assert (cut or "").splitlines()[1:] == ["25 more"]
    assert len(check(asked(project, format="sarif"), "complexity").violations) == 20
