"""The interface that every format implements for one entry in one configuration file.

Contract:
- `add` and `remove` change only the entry. If the format has a grammar, they verify that by parsing the
  result before they return it.
- An edit that cannot be verified is refused: with `DamagedText` if the text does not parse, and with
  `CannotEdit` if it parses but another entry has the place, or the entry cannot be edited safely.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Protocol

SERVER_NAME = "holdfast"

_LINES = re.compile(r"[^\n]*\n|[^\n]+")


class EntryState(Enum):
    """The state of an entry in a text."""

    ABSENT = "absent"
    PRESENT = "present"
    CHANGED = "changed"
    """Present, but customised by the user."""


class EditRefused(Exception):
    """An edit was refused because of a problem at a line."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem


class DamagedText(EditRefused):
    """The text does not parse."""


class CannotEdit(EditRefused):
    """The text parses, but the entry cannot be added or removed safely."""


class ConfigurationEntry(Protocol):
    """An entry in a configuration file. The text of a missing file is empty."""

    @property
    def snippet(self) -> str:
        """The text of a file with only the entry."""

    @property
    def stays_if_customised(self) -> bool:
        """Whether a customised entry stays when Holdfast is removed."""

    def state(self, text: str) -> EntryState:
        """Return whether the entry is in a text."""

    def add(self, text: str) -> str:
        """Return a text with the entry added, which must be absent."""

    def remove(self, text: str, original: str) -> str:
        """Return a text without the entry. Containers that `original` had are kept, even if empty."""


def line_at(text: str, position: int) -> int:
    """Return the number of the line that a position is in, from 1."""
    return text.count("\n", 0, position) + 1


def newline_of(text: str) -> str:
    """Return the line ending to use in a text: CR LF if it occurs there."""
    return "\r\n" if "\r\n" in text else "\n"


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with their endings; unlike `splitlines`, only a line feed ends a line."""
    return _LINES.findall(text)


def end_with_newline(text: str) -> str:
    """Return a text with a newline after its last line; an empty text stays empty."""
    return text if not text or text.endswith("\n") else text + newline_of(text)


def starts_holdfast(command: object) -> bool:
    """Return whether a configured program is Holdfast, at any path."""
    return isinstance(command, str) and command.replace("\\", "/").rpartition("/")[2] == SERVER_NAME
