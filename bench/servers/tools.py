"""The forty tools that both servers of the comparison offer."""

from __future__ import annotations

from typing import Any

COUNT = 40

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "description": "What to say back."},
        "file": {"type": "string", "description": "A path from the repository root.", "default": ""},
        "line": {"type": "integer", "description": "A line, counted from one.", "default": 1},
    },
    "required": ["text"],
    "additionalProperties": False,
}

DESCRIPTION = "Say the text back, exactly as it came. Stands for a small tool of a few lines."


def name(number: int) -> str:
    """Return the name of a tool; the first one is called `echo`."""
    return "echo" if number == 0 else f"echo_{number:02d}"
