"""All comments of the index in memory, in the order in which results list them.

Contract: `refresh` makes the corpus equal to the index as the given connection sees it, reading only the
files that changed. A comment's number is its position by path, then line, then id; results with equally many
matches are ordered by it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import chain, groupby
from math import inf
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from holdfast.comments.search.matches import Texts, match_counts
from holdfast.comments.search.query import CommentQuery
from holdfast.storage.files.globs import file_filter

_COMMENTS = "SELECT file, text, id, tag, author, moment, status, standing, ai FROM comment"
_ALL = f"{_COMMENTS} ORDER BY file, line, name"
_OF_FILE = f"{_COMMENTS} WHERE file = ? ORDER BY line, name"
_FILES = "SELECT id, path, damage, generation, source FROM file ORDER BY path"


class FilterFields(NamedTuple):
    """The fields of a comment that filters compare."""

    id: int
    tag: str | None
    author: str
    created_at: int | None
    status: str
    standing: str
    ai: int


class Corpus:
    """Texts and filter fields of all comments."""

    def __init__(self) -> None:
        self.paths: dict[int, str] = {}
        """The path of each file, in order."""
        self.sources: dict[str, str] = {}
        """The signature that each file's source had when its comments were located."""
        self.damaged: list[str] = []
        self._state: tuple[str, int] | None = None
        self._numbers: dict[int, range] = {}
        """The numbers of each file's comments."""
        self._texts = Texts()
        self._facts: list[FilterFields] = []

    def refresh(self, connection: sqlite3.Connection, state: tuple[str, int]) -> None:
        """Load what changed in the index."""
        if self._state == state:
            return
        is_other = self._state is None or self._state[0] != state[0]
        since = -1 if is_other or self._state is None else self._state[1]
        rows = connection.execute(_FILES).fetchall()
        self.paths = {row[0]: row[1] for row in rows}
        self.sources = {row[1]: row[4] for row in rows}
        self.damaged = [row[1] for row in rows if row[2] is not None]
        changed = [row[0] for row in rows if row[3] > since]
        self._replace(dict(_comments(connection, None if is_other else changed)), set(changed))
        self._state = state

    def _replace(self, new: Mapping[int, _Comments], changed: Set[int]) -> None:
        """Replace the comments of changed files."""
        parts, facts = [], list[FilterFields]()
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

    def find(self, query: CommentQuery) -> tuple[int, list[tuple[int, FilterFields]]]:
        """Return the number of matching comments, and the first of them with their number of matches."""
        meant = self._filtered(query)
        if query.pattern is None:
            numbers = range(len(self._facts)) if meant is None else sorted(meant)
            return len(numbers), [(1, self._facts[number]) for number in numbers[: query.limit]]
        counts = match_counts(query.pattern, self._texts, meant)
        # Sorting is stable, in reverse as well.
        order = list(counts) if query.by_place else sorted(counts, key=counts.__getitem__, reverse=True)
        return len(counts), [(counts[number], self._facts[number]) for number in order[: query.limit]]

    def _filtered(self, query: CommentQuery) -> set[int] | None:
        """Return the numbers of the comments that pass all filters; None means all of them."""
        wanted = {name: getattr(query, name) for name in ("tag", "author", "status", "standing")}
        wanted["ai"] = query.has_ai
        sets = [self._equal_to(name, value) for name, value in wanted.items() if value is not None]
        if query.start is not None or query.end is not None:
            sets.append(self._between(query.start, query.end))
        if query.path is not None:
            sets.append(self._in_paths(query.path))
        return set.intersection(*sets) if sets else None

    def _equal_to(self, name: str, value: object) -> set[int]:
        field = FilterFields._fields.index(name)
        return {number for number, facts in enumerate(self._facts) if facts[field] == value}

    def _between(self, start: int | None, end: int | None) -> set[int]:
        """Return the comments created in an interval, ends included; those whose time is known."""
        first = -inf if start is None else start
        last = inf if end is None else end
        times = map(itemgetter(FilterFields._fields.index("created_at")), self._facts)
        return {number for number, time in enumerate(times) if time is not None and first <= time <= last}

    def _in_paths(self, pattern: str) -> set[int]:
        """Return the comments of the files that a path or a pattern matches."""
        matches_path = file_filter(pattern)
        files = zip(self.paths.values(), self._numbers.values(), strict=True)
        return set(chain.from_iterable(numbers for path, numbers in files if matches_path(path)))


_Comments: TypeAlias = tuple[Texts, list[FilterFields]]


def _comments(
    connection: sqlite3.Connection, changed: Iterable[int] | None
) -> Iterator[tuple[int, _Comments]]:
    """Yield the comments of changed files that have any; `changed` None means all files."""
    if changed is None:
        rows: Iterable[Any] = connection.execute(_ALL)
    else:
        rows = chain.from_iterable(connection.execute(_OF_FILE, (file,)) for file in changed)
    known: dict[object, Any] = {}
    for file, some in groupby(rows, itemgetter(0)):
        comments = list(some)
        # Values repeat often; equal ones share one object.
        facts = [
            FilterFields(row[2], *(known.setdefault(value, value) for value in row[3:])) for row in comments
        ]
        yield file, (Texts(row[1] for row in comments), facts)
