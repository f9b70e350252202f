"""Arguments for the trend of numbers, as a program sends them and as a person types them."""

from __future__ import annotations

from tests.contract.case import Case

_TREND = "analyze_trend"

TREND_CASES = [
    Case(_TREND, ("analyze", "trend"), {"project_path": "."}),
    Case(
        _TREND,
        (
            "analyze",
            "trend",
            "src",
            "--metric",
            "files",
            "--backfill",
            "2",
            "--limit",
            "5",
            "--format",
            "csv",
        ),
        {"project_path": "src", "metric": ["files"], "backfill": 2, "limit": 5, "format": "csv"},
    ),
    Case(_TREND, ("analyze", "trend", ".", "--format", "markdown"), {"format": "markdown"}),
    Case(_TREND, ("analyze", "trend", "gone"), {"project_path": "gone"}, "not_found"),
    Case(_TREND, ("analyze", "trend", "../x"), {"project_path": "../x"}, "invalid_path"),
    Case(
        _TREND,
        ("analyze", "trend", "--metric", "beauty"),
        {"project_path": ".", "metric": ["beauty"]},
        "invalid_arguments",
    ),
    Case(
        _TREND,
        ("analyze", "trend", "--format", "xml"),
        {"project_path": ".", "format": "xml"},
        "invalid_arguments",
    ),
]

TREND_PLAIN_TEXT = {
    "TrendPoint.commit": "hexadecimal digits of a commit",
    "PastPoint.commit": "hexadecimal digits of a commit",
    "PastPoint.committed_at": "a moment, written by us as RFC 3339",
    "Trend.files_skipped": "words of ours, with numbers",
    "Trend.note": "sentences that stand in our code, with a number",
    "Trend.method": "a sentence that stands in our code",
}
