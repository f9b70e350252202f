"""The results of many repositories merged into JSON, a Parquet table and an HTML page.

Contract: rows are sorted by name, and do not depend on when or where they were computed. Names and reasons
are untrusted: the page escapes them.
"""

from __future__ import annotations

import io
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast import __version__
from holdfast.analysis.render.html_page import element, html_page, table
from holdfast.kernel.errors import Unavailable
from holdfast.kernel.untrusted import visible

JSON, PARQUET, HTML = "fleet.json", "fleet.parquet", "fleet.html"
ANALYSED, FAILED, NOT_RUN = "analysed", "failed", "not run"

Row = Mapping[str, Any]
"""A repository's name and status, with its commit and result, or the reason why it has no result."""

TIMINGS = frozenset(
    ("analysis_duration", "cache_stats", "performance", "total_ms", "components_ms", "files_per_second")
)
"""Fields of results that contain durations or cache counts, and therefore differ between runs."""
_FIXED_COLUMNS = ("repository", "status", "commit", "day", "reason")


def without_timings(value: Any) -> Any:
    """Return a result without its timings."""
    if isinstance(value, dict):
        return {name: without_timings(item) for name, item in value.items() if name not in TIMINGS}
    if isinstance(value, list):
        return [without_timings(item) for item in value]
    return value


def numbers_by_name(result: Mapping[str, Any]) -> dict[str, int | float]:
    """Return the numbers of a result by name, including those of nested objects, but not of lists."""
    parts = {"": result} | {f"{name}.": part for name, part in result.items() if isinstance(part, dict)}
    return {
        prefix + name: value
        for prefix, part in parts.items()
        for name, value in part.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }


def totals(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the number of repositories by status, and as `figures` the sums of numbers in their results.

    A number that is fractional in any result is left out, as sums of ratios are meaningless.
    """
    values: defaultdict[str, list[int | float]] = defaultdict(list)
    for row in rows:
        for name, value in numbers_by_name(row.get("result") or {}).items():
            values[name].append(value)
    integral = [name for name in sorted(values) if not any(isinstance(each, float) for each in values[name])]
    sums = {name: sum(values[name]) for name in integral}
    statuses = Counter(row["status"] for row in rows)
    counts = {status: statuses[status] for status in (ANALYSED, FAILED, NOT_RUN)}
    return {"repositories": len(rows), **counts, "figures": sums}


def merged_files(rows: Sequence[Row], analysis: str, arguments: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the contents of the merged files, by file name."""
    rows = sorted(rows, key=lambda row: str(row["repository"]))
    document = {
        "holdfast": __version__,
        "analysis": analysis,
        "arguments": arguments,
        "totals": totals(rows),
        "repositories": rows,
    }
    text = json.dumps(document, ensure_ascii=False, indent=1)
    return {
        JSON: visible(text).encode("utf-8", "replace") + b"\n",
        PARQUET: _parquet(rows),
        HTML: _page(rows, analysis, arguments).encode("utf-8", "replace"),
    }


def require_parquet() -> tuple[Any, Any]:
    """Import pyarrow, or raise `Unavailable` with what to install."""
    try:
        import pyarrow  # type: ignore[import-untyped]
        import pyarrow.parquet  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise Unavailable(
            "The merged table needs pyarrow, which is not installed.",
            hint="Install it with: pip install 'holdfast[cluster]'.",
        ) from None
    return pyarrow, pyarrow.parquet


def _parquet(rows: Sequence[Row]) -> bytes:
    """Return a Parquet table with a row per repository: its status, its numbers, and its result as JSON."""
    arrow, parquet = require_parquet()
    numbers = [numbers_by_name(row.get("result") or {}) for row in rows]
    columns: dict[str, Any] = {
        name: arrow.array([row.get(name) for row in rows], arrow.string()) for name in _FIXED_COLUMNS
    }
    for name in sorted({name for row_numbers in numbers for name in row_numbers}):
        values = [row_numbers.get(name) for row_numbers in numbers]
        has_float = any(isinstance(value, float) for value in values)
        columns[name] = arrow.array(values, arrow.float64() if has_float else arrow.int64())
    results = [json.dumps(row["result"], ensure_ascii=False) if row.get("result") else None for row in rows]
    columns["result"] = arrow.array(results, arrow.string())
    sink = io.BytesIO()
    parquet.write_table(arrow.table(columns), sink, compression="zstd")
    return sink.getvalue()


def _page(rows: Sequence[Row], analysis: str, arguments: Mapping[str, Any]) -> str:
    sums = totals(rows)
    numbers = [numbers_by_name(row.get("result") or {}) for row in rows]
    names = list(dict.fromkeys(name for row_numbers in numbers for name in row_numbers))
    statuses = ", ".join(f"{sums[status]} {status}" for status in (ANALYSED, FAILED, NOT_RUN))
    argument_text = "".join(f" {name}={json.dumps(value)}" for name, value in arguments.items())
    body = [
        [*(row.get(name) for name in _FIXED_COLUMNS), *(row_numbers.get(name) for name in names)]
        for row, row_numbers in zip(rows, numbers, strict=True)
    ]
    footer = ["Total", *[None] * (len(_FIXED_COLUMNS) - 1), *(sums["figures"].get(name) for name in names)]
    classes = [str(row["status"]).replace(" ", "-") for row in rows]
    return html_page(
        analysis,
        [
            element("p", f"{sums['repositories']} repositories: {statuses}.{argument_text}"),
            table((*_FIXED_COLUMNS, *names), body, footer, classes),
        ],
    )
