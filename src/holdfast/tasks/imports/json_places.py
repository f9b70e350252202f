"""Where in a JSON text its parts begin, for messages that name a line. The text was parsed before: it is
valid."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def members(text: str, start: int) -> Iterator[tuple[str, int, Any]]:
    """Yield name, place and value of each member of the object that begins at `start`."""
    at = _after_space(text, start + 1)
    while text[at] != "}":
        name, at = _DECODER.raw_decode(text, at)
        begin = _after_space(text, _after_space(text, at) + 1)
        value, at = _DECODER.raw_decode(text, begin)
        yield name, begin, value
        at = _after_comma(text, at)


def elements(text: str, start: int) -> Iterator[tuple[int, Any]]:
    """Yield place and value of each element of the array that begins at `start`."""
    at = _after_space(text, start + 1)
    while text[at] != "]":
        begin = at
        value, at = _DECODER.raw_decode(text, begin)
        yield begin, value
        at = _after_comma(text, at)


def line_of(text: str, at: int) -> int:
    """Return the number of the line, from 1."""
    return text.count("\n", 0, at) + 1


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _after_comma(text: str, at: int) -> int:
    at = _after_space(text, at)
    return _after_space(text, at + 1) if text[at] == "," else at
