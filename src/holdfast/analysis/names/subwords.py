"""Splits a name into words: `HTTPServer2Config` is http, server, 2, config."""

from __future__ import annotations

import re

_SIGNS = re.compile(r"[\s()\[\]\"'`,]")
_PARTS = re.compile("U+(?=UL)|U?L+|U+|D+")


class _Shapes(dict[int, str]):
    """Maps each character to its class: U (upper case), L (lower case), D (digit) or _ (other)."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        shape = "_"
        if character.isdecimal():
            shape = "D"
        elif character.isalpha():
            shape = "U" if character.isupper() else "L"
        self[code] = shape
        return shape


_SHAPES = _Shapes()


def subwords(name: str) -> list[str]:
    """Return the words of a name in lower case, split at underscores, case changes and digits."""
    return [name[part.start() : part.end()].lower() for part in _PARTS.finditer(name.translate(_SHAPES))]


def is_name(name: str) -> bool:
    """Return whether this is a chosen name, unlike `get('/') callback`, `[Symbol.iterator]` or `_`."""
    return not _SIGNS.search(name) and _PARTS.search(name.translate(_SHAPES)) is not None
