"""The results of many repositories merged into JSON, a Parquet table and an HTML page.

Contract: rows are sorted by name, and do not depend on when or where they were computed. Names and reasons
are untrusted: the page escapes them, runs no scripts and loads nothing.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from holdfast import __version__
from holdfast.kernel.errors import Unavailable
from holdfast.kernel.untrusted import visible

JSON, PARQUET, HTML = "fleet.json", "fleet.parquet", "fleet.html"
ANALYSED, FAILED, NOT_RUN = "analysed", "failed", "not run"

Row = Mapping[str, Any]
"""A repository's name and status, with its commit and result, or the reason why there is none."""

TIMINGS = frozenset(
    ("analysis_duration", "cache_stats", "performance", "total_ms", "components_ms", "files_per_second")
)
"""Members of results that hold durations or cache counts, and thus differ between runs."""
_FIXED = ("repository", "status", "commit", "day", "reason")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = (
    "body{font:14px sans-serif;margin:2em}table{border-collapse:collapse}td,th{border:1px solid #ccc;"
    "padding:.2em .6em;text-align:left}td.n{text-align:right}tr.failed{background:#fdd}"
    "div{overflow-x:auto}tfoot{font-weight:bold}"
)


def without_timings(value: Any) -> Any:
    """Return a result without its timings."""
    if isinstance(value, dict):
        return {name: without_timings(item) for name, item in value.items() if name not in TIMINGS}
    return [without_timings(item) for item in value] if isinstance(value, list) else value


def figures(result: Mapping[str, Any]) -> dict[str, int | float]:
    """Return the numbers of a result by name, including those of nested objects, but not of lists."""
    parts = {"": result} | {f"{name}.": part for name, part in result.items() if isinstance(part, dict)}
    return {
        prefix + name: value
        for prefix, part in parts.items()
        for name, value in part.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }


def totals(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the number of repositories by status, and the sums of integer figures."""
    sums: dict[str, int] = {}
    fractional: set[str] = set()  # sums or means of ratios say nothing
    for row in rows:
        for name, value in figures(row.get("result") or {}).items():
            sums[name] = sums.get(name, 0) + int(value)
            fractional |= {name} if isinstance(value, float) else set()
    counted = {status: sum(row["status"] == status for row in rows) for status in (ANALYSED, FAILED, NOT_RUN)}
    summed = {name: sums[name] for name in sorted(sums.keys() - fractional)}
    return {"repositories": len(rows), **counted, "figures": summed}


def merged(rows: Sequence[Row], analysis: str, arguments: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the files of the report by name."""
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
    """Return a Parquet table with a row per repository: its status, figures, and whole result as JSON."""
    arrow, parquet = require_parquet()
    numbers = [figures(row.get("result") or {}) for row in rows]
    columns: dict[str, Any] = {
        name: arrow.array([row.get(name) for row in rows], arrow.string()) for name in _FIXED
    }
    for name in sorted({name for found in numbers for name in found}):
        values = [found.get(name) for found in numbers]
        kind = arrow.float64() if any(isinstance(value, float) for value in values) else arrow.int64()
        columns[name] = arrow.array(values, kind)
    whole = [json.dumps(row["result"], ensure_ascii=False) if row.get("result") else None for row in rows]
    columns["result"] = arrow.array(whole, arrow.string())
    sink = io.BytesIO()
    parquet.write_table(arrow.table(columns), sink, compression="zstd")
    return sink.getvalue()


def _page(rows: Sequence[Row], analysis: str, arguments: Mapping[str, Any]) -> str:
    found = totals(rows)
    numbers = [figures(row.get("result") or {}) for row in rows]
    names = list(dict.fromkeys(name for row in numbers for name in row))
    head = "".join(f"<th>{_text(name)}</th>" for name in (*_FIXED, *names))
    body = "\n".join(
        f'<tr class="{_text(row["status"]).replace(" ", "-")}">'
        + "".join(f"<td>{_text(row.get(name))}</td>" for name in _FIXED)
        + "".join(f'<td class="n">{_text(own.get(name))}</td>' for name in names)
        + "</tr>"
        for row, own in zip(rows, numbers, strict=True)
    )
    foot = "".join(f'<td class="n">{_text(found["figures"].get(name))}</td>' for name in names)
    counted = ", ".join(f"{found[status]} {status}" for status in (ANALYSED, FAILED, NOT_RUN))
    given = "".join(f" {name}={json.dumps(value)}" for name, value in arguments.items())
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{_text(analysis)}</title><style>{_STYLE}</style></head>\n<body><h1>{_text(analysis)}</h1>\n"
        f"<p>{found['repositories']} repositories: {counted}.{_text(given)}</p>\n"
        f"<div><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody>\n"
        f'<tfoot><tr><td colspan="{len(_FIXED)}">Total</td>{foot}</tr></tfoot></table></div>\n'
        f"<p>Holdfast {__version__}</p></body></html>\n"
    )


def _text(value: Any) -> str:
    return "" if value is None else escape(visible(str(value)))
