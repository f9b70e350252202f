"""Renders tables as CSV, for spreadsheets and other programs: quoted as in RFC 4180, with LF as line end."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence


def csv_table(header: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV, without a line end after the last row; None is an empty cell."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return output.getvalue().removesuffix("\n")
