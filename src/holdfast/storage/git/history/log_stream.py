"""Reads `git log -z` as a stream: commits with a row for each changed file, however long the history is.

Contract: no configuration changes the output. Bytes of names that are not UTF-8 become surrogates; names are
never quoted or cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

PLAIN = (
    "--no-ext-diff", "--no-textconv", "--no-color", "--no-relative", "--no-show-signature", "--root", "-z",
    "--diff-algorithm=myers", "--find-renames", "-l1000", "--encoding=UTF-8",
)  # fmt: skip
"""Sets every option of a comparison that a configuration could change."""
EXACT_RENAMES = "--find-renames=100%"
"""Added to `PLAIN`: finds only exact renames, which need no file contents; a partial clone may lack those."""


def fields(pieces: Iterable[bytes]) -> Iterator[str]:
    """Yield the NUL-separated fields of a stream."""
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\0")
        yield from [field.decode("utf-8", "surrogateescape") for field in whole]
    if rest.strip():
        yield rest.decode("utf-8", "surrogateescape")


def commits(texts: Iterator[str], header_fields: int) -> Iterator[tuple[list[str], list[tuple[str, ...]]]]:
    """Yield the header of each commit, which has that number of fields, and its rows.

    A row is that of `--raw` or `--numstat`, followed by one path, or by two paths for a rename or a copy.
    """
    head: list[str] = []
    rows: list[tuple[str, ...]] = []
    for text in texts:
        row = text.removeprefix("\n")
        if row.startswith(":"):
            rows.append((row, *islice(texts, 2 if row.rpartition(" ")[2][0] in "RC" else 1)))
        elif "\t" in row:
            rows.append((row, *islice(texts, 2 if row.endswith("\t") else 0)))
        else:
            if head:
                yield head, rows
            head, rows = [text, *islice(texts, header_fields - 1)], []
    if head:
        yield head, rows
