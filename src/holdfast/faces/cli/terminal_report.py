"""Lays out a report for a terminal: aligned tables instead of Markdown's, wrapped lines, colour.

The report is the text that programs read too, so that both show the same figures.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from itertools import groupby

from holdfast.kernel.text import display_width, table

Style = Callable[..., str]
"""Returns a text in a style of `click.style`."""

_LEVEL_COLOURS = {
    "red": ("FAILED", "fail", "error", "critical", "Critical", "high", "High"),
    "yellow": ("warn", "warning", "medium", "Medium"),
    "green": ("passed", "pass"),
}
_COLOUR_OF = {level: colour for colour, levels in _LEVEL_COLOURS.items() for level in levels}
_LEVEL = re.compile(rf"(?<![\w./-])(?:{'|'.join(_COLOUR_OF)})(?![\w./-])")
_ROW = re.compile(r"\| .* \|$")
_DELIMITER = re.compile(r"\|[ |:-]+\|$")
_CELL_BORDER = re.compile(r"(?<!\\) \| ")
_ESCAPED = re.compile(r"\\([\\`*_\[\]<>|#])")
_COLUMNS = re.compile(r"\S {2,}\S")
_HEADING = re.compile(r"#+ ")
_ITEM = re.compile(r" *(?:\d+\.|-) ")


def terminal_report(text: str, width: int, style: Style) -> str:
    """Return a report laid out for a terminal of the given width."""
    laid_out: list[str] = []
    for is_table, lines in groupby(text.splitlines(), key=lambda line: _ROW.match(line) is not None):
        if is_table:
            laid_out += _table(list(lines), width, style)
        else:
            after_heading = False
            for line in lines:
                if line or not after_heading:
                    laid_out += _line(line, width, style)
                after_heading = _HEADING.match(line) is not None
    return "\n".join(laid_out)


def _table(lines: list[str], width: int, style: Style) -> list[str]:
    """Return a table in Markdown with aligned columns, of which those with the longest cells are cut."""
    rows = [_cells(line) for line in lines if not _DELIMITER.match(line)]
    columns = range(max(map(len, rows)))
    rows = [[*row, *[""] * (len(columns) - len(row))] for row in rows]
    longest = [max(display_width(row[column]) for row in rows) for column in columns]
    is_delimited = len(lines) > 1 and _DELIMITER.match(lines[1])
    delimiters = lines[1].strip("|").split("|") if is_delimited else []
    for column, delimiter in enumerate(delimiters):
        if delimiter.rstrip().endswith(":"):
            for row in rows:
                row[column] = row[column].rjust(longest[column])
    flexible = sorted(columns, key=lambda column: -longest[column])
    header, *rest = table(rows, width, flexible=flexible).splitlines()
    return [style(header, bold=True), *(_coloured(line, style) for line in rest)]


def _cells(line: str) -> list[str]:
    return [_plain(cell).strip() for cell in _CELL_BORDER.split(line[2:-2])]


def _plain(text: str) -> str:
    """Return Markdown without the marks of emphasis, code and escaping."""
    text = re.sub(r"\*\*(.+?)\*\*", r"\1", text)
    text = re.sub(r"(?<!\\)`([^`]+)`", r"\1", text)
    return _ESCAPED.sub(r"\1", text).replace("&lt;", "<")


def _line(line: str, width: int, style: Style) -> list[str]:
    if heading := _HEADING.match(line):
        return [style(_plain(line[heading.end() :]), bold=True)]
    item = _ITEM.match(line)
    if item:
        line = line[: item.end()] + _plain(line[item.end() :])
    # Columns that fit already are not to be joined.
    if display_width(line) <= width or _COLUMNS.search(line):
        return [_coloured(line, style)]
    indent = " " * (item.end() if item else len(line) - len(line.lstrip()))
    wrapped = textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False)
    return [_coloured(each, style) for each in wrapped]


def _coloured(line: str, style: Style) -> str:
    return _LEVEL.sub(lambda level: style(level[0], fg=_COLOUR_OF[level[0]]), line)
