"""Adds to the text of a result what only its structured data says.

Contract: every text and number of the data is in the `complete_texts`. A text counts as said if
all its lines are there; a number, if it is there as it is, rounded, or as a percentage. What is about an
entry of a list has to be on the lines from the one with its rarest text up to the next entry's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

from holdfast.faces.mcp.answers.outline import is_empty, outline

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_HEADING = "As data, without what is said above, zero, false, empty or null:"
_MAX_COMPARISONS = 5_000_000
"""Values times lines of a text up to which they are compared; beyond, the outline has everything. A
judgement: about half a second."""
_CHARACTERS_PER_LINE = 1000
"""A longer line takes as much time as several."""
_MAX_WORD = 3
"""Texts of up to so many characters have to be words of their own: within others they occur by chance."""


def complete_texts(text: str, data: Mapping[str, Any], max_bytes: int) -> list[str]:
    """Return the text and an outline of what the data says beyond it, in about `max_bytes` together.

    A text without room is cut at a line; one in JSON is replaced by that of the data.
    """
    if _size(text) <= max_bytes:
        rest = rest_of(text, data)
        if _size(text) + _size(rest) <= max_bytes:
            return [text, rest] if rest else [text]
    if _is_json(text):
        return [json.dumps(data, ensure_ascii=False, separators=(",", ":"))]
    beginning = _beginning(text, max_bytes - _size(outline(data)) - _size(_HEADING))
    rest = rest_of(beginning, data)
    return [beginning, rest] if rest else [beginning]


def rest_of(text: str, data: Mapping[str, Any]) -> str:
    """Return an outline of what the text does not say, or nothing if it says everything."""
    comparisons = _count_values(data) * (text.count("\n") + len(text) // _CHARACTERS_PER_LINE + 1)
    rest = data if comparisons > _MAX_COMPARISONS else Unsaid(text).members(data, _Scope(text))
    return f"{_HEADING}\n{outline(rest)}" if rest else ""


def _beginning(text: str, room: int) -> str:
    """Return as many whole lines as have room, and a mark that there are more."""
    lines: list[str] = []
    for line in text.splitlines():
        room -= _size(line) + 1
        if room < 0:
            break
        lines.append(line)
    return "\n".join([*lines, "…"])


def _is_json(text: str) -> bool:
    if not text.startswith(("{", "[")):
        return False
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _count_values(value: Any) -> int:
    if isinstance(value, dict | list):
        return sum(map(_count_values, value.values() if isinstance(value, dict) else value))
    return 1


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


class _Scope:
    """A part of the text, in which something is looked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _plain(self) -> str:
        return _plain(self.text)

    @cached_property
    def _numbers(self) -> set[str]:
        return {number.replace(",", "") for number in _NUMBER.findall(self.text)}

    def says(self, value: Any) -> bool:
        if value is True:
            return False
        if not isinstance(value, str):
            return not self._numbers.isdisjoint(_spellings(value))
        if len(value) <= _MAX_WORD:
            return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", self.text) is not None
        has_lines = all(_plain(line) in self._plain for line in value.splitlines())
        return has_lines or json.dumps(value, ensure_ascii=False)[1:-1] in self.text


class Unsaid:
    """Finds what a text does not say."""

    def __init__(self, text: str) -> None:
        self._lines = [_plain(line) for line in text.splitlines()]

    def members(self, data: Mapping[str, Any], scope: _Scope) -> dict[str, Any]:
        """Return the members of an object that the scope, a part of the text, does not say."""
        unsaid = {
            name: self._value(value, scope)
            for name, value in data.items()
            if not (value is True and re.search(rf'{re.escape(name)}"?: true', scope.text))
        }
        return {name: value for name, value in unsaid.items() if not is_empty(value)}

    def _value(self, value: Any, scope: _Scope) -> Any:
        """Return the part of a value that the scope does not say; None if it says all of it."""
        if is_empty(value):
            return None
        if isinstance(value, dict):
            return self.members(value, scope)
        if isinstance(value, list):
            if all(isinstance(entry, dict) for entry in value):
                return [rest for entry, lines in self._places(value) if (rest := self._entry(entry, lines))]
            return value if any(self._value(entry, scope) is not None for entry in value) else None
        return None if scope.says(value) else value

    def _entry(self, entry: Mapping[str, Any], lines: Sequence[str]) -> dict[str, Any]:
        """Return what the lines about an entry of a list do not say, with a text that identifies it."""
        rest = self.members(entry, _Scope("\n".join(lines)))
        if not rest or not lines:
            return dict(entry) if not lines else {}
        label = next(
            (name for name, value in entry.items() if _identifies(value) and value in lines[0]), None
        )
        return rest if label is None else {label: entry[label]} | rest

    def _places(self, entries: Sequence[Mapping[str, Any]]) -> list[tuple[Mapping[str, Any], Sequence[str]]]:
        """Return each entry of a list with the lines about it: from the first that has its rarest text, up to
        the next entry's; of the last, as many as the longest of the others has.
        """
        starts: list[int | None] = []
        position = 0
        for entry in entries:
            start = self._line_about(entry, position)
            starts.append(start)
            position = position if start is None else start
        known = sorted({start for start in starts if start is not None})
        ends = dict(pairwise(known))
        longest = max((end - start for start, end in ends.items()), default=len(self._lines))
        return [
            (entry, [] if start is None else self._lines[start : ends.get(start, start + longest)])
            for entry, start in zip(entries, starts, strict=True)
        ]

    def _line_about(self, entry: Mapping[str, Any], position: int) -> int | None:
        found = [
            numbers
            for value in entry.values()
            if _identifies(value)
            and (numbers := [number for number, line in enumerate(self._lines) if value in line])
        ]
        if not found:
            return None
        rarest = min(found, key=len)
        return next((number for number in rarest if number >= position), rarest[0])


def _identifies(value: Any) -> bool:
    """Return whether a value may tell one entry of a list from the others: a text of one line."""
    return isinstance(value, str) and value != "" and value == _plain(value)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _spellings(number: float) -> set[str]:
    """Return a number as texts spell it: exactly, rounded, or as a percentage; its sign is not compared."""
    number = abs(number)
    rounded = {f"{value:.{digits}f}" for value in (number, 100 * number) for digits in range(4)}
    exact = {str(number), f"{number:g}"}
    return exact | {text for text in rounded if float(text)}
