"""All comments of the index in memory, in the order in which answers list them.

Contract: `bring_up_to_date` makes it equal to the index as the given connection sees it, reading only the
files that changed since. Equal numbers of matches are ordered by path, then line, then id.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, compress, islice, repeat
from operator import itemgetter
from typing import TypeVar

from holdfast.comments.search.folding import folded
from holdfast.comments.search.literals import Every
from holdfast.comments.search.pattern import MOST_COUNTED, Pattern, encoded
from holdfast.comments.search.query import Accept, Facts, Query
from holdfast.comments.search.words import Words

_ALL = (
    "SELECT id, file, text, tag, author, moment, status, standing, ai FROM comment ORDER BY file, line, name"
)
_OF_FILE = (
    "SELECT id, file, text, tag, author, moment, status, standing, ai FROM comment"
    " WHERE file = ? ORDER BY line, name"
)
_FILES = "SELECT id, path, damage, generation, source FROM file ORDER BY path"
_IDS = "SELECT json_group_array(rowid) FROM letters WHERE letters MATCH ?"
_LETTERS = 3
_MOST_TOKENS = 24
_MOST_BRANCHES = 40


Item = TypeVar("Item")


class Corpus:
    """Texts and facts of all comments, by their place in the order."""

    def __init__(self) -> None:
        self.state: tuple[str, int] | None = None
        self.paths: dict[int, str] = {}
        self.sources: dict[str, str] = {}
        """What each file's source looked like when its comments were placed."""
        self.damaged: list[str] = []
        self._segments: dict[int, list[Facts]] = {}
        self._facts: list[Facts] = []
        self._folded: list[str] = []
        self._places: list[int] | None = None
        self._joined: tuple[bytes, list[int]] | None = None
        self._words: Words | None = None
        self._questions = 0

    def __len__(self) -> int:
        return len(self._facts)

    def bring_up_to_date(self, connection: sqlite3.Connection, state: tuple[str, int]) -> None:
        """Take over what changed in the index."""
        if self.state == state:
            return
        is_other = self.state is None or self.state[0] != state[0]
        since = -1 if is_other or self.state is None else self.state[1]
        rows = connection.execute(_FILES).fetchall()
        self.paths = {row[0]: row[1] for row in rows}
        self.sources = {row[1]: row[4] for row in rows}
        self.damaged = [row[1] for row in rows if row[2] is not None]
        kept = {} if is_other else self._segments
        changed = {row[0] for row in rows if row[3] > since}
        self._segments = {
            file: kept[file] for file in self.paths if file in kept and file not in changed
        } | _segments(connection, changed, everything=is_other)
        self._arrange([row[0] for row in rows])
        self.state = state

    def _arrange(self, order: Iterable[int]) -> None:
        self._facts = list(chain.from_iterable(self._segments.get(file, ()) for file in order))
        self._folded = [folded(facts.text) for facts in self._facts]
        self._places = self._joined = None
        if self._words is not None:
            self._words.bring_up_to_date(self._facts)

    def found(
        self, connection: sqlite3.Connection, query: Query, accept: Accept | None
    ) -> tuple[int, list[tuple[int, Facts]]]:
        """Return how many comments match and are accepted, and the first of them with their matches."""
        pattern = query.pattern
        if pattern is not None and pattern.is_within_words and not query.by_place:
            words = self._words_if_worthwhile()
            if words is not None and (found := words.find(pattern, accept, query.limit)) is not None:
                return found
        places = self._candidates(connection, pattern)
        if accept is not None:
            facts = self._facts
            places = [place for place in places if accept(facts[place])]
        counts = self._counts(pattern, places)
        total = len(counts) - counts.count(0)
        if query.by_place:
            chosen = list(islice(compress(zip(counts, places, strict=True), counts), query.limit))
        else:
            chosen = best(places, counts, query.limit)
        return total, [(count, self._facts[place]) for count, place in chosen]

    def _words_if_worthwhile(self) -> Words | None:
        """Return the words of all comments, unless this is the only time that a process asks."""
        self._questions += 1
        if self._words is None and self._questions > 1:
            self._words = Words()
            self._words.bring_up_to_date(self._facts)
        return self._words

    def _counts(self, pattern: Pattern | None, places: Sequence[int]) -> list[int]:
        """Return how often the pattern matches at each place."""
        if pattern is None:
            return [1] * len(places)
        if pattern.text is not None:
            # A frequent word is in tens of thousands of comments: no step of Python for each.
            found = list(map(str.count, picked(self._folded, places), repeat(pattern.text)))
            is_within = max(found, default=0) <= MOST_COUNTED
            return found if is_within else [min(count, MOST_COUNTED) for count in found]
        return [pattern.count(facts.text) for facts in picked(self._facts, places)]

    def _candidates(self, connection: sqlite3.Connection, pattern: Pattern | None) -> Sequence[int]:
        """Return, in order, the places of all comments that can match, and perhaps of some others."""
        if pattern is None:
            return range(len(self._facts))
        expression = None if pattern.needs is None else _lookup(pattern.needs)
        if expression is not None:
            return self._looked_up(connection, expression)
        if pattern.can_scan:
            return list(pattern.scan(*self._all_together()))
        return range(len(self._facts))

    def _looked_up(self, connection: sqlite3.Connection, expression: str) -> list[int]:
        if self._places is None:
            self._places = [0] * (max((facts.id for facts in self._facts), default=0) + 1)
            for place, facts in enumerate(self._facts):
                self._places[facts.id] = place
        # One value instead of many rows, for the same reason.
        found = connection.execute(_IDS, (expression,)).fetchone()
        return sorted(picked(self._places, json.loads(found[0])))

    def _all_together(self) -> tuple[bytes, list[int]]:
        if self._joined is None:
            pieces = [encoded(facts.text) + b"\n" for facts in self._facts]
            ends: list[int] = []
            end = 0
            for piece in pieces:
                end += len(piece)
                ends.append(end)
            self._joined = b"".join(pieces), ends
        return self._joined


