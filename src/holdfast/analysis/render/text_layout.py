"""What the texts of all analyses share: the choice of the format, and some lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from holdfast.analysis.engine.scan import FileCounts

UNLIMITED_COLUMNS = 10_000
"""The width in columns of text that programs read: larger than any table, so that no column is cut."""

MAX_ITEMS_IN_SUMMARY = 10
"""Items of a list in the text of a summary: a judgement, so that it stays short."""

TextView = Callable[[Any, int], str]
"""Renders a result as text, within a width in columns."""


def format_renderer(text: TextView, formats: Mapping[str, Callable[[Any], str]]) -> Callable[..., str]:
    """Return a function that renders a result in its `format`: JSON, one of `formats`, or else text."""
    views = {"json": lambda result: result.model_dump_json(by_alias=True), **formats}

    def render(result: Any, width: int = UNLIMITED_COLUMNS) -> str:
        view = views.get(getattr(result, "format", ""))
        return text(result, width) if view is None else view(result)

    return render


def lines(*parts: str | Iterable[str]) -> str:
    """Join lines, and groups of lines, leaving out empty ones."""
    joined: list[str] = []
    for part in parts:
        joined += [part] if isinstance(part, str) else part
    return "\n".join(filter(None, joined))


def tally(numbers: Mapping[Any, int]) -> str:
    """Return the non-zero numbers with their names: `3 exact, 1 renamed`."""
    return ", ".join(f"{number} {name}" for name, number in numbers.items() if number)


def skipped_files_line(result: FileCounts) -> str:
    """Return the line that says how many files were skipped and why; empty if none were skipped."""
    return f"Files skipped: {tally(result.files_skipped)}." if result.files_skipped else ""


def shown_line(shown: int, total: int) -> str:
    """Return the line that says how much of a list is shown; empty if all of it is."""
    if shown >= total:
        return ""
    return f"Shown: {shown} of {total}; the detailed format and a higher limit show more."
