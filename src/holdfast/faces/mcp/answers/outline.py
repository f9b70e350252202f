"""Writes structured data as an outline for a model: one line per value, one row per entry of a list.

Contract:
- Everything is there but what is zero, false, empty or null.
- A text is quoted as in JSON, on one line, unless it is a plain word, path, date or number: nothing that
  people or repositories wrote can look like a part of the outline.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

_PLAIN = re.compile(r"[\w./@+#-](?:[\w ./:@+#-]{0,118}[\w./@+#-])?")


def outline(data: Mapping[str, Any]) -> str:
    """Return the members of an object as lines."""
    return "\n".join(_members(data, ""))


def _members(data: Mapping[str, Any], indent: str) -> Iterator[str]:
    for name, value in data.items():
        if is_empty(value):
            continue
        if isinstance(value, dict):
            yield f"{indent}{_scalar(name)}:"
            yield from _members(value, f"{indent}  ")
        elif isinstance(value, list):
            yield from _entries(name, value, indent)
        else:
            yield f"{indent}{_scalar(name)}: {_scalar(value)}"


def _entries(name: str, entries: Sequence[Any], indent: str) -> Iterator[str]:
    if not all(isinstance(entry, dict) for entry in entries):
        yield f"{indent}{_scalar(name)}: {', '.join(map(_cell, entries))}"
        return
    for columns, group in groupby(entries, _columns):
        yield f"{indent}{_scalar(name)} ({' | '.join(map(_scalar, columns))}):"
        for entry in group:
            yield f"{indent}- {' | '.join(_cell(entry[column]) for column in columns)}"


def _columns(entry: Mapping[str, Any]) -> list[str]:
    return [name for name, value in entry.items() if not is_empty(value)]


def _cell(value: Any) -> str:
    """Return a value within a line."""
    if is_empty(value):
        return "-" if value is None else _scalar(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_cell, value))}]"
    if isinstance(value, dict):
        members = [f"{_scalar(name)}: {_cell(item)}" for name, item in value.items() if not is_empty(item)]
        return f"{{{', '.join(members)}}}"
    return _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def is_empty(value: Any) -> bool:
    """Return whether there is nothing to say about a value: it is zero, false, null, or holds nothing."""
    if isinstance(value, dict):
        return all(is_empty(item) for item in value.values())
    return not value
