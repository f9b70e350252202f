"""Arguments for the comprehensive analysis, as a program sends them and as a person types them."""

from __future__ import annotations

from tests.contract.case import Case

_TOOL = "analyze_comprehensive"
_COMMAND = ("analyze", "comprehensive")

COMPREHENSIVE_CASES = [
    Case(_TOOL, _COMMAND, {"project_path": "."}),
    Case(
        _TOOL,
        (
            *_COMMAND,
            *("src", "--no-include-duplicates", "--no-include-defects", "--confidence-threshold", "0.9"),
            *("--min-lines", "3", "--include-patterns", "*.py", "--exclude-patterns", "x/**", "--limit", "2"),
            *("--executive-summary", "--format", "markdown"),
        ),
        {
            "project_path": "src",
            "include_duplicates": False,
            "include_defects": False,
            "confidence_threshold": 0.9,
            "min_lines": 3,
            "include_patterns": ["*.py"],
            "exclude_patterns": ["x/**"],
            "limit": 2,
            "executive_summary": True,
            "format": "markdown",
        },
    ),
    Case(
        _TOOL,
        (
            *_COMMAND,
            *("--no-include-duplicates", "--no-include-dead-code", "--no-include-defects"),
            *("--no-include-complexity", "--no-include-tdg"),
        ),
        {
            "include_duplicates": False,
            "include_dead_code": False,
            "include_defects": False,
            "include_complexity": False,
            "include_tdg": False,
        },
        "invalid_arguments",
    ),
    Case(_TOOL, (*_COMMAND, "gone"), {"project_path": "gone"}, "not_found"),
    Case(_TOOL, (*_COMMAND, "../x"), {"project_path": "../x"}, "invalid_path"),
    Case(_TOOL, (*_COMMAND, "--format", "xml"), {"format": "xml"}, "invalid_arguments"),
    Case(_TOOL, (*_COMMAND, "--confidence-threshold", "2"), {"confidence_threshold": 2}, "invalid_arguments"),
]

COMPREHENSIVE_PLAIN_TEXT = {
    "Comprehensive.failures": "names of analyses; the reasons are of the untrusted type",
    "Comprehensive.files_skipped": "words of ours, with numbers",
    "Comprehensive.method": "sentences that stand in our code",
    "Comprehensive.timestamp": "a moment, written by us as RFC 3339",
    "Comprehensive.results": "cleaned where it is made: see visible_in",
    "Comprehensive.sarif": "cleaned where it is made: see sarif.py",
    "Performance.components_ms": "names that stand in our code, with numbers",
}
