"""Splits a name into words: `HTTPServer2Config` consists of http, server, 2, config."""

from __future__ import annotations

import re

_NOT_IN_NAMES = re.compile(r"[\s()\[\]\"'`,]")
_WORD_SHAPES = re.compile("U+(?=UL)|U?L+|U+|D+")
"""Matches the words in a name whose characters are replaced by their classes (`_CharacterClasses`)."""


class _CharacterClasses(dict[int, str]):
    """Maps each character to its class: U (upper case), L (lower case), D (digit) or _ (other)."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        character_class = "_"
        if character.isdecimal():
            character_class = "D"
        elif character.isalpha():
            character_class = "U" if character.isupper() else "L"
        self[code] = character_class
        return character_class


_CHARACTER_CLASSES = _CharacterClasses()


def subwords(name: str) -> list[str]:
    """Return the words of a name in lower case, split at underscores, case changes and digits."""
    words = _WORD_SHAPES.finditer(name.translate(_CHARACTER_CLASSES))
    return [name[word.start() : word.end()].lower() for word in words]


def is_name(name: str) -> bool:
    """Return whether a developer chose this name, unlike `get('/') callback`, `[Symbol.iterator]` or `_`."""
    return (
        not _NOT_IN_NAMES.search(name) and _WORD_SHAPES.search(name.translate(_CHARACTER_CLASSES)) is not None
    )
