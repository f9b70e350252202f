"""Something that nothing uses, how confident that is, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["function", "method", "class", "variable", "import", "local", "parameter", "unreachable"]
Level = Literal["high", "medium", "low"]

LEVELS: tuple[Level, ...] = ("high", "medium", "low")
LEAST = {"high": 0.9, "medium": 0.6, "low": 0.0}
"""The lowest confidence of each level. A judgement; docs/accuracy.md has the precision at `high`."""


@dataclass(frozen=True)
class UnusedCode:
    """Something that nothing uses."""

    kind: Kind
    name: str
    """Qualified, joined by dots; for statements, the name of the enclosing function."""
    file: str
    line: int
    end_line: int
    confidence: float
    reason: str
    """What was searched for and not found, and what lowers the confidence."""

    @property
    def message(self) -> str:
        """What was found, in a sentence or two."""
        return f"Unused {self.kind} {self.name}. {self.reason}" if self.name else self.reason

    @property
    def level(self) -> Level:
        """The level that its confidence belongs to."""
        return next(level for level in LEVELS if self.confidence >= LEAST[level])
