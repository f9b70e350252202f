"""The statements of a project, by the indentation of its lines, and what of them is code that runs.

A *row* is a line with tokens. A statement is a row and what belongs to it: the deeper rows below, and rows
that continue it, such as `else` or a closing bracket. In

    if ready:          # one statement of three rows
        start()
    else:
        wait()
    report()           # another

Contract:
- Indentation decides, as in every language that people indent; brackets only mark the rows that continue.
- A row runs if it calls, assigns or branches. Closing brackets, fields of types and elements of lists and
  tables do not. What runs is recognised by its tokens; where that is wrong, a row is miscounted.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.analysis.duplicates.clone import CloneQuery
from holdfast.analysis.duplicates.clone_corpus import (
    IMPORT,
    NAME,
    Booleans,
    CloneCorpus,
    Codes,
    Integers,
    NormalisedText,
    RowMark,
    blinded,
    bounds_from_sizes,
    indices_of_ranges,
    kinds_of,
    steps_of_ranges,
)
from holdfast.analysis.duplicates.matches import Matches, maximal_matches
from holdfast.syntax.lexer import KEYWORD, WORD_MASK, word_hash

Levels = NDArray[np.uint8]
"""Indentations in columns."""

_CONTINUING = ") ] } { else elif elsif elseif except finally catch rescue ensure end done fi esac then do"
"""Tokens at the start of a row that continue the statement above, at the same indentation."""
_BRANCHING = (
    "if elif elsif else for foreach while until loop switch select match case when unless try catch except"
    " finally return yield throw raise await assert break continue goto defer go with del delete"
)
"""Keywords of statements that run, in all languages."""
_DECLARING = "def func function fn fun"
"""Keywords before a name and a parenthesis that declare instead of calling."""
_TYPES = "interface struct enum union type typedef protocol"
"""Keywords of types, whose fields and method signatures do not run."""
_COMMAND_LANGUAGES = frozenset({"bash", "ruby"})
"""Languages that call without parentheses: a row that starts with a name runs."""
_MIN_RUNNING_SHARE = 0.5
"""The least share of rows that run, of those with more than brackets: a judgement, by reading the clones of
lazygit, jinja and vite. A copied function has more; tables and types have less."""

_MIN_VARIETY = 1 / 3
"""Rows of different shape, as a share: a judgement, by reading the same clones. Lists have fewer, such as the
ten `self.name = name` of a constructor."""

_ENOUGH_SHAPES = 10
"""Different shapes that are enough for any number of rows: a judgement, as long code repeats some."""
_SHAPE_BASE = np.uint64(0x9E3779B97F4A7C15)
"""The base of a polynomial hash: an odd number near 2**64 / φ."""
_SLOT_BITS = 16
"""Bits of a hash that select a slot in the table of words: a judgement, a thousand slots for each word."""

Rows = tuple[int, int]
"""A range of rows: the first, and the one after the last."""


class _Word:
    """What the words and signs with a meaning for statements are."""

    PUNCTUATION = np.uint16(1)
    CONTINUING = np.uint16(2)
    BRANCHING = np.uint16(4)
    DECLARING = np.uint16(8)
    TYPE = np.uint16(16)
    OPENING = np.uint16(32)
    """It may end the row before the body of a type."""
    PARENTHESIS = np.uint16(64)
    EXCLAMATION = np.uint16(128)
    ASSIGNMENT = np.uint16(256)
    COUNTING = np.uint16(512)
    COMMA = np.uint16(1024)
    HASH = np.uint16(2048)


_WORDS = (
    (_Word.PUNCTUATION, "( ) [ ] { } , ; :"),
    (_Word.CONTINUING, _CONTINUING),
    (_Word.BRANCHING, _BRANCHING),
    (_Word.DECLARING, _DECLARING),
    (_Word.TYPE, _TYPES),
    (_Word.OPENING, "{ ( ="),
    (_Word.PARENTHESIS, "("),
    (_Word.EXCLAMATION, "!"),
    (_Word.ASSIGNMENT, "="),
    (_Word.COUNTING, "+ -"),
    (_Word.COMMA, ","),
    (_Word.HASH, "#"),
)


class _Signal:
    """What a token says about its row."""

    CONTENT = np.uint8(1)
    BRANCHES = np.uint8(2)
    CALLS_OR_ASSIGNS = np.uint8(4)


class Statements:
    """The rows of a corpus, numbered through all files, and what searches for clones share.

    Usable from many threads.
    """

    def __init__(self, corpus: CloneCorpus, former: Statements | None = None) -> None:
        """`former` may have been asked about files that have not changed."""
        self.corpus = corpus
        self.starts = corpus.line_starts
        """The first token of each row, followed by the number of tokens."""
        self._levels: Levels = corpus.rows["level"]
        marks = corpus.rows["marks"]
        self._continues = marks & RowMark.CONTINUES != 0
        self._has_content = has_content = marks & RowMark.CONTENT != 0
        self._content_before = bounds_from_sizes(has_content)
        self._tokens_before = bounds_from_sizes(np.where(has_content, np.diff(self.starts), 0))
        self._running_before = bounds_from_sizes(marks & RowMark.RUNS != 0)
        self._file_rows: list[int] = corpus.file_rows.tolist()
        self._matches: dict[tuple[bool, int], list[Matches]] = {}
        self._whole: dict[tuple[str, Rows], list[Rows]] = {}
        """By the key of a file and rows within it, as are the results."""
        self._former_whole = {} if former is None else former._whole
        self._lock = Lock()

    def matches(self, text: NormalisedText, min_tokens: int) -> list[Matches]:
        """Return the maximal matches of a text, which are searched for once."""
        key = text.previous_distances is None, min_tokens
        with self._lock:
            if key not in self._matches:
                self._matches[key] = maximal_matches(self.corpus, text, min_tokens)
            return self._matches[key]

    def indentations(self, rows: Rows) -> list[int]:
        """Return the indentation of some rows, in columns."""
        first, end = rows
        levels: list[int] = self._levels[first:end].tolist()
        return levels

    def rows_of_tokens(self, start: int, end: int) -> Rows:
        """Return the rows of a range of tokens that starts and ends with a row."""
        first, stop = np.searchsorted(self.starts, [start, end]).tolist()
        return first, stop

    def are_substantial(self, first: Any, end: Any, query: CloneQuery) -> Any:
        """Return whether some rows are long enough, without rows of brackets alone, and mostly run.

        `first` and `end` are numbers, or arrays of the same length.
        """
        content_rows = self._content_before[end] - self._content_before[first]
        return (
            (content_rows >= query.min_lines)
            & (self._tokens_before[end] - self._tokens_before[first] >= query.min_tokens)
            & (self.running_rows(first, end) >= _MIN_RUNNING_SHARE * content_rows)
        )

    def running_rows(self, first: Any, end: Any) -> Any:
        """Return how many of some rows run."""
        return self._running_before[end] - self._running_before[first]

    def may_have_clones(self, firsts: Integers, ends: Integers, query: CloneQuery) -> Booleans:
        """Return for each range of rows whether any part of it may be substantial."""
        possible: Booleans = (
            (self._content_before[ends] - self._content_before[firsts] >= query.min_lines)
            & (self._tokens_before[ends] - self._tokens_before[firsts] >= query.min_tokens)
            & (self.running_rows(firsts, ends) >= _MIN_RUNNING_SHARE * query.min_lines)
        )
        return possible

    def are_varied(self, firsts: Integers, ends: Integers) -> Booleans:
        """Return for each range of rows whether it is more than a list of like statements."""
        shape_counts, content_rows = np.zeros(len(firsts)), np.zeros(len(firsts))
        for step in steps_of_ranges(ends - firsts):
            counts = ends[step] - firsts[step]
            rows = indices_of_ranges(firsts[step], counts)
            ranges = np.repeat(np.arange(len(counts)), counts)[self._has_content[rows]]
            shapes, numbers = np.unique(self._shapes(rows[self._has_content[rows]]), return_inverse=True)
            distinct = np.unique(ranges * len(shapes) + numbers)
            content_rows[step] = np.bincount(ranges, minlength=len(counts))
            shape_counts[step] = np.bincount(distinct // max(len(shapes), 1), minlength=len(counts))
        varied: Booleans = shape_counts > np.minimum(_MIN_VARIETY * content_rows, _ENOUGH_SHAPES)
        return varied

    def _shapes(self, rows: Integers) -> NDArray[np.uint64]:
        """Return a hash of each row's tokens, with names and literals blinded."""
        counts = self.starts[rows + 1] - self.starts[rows]
        bounds = bounds_from_sizes(counts)
        blind = blinded(self.corpus.tokens[indices_of_ranges(self.starts[rows], counts)]).astype(np.uint64)
        columns = np.arange(bounds[-1]) - np.repeat(bounds[:-1], counts)
        powers = np.full(int(counts.max(initial=0)), _SHAPE_BASE)
        np.cumprod(powers, out=powers)
        if not len(rows):
            return np.zeros(0, np.uint64)
        shapes: NDArray[np.uint64] = np.add.reduceat(blind * powers[columns], bounds[:-1])
        return shapes

    def whole(self, rows: Rows) -> list[Rows]:
        """Return the longest sequences of whole statements on one level, within rows of one file."""
        file = bisect_right(self._file_rows, rows[0]) - 1
        start = self._file_rows[file]
        key = self.corpus.columns.keys[file], (rows[0] - start, rows[1] - start)
        found = self._whole.get(key) or self._former_whole.get(key)
        if found is None:
            found = [
                (first + rows[0] - start, end + rows[0] - start)
                for first, end in self._sequences(rows, self._file_rows[file + 1])
            ]
        self._whole[key] = found
        return [(first + start, end + start) for first, end in found]

    def _sequences(self, rows: Rows, file_end: int) -> Iterator[Rows]:
        """Yield them as rows counted from the first of the given ones."""
        offset, last = rows
        levels = self._levels[offset : last + 1].tolist()
        continues = self._continues[offset : last + 1].tolist()
        if last == file_end:
            levels[last - offset :] = [-1]  # at the end of a file every statement ends
        parts = [(0, last - offset)]
        while parts:
            first, end = parts.pop()
            if first >= end:
                continue
            level = min(levels[first:end])
            outer = [row for row in range(first, end) if levels[row] == level]
            heads = [row for row in outer if not continues[row]]
            start, stop = end, end
            if heads:
                start = heads[0]
                ends_statement = levels[end] < level or (levels[end] == level and not continues[end])
                stop = end if ends_statement else heads[-1]
            if start < stop:
                yield start, stop
            # What remains belongs to statements that start before these rows, or end after them.
            for part_start, part_end in ((first, start), (stop, end)):
                inside = [row for row in outer if part_start <= row < part_end]
                following = [row + 1 for row in inside]
                parts += zip([part_start, *following], [*inside, part_end], strict=True)


