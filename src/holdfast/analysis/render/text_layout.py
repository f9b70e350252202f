"""Parts of the text of every analysis: joined lines, skipped files, and how much of a list is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from holdfast.analysis.engine.scan import FileCounts

UNLIMITED = 10_000
"""A width for text that programs read, so that no column is cut."""

TextView = Callable[[Any, int], str]
"""Renders a result as text, within a width in columns."""


def rendering(text: TextView, formats: Mapping[str, Callable[[Any], str]]) -> Callable[..., str]:
    """Return a function that renders a result by its `format`: as JSON, in one of `formats`, or as text."""
    views = {"json": lambda result: result.model_dump_json(by_alias=True), **formats}

    def render(result: Any, width: int = UNLIMITED) -> str:
        view = views.get(getattr(result, "format", ""))
        return text(result, width) if view is None else view(result)

    return render


def lines(*parts: str | Iterable[str]) -> str:
    """Join lines, and groups of lines, without the empty ones."""
    flat = (line for part in parts for line in ([part] if isinstance(part, str) else part))
    return "\n".join(filter(None, flat))


def tally(numbers: Mapping[Any, int]) -> str:
    """Return the non-zero numbers with their names: `3 exact, 1 renamed`."""
    return ", ".join(f"{number} {name}" for name, number in numbers.items() if number)


def skipped_files(result: FileCounts) -> str:
    """Return the line that says how many files were skipped and why; empty if none was."""
    return f"Files skipped: {tally(result.files_skipped)}." if result.files_skipped else ""


def shown_of(shown: int, total: int) -> str:
    """Return the line that says how much of a list is shown; empty if all of it is."""
    if shown >= total:
        return ""
    return f"Shown: {shown} of {total}; the detailed format and a higher limit show more."
