"""The same finding has the same rule and fingerprint, whichever tool tells of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

from holdfast.analysis.dead_code.unused_code import MIN_CONFIDENCE, Kind
from holdfast.analysis.debt.marker import Category
from holdfast.analysis.duplicates.clone import CLONE_KINDS
from holdfast.analysis.room import Analysis
from holdfast.analysis.rules import DEAD_CODE_RULES, DEBT_RULES, DEFECT_RULE, DUPLICATE_RULES, RULES
from holdfast.storage.git.repository import Repository
from holdfast.toolsets import toolset
from tests.analysis.polyglot import TANGLE, commit, polyglot, write

ALONE = {
    "analyze_complexity": {"project_path": ".", "toolchain": "auto"},
    "analyze_debt": {"include_probable": False},
    "analyze_dead_code": {"min_confidence": "high"},
}


def known(room: Analysis, tool: str, **arguments: Any) -> dict[str, str]:
    """Return the rule of each finding by its fingerprint."""
    operation = next(one for one in toolset("analyze").operations if one.name == tool)
    result = operation.function(room, operation.input.model_validate({"format": "sarif", **arguments}))
    [run] = json.loads(operation.as_text(result))["runs"]
    return {found["partialFingerprints"]["holdfast/v1"]: found["ruleId"] for found in run["results"]}


def test_rules_and_fingerprints_are_those_of_the_tool_for_one_analysis(repository: Path) -> None:
    polyglot(repository)
    room = Analysis(Repository.at(repository))
    together = known(room, "analyze_deep_context")
    apart = {key: rule for tool, given in ALONE.items() for key, rule in known(room, tool, **given).items()}
    assert len({rule.partition("-")[0] for rule in apart.values()}) >= 4
    assert together == apart


def test_a_gate_knows_findings_as_the_tools_for_one_analysis_do(repository: Path) -> None:
    polyglot(repository)
    copied = (repository / "src" / "app.py").read_text(encoding="utf-8")
    (repository / "src" / "copied.py").write_text(copied, encoding="utf-8")
    room = Analysis(Repository.at(repository))
    more: dict[str, dict[str, Any]] = {"analyze_duplicates": {}, "analyze_defect_probability": {}}
    apart = {
        key: rule
        for tool, given in (ALONE | more).items()
        for key, rule in known(room, tool, **given).items()
    }
    gate = known(room, "quality_gate", complexity_threshold=1, cognitive_threshold=1, defect_threshold=0)
    shared = {key: rule for key, rule in gate.items() if key in apart}
    assert {rule.partition("/")[0].partition("-")[0] for rule in shared.values()} == {
        "cyclomatic",
        "cognitive",
        "debt",
        "dead",
        "duplicate",
        "defect",
    }
    assert all(apart[key] == rule for key, rule in shared.items())


def test_the_comprehensive_analysis_has_the_rules_and_fingerprints_of_all_its_tools(repository: Path) -> None:
    polyglot(repository)
    copy = f"def copied(a, b):\n{TANGLE}    return a\n"
    write(repository, {"src/copy.py": copy, "src/copy_again.py": copy})
    commit(repository, "Copy")
    room = Analysis(Repository.at(repository))
    together = known(room, "analyze_comprehensive", confidence_threshold=MIN_CONFIDENCE["high"])
    apart = {key: rule for tool, given in ALONE.items() for key, rule in known(room, tool, **given).items()}
    clones: dict[str, str] = {}
    for kind in ("exact", "renamed", "all"):  # a place is in one group, so each finds some of its own
        clones |= known(room, "analyze_duplicates", detection_type=kind, min_lines=10)
    apart |= {key: rule for key, rule in clones.items() if key in together}
    assert {"duplicate/exact", "dead-code/unused-function"} <= set(together.values())
    assert {key: rule for key, rule in together.items() if rule != DEFECT_RULE.id} == apart


def test_every_kind_of_finding_has_a_rule() -> None:
    assert tuple(DEBT_RULES) == get_args(Category)
    assert tuple(DEAD_CODE_RULES) == get_args(Kind)
    assert tuple(DUPLICATE_RULES) == CLONE_KINDS


def test_no_two_rules_share_an_id() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