def row_columns(
    tokens: Codes, row_starts: Integers, file_rows: Integers, indents: Levels, languages: Sequence[str]
) -> tuple[Levels, NDArray[np.uint8]]:
    """Return the level and the marks of each row, given its indentation and the language of each file."""
    starts, words = row_starts[:-1], _words(tokens)
    row_counts = np.diff(file_rows)
    first_words = words[starts]
    # Directives of C are written in the first column, whatever is around them.
    is_directive = (first_words & _Word.HASH != 0) & (indents == 0)
    levels = indents
    if is_directive.any():
        file_starts = np.repeat(file_rows[:-1], row_counts)
        other_rows = np.where(is_directive, file_starts, np.arange(len(starts)))
        levels = indents[np.maximum.accumulate(other_rows)]
    signals = _signals(tokens, words, row_starts[file_rows[:-1]])
    signals = np.bitwise_or.reduceat(signals, starts) if len(starts) else signals
    kinds = kinds_of(tokens[starts])
    runs_commands = np.repeat(
        np.array([language in _COMMAND_LANGUAGES for language in languages], np.bool_), row_counts
    )
    is_listed = words[row_starts[1:] - 1] & _Word.COMMA != 0
    calls_or_assigns = (signals & _Signal.CALLS_OR_ASSIGNS != 0) | (runs_commands & (kinds == NAME))
    has_content = signals & _Signal.CONTENT != 0
    runs = ((signals & _Signal.BRANCHES != 0) | (calls_or_assigns & ~is_listed)) & has_content
    for first, end in _type_bodies(tokens, words, row_starts, file_rows, levels):
        runs[first:end] &= levels[first:end] > levels[first:end].min()
    marks = np.zeros(len(starts), np.uint8)
    for mark, has_mark in (
        (RowMark.CONTENT, has_content),
        (RowMark.RUNS, runs),
        (RowMark.CONTINUES, first_words & _Word.CONTINUING != 0),
        (RowMark.IMPORT, kinds == IMPORT),
    ):
        marks |= has_mark * mark
    return levels, marks


