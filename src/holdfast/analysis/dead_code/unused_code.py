"""One finding: something that nothing uses, how sure that is, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["function", "method", "class", "variable", "import", "local", "parameter", "unreachable"]
Level = Literal["high", "medium", "low"]

LEVELS: tuple[Level, ...] = ("high", "medium", "low")
LEAST = {"high": 0.9, "medium": 0.6, "low": 0.0}
"""The least confidence of each level."""


@dataclass(frozen=True)
class Finding:
    """Something that nothing uses."""

    kind: Kind
    name: str
    """From the outermost name to this one, joined by dots; of statements that of their function."""
    file: str
    line: int
    end_line: int
    confidence: float
    reason: str
    """What was looked for and not found, and what keeps it from being surer."""

    @property
    def words(self) -> str:
        """Say what was found, in a sentence or two."""
        return f"Unused {self.kind} {self.name}. {self.reason}" if self.name else self.reason

    @property
    def level(self) -> Level:
        """Return the level that its confidence belongs to."""
        return next(level for level in LEVELS if self.confidence >= LEAST[level])
