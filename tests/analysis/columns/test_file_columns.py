"""Columns of files: rows are taken in any order, and joined with those of other files."""

from __future__ import annotations

import numpy as np

from holdfast.analysis.columns.file_columns import FileColumns, Table

ROWS = {"a": [1, 2], "b": [], "c": [3, 4, 5]}


def columns_of(rows: dict[str, list[int]]) -> FileColumns:
    starts = np.cumsum([0, *map(len, rows.values())], dtype=np.int64)
    values = [value for row in rows.values() for value in row]
    columns = {"number": np.array(values, np.int32), "even": np.array(values, np.uint8) % 2 == 0}
    empty = Table(np.zeros(len(rows) + 1, np.int64), {"nothing": np.empty(0, np.float64)})
    return FileColumns(tuple(rows), {"rows": Table(starts, columns), "empty": empty})


def rows_of(of: FileColumns) -> dict[str, list[int]]:
    starts, columns = of.tables["rows"]
    return {
        key: columns["number"][starts[file] : starts[file + 1]].tolist() for key, file in of.numbers.items()
    }


def test_rows_of_some_files_are_taken_in_the_order_given_and_joined_with_others() -> None:
    taken = columns_of(ROWS).take(["c", "b", "a"])
    assert list(rows_of(taken).items()) == [("c", [3, 4, 5]), ("b", []), ("a", [1, 2])]
    joined = taken.take(["c", "b"]).joined(columns_of({"d": [6], "e": []}))
    assert rows_of(joined) == {"c": [3, 4, 5], "b": [], "d": [6], "e": []}