def _signals(tokens: Codes, words: NDArray[np.uint16], file_starts: Integers) -> NDArray[np.uint8]:
    """Return what each token says about its row."""
    is_keyword = tokens & KEYWORD != 0
    is_name = kinds_of(tokens) == NAME
    signals: NDArray[np.uint8] = (words & _Word.PUNCTUATION == 0) * _Signal.CONTENT
    signals |= (is_keyword & (words & _Word.BRANCHING != 0)) * _Signal.BRANCHES
    is_first = np.zeros(len(tokens) + 1, np.bool_)
    is_first[file_starts] = True

    # `f(` calls; `int f(` and `def f(` declare.
    opening = np.flatnonzero((words & _Word.PARENTHESIS != 0) & ~is_first[:-1])
    before, second = opening - 1, opening - 2
    has_second = ~is_first[before]
    declares = is_name[second] | (is_keyword[second] & (words[second] & _Word.DECLARING != 0))
    calls = is_name[before] & ~(has_second & declares)
    calls |= (words[before] & _Word.EXCLAMATION != 0) & has_second & is_name[second]
    signals[opening[calls]] |= _Signal.CALLS_OR_ASSIGNS

    counting = np.flatnonzero((words & _Word.COUNTING != 0) & ~is_first[:-1])
    mask = np.uint32(WORD_MASK)
    counts = tokens[counting] & mask == tokens[counting - 1] & mask
    signals[counting[counts]] |= _Signal.CALLS_OR_ASSIGNS
    signals |= (words & _Word.ASSIGNMENT != 0) * _Signal.CALLS_OR_ASSIGNS
    return signals


