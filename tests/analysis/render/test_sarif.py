from __future__ import annotations

import copy
from pathlib import Path

import jsonschema
import pytest

from holdfast import __version__
from holdfast.analysis.engine.code_finding import CodeFinding, FindingRule
from holdfast.analysis.render.sarif import sarif, sarif_text
from tests.analysis.sarif_schema import check_official, check_sarif, needs_official

COMPLEX = FindingRule(
    "cyclomatic-complexity", "A function has too many paths.", "complexity", "error", help="Split it."
)
DEBT = FindingRule("debt", "A comment admits a debt.", "technical-debt", "note")
RULES = [COMPLEX, DEBT]
FINDINGS = [
    CodeFinding(COMPLEX, "error", "f has 30 paths", "src/a b.py", 3, 40, 1, "f", {"value": 30}),
    CodeFinding(COMPLEX, "warning", "f has 12 paths", "src/a b.py", 50, subject="f"),
    CodeFinding(DEBT, "none", "later", "ümläut/50%:#?.py"),
]


def test_a_document_names_the_tool_its_rules_and_where_each_finding_stands() -> None:
    document = check_sarif(
        sarif(FINDINGS, rules=RULES, properties={"files_analyzed": 2}, notes=["churn: no commits"])
    )
    run = document["runs"][0]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("holdfast", __version__)
    first, _, last = run["results"]
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "src/a%20b.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 3, "endLine": 40, "startColumn": 1},
    }
    assert first["properties"] == {"value": 30}
    assert (
        last["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        == "%C3%BCml%C3%A4ut/50%25%3A%23%3F.py"
    )
    assert run["properties"] == {"files_analyzed": 2}
    assert run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] == "churn: no commits"


def test_a_finding_is_known_again_after_its_lines_moved_and_two_alike_stay_apart() -> None:
    def prints(findings: list[CodeFinding]) -> list[str]:
        results = sarif(findings, rules=RULES)["runs"][0]["results"]
        return [result["partialFingerprints"]["holdfast/v1"] for result in results]

    before = prints(FINDINGS)
    moved = [
        CodeFinding(item.rule, item.level, "another wording", item.path, 99, subject=item.subject)
        for item in FINDINGS[:2]
    ]
    assert prints(moved) == before[:2]
    assert len(set(before)) == 3


def test_no_findings_are_a_document_without_results() -> None:
    assert check_sarif(sarif_text(sarif([])))["runs"][0]["results"] == []


def test_what_nobody_can_see_is_not_in_a_message() -> None:
    document = sarif([CodeFinding(DEBT, "note", "TODO\u202e\x1b[31m hidden", "a.py", 1)], rules=RULES)
    assert document["runs"][0]["results"][0]["message"]["text"] == "TODO hidden"


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("level", "fatal"),
        ("message", {}),
        ("ruleIndex", -2),
        ("locations", [{"physicalLocation": {"region": 1}}]),
    ],
)
def test_the_schema_refuses_what_is_not_sarif(part: str, value: object) -> None:
    document = copy.deepcopy(sarif(FINDINGS, rules=RULES))
    document["runs"][0]["results"][0][part] = value
    with pytest.raises(jsonschema.ValidationError):
        check_sarif(document)


def test_an_absolute_address_is_refused_by_the_schema(tmp_path: Path) -> None:
    document = sarif([CodeFinding(DEBT, "note", "x", str(tmp_path), 1)], rules=RULES)
    with pytest.raises(jsonschema.ValidationError):
        check_sarif(document)


@needs_official
def test_the_schema_of_the_standard_accepts_what_ours_does_and_refuses_nonsense() -> None:
    document = sarif(FINDINGS, rules=RULES, properties={"a": 1}, notes=["n"])
    check_official(document)
    document["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        check_official(document)
