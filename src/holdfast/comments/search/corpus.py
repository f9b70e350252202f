"""All comments of the index in memory, in the order in which answers list them.

Contract: `bring_up_to_date` makes it equal to the index as the given connection sees it, reading only the
files that changed since. Equal numbers of matches are ordered by path, then line, then id.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain

from holdfast.comments.search.facets import Facets
from holdfast.comments.search.gathering import Gathering
from holdfast.comments.search.literals import Every
from holdfast.comments.search.pattern import MOST_COUNTED, Pattern, encoded
from holdfast.comments.search.query import Facts, Query
from holdfast.comments.search.roll import Roll, numbers_of
from holdfast.comments.search.tally import Tally, bits, numbers_in
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
_FEW_SHARE = 256
"""Where filters leave less than one in so many comments, they are tried one by one."""
_GATHERED_AT_ONCE = 5000
"""The words of so many comments are gathered in a tenth of a second."""


class Corpus:
    """Texts and facts of all comments, and answers from them."""

    def __init__(self, gathered_at_once: int = _GATHERED_AT_ONCE) -> None:
        self.state: tuple[str, int] | None = None
        self.paths: dict[int, str] = {}
        """The path of each file, in order."""
        self.sources: dict[str, str] = {}
        """What each file's source looked like when its comments were placed."""
        self.damaged: list[str] = []
        self._segments: dict[int, list[Facts]] = {}
        self._roll = Roll()
        self._facets = Facets(self._roll)
        self._numbers: dict[str, range] = {}
        """For each path the numbers of its comments."""
        self._number_of: dict[int, int] | None = None
        self._joined: tuple[bytes, list[int]] | None = None
        self._words: Words | None = None
        self._gathering: Gathering | None = None
        self._gathered_at_once = gathered_at_once
        self._questions = 0

    @property
    def has_words(self) -> bool:
        """Whether answers come from the words of all comments by now."""
        return self._words is not None

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
        before = {} if is_other else self._segments
        changed = {row[0] for row in rows if row[3] > since}
        new = _segments(connection, changed, everything=is_other)
        self._segments = {file: new[file] if file in new else before[file] for file in self.paths}
        gone = [segment for file, segment in before.items() if self._segments.get(file) is not segment]
        self._arrange(list(chain.from_iterable(gone)), list(chain.from_iterable(new.values())))
        self.state = state

    def _arrange(self, gone: list[Facts], new: list[Facts]) -> None:
        known = len(self._roll.by_number)
        files = self._segments.values()
        number = sum(map(len, files))
        if known + len(new) > 2 * number or len(new) > known:
            # So little of what is known is still there that it is better to begin anew.
            self._roll = Roll()
            self._facets = Facets(self._roll)
            self._gathering = None
            self._roll.update(files, (), list(chain.from_iterable(files)))
            if self._words is not None:
                self._words = Words([facts.text for facts in self._roll.by_number])
        else:
            self._roll.update(files, gone, new)
            if self._words is not None:
                self._words.append(known, [facts.text for facts in new])
        self._numbers = {
            self.paths[file]: numbers_of(facts) for file, facts in self._segments.items() if facts
        }
        self._number_of = self._joined = None

    def found(self, connection: sqlite3.Connection, query: Query) -> tuple[int, list[tuple[int, Facts]]]:
        """Return how many comments are meant, and the first of them with their number of matches."""
        meant = self._facets.meant(query, self._numbers)
        if query.pattern is None:
            return meant.bit_count(), [(1, facts) for facts in self._roll.first(meant, query.limit)]
        tally = self._counted(connection, query.pattern, meant)
        meant &= tally.counted()
        if query.by_place:
            first = self._roll.first(meant, query.limit)
            return meant.bit_count(), [(min(tally.of(facts.number), MOST_COUNTED), facts) for facts in first]
        chosen: list[tuple[int, Facts]] = []
        for count, some in _limited(tally.groups(meant)):
            if len(chosen) >= query.limit:
                break
            chosen += [(count, facts) for facts in self._roll.first(some, query.limit - len(chosen))]
        return meant.bit_count(), chosen

    def _counted(self, connection: sqlite3.Connection, pattern: Pattern, meant: int) -> Tally:
        """Return how often the pattern matches in each comment that is meant, and whatever for others."""
        words = self._words_if_worthwhile()
        are_few = meant.bit_count() * _FEW_SHARE < len(self._roll.by_number)
        sure, doubtful = Tally(), meant
        if not are_few and words is not None and (found := words.matches(pattern)) is not None:
            sure, doubtful = found[0].without(found[1]), found[1] & meant
        elif not are_few:
            doubtful = self._candidates(connection, pattern, meant)
        sure.count_each(self._tried(pattern, doubtful))
        return sure

    def _words_if_worthwhile(self) -> Words | None:
        """Return the words of all comments, unless this is the only time that a process asks."""
        self._questions += 1
        if self._words is None and self._questions > 1:
            self._words = self._gathered(self._roll.by_number)
        return self._words

    def _gathered(self, comments: Sequence[Facts]) -> Words | None:
        if len(comments) <= self._gathered_at_once:
            return Words([facts.text for facts in comments])
        if self._gathering is None:
            self._gathering = Gathering([facts.text for facts in comments])
        return self._gathering.words(comments)

    def _tried(self, pattern: Pattern, some: int) -> dict[int, int]:
        """Return how often the pattern matches in some comments, tried on each."""
        by_number = self._roll.by_number
        counts = ((number, pattern.count(by_number[number].text)) for number in numbers_in(some))
        return {number: count for number, count in counts if count}

    def _candidates(self, connection: sqlite3.Connection, pattern: Pattern, meant: int) -> int:
        """Return those of the comments meant that can match, and perhaps some others of them."""
        if pattern.needs is not None:
            if self._words is not None:
                found = self._words.holding(pattern.needs)
            else:
                found = self._looked_up(connection, pattern.needs)
            if found is not None:
                return found & meant
        if pattern.can_scan:
            return bits(list(pattern.scan(*self._all_together()))) & meant
        return meant

    def _looked_up(self, connection: sqlite3.Connection, needs: Every) -> int | None:
        """Return the comments that have the letters that a match needs; None: all may have them."""
        expression = _lookup(needs)
        if expression is None:
            return None
        if self._number_of is None:
            self._number_of = {
                facts.id: facts.number for facts in chain.from_iterable(self._segments.values())
            }
        # One value instead of many rows: a frequent word is in tens of thousands of comments.
        found = json.loads(connection.execute(_IDS, (expression,)).fetchone()[0])
        return bits([self._number_of[number] for number in found])

    def _all_together(self) -> tuple[bytes, list[int]]:
        if self._joined is None:
            pieces = [encoded(facts.text) + b"\n" for facts in self._roll.by_number]
            self._joined = b"".join(pieces), list(accumulate(map(len, pieces)))
        return self._joined


def _limited(groups: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the groups with counts of at most `MOST_COUNTED`: those above are one group."""
    most = 0
    for count, some in groups:
        if count >= MOST_COUNTED:
            most |= some
            continue
        if most:
            yield MOST_COUNTED, most
            most = 0
        yield count, some
    if most:
        yield MOST_COUNTED, most


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
