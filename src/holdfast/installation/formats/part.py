"""What every format promises about the one entry it looks after.

Contract:
- `added` and `removed` change nothing of the text but the entry itself. Where the format has a grammar,
  they prove that by reading the result again before they return it.
- What they cannot do with that certainty they refuse: `Unreadable` when the text is not what its reader
  expects, `Unsuitable` when it is sound and has no room for the entry, or holds another in its place.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Protocol

SERVER_NAME = "holdfast"

_LINES = re.compile(r"[^\n]*\n|[^\n]+")


class EntryState(Enum):
    """Whether an entry is there."""

    ABSENT = "absent"
    PRESENT = "present"
    CHANGED = "changed"
    """It is there, and somebody made it their own."""


class EditRefused(Exception):
    """A text is left alone, because of a problem at a line."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem


class DamagedText(EditRefused):
    """The text is damaged."""


class NoRoom(EditRefused):
    """The text is sound, and the entry cannot be put there, or taken out, by a program."""


class ConfigurationEntry(Protocol):
    """One entry in one file. An absent file is an empty text."""

    @property
    def snippet(self) -> str:
        """Return the entry as a person would paste it into an empty file."""

    @property
    def belongs_to_others_once_changed(self) -> bool:
        """Whether a changed entry stays when Holdfast is taken out."""

    def state(self, text: str) -> EntryState:
        """Return whether the entry is in a text."""

    def added(self, text: str) -> str:
        """Return a text with the entry, which it does not have yet."""

    def removed(self, text: str, original: str) -> str:
        """Return a text without the entry; what `original` had around it stays, even if empty."""


def line_at(text: str, position: int) -> int:
    """Return the number of the line that a position is in."""
    return text.count("\n", 0, position) + 1


def newline_of(text: str) -> str:
    """Return how a text ends its lines."""
    return "\r\n" if "\r\n" in text else "\n"


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with their ends."""
    return _LINES.findall(text)


def ending_with_newline(text: str) -> str:
    """Return a text whose last line is ended."""
    return text if not text or text.endswith("\n") else text + newline_of(text)


def starts_holdfast(command: object) -> bool:
    """Return whether a configured program is Holdfast, wherever it is installed."""
    return isinstance(command, str) and command.replace("\\", "/").rpartition("/")[2] == SERVER_NAME
