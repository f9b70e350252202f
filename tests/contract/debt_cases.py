"""Arguments for the debt in comments, as a program sends them and as a person types them."""

from __future__ import annotations

from tests.contract.case import Case

_DEBT = "analyze_debt"

DEBT_CASES = [
    Case(_DEBT, ("analyze", "debt"), {"project_path": "."}),
    Case(
        _DEBT,
        ("analyze", "debt", "src", "--min-severity", "High", "--no-include-probable", "--format", "detailed"),
        {"project_path": "src", "min_severity": "High", "include_probable": False, "format": "detailed"},
    ),
    Case(
        _DEBT,
        (
            "analyze",
            "debt",
            ".",
            "--min-probability",
            "0.5",
            "--ages",
            "none",
            "--limit",
            "3",
            "--format",
            "sarif",
        ),
        {"project_path": ".", "min_probability": 0.5, "ages": "none", "limit": 3, "format": "sarif"},
    ),
    Case(
        _DEBT,
        ("analyze", "debt", "--no-include-probable", "--min-probability", "0.5"),
        {"include_probable": False, "min_probability": 0.5},
        "invalid_arguments",
    ),
    Case(_DEBT, ("analyze", "debt", "--since", "HEAD"), {"since": "HEAD"}),
    Case(_DEBT, ("analyze", "debt", "--diff", "nowhere"), {"diff": "nowhere"}, "not_found"),
    Case(_DEBT, ("analyze", "debt", "gone"), {"project_path": "gone"}, "not_found"),
    Case(_DEBT, ("analyze", "debt", "../x"), {"project_path": "../x"}, "invalid_path"),
    Case(
        _DEBT,
        ("analyze", "debt", "--min-severity", "Blocker"),
        {"project_path": ".", "min_severity": "Blocker"},
        "invalid_arguments",
    ),
    Case(
        _DEBT,
        ("analyze", "debt", "--format", "xml"),
        {"project_path": ".", "format": "xml"},
        "invalid_arguments",
    ),
]

DEBT_PLAIN_TEXT = {
    "FoundDebt.marker": "one of a list of words that stands in our code",
    "FoundDebt.committed_at": "a moment, written by us as RFC 3339",
    "FoundDebt.age_unknown": "a reason that stands in our code",
    "DebtSummary.ages_unknown": "reasons that stand in our code, with numbers",
    "Debt.files_skipped": "words of ours, with numbers",
    "Debt.compared_with": "hexadecimal digits of a commit",
    "Debt.method": "a sentence that stands in our code",
}
