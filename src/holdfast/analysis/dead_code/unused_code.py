"""The findings of `detection.py`: code that nothing uses, with the confidence and the reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["function", "method", "class", "variable", "import", "local", "parameter", "unreachable"]
Level = Literal["high", "medium", "low"]

LEVELS: tuple[Level, ...] = ("high", "medium", "low")
MIN_CONFIDENCE = {"high": 0.9, "medium": 0.6, "low": 0.0}
"""The lowest confidence of each level: a judgement. docs/accuracy.md has the precision at `high`."""


@dataclass(frozen=True)
class UnusedCode:
    """Code that nothing uses."""

    kind: Kind
    name: str
    """Qualified, joined by dots; for statements, the name of the enclosing function."""
    file: str
    line: int
    end_line: int
    confidence: float
    reason: str
    """The uses that were searched for and not found, and what lowers the confidence."""

    @property
    def message(self) -> str:
        """The finding in one or two sentences."""
        return f"Unused {self.kind} {self.name}. {self.reason}" if self.name else self.reason

    @property
    def level(self) -> Level:
        return next(level for level in LEVELS if self.confidence >= MIN_CONFIDENCE[level])
