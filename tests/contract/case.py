"""One call of an operation, as a program sends it and as a person types it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

CURSOR = "$cursor"
"""Stands for the cursor that the last page gave."""


@dataclass(frozen=True)
class Case:
    """One call of an operation."""

    operation: str
    typed: tuple[str, ...]
    arguments: dict[str, Any] = field(default_factory=dict)
    fails: str | None = None
    """The kind of the failure that is expected, or None for success."""
    attention: bool = False
    """Whether the command ends with 1 though nothing failed: a script should look at what it says."""

    def __str__(self) -> str:
        return " ".join(self.typed)[:60].replace("\n", " ")
