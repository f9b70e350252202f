"""Words of a certain length."""

from __future__ import annotations

MILESTONE = "milestone:"
"""How a closed milestone is told from the tasks among what holds another task up."""


def cut(text: str, most: int) -> str:
    """Return a text that is not too long, with a sign where it was cut."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
