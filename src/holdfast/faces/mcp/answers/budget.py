"""Shortens a result to a number of bytes, and says what it left out and how to get it.

Contract:
- A result that fits is unchanged. No member of an object is ever left out: lists and maps keep their first
  entries, texts their first characters, so a shortened result fits the schema of the whole one.
- Every list keeps the same number of entries, or all that it has: the largest number with which all fits.
- What was left out is counted in `shortened`, under the path of the list or text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.models import Input, Integer

MAX_BYTES = "max_bytes"
"""The argument of every tool with which a client asks for more than the default."""
_MIN_BYTES = 1000
"""A judgement: room for the counts and names of nearly every result."""
_NOTE_BYTES = 500
"""Left free for `shortened` itself. A judgement: it names a dozen lists."""
_CHARACTERS_PER_ENTRY = 100
_MIN_CHARACTERS = 200
"""A text keeps this many characters for every entry that lists keep, and no fewer than the minimum. A
judgement: an entry of a list has about a hundred."""
_MAX_MEMBERS = 40
"""An object with more members is a map, whose keys are data: no model has as many fields."""


class AnswerSize(Input):
    """How much of an answer a client wants."""

    max_bytes: Integer | None = Field(default=None, ge=_MIN_BYTES)


def take_max_bytes(arguments: Mapping[str, Any] | None) -> tuple[dict[str, Any] | None, int | None]:
    """Return the arguments of a call without `max_bytes`, and its value."""
    if arguments is None or MAX_BYTES not in arguments:
        return None if arguments is None else dict(arguments), None
    rest = {name: value for name, value in arguments.items() if name != MAX_BYTES}
    return rest, validate_arguments(AnswerSize, {MAX_BYTES: arguments[MAX_BYTES]}).max_bytes


def shorten(data: dict[str, Any], max_bytes: int, details: Sequence[str] = ()) -> dict[str, Any]:
    """Return a result in at most about `max_bytes` of JSON.

    The lists and texts at the paths in `details` are emptied first, in that order.
    """
    needed = _size(data)
    if needed <= max_bytes:
        return data
    room = max_bytes - _NOTE_BYTES
    parts: dict[str, tuple[int, int]] = {}
    for path in details:
        data = _emptied(data, path.split("."), path, parts)
        if _size(data) <= room:
            break
    entries = _most_entries(data, room)
    data = _Cut(entries, parts).value(data, "")
    hint = f"Pass {MAX_BYTES}: {needed + _NOTE_BYTES} for everything, or ask for less."
    if data.get("next_cursor") or data.get("nextCursor"):
        hint += " The next page begins after what was left out."
    counts = {path: f"{kept} of {total}" for path, (kept, total) in parts.items()}
    return data | {"shortened": {"left_out": counts, "hint": hint}}


def shorten_text(text: str, max_bytes: int) -> str:
    """Return the whole lines of a text that fit, and how to get the others."""
    if len(text.encode("utf-8", "surrogatepass")) <= max_bytes:
        return text
    room, kept = max_bytes, 0
    for line in text.splitlines(keepends=True):
        room -= len(line.encode("utf-8", "surrogatepass"))
        if room < 0:
            break
        kept += len(line)
    needed = len(text.encode("utf-8", "surrogatepass")) + _NOTE_BYTES
    return f"{text[:kept]}… {len(text) - kept} more characters. Pass {MAX_BYTES}: {needed} for everything."


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


def _most_entries(data: dict[str, Any], room: int) -> int:
    """Return the largest number of entries per list with which the data fits, at least 1."""
    low, high = 1, room
    while low < high:
        middle = (low + high + 1) // 2
        if _size(_Cut(middle, {}).value(data, "")) <= room:
            low = middle
        else:
            high = middle - 1
    return low


def _emptied(value: Any, path: list[str], label: str, parts: dict[str, tuple[int, int]]) -> Any:
    """Return the value with the list or text at a path emptied, in every entry of the lists on the way."""
    if not path:
        if value and isinstance(value, list | str):
            kept, total = parts.get(label, (0, 0))
            parts[label] = (kept, total + len(value))
            return value[:0]
        return value
    if isinstance(value, list):
        return [_emptied(item, path, label, parts) for item in value]
    if isinstance(value, dict) and path[0] in value:
        return value | {path[0]: _emptied(value[path[0]], path[1:], label, parts)}
    return value


class _Cut:
    """Cuts lists, maps and texts for one number of entries, and counts what it keeps."""

    def __init__(self, entries: int, parts: dict[str, tuple[int, int]]) -> None:
        self._entries = entries
        self._characters = max(_MIN_CHARACTERS, _CHARACTERS_PER_ENTRY * entries)
        self._parts = parts

    def value(self, value: Any, path: str) -> Any:
        if isinstance(value, str):
            if len(value) <= self._characters:
                return value
            self._count(path, self._characters, len(value))
            return f"{value[: self._characters]}…"
        if isinstance(value, list):
            self._count(path, min(self._entries, len(value)), len(value))
            return [self.value(item, path) for item in value[: self._entries]]
        if not isinstance(value, dict):
            return value
        members = list(value.items())
        if len(members) > _MAX_MEMBERS:
            self._count(path, min(self._entries, len(members)), len(members))
            members = members[: self._entries]
        return {name: self.value(item, f"{path}.{name}".lstrip(".")) for name, item in members}

    def _count(self, path: str, kept: int, total: int) -> None:
        if kept < total:
            before = self._parts.get(path, (0, 0))
            self._parts[path] = (before[0] + kept, before[1] + total)
