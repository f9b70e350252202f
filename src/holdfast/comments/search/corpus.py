"""All comments of the index in memory, in the order in which answers list them.

Contract: `bring_up_to_date` makes it equal to the index as the given connection sees it, reading only the
files that changed since. A comment's number is its place in the order of paths, then lines, then ids; equal
numbers of matches are ordered by it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import chain, groupby
from math import inf
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from holdfast.comments.search.matches import Texts, matches
from holdfast.comments.search.query import Query
from holdfast.storage.files.globs import file_filter

_COMMENTS = "SELECT file, text, id, tag, author, moment, status, standing, ai FROM comment"
_ALL = f"{_COMMENTS} ORDER BY file, line, name"
_OF_FILE = f"{_COMMENTS} WHERE file = ? ORDER BY line, name"
_FILES = "SELECT id, path, damage, generation, source FROM file ORDER BY path"


class Facts(NamedTuple):
    """What filters look at, of one comment."""

    id: int
    tag: str | None
    author: str
    moment: int | None
    status: str
    standing: str
    ai: int


class Corpus:
    """Texts and facts of all comments, and answers from them."""

    def __init__(self) -> None:
        self.paths: dict[int, str] = {}
        """The path of each file, in order."""
        self.sources: dict[str, str] = {}
        """What each file's source looked like when its comments were placed."""
        self.damaged: list[str] = []
        self._state: tuple[str, int] | None = None
        self._numbers: dict[int, range] = {}
        """For each file the numbers of its comments."""
        self._texts = Texts()
        self._facts: list[Facts] = []

    def bring_up_to_date(self, connection: sqlite3.Connection, state: tuple[str, int]) -> None:
        """Take over what changed in the index."""
        if self._state == state:
            return
        is_other = self._state is None or self._state[0] != state[0]
        since = -1 if is_other or self._state is None else self._state[1]
        rows = connection.execute(_FILES).fetchall()
        self.paths = {row[0]: row[1] for row in rows}
        self.sources = {row[1]: row[4] for row in rows}
        self.damaged = [row[1] for row in rows if row[2] is not None]
        changed = [row[0] for row in rows if row[3] > since]
        self._take_over(dict(_comments(connection, None if is_other else changed)), set(changed))
        self._state = state

    def _take_over(self, new: Mapping[int, _Comments], changed: Set[int]) -> None:
        """Put the comments of changed files in the place of those they had before."""
        parts, facts = [], list[Facts]()
        numbers: dict[int, range] = {}
        for file in self.paths:
            if file in changed:
                texts, some = new.get(file, (Texts(), []))
                parts.append((texts, range(len(some))))
            else:
                before = self._numbers[file]
                some = self._facts[before.start : before.stop]
                parts.append((self._texts, before))
            numbers[file] = range(len(facts), len(facts) + len(some))
            facts += some
        self._numbers, self._facts, self._texts = numbers, facts, Texts.chained(parts)

    def found(self, query: Query) -> tuple[int, list[tuple[int, Facts]]]:
        """Return how many comments are meant, and the first of them with their number of matches."""
        meant = self._filtered(query)
        if query.pattern is None:
            numbers = range(len(self._facts)) if meant is None else sorted(meant)
            return len(numbers), [(1, self._facts[number]) for number in numbers[: query.limit]]
        counts = matches(query.pattern, self._texts, meant)
        # Sorting leaves what is equal in order, also backwards.
        order = list(counts) if query.by_place else sorted(counts, key=counts.__getitem__, reverse=True)
        return len(counts), [(counts[number], self._facts[number]) for number in order[: query.limit]]

    def _filtered(self, query: Query) -> set[int] | None:
        """Return the numbers of the comments that fit all filters; None: all of them."""
        wanted = {name: getattr(query, name) for name in ("tag", "author", "status", "standing")}
        wanted["ai"] = query.has_ai
        sets = [self._having(name, value) for name, value in wanted.items() if value is not None]
        if query.start is not None or query.end is not None:
            sets.append(self._between(query.start, query.end))
        if query.path is not None:
            sets.append(self._below(query.path))
        return set.intersection(*sets) if sets else None

    def _having(self, name: str, value: object) -> set[int]:
        field = Facts._fields.index(name)
        return {number for number, facts in enumerate(self._facts) if facts[field] == value}

    def _between(self, start: int | None, end: int | None) -> set[int]:
        """Return the comments made in a time, whose ends belong to it; those whose time is known."""
        first = -inf if start is None else start
        last = inf if end is None else end
        moments = map(itemgetter(Facts._fields.index("moment")), self._facts)
        return {
            number for number, moment in enumerate(moments) if moment is not None and first <= moment <= last
        }

    def _below(self, pattern: str) -> set[int]:
        """Return the comments of the files that a path or a pattern means."""
        is_meant = file_filter(pattern)
        named = zip(self.paths.values(), self._numbers.values(), strict=True)
        return set(chain.from_iterable(numbers for path, numbers in named if is_meant(path)))


_Comments: TypeAlias = tuple[Texts, list[Facts]]


def _comments(
    connection: sqlite3.Connection, changed: Iterable[int] | None
) -> Iterator[tuple[int, _Comments]]:
    """Yield the comments of changed files that have any; None: of all files."""
    if changed is None:
        rows: Iterable[Any] = connection.execute(_ALL)
    else:
        rows = chain.from_iterable(connection.execute(_OF_FILE, (file,)) for file in changed)
    known: dict[object, Any] = {}
    for file, some in groupby(rows, itemgetter(0)):
        comments = list(some)
        # There are few different values, and each is kept once.
        facts = [Facts(row[2], *(known.setdefault(value, value) for value in row[3:])) for row in comments]
        yield file, (Texts(row[1] for row in comments), facts)
