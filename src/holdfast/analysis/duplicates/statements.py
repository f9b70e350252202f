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

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.analysis.duplicates.clone import CloneQuery
from holdfast.analysis.duplicates.clone_corpus import Booleans, CloneCorpus, Integers
from holdfast.syntax.lexer import KEYWORD, WORD_MASK, TokenKind, word_hash

Hashes = NDArray[np.uint32]
"""The hash of each token's text, without its kind."""

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

Rows = tuple[int, int]
"""A range of rows: the first, and the one after the last."""


class Statements:
    """The rows of a corpus, numbered through all files."""

    def __init__(self, corpus: CloneCorpus, indents: NDArray[np.uint8]) -> None:
        self.corpus = corpus
        self.starts = corpus.line_starts
        """The first token of each row, followed by the number of tokens."""
        starts, words = self.starts[:-1], corpus.tokens.exact & np.uint32(WORD_MASK)
        first_words, levels = words[starts], indents[starts]
        # Directives of C are written in the first column, whatever is around them.
        is_directive = (first_words == word_hash("#")) & (levels == 0)
        last_other_row = np.maximum.accumulate(np.where(is_directive, 0, np.arange(len(starts))))
        self._levels = levels[last_other_row]
        self._starts_file = np.append(np.isin(starts, corpus.file_starts), True)
        self._continues = _is_one_of(first_words, _CONTINUING)
        self._shapes = _row_shapes(corpus)
        self._has_content = has_content = _any_in_rows(~_is_one_of(words, "( ) [ ] { } , ; :"), starts)
        self._content_before = _counts_before(has_content)
        self._tokens_before = _counts_before(np.where(has_content, np.diff(self.starts), 0))
        runs = _rows_that_run(corpus, words) & has_content
        for first, end in self._type_bodies(words, corpus.tokens.exact):
            runs[first:end] &= self._levels[first:end] > self._levels[first:end].min()
        self._running_before = _counts_before(runs)

    def indentations(self, rows: Rows) -> list[int]:
        """Return the indentation of some rows, in columns."""
        first, end = rows
        levels: list[int] = self._levels[first:end].tolist()
        return levels

    def rows_of_tokens(self, start: int, end: int) -> Rows:
        """Return the rows of a range of tokens that starts and ends with a row."""
        first, stop = np.searchsorted(self.starts, [start, end]).tolist()
        return first, stop

    def are_substantial(self, rows: Rows, query: CloneQuery) -> bool:
        """Return whether some rows are long enough, without rows of brackets alone, and mostly run."""
        content_rows = _count_between(self._content_before, rows)
        return (
            content_rows >= query.min_lines
            and _count_between(self._tokens_before, rows) >= query.min_tokens
            and self.running_rows(rows) >= _MIN_RUNNING_SHARE * content_rows
        )

    def are_varied(self, rows: Rows) -> bool:
        """Return whether some rows are more than a list of like statements."""
        first, end = rows
        shapes = self._shapes[first:end][self._has_content[first:end]]
        return len(np.unique(shapes)) > min(_MIN_VARIETY * len(shapes), _ENOUGH_SHAPES)

    def running_rows(self, rows: Rows) -> int:
        """Return how many of some rows run."""
        return _count_between(self._running_before, rows)

    def whole(self, rows: Rows) -> Iterator[Rows]:
        """Yield the longest sequences of whole statements on one level, within rows of one file."""
        parts = [rows]
        while parts:
            first, end = parts.pop()
            if first >= end:
                continue
            levels = self._levels[first:end]
            outer = np.flatnonzero(levels == levels.min()) + first
            heads = outer[~self._continues[outer]]
            start = int(heads[0]) if len(heads) else end
            stop = end if self._ends_statement(end, int(levels.min())) or not len(heads) else int(heads[-1])
            if start < stop:
                yield start, stop
            # What remains belongs to statements that start before these rows, or end after them.
            for part_start, part_end in ((first, start), (stop, end)):
                inside = outer[(outer >= part_start) & (outer < part_end)].tolist()
                following = [row + 1 for row in inside]
                parts += zip([part_start, *following], [*inside, part_end], strict=True)

    def _ends_statement(self, row: int, level: int) -> bool:
        """Return whether a statement of a level ends before a row, instead of going on in it."""
        if self._starts_file[row] or self._levels[row] < level:
            return True
        return bool(self._levels[row] == level and not self._continues[row])

    def _type_bodies(self, words: Hashes, exact: NDArray[np.uint32]) -> Iterator[Rows]:
        """Yield the rows between the header of each type and its end."""
        keywords = np.flatnonzero(_is_one_of(words, _TYPES) & (exact & KEYWORD != 0))
        rows = np.unique(np.searchsorted(self.starts, keywords, "right") - 1)
        last_words = words[self.starts[rows + 1] - 1]
        for header in rows[_is_one_of(last_words, "{ ( =")].tolist():
            end = header + 1
            while not self._starts_file[end] and self._levels[end] > self._levels[header]:
                end += 1
            if end > header + 1:
                yield header + 1, end


