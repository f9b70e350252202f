"""The rules of all analyses. A finding is a place where code violates a rule, and it has the same rule in the
results of every tool.

Programs that read SARIF store accepted findings by rule and fingerprint, so a finding that was accepted once
is accepted in the results of every tool.
"""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.analysis.dead_code.unused_code import Kind as UnusedKind
from holdfast.analysis.debt.marker import Category as DebtCategory
from holdfast.analysis.duplicates.clone import CloneKind
from holdfast.analysis.engine.code_finding import CodeFinding, FindingLevel, FindingRule

CYCLOMATIC_RULE = FindingRule(
    "cyclomatic-complexity",
    "A function has too many paths.",
    kind="complexity",
    help="Split it, or replace branches with data.",
)
COGNITIVE_RULE = FindingRule(
    "cognitive-complexity",
    "A function is hard to follow.",
    kind="complexity",
    help="Return early, and extract nested parts.",
)
COMPLEXITY_RULES = (CYCLOMATIC_RULE, COGNITIVE_RULE)


def _debt_rule(rule_id: str, summary: str) -> FindingRule:
    return FindingRule(rule_id, summary, kind="technical-debt", level="note")


DEBT_RULES: dict[DebtCategory, FindingRule] = {
    "Design": _debt_rule("debt-design", "A comment admits debt: design."),
    "Defect": _debt_rule("debt-defect", "A comment admits debt: defect."),
    "Requirement": _debt_rule("debt-requirement", "A comment admits debt: requirement."),
    "Test": _debt_rule("debt-test", "A comment admits debt: test."),
    "Performance": _debt_rule("debt-performance", "A comment admits debt: performance."),
    "Security": _debt_rule("debt-security", "A comment admits debt: security."),
}


def _unused_rule(rule_id: str, summary: str, level: FindingLevel = "warning") -> FindingRule:
    return FindingRule(rule_id, summary, kind="dead-code", level=level)


DEAD_CODE_RULES: dict[UnusedKind, FindingRule] = {
    "function": _unused_rule("dead-code/unused-function", "A function that nothing calls."),
    "method": _unused_rule("dead-code/unused-method", "A method that nothing calls."),
    "class": _unused_rule("dead-code/unused-class", "A class or type that nothing uses."),
    "variable": _unused_rule("dead-code/unused-variable", "A variable or constant that nothing reads."),
    "import": _unused_rule("dead-code/unused-import", "An import that its file does not use."),
    "local": _unused_rule("dead-code/unused-local", "A local variable that its function does not read."),
    "parameter": _unused_rule(
        "dead-code/unused-parameter", "A parameter that its function does not read.", level="note"
    ),
    "unreachable": _unused_rule("dead-code/unreachable", "Statements that execution never reaches."),
}


def _duplicate_rule(rule_id: str, summary: str) -> FindingRule:
    return FindingRule(
        rule_id, summary, kind="duplication", level="note", help="Extract it, and call that instead."
    )


DUPLICATE_RULES: dict[CloneKind, FindingRule] = {
    "exact": _duplicate_rule("duplicate/exact", "The same code is in several places."),
    "renamed": _duplicate_rule("duplicate/renamed", "The same code is in several places, under other names."),
    "gapped": _duplicate_rule("duplicate/gapped", "Nearly the same code is in several places."),
    "semantic": _duplicate_rule("duplicate/semantic", "A lead: code in several places may be equivalent."),
}
DEFECT_RULE = FindingRule("defect-prediction", "A file is likely to need a fix within a year.", kind="defect")
COVERAGE_RULE = FindingRule(
    "test-coverage", "Tests run too few of a file's lines.", kind="coverage", help="Test the lines they miss."
)
RULES = (
    *COMPLEXITY_RULES,
    *DEBT_RULES.values(),
    *DEAD_CODE_RULES.values(),
    *DUPLICATE_RULES.values(),
    DEFECT_RULE,
    COVERAGE_RULE,
)


def rules_of(findings: Iterable[CodeFinding]) -> list[FindingRule]:
    """Return the rules of findings, in the order of `RULES`."""
    ids = {finding.rule.id for finding in findings}
    return [rule for rule in RULES if rule.id in ids]