def best(places: Sequence[int], counts: list[int], limit: int) -> list[tuple[int, int]]:
    """Return the highest counts, zero aside, each with its place; of equal ones the first in place."""
    least, room = 1, limit
    for count, number in sorted(Counter(counts).items(), reverse=True):
        least = max(count, 1)
        if number >= room:
            break
        room -= number
    above = compress(zip(counts, places, strict=True), map(least.__lt__, counts))
    chosen = sorted(above, key=lambda pair: (-pair[0], pair[1]))
    equal = sorted(compress(places, map(least.__eq__, counts)))
    return chosen + [(least, place) for place in equal[: limit - len(chosen)]]


def picked(items: Sequence[Item], places: Sequence[int]) -> Sequence[Item]:
    """Return the items at some places, faster than one by one."""
    if len(places) < 2:
        return [items[place] for place in places]
    found: Sequence[Item] = itemgetter(*places)(items)
    return found


def _segments(connection: sqlite3.Connection, files: set[int], *, everything: bool) -> dict[int, list[Facts]]:
    found: dict[int, list[Facts]] = {file: [] for file in files}
    if everything:
        rows: Iterable[tuple[object, ...]] = connection.execute(_ALL)
    else:
        rows = chain.from_iterable(connection.execute(_OF_FILE, (file,)) for file in files)
    for row in rows:
        facts = Facts(*row)  # type: ignore[arg-type]
        found[facts.file].append(facts)
    return found


def _lookup(needs: Every) -> str | None:
    """Return the words of a full-text query for what a match needs, or None when they would be too short."""
    parts = [token for text in needs.texts for token in _tokens(text)][:_MOST_TOKENS]
    for choice in needs.choices:
        branches = [_lookup(branch) for branch in choice]
        if len(branches) <= _MOST_BRANCHES and all(branches):
            parts.append(f"({' OR '.join(branch for branch in branches if branch)})")
    return f"({' AND '.join(parts)})" if parts else None


def _tokens(text: str) -> list[str]:
    """Return three letters at a time that cover a text, quoted."""
    starts = {*range(0, len(text) - _LETTERS, _LETTERS), len(text) - _LETTERS}
    pieces = [text[start : start + _LETTERS] for start in sorted(starts) if start >= 0]
    return ['"' + piece.replace('"', '""') + '"' for piece in pieces if _is_indexed(piece)]


def _is_indexed(piece: str) -> bool:
    """Tell whether the index sees these letters as they are: a NUL ends a text for it."""
    return "\0" not in piece and not any("\ud800" <= letter <= "\udfff" for letter in piece)
