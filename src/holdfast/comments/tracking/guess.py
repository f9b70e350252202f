"""A guess at what a line became."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Guess:
    """A new line that may be the one sought, how well it fits, and how it was found."""

    index: int
    score: float
    method: str
    supported: bool = False
    """Whether another way than the likeness of the text led to the same line."""
