"""The rules that findings break: a finding breaks the same rule in the results of all tools.

Programs that read SARIF store accepted findings by rule and fingerprint, so a finding that was accepted once
is accepted in the results of every tool.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from holdfast.analysis.dead_code.unused_code import Kind
from holdfast.analysis.debt.marker import Category
from holdfast.analysis.engine.code_finding import CodeFinding, FindingRule

CYCLOMATIC_RULE = FindingRule(
    "cyclomatic-complexity",
    "A function has too many paths.",
    "complexity",
    help="Split it, or replace branches with data.",
)
COGNITIVE_RULE = FindingRule(
    "cognitive-complexity",
    "A function is hard to follow.",
    "complexity",
    help="Return early, and extract nested parts.",
)
COMPLEXITY_RULES = (CYCLOMATIC_RULE, COGNITIVE_RULE)
DEBT_RULES = {
    category: FindingRule(
        f"debt-{category.lower()}", f"A comment admits debt: {category.lower()}.", "technical-debt", "note"
    )
    for category in get_args(Category)
}
_DEAD_CODE_SUMMARIES = {
    "function": "A function that nothing calls.",
    "method": "A method that nothing calls.",
    "class": "A class or type that nothing uses.",
    "variable": "A variable or constant that nothing reads.",
    "import": "An import that its file does not use.",
    "local": "A local variable that its function does not read.",
    "parameter": "A parameter that its function does not read.",
    "unreachable": "Statements that execution never reaches.",
}
DEAD_CODE_RULES = {
    kind: FindingRule(
        f"dead-code/{'' if kind == 'unreachable' else 'unused-'}{kind}",
        _DEAD_CODE_SUMMARIES[kind],
        "dead-code",
        "note" if kind == "parameter" else "warning",
    )
    for kind in get_args(Kind)
}
_DUPLICATE_SUMMARIES = {
    "exact": "The same code is in several places.",
    "renamed": "The same code is in several places, under other names.",
    "gapped": "Nearly the same code is in several places.",
    "semantic": "A lead: code in several places may be equivalent.",
}
DUPLICATE_RULES = {
    kind: FindingRule(
        f"duplicate/{kind}", summary, "duplication", "note", help="Extract it, and call that instead."
    )
    for kind, summary in _DUPLICATE_SUMMARIES.items()
}
DEFECT_RULE = FindingRule("defect-prediction", "A file is likely to need a fix within a year.", "defect")
COVERAGE_RULE = FindingRule(
    "test-coverage", "Tests run too few of a file's lines.", "coverage", help="Test the lines they miss."
)
RULES = (
    *COMPLEXITY_RULES,
    *DEBT_RULES.values(),
    *DEAD_CODE_RULES.values(),
    *DUPLICATE_RULES.values(),
    DEFECT_RULE,
    COVERAGE_RULE,
)


def broken_rules(findings: Iterable[CodeFinding]) -> list[FindingRule]:
    """Return the rules that findings break, in the order of `RULES`."""
    broken = {finding.rule.id for finding in findings}
    return [rule for rule in RULES if rule.id in broken]