def _rows_that_run(corpus: CloneCorpus, words: Hashes) -> Booleans:
    """Return for each row whether it calls, assigns or branches."""
    starts, tokens = corpus.line_starts[:-1], corpus.tokens
    is_name = tokens.kind == TokenKind.NAME
    is_keyword = tokens.exact & KEYWORD != 0
    branches = _any_in_rows(is_keyword & _is_one_of(words, _BRANCHING), starts)

    # `f(` calls; `int f(` and `def f(` declare.
    declares = is_name | (is_keyword & _is_one_of(words, _DECLARING))
    calls_here = (words == word_hash("(")) & _shifted(is_name, 1) & ~_shifted(declares, 2)
    calls_here |= (words == word_hash("(")) & _shifted(words == word_hash("!"), 1) & _shifted(is_name, 2)
    calls = _any_in_rows(calls_here, starts)

    is_listed = words[corpus.line_starts[1:] - 1] == word_hash(",")
    counts_up = _is_one_of(words, "+ -")
    counts_up[1:] &= words[1:] == words[:-1]
    assigns = _any_in_rows((words == word_hash("=")) | counts_up, starts)

    families = corpus.file_families[corpus.files_at(starts)]
    commands = [corpus.family_names.index(name) for name in corpus.family_names if name in _COMMAND_LANGUAGES]
    is_command = np.isin(families, commands) & is_name[starts]
    runs: Booleans = branches | ((calls | assigns | is_command) & ~is_listed)
    return runs


def _row_shapes(corpus: CloneCorpus) -> NDArray[np.uint64]:
    """Return a hash of each row's tokens, with names and literals blinded."""
    starts, tokens = corpus.line_starts[:-1], corpus.tokens
    if not len(starts):
        return np.zeros(0, np.uint64)
    blind = np.where(tokens.kind == TokenKind.SIGN, tokens.exact, tokens.kind).astype(np.uint64)
    columns = np.arange(corpus.size) - np.repeat(starts, np.diff(corpus.line_starts))
    powers = np.full(int(columns.max()) + 1, _SHAPE_BASE)
    np.cumprod(powers, out=powers)
    shapes: NDArray[np.uint64] = np.add.reduceat(blind * powers[columns], starts)
    return shapes


def _is_one_of(words: Hashes, texts: str) -> Booleans:
    is_one: Booleans = np.isin(words, [word_hash(text) for text in texts.split()])
    return is_one


def _any_in_rows(marks: Booleans, starts: Integers) -> Booleans:
    """Return for each row whether any of its tokens is marked."""
    found: Booleans = np.logical_or.reduceat(marks, starts) if len(starts) else np.zeros(0, np.bool_)
    return found


def _shifted(marks: Booleans, distance: int) -> Booleans:
    """Return for each token whether the one some tokens before it is marked."""
    result = np.zeros_like(marks)
    result[distance:] = marks[:-distance]
    return result


def _counts_before(marks: NDArray[Any]) -> Integers:
    """Return the sum of the items before each index, and at the end that of all."""
    counts = np.zeros(len(marks) + 1, np.int64)
    np.cumsum(marks, out=counts[1:])
    return counts


def _count_between(counts_before: Integers, rows: Rows) -> int:
    return int(counts_before[rows[1]] - counts_before[rows[0]])
