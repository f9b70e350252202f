"""Merged reports: the same for the same rows in any order, escaped, with totals and reasons."""

from __future__ import annotations

import io
import json
import sys
from html.parser import HTMLParser

import pyarrow.parquet
import pytest

from holdfast.analysis.fleet.merged_report import (
    HTML,
    JSON,
    PARQUET,
    merged_files,
    numbers_by_name,
    require_parquet,
    without_timings,
)
from holdfast.kernel.errors import Unavailable

RESULT = {"files": 3, "mean": 0.5, "ok": True, "summary": {"total": 2, "list": [1]}, "items": [{"n": 1}]}
ROWS = [
    {"repository": "b", "status": "failed", "reason": "It is <script>alert(1)</script> & broken."},
    {"repository": "<a>", "status": "analysed", "commit": "c0ffee", "day": None, "result": RESULT},
    {"repository": "c", "status": "analysed", "commit": None, "day": None, "result": {"files": 4, "mean": 1}},
    {"repository": "d", "status": "not run", "reason": "interrupted"},
]


class Cells(HTMLParser):
    """The cells of a page, row by row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self._inside = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        self._inside = tag in ("td", "th")
        if self._inside:
            self.rows[-1].append("")
        assert not {name for name, _ in attributes} & {"src", "href", "onclick"}

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.rows[-1][-1] += data.strip()


def test_the_order_of_the_rows_does_not_matter() -> None:
    assert merged_files(ROWS, "analyze_debt", {}) == merged_files(ROWS[::-1], "analyze_debt", {})


def test_the_page_shows_figures_totals_and_reasons_as_text() -> None:
    page = merged_files(ROWS, "analyze_debt", {"limit": 1})[HTML].decode()
    cells = Cells()
    cells.feed(page)
    assert page.count("<script>") == 1  # its own
    names = [row[0] for row in cells.rows]
    assert names == ["repository", "<a>", "b", "c", "d", "Total"]
    assert cells.rows[2][4] == "It is <script>alert(1)</script> & broken."
    assert cells.rows[0][5:] == ["files", "mean", "summary.total"]
    assert cells.rows[-1][5:] == ["7", "", "2"]  # means are not added up
    assert "4 repositories: 2 analysed, 1 failed, 1 not run." in page


def test_the_table_has_a_column_for_each_figure_and_the_whole_result() -> None:
    table = pyarrow.parquet.read_table(io.BytesIO(merged_files(ROWS, "analyze_debt", {})[PARQUET]))
    assert table.column("repository").to_pylist() == ["<a>", "b", "c", "d"]
    assert table.column("files").to_pylist() == [3, None, 4, None]
    assert table.column("mean").to_pylist() == [0.5, None, 1.0, None]
    assert json.loads(table.column("result").to_pylist()[0]) == RESULT
    empty = pyarrow.parquet.read_table(io.BytesIO(merged_files([], "analyze_debt", {})[PARQUET]))
    assert (empty.num_rows, empty.column_names[0]) == (0, "repository")


def test_the_document_holds_everything() -> None:
    document = json.loads(merged_files(ROWS, "analyze_debt", {"limit": 1})[JSON])
    assert [row["repository"] for row in document["repositories"]] == ["<a>", "b", "c", "d"]
    assert document["totals"]["figures"] == {"files": 7, "summary.total": 2}
    assert (document["analysis"], document["arguments"]) == ("analyze_debt", {"limit": 1})


def test_figures_are_numbers_and_timings_are_left_out() -> None:
    assert numbers_by_name(RESULT) == {"files": 3, "mean": 0.5, "summary.total": 2}
    assert without_timings({"a": [{"cache_stats": 1, "b": 2}], "analysis_duration": 3}) == {"a": [{"b": 2}]}


def test_the_table_needs_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(Unavailable, match="pyarrow") as refused:
        require_parquet()
    assert "holdfast[cluster]" in str(refused.value.hint)
