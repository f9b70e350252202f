"""Tables as CSV (RFC 4180 quoting, lines ended by LF), for spreadsheets and other programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence


def csv_table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV, without a line end after the last row."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return written.getvalue().removesuffix("\n")
