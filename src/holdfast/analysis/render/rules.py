"""The rules that findings break: one id for one kind of finding, whichever tool tells of it.

Readers of SARIF keep a baseline by rule and fingerprint, so that a finding accepted once stays accepted in
the answers of all tools.
"""

from __future__ import annotations

from typing import get_args

from holdfast.analysis.complexity.thresholds import COGNITIVE, CYCLOMATIC
from holdfast.analysis.dead_code.unused_code import Kind
from holdfast.analysis.debt.marker import Category
from holdfast.analysis.render.sarif import FindingRule

COVERAGE = "test-coverage"

COMPLEXITY_RULES = (
    FindingRule(CYCLOMATIC, "Too many ways lead through a function.", help="Split it, or say it with data."),
    FindingRule(COGNITIVE, "A function is hard to follow.", help="Return early, and move inner parts out."),
)
DEBT_RULES = {
    category: FindingRule(
        f"debt-{category.lower()}", f"A comment admits debt: {category.lower()}.", level="note"
    )
    for category in get_args(Category)
}
_UNUSED = {
    "function": "A function that nothing calls.",
    "method": "A method that nothing calls.",
    "class": "A class or type that nothing uses.",
    "variable": "A variable or constant that nothing reads.",
    "import": "An import that its file does not use.",
    "local": "A local variable that its function does not read.",
    "parameter": "A parameter that its function does not read.",
    "unreachable": "Statements that execution never gets to.",
}
DEAD_CODE_RULES = {
    kind: FindingRule(
        f"dead-code/{'' if kind == 'unreachable' else 'unused-'}{kind}",
        _UNUSED[kind],
        "note" if kind == "parameter" else "warning",
    )
    for kind in get_args(Kind)
}
_COPIED = {
    "exact": "The same code stands at several places.",
    "renamed": "The same code stands at several places, under other names.",
    "gapped": "Nearly the same code stands at several places.",
    "semantic": "A lead: code at several places may do the same.",
}
DUPLICATE_RULES = {
    kind: FindingRule(f"duplicate/{kind}", words, "note", help="Say it once, and use that.")
    for kind, words in _COPIED.items()
}
DEFECT_RULE = FindingRule("defect-prediction", "A file is likely to need a fix within a year.")
RULES = (
    *COMPLEXITY_RULES,
    *DEBT_RULES.values(),
    *DEAD_CODE_RULES.values(),
    *DUPLICATE_RULES.values(),
    DEFECT_RULE,
    FindingRule(COVERAGE, "Tests run too few of a file's lines.", help="Test what they do not reach."),
)