def _type_bodies(
    tokens: Codes, words: NDArray[np.uint16], row_starts: Integers, file_rows: Integers, levels: Levels
) -> Iterator[Rows]:
    """Yield the rows between the header of each type and its end."""
    keywords = np.flatnonzero((words & _Word.TYPE != 0) & (tokens & KEYWORD != 0))
    rows = np.unique(np.searchsorted(row_starts, keywords, "right") - 1)
    headers = rows[words[row_starts[rows + 1] - 1] & _Word.OPENING != 0]
    file_ends = file_rows[np.searchsorted(file_rows, headers, "right")]
    level_of = levels.tolist() if len(headers) else []
    for header, file_end in zip(headers.tolist(), file_ends.tolist(), strict=True):
        end = header + 1
        while end < file_end and level_of[end] > level_of[header]:
            end += 1
        if end > header + 1:
            yield header + 1, end


def _words(tokens: Codes) -> NDArray[np.uint16]:
    """Return for each token which of the words with a meaning it is, as a `_Word`."""
    shift, hashes, words = _word_table()
    slots = tokens >> shift & np.uint32((1 << _SLOT_BITS) - 1)
    is_word = hashes[slots] == tokens & np.uint32(WORD_MASK)
    found: NDArray[np.uint16] = words[slots] * is_word
    return found


@cache
def _word_table() -> tuple[np.uint32, Codes, NDArray[np.uint16]]:
    """Return a hash table of the words with a meaning, without collisions, and what selects a slot."""
    meanings: dict[int, int] = {}
    for meaning, texts in _WORDS:
        for text in texts.split():
            meanings[word_hash(text)] = meanings.get(word_hash(text), 0) | int(meaning)
    mask = (1 << _SLOT_BITS) - 1
    shift = next(
        shift
        for shift in range(32 - _SLOT_BITS, 0, -1)
        if len({word >> shift & mask for word in meanings}) == len(meanings)
    )
    hashes, words = np.zeros(mask + 1, np.uint32), np.zeros(mask + 1, np.uint16)
    for word, bits in meanings.items():
        hashes[word >> shift & mask], words[word >> shift & mask] = word, bits
    return np.uint32(shift), hashes, words
