"""A table of a TOML file, such as `[mcp_servers.holdfast]`.

A table is added at the end of the text and removed by its lines. The result is parsed to verify that it
differs only by that table; otherwise the edit is refused.
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
    lines_of,
    newline_of,
    starts_holdfast,
    terminated,
)
from holdfast.storage.files import foreign_document

_HEADER = re.compile(r"[ \t]*\[")
_BLANK_OR_COMMENT = re.compile(r"\s*(?:#|$)")
_LINE = re.compile(r"\(at line (\d+), column \d+\)")


@dataclass(frozen=True)
class TomlTable:
    """`values` as the table `name` inside the table `parent`."""

    parent: str
    name: str
    values: dict[str, str | list[str]]
    stays_if_customised: bool = False

    @property
    def snippet(self) -> str:
        """Return the table as TOML."""
        # Strings and lists of strings look the same in JSON and TOML.
        lines = [f"{key} = {json.dumps(value)}" for key, value in self.values.items()]
        return "\n".join([f"[{self.parent}.{self.name}]", *lines]) + "\n"

    def state(self, text: str) -> EntryState:
        """Return whether the table exists; a foreign one of the same name is refused."""
        found = self._tables(_read(text)).get(self.name)
        if found is None:
            return EntryState.ABSENT
        if not (isinstance(found, dict) and starts_holdfast(found.get("command"))):
            raise CannotEdit(self._line(text), f"another server has the name {self.name!r} there")
        return EntryState.PRESENT if found == self.values else EntryState.CHANGED

    def added(self, text: str) -> str:
        """Return the text with the table at its end."""
        before = terminated(text)
        newline = newline_of(text)
        gap = newline if before.strip() else ""
        after = before + gap + self.snippet.replace("\n", newline)
        wanted = _read(text)
        wanted = {**wanted, self.parent: {**self._tables(wanted), self.name: self.values}}
        if not _parses_to(after, wanted):
            raise CannotEdit(self._line(text), f"{self.parent!r} is written in a way that cannot be added to")
        return after

    def removed(self, text: str, original: str) -> str:
        """Return the text without the lines of the table and its subtables."""
        del original  # no other line was added
        after = _without(text, re.compile(self._own_header()))
        wanted = _read(text)
        tables = {name: table for name, table in self._tables(wanted).items() if name != self.name}
        empty = {name: table for name, table in wanted.items() if name != self.parent}
        if not _parses_to(after, {**wanted, self.parent: tables}) and (
            tables or not _parses_to(after, empty)
        ):
            problem = "the entry is written in a way that only a person can remove"
            raise CannotEdit(self._line(text), problem)
        return after

    def _tables(self, data: dict[str, Any]) -> dict[str, Any]:
        tables = data.get(self.parent, {})
        if not isinstance(tables, dict):
            raise CannotEdit(1, f"{self.parent!r} is not a table")
        return tables

    def _own_header(self) -> str:
        parent, name = (
            rf"(?:{re.escape(key)}|[\"']{re.escape(key)}[\"'])" for key in (self.parent, self.name)
        )
        return rf"[ \t]*\[[ \t]*{parent}[ \t]*\.[ \t]*{name}[ \t]*(?:\.[^\]]*)?\]"

    def _line(self, text: str) -> int:
        lines = text.splitlines()
        mentions = (number for number, line in enumerate(lines, 1) if self.parent in line)
        return next(mentions, 1)


def _without(text: str, own_header: re.Pattern[str]) -> str:
    """Remove our lines and the blank line before them; comments after them stay."""
    kept: list[str] = []
    following: list[str] | None = None
    for line in lines_of(text):
        if _HEADER.match(line):
            kept += following or []
            following = [] if own_header.match(line) else None
            if following is not None and kept and not kept[-1].strip():
                kept.pop()
        elif following is not None:
            following = [*following, line] if _BLANK_OR_COMMENT.match(line) else []
        if following is None:
            kept.append(line)
    return "".join([*kept, *(following or [])])


def _parses_to(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return _read(text) == wanted
    except DamagedText:
        return False


def _read(text: str) -> dict[str, Any]:
    try:
        return foreign_document.parse_toml(text)
    except foreign_document.UnreadableDocument as error:
        found = _LINE.search(str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        raise DamagedText(line, _LINE.sub("", str(error)).strip()) from None
