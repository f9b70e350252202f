"""What an import reports besides the tasks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """Something in a file that could not be imported unchanged, and what was done instead."""

    file: str
    line: int | None
    message: str
