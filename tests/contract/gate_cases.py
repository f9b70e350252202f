"""Arguments for the quality gate, as a program sends them and as a person types them."""

from __future__ import annotations

from typing import Any

from tests.contract.case import Case

_OUR_WORDS = "a word or sentence that stands in our code"


def _case(*typed: str, fails: str | None = None, attention: bool = False, **given: Any) -> Case:
    return Case("quality_gate", ("analyze", "gate", *typed), given, fails, attention)


GATE_CASES = [
    _case(),
    _case("src", "--format", "detailed", project_path="src", format="detailed"),
    _case("--complexity-threshold", "8", "--format", "junit", complexity_threshold=8, format="junit"),
    _case(
        "--duplication-threshold",
        "3.5",
        "--defect-threshold",
        "0.5",
        duplication_threshold=3.5,
        defect_threshold=0.5,
    ),
    _case("--coverage-threshold", "90", "--format", "sarif", coverage_threshold=90, format="sarif"),
    _case("--cognitive-threshold", "7", "--debt-threshold", "2", cognitive_threshold=7, debt_threshold=2),
    _case(
        "--dead-code-threshold",
        "0",
        "--fail-on-violation",
        dead_code_threshold=0,
        fail_on_violation=True,
        attention=True,
    ),
    _case("--since", "HEAD", "--limit", "3", since="HEAD", limit=3),
    _case("--diff", "HEAD", "--count-all", diff="HEAD", count_all=True),
    _case("--staged", fails="conflict", staged=True),
    _case("--since", "nowhere", fails="not_found", since="nowhere"),
    _case("--count-all", fails="invalid_arguments", count_all=True),
    _case("--format", "xml", fails="invalid_arguments", format="xml"),
    _case("--limit", "0", fails="invalid_arguments", limit=0),
    _case("--complexity-threshold", "-1", fails="invalid_arguments", complexity_threshold=-1),
    _case("--coverage-threshold", "most", fails="invalid_arguments", coverage_threshold="most"),
    _case("gone", fails="not_found", project_path="gone"),
    _case("../x", fails="invalid_path", project_path="../x"),
]

GATE_PLAIN_TEXT = {
    "GateCheck.measure": _OUR_WORDS,
    "GateResult.compared_with": "the id of a commit",
    "GateResult.files_skipped": "words of ours, with numbers",
    "GateResult.generated_at": "a moment, written by us as RFC 3339",
    "GateResult.method": _OUR_WORDS,
    "GateViolation.rule": _OUR_WORDS,
}
