"""The modules too small for a file of tests each: clock, suggestions, and what importing the kernel costs."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone

from holdfast.kernel.clock import day_start_seconds, rfc3339, seconds_of, utc_now
from holdfast.kernel.errors import closest, did_you_mean

QUICK = ("call", "clock", "errors", "limits", "paging", "text", "untrusted")


def test_moments_are_written_in_utc_with_whole_seconds():
    berlin = timezone(timedelta(hours=2))
    assert rfc3339(datetime(2025, 7, 1, 12, 30, 5, 999_999, tzinfo=berlin)) == "2025-07-01T10:30:05Z"
    assert utc_now().tzinfo is UTC


def test_the_closest_name_is_suggested_or_all_of_them():
    assert closest("comit", ["commit", "comment"]) == "commit"
    assert closest("zebra", ["commit", "comment"]) is None
    assert did_you_mean("comit", ["comment", "commit"]) == 'Did you mean "commit"?'
    assert did_you_mean("zebra", ["commit", "comment"]) == "Known names: comment, commit."
    assert did_you_mean("zebra", []) == "There are none here."


def test_what_quick_commands_need_of_the_kernel_imports_no_library():
    modules = ", ".join(f"holdfast.kernel.{name}" for name in QUICK)
    heavy = "{'pydantic', 'pydantic_core', 'mcp', 'asyncio', 'click', 'importlib.metadata'}"
    program = f"import sys, {modules}; print(sorted({heavy} & set(sys.modules)))"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout == "[]\n"


def test_only_the_form_of_rfc_3339_is_read_back():
    assert seconds_of("1970-01-02T01:01:01Z") == 86400 + 3661
    for text in (
        "1970-01-02T24:00:00Z",
        "1970-01-02T01:60:01Z",
        "1970-W01-2T01:01:01Z",
        "1970-01-02T01:01:01",
    ):
        assert seconds_of(text) is None
    assert day_start_seconds("1970-01-02") == 86400
    for day in ("1970-W01-2", "1970-02-30", "19700102"):
        assert day_start_seconds(day) is None
