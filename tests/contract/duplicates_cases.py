"""Arguments for duplicates, as a program sends them and as a person types them."""

from __future__ import annotations

from tests.contract.case import Case

_TOOL = "analyze_duplicates"

DUPLICATES_CASES = [
    Case(_TOOL, ("analyze", "duplicates"), {"project_path": "."}),
    Case(
        _TOOL,
        (
            "analyze",
            "duplicates",
            "src",
            "--detection-type",
            "renamed",
            "--min-lines",
            "3",
            "--format",
            "detailed",
        ),
        {"project_path": "src", "detection_type": "renamed", "min_lines": 3, "format": "detailed"},
    ),
    Case(
        _TOOL,
        ("analyze", "duplicates", ".", "--threshold", "0.5", "--gpu", "--limit", "3", "--format", "sarif"),
        {"project_path": ".", "threshold": 0.5, "gpu": True, "limit": 3, "format": "sarif"},
    ),
    Case(
        _TOOL,
        ("analyze", "duplicates", "--detection-type", "exact", "--format", "json"),
        {"detection_type": "exact", "format": "json"},
    ),
    Case(_TOOL, ("analyze", "duplicates", "--threshold", "1.5"), {"threshold": 1.5}, "invalid_arguments"),
    Case(_TOOL, ("analyze", "duplicates", "--min-lines", "0"), {"min_lines": 0}, "invalid_arguments"),
    Case(
        _TOOL,
        ("analyze", "duplicates", "--detection-type", "fuzzy"),
        {"detection_type": "fuzzy"},
        "invalid_arguments",
    ),
    Case(_TOOL, ("analyze", "duplicates", "gone"), {"project_path": "gone"}, "not_found"),
    Case(_TOOL, ("analyze", "duplicates", "../x"), {"project_path": "../x"}, "invalid_path"),
]

DUPLICATES_PLAIN_TEXT = {
    "CloneGroup.id": "hexadecimal digits of a hash",
    "Duplicates.files_skipped": "words of ours, with numbers",
    "Duplicates.method": "a sentence that stands in our code",
    "GpuReport.reason": "a sentence that stands in our code",
}
