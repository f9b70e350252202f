"""Text without the difference between capital and small letters, one letter for one letter."""

from __future__ import annotations


class _Letters(dict[int, str | int]):
    """The small form of each letter, found at first use."""

    def __missing__(self, code: int) -> str | int:
        letter = chr(code)
        small = next((form for form in (letter.casefold(), letter.lower()) if len(form) == 1), letter)
        self[code] = small
        return small


_letters = _Letters()


def folded(text: str) -> str:
    """Return `text` so that two texts differing only in case become equal; its length stays."""
    return text.lower() if text.isascii() else text.translate(_letters)
