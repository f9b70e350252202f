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

_RECORD = "record_trend"

TREND_CASES += [
    Case(
        _RECORD, ("analyze", "record-trend", "src", "--backfill", "2"), {"project_path": "src", "backfill": 2}
    ),
    Case(_RECORD, ("analyze", "record-trend", "gone"), {"project_path": "gone"}, "not_found"),
    Case(
        _RECORD,
        ("analyze", "record-trend", "--backfill", "-1"),
        {"project_path": ".", "backfill": -1},
        "invalid_arguments",
    ),
]

TREND_PLAIN_TEXT = {
    "TrendPoint.commit": "hexadecimal digits of a commit",
    "PastPoint.commit": "hexadecimal digits of a commit",
    "PastPoint.committed_at": "a time, written as RFC 3339",
    "Trend.files_skipped": "fixed words, with numbers",
    "RecordedTrend.files_skipped": "fixed words, with numbers",
    "Trend.note": "sentences from our code, with a number",
    "Trend.method": "a sentence from our code",
}
