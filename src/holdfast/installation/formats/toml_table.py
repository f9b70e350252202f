"""An entry that is a table of a TOML file, such as `[mcp_servers.holdfast]`.

The table is added at the end of the text, and removed by deleting its lines. The result is parsed to verify
that it differs only by that table; otherwise the edit is refused.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from holdfast.installation.formats.entry import (
    CannotEdit,
    DamagedText,
    EntryState,
    end_with_newline,
    lines_of,
    newline_of,
    starts_holdfast,
)
from holdfast.storage.files import foreign_document

_HEADER = re.compile(r"[ \t]*\[")
_BLANK_OR_COMMENT = re.compile(r"\s*(?:#|$)")
_LINE_IN_MESSAGE = re.compile(r"\(at line (\d+), column \d+\)")


@dataclass(frozen=True)
class TomlTable:
    """The table `name` with these values, inside the table `parent`."""

    parent: str
    name: str
    values: dict[str, str | list[str]]
    stays_if_customised: bool = False

    @property
    def snippet(self) -> str:
        # Strings and lists of strings look the same in JSON and TOML.
        lines = [f"{key} = {json.dumps(value)}" for key, value in self.values.items()]
        return "\n".join([f"[{self.parent}.{self.name}]", *lines]) + "\n"

    def state(self, text: str) -> EntryState:
        """Return whether the table exists; refuse if another server has its name."""
        table = self._tables(_read(text)).get(self.name)
        if table is None:
            return EntryState.ABSENT
        if not (isinstance(table, dict) and starts_holdfast(table.get("command"))):
            raise CannotEdit(self._line(text), f"another server has the name {self.name!r} there")
        return EntryState.PRESENT if table == self.values else EntryState.CHANGED

    def add(self, text: str) -> str:
        before = end_with_newline(text)
        newline = newline_of(text)
        gap = newline if before.strip() else ""
        after = before + gap + self.snippet.replace("\n", newline)
        data = _read(text)
        expected = {**data, self.parent: {**self._tables(data), self.name: self.values}}
        if not _parses_to(after, expected):
            raise CannotEdit(self._line(text), f"{self.parent!r} is written in a way that cannot be added to")
        return after

    def remove(self, text: str, _original: str) -> str:
        """Return the text without the lines of the table and its subtables; nothing else was added."""
        after = _remove_table(text, re.compile(self._header_pattern()))
        data = _read(text)
        siblings = {name: table for name, table in self._tables(data).items() if name != self.name}
        without_parent = {name: table for name, table in data.items() if name != self.parent}
        is_safe = _parses_to(after, {**data, self.parent: siblings})
        if not is_safe and not siblings:
            is_safe = _parses_to(after, without_parent)
        if not is_safe:
            problem = "the entry is written in a way that only a person can remove"
            raise CannotEdit(self._line(text), problem)
        return after

    def _tables(self, data: dict[str, Any]) -> dict[str, Any]:
        tables = data.get(self.parent, {})
        if not isinstance(tables, dict):
            raise CannotEdit(1, f"{self.parent!r} is not a table")
        return tables

    def _header_pattern(self) -> str:
        parent, name = (
            rf"(?:{re.escape(key)}|[\"']{re.escape(key)}[\"'])" for key in (self.parent, self.name)
        )
        return rf"[ \t]*\[[ \t]*{parent}[ \t]*\.[ \t]*{name}[ \t]*(?:\.[^\]]*)?\]"

    def _line(self, text: str) -> int:
        """Return the first line that mentions the parent table, for messages."""
        lines = text.splitlines()
        return next((number for number, line in enumerate(lines, 1) if self.parent in line), 1)


def _remove_table(text: str, header: re.Pattern[str]) -> str:
    """Remove the lines of a table and the blank line before it; comments after its last value stay."""
    remaining: list[str] = []
    trailing_comments: list[str] | None = None  # None outside the table
    for line in lines_of(text):
        if _HEADER.match(line):
            remaining += trailing_comments or []
            trailing_comments = [] if header.match(line) else None
            if trailing_comments is not None and remaining and not remaining[-1].strip():
                remaining.pop()
        elif trailing_comments is not None:
            is_comment = _BLANK_OR_COMMENT.match(line)
            trailing_comments = [*trailing_comments, line] if is_comment else []
        if trailing_comments is None:
            remaining.append(line)
    return "".join([*remaining, *(trailing_comments or [])])


def _parses_to(text: str, expected: dict[str, Any]) -> bool:
    try:
        return _read(text) == expected
    except DamagedText:
        return False


def _read(text: str) -> dict[str, Any]:
    try:
        return foreign_document.parse_toml(text)
    except foreign_document.UnreadableDocument as error:
        match = _LINE_IN_MESSAGE.search(str(error))
        line = int(match[1]) if match else text.count("\n") + 1
        raise DamagedText(line, _LINE_IN_MESSAGE.sub("", str(error)).strip()) from None
