"""All comments of the index in memory, in the order in which results list them.

Contract: `refresh` makes the corpus equal to the index in the given transaction, and reads only the files
that changed. A comment's number is its position by path, then line, then id; comments with equally many
matches are ordered by it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import chain, groupby
from math import inf
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from holdfast.comments.search.matches import Texts, count_matches
from holdfast.comments.search.query import CommentQuery
from holdfast.storage.files.globs import file_filter

_SELECT_COMMENTS = "SELECT file, text, id, tag, author, moment, status, standing, ai FROM comment"
_SELECT_ALL = f"{_SELECT_COMMENTS} ORDER BY file, line, name"
_SELECT_OF_FILE = f"{_SELECT_COMMENTS} WHERE file = ? ORDER BY line, name"
_SELECT_FILES = "SELECT id, path, damage, generation, source FROM file ORDER BY path"


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
        self._fields: list[FilterFields] = []

    def refresh(self, connection: sqlite3.Connection, state: tuple[str, int]) -> None:
        """Load what changed in the index; `state` is its token and its generation."""
        if self._state == state:
            return
        token, _ = state
        known_token, since = self._state or (None, -1)
        is_rebuilt = token != known_token
        if is_rebuilt:
            since = -1
        self.paths, self.sources, self.damaged = {}, {}, []
        changed: list[int] = []
        for file, path, damage, generation, source in connection.execute(_SELECT_FILES):
            self.paths[file], self.sources[path] = path, source
            if damage is not None:
                self.damaged.append(path)
            if generation > since:
                changed.append(file)
        self._replace(dict(_read_comments(connection, None if is_rebuilt else changed)), set(changed))
        self._state = state

    def _replace(self, new: Mapping[int, _FileComments], changed: Set[int]) -> None:
        """Replace the comments of changed files with `new`, and renumber all comments."""
        parts: list[tuple[Texts, range]] = []
        fields: list[FilterFields] = []
        numbers: dict[int, range] = {}
        for file in self.paths:
            if file in changed:
                texts, file_fields = new.get(file, (Texts(), []))
                parts.append((texts, range(len(file_fields))))
            else:
                previous = self._numbers[file]
                file_fields = self._fields[previous.start : previous.stop]
                parts.append((self._texts, previous))
            numbers[file] = range(len(fields), len(fields) + len(file_fields))
            fields += file_fields
        self._numbers, self._fields, self._texts = numbers, fields, Texts.concatenate(parts)

    def find(self, query: CommentQuery) -> tuple[int, list[tuple[int, FilterFields]]]:
        """Return the number of matching comments, and the first of them, each with its number of matches."""
        selected = self._filter(query)
        if query.pattern is None:
            numbers = range(len(self._fields)) if selected is None else sorted(selected)
            return len(numbers), [(1, self._fields[number]) for number in numbers[: query.limit]]
        counts = count_matches(query.pattern, self._texts, selected)
        # Sorting is stable, also in reverse, so equally frequent comments keep their order.
        order = list(counts) if query.by_place else sorted(counts, key=counts.__getitem__, reverse=True)
        return len(counts), [(counts[number], self._fields[number]) for number in order[: query.limit]]

    def _filter(self, query: CommentQuery) -> set[int] | None:
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
        column = FilterFields._fields.index(name)
        return {number for number, fields in enumerate(self._fields) if fields[column] == value}

    def _between(self, start: int | None, end: int | None) -> set[int]:
        """Return the comments created in a closed interval; comments with an unknown time are left out."""
        first = -inf if start is None else start
        last = inf if end is None else end
        times = map(itemgetter(FilterFields._fields.index("created_at")), self._fields)
        return {number for number, time in enumerate(times) if time is not None and first <= time <= last}

    def _in_paths(self, pattern: str) -> set[int]:
        matches_path = file_filter(pattern)
        files = zip(self.paths.values(), self._numbers.values(), strict=True)
        return set(chain.from_iterable(numbers for path, numbers in files if matches_path(path)))


_FileComments: TypeAlias = tuple[Texts, list[FilterFields]]


def _read_comments(
    connection: sqlite3.Connection, changed: Iterable[int] | None
) -> Iterator[tuple[int, _FileComments]]:
    """Yield the comments of each changed file that has any, or of all files if `changed` is None."""
    if changed is None:
        rows: Iterable[Any] = connection.execute(_SELECT_ALL)
    else:
        rows = chain.from_iterable(connection.execute(_SELECT_OF_FILE, (file,)) for file in changed)
    interned: dict[object, Any] = {}
    for file, group in groupby(rows, itemgetter(0)):
        texts: list[str] = []
        fields: list[FilterFields] = []
        for _, text, comment_id, *values in group:
            texts.append(text)
            # Values repeat often; equal values share one object.
            fields.append(FilterFields(comment_id, *(interned.setdefault(value, value) for value in values)))
        yield file, (Texts(texts), fields)
