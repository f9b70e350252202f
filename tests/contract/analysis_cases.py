"""Arguments for the analyses."""

from __future__ import annotations

from tests.contract.case import Case

ANALYSIS_CASES = [
    Case("analyze_code_churn", ("analyze", "churn"), {"project_path": "."}),
    Case(
        "analyze_code_churn",
        ("analyze", "churn", "src", "--period-days", "400.5", "--format", "markdown", "--limit", "2"),
        {"project_path": "src", "period_days": 400.5, "format": "markdown", "limit": 2},
    ),
    Case("analyze_code_churn", ("analyze", "churn", "sr"), {"project_path": "sr"}, "not_found"),
    Case(
        "analyze_code_churn",
        ("analyze", "churn", "--format", "xml"),
        {"project_path": ".", "format": "xml"},
        "invalid_arguments",
    ),
    Case("analyze_code_churn", ("analyze", "churn", "../x"), {"project_path": "../x"}, "invalid_path"),
    Case("analyze_function_heat", ("analyze", "heat"), {"project_path": "."}),
    Case(
        "analyze_function_heat",
        ("analyze", "heat", "src/main.py", "--period-days", "30", "--limit", "1"),
        {"project_path": "src/main.py", "period_days": 30, "limit": 1},
    ),
    Case("analyze_function_heat", ("analyze", "heat", "gone.py"), {"project_path": "gone.py"}, "not_found"),
    Case(
        "analyze_function_heat",
        ("analyze", "heat", "--period-days", "0"),
        {"project_path": ".", "period_days": 0},
        "invalid_arguments",
    ),
]

_OUR_TIME = "a moment, written by us as RFC 3339"
_OUR_WORDS = "a sentence or name that stands in our code"

ANALYSIS_PLAIN_TEXT = {
    "ChurnedFile.first_seen": _OUR_TIME,
    "ChurnedFile.last_modified": _OUR_TIME,
    "Heat.files_skipped": _OUR_WORDS,
    "Heat.method": _OUR_WORDS,
    "Heat.reason": _OUR_WORDS,
    "CodeChurn.files_skipped": _OUR_WORDS,
    "CodeChurn.generated_at": _OUR_TIME,
    "CodeChurn.method": _OUR_WORDS,
    "CodeChurn.note": _OUR_WORDS,
    "CodeChurn.period_end": _OUR_TIME,
    "Heat.period_end": _OUR_TIME,
    "CodeChurn.repository_root": _OUR_WORDS,
}
