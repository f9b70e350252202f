"""Places that somebody who types a few letters may want to go to: files by name and path, symbols by name.

The texts stand in one string, the shortest first, so that one search over it finds the best of each kind of
match in its order, and ends as soon as there are enough.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice, pairwise
from typing import NamedTuple

from holdfast.syntax.record import Definition


class Place(NamedTuple):
    """A file, or a symbol in one."""

    path: str
    name: str | None = None
    kind: str = "file"
    line: int | None = None


class _Column:
    """Places by one text of each: searched in the order of their length."""

    def __init__(self, places: Iterable[tuple[str, Place]]) -> None:
        ordered = sorted(places, key=lambda item: (len(item[0]), item[0], item[1].path, item[1].line or 0))
        self._places = [place for _, place in ordered]
        lines = [f"{text.lower().replace(chr(10), ' ')}\n" for text, _ in ordered]
        self._text = "".join(lines)
        self._starts = list(accumulate(map(len, lines), initial=0))

    def matching(self, pattern: str) -> Iterator[Place]:
        for match in re.finditer(pattern, self._text, re.MULTILINE):
            yield self._places[bisect_right(self._starts, match.start()) - 1]


class Jumps:
    """All the places of a repository."""

    def __init__(self, paths: Sequence[str], symbols: Mapping[str, Sequence[Definition]]) -> None:
        self.files_with_symbols = len(symbols)
        self._names = _Column((path.rpartition("/")[2], Place(path)) for path in paths)
        self._symbols = _Column(
            (each.name, Place(path, each.name, each.kind.lower(), each.line))
            for path, definitions in symbols.items()
            for each in definitions
        )
        self._paths = _Column((path, Place(path)) for path in paths)

    def find(self, query: str, most: int) -> list[Place]:
        """Return the best places for some letters: whole names, beginnings, parts, then letters in order."""
        letters = [re.escape(letter) for letter in query.lower() if not letter.isspace()]
        joined = "".join(letters)
        scattered = "".join(f"{letter}[^{following}\\n]*+" for letter, following in pairwise(letters))
        found: dict[Place, None] = {}
        for pattern in (f"^{joined}$", f"^{joined}", joined, (scattered + letters[-1]) if letters else ""):
            for column in (self._names, self._symbols, self._paths):
                if letters and len(found) < most:
                    places = (place for place in column.matching(pattern) if place not in found)
                    found |= dict.fromkeys(islice(places, most - len(found)))
        return list(found)
