"""Quick open: fuzzy search for files by name and path, and for symbols by name.

All texts are joined into one string, the shortest first, so that a regular expression finds the best matches
first and the search can stop early.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice, pairwise
from typing import NamedTuple

from holdfast.syntax.record import Definition


class QuickOpenTarget(NamedTuple):
    """A file, or a symbol in one."""

    path: str
    name: str | None = None
    kind: str = "file"
    line: int | None = None


class _SearchedTexts:
    """Targets indexed by one text each, searched from the shortest to the longest."""

    def __init__(self, targets: Iterable[tuple[str, QuickOpenTarget]]) -> None:
        ordered = sorted(targets, key=lambda item: (len(item[0]), item[0], item[1].path, item[1].line or 0))
        self._targets = [target for _, target in ordered]
        lines = [f"{text.lower().replace(chr(10), ' ')}\n" for text, _ in ordered]
        self._text = "".join(lines)
        self._starts = list(accumulate(map(len, lines), initial=0))

    def find(self, pattern: str) -> Iterator[QuickOpenTarget]:
        for match in re.finditer(pattern, self._text, re.MULTILINE):
            yield self._targets[bisect_right(self._starts, match.start()) - 1]


class QuickOpenIndex:
    """The files and symbols of a repository."""

    def __init__(self, paths: Sequence[str], symbols: Mapping[str, Sequence[Definition]]) -> None:
        self.files_with_symbols = len(symbols)
        self._names = _SearchedTexts((path.rpartition("/")[2], QuickOpenTarget(path)) for path in paths)
        self._symbols = _SearchedTexts(
            (symbol.name, QuickOpenTarget(path, symbol.name, symbol.kind.lower(), symbol.line))
            for path, definitions in symbols.items()
            for symbol in definitions
        )
        self._paths = _SearchedTexts((path, QuickOpenTarget(path)) for path in paths)

    def find(self, query: str, limit: int) -> list[QuickOpenTarget]:
        """Return the best matches: equal texts, then prefixes, substrings and subsequences."""
        characters = [re.escape(character) for character in query.lower() if not character.isspace()]
        if not characters:
            return []
        joined = "".join(characters)
        # Possessive, because after a character the next one is best found at its first occurrence.
        gaps = "".join(f"{character}[^{following}\\n]*+" for character, following in pairwise(characters))
        subsequence = gaps + characters[-1]
        found: dict[QuickOpenTarget, None] = {}
        for pattern in (f"^{joined}$", f"^{joined}", joined, subsequence):
            for texts in (self._names, self._symbols, self._paths):
                if len(found) < limit:
                    targets = (target for target in texts.find(pattern) if target not in found)
                    found |= dict.fromkeys(islice(targets, limit - len(found)))
        return list(found)
