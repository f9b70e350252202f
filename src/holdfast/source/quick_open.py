"""Quick open: fuzzy search for files by name and path, and for symbols by name.

All texts are joined into one string, the shortest first, so that a regular expression yields the matches best
first and can stop early.
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


class _Column:
    """Targets indexed by one text each, searched from the shortest to the longest."""

    def __init__(self, targets: Iterable[tuple[str, QuickOpenTarget]]) -> None:
        ordered = sorted(targets, key=lambda item: (len(item[0]), item[0], item[1].path, item[1].line or 0))
        self._targets = [target for _, target in ordered]
        lines = [f"{text.lower().replace(chr(10), ' ')}\n" for text, _ in ordered]
        self._text = "".join(lines)
        self._starts = list(accumulate(map(len, lines), initial=0))

    def matching(self, pattern: str) -> Iterator[QuickOpenTarget]:
        for match in re.finditer(pattern, self._text, re.MULTILINE):
            yield self._targets[bisect_right(self._starts, match.start()) - 1]


class QuickOpenIndex:
    """The files and symbols of a repository."""

    def __init__(self, paths: Sequence[str], symbols: Mapping[str, Sequence[Definition]]) -> None:
        self.files_with_symbols = len(symbols)
        self._names = _Column((path.rpartition("/")[2], QuickOpenTarget(path)) for path in paths)
        self._symbols = _Column(
            (each.name, QuickOpenTarget(path, each.name, each.kind.lower(), each.line))
            for path, definitions in symbols.items()
            for each in definitions
        )
        self._paths = _Column((path, QuickOpenTarget(path)) for path in paths)

    def find(self, query: str, limit: int) -> list[QuickOpenTarget]:
        """Return the best matches: equal names, prefixes, substrings, then subsequences."""
        letters = [re.escape(letter) for letter in query.lower() if not letter.isspace()]
        joined = "".join(letters)
        scattered = "".join(f"{letter}[^{following}\\n]*+" for letter, following in pairwise(letters))
        found: dict[QuickOpenTarget, None] = {}
        for pattern in (f"^{joined}$", f"^{joined}", joined, (scattered + letters[-1]) if letters else ""):
            for column in (self._names, self._symbols, self._paths):
                if letters and len(found) < limit:
                    targets = (target for target in column.matching(pattern) if target not in found)
                    found |= dict.fromkeys(islice(targets, limit - len(found)))
        return list(found)
