"""Arguments for the search for dead code, as a program sends them and as a person types them."""

from __future__ import annotations

from tests.contract.case import Case

_TOOL = "analyze_dead_code"
_WORDS = ("analyze", "dead-code")

DEAD_CODE_CASES = [
    Case(_TOOL, _WORDS),
    Case(
        _TOOL,
        (
            *_WORDS,
            "src",
            "--min-confidence",
            "low",
            "--kinds",
            "function",
            "--kinds",
            "import",
            "--limit",
            "5",
        ),
        {"project_path": "src", "min_confidence": "low", "kinds": ["function", "import"], "limit": 5},
    ),
    Case(_TOOL, (*_WORDS, "--format", "detailed"), {"format": "detailed"}),
    Case(
        _TOOL,
        (*_WORDS, "--no-include-tests", "--format", "sarif"),
        {"include_tests": False, "format": "sarif"},
    ),
    Case(_TOOL, (*_WORDS, "gone"), {"project_path": "gone"}, "not_found"),
    Case(_TOOL, (*_WORDS, "../x"), {"project_path": "../x"}, "invalid_path"),
    Case(_TOOL, (*_WORDS, "--format", "svg"), {"format": "svg"}, "invalid_arguments"),
    Case(_TOOL, (*_WORDS, "--limit", "0"), {"limit": 0}, "invalid_arguments"),
]

DEAD_CODE_PLAIN_TEXT = {
    "DeadCode.compared_with": "the id of a commit",
    "DeadCode.files_skipped": "words of ours, with numbers",
    "DeadCode.method": "a sentence that stands in our code",
    "DeadCodeSummary.by_kind": "words of ours, with numbers",
    "DeadCodeSummary.by_level": "words of ours, with numbers",
}
