"""The tokens of a project as arrays, with their lines and files, and as exact or renamed text to search.

In renamed code, names are compared in Baker's *prev encoding* for parameterised matching: a name becomes its
distance to its previous occurrence, 0 if there is none, and a literal becomes its kind. `x = x + 1` and
`sum = sum + 7` both become `0 = 2 + NUMBER`, but `x = y + 1` becomes `0 = 0 + NUMBER`.

A *position* is the index of a token among the tokens of all files.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.analysis.engine.token_stream import TokenTable
from holdfast.syntax.lexer import TokenKind

Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]

_POSITION_BITS = np.uint64(32)
"""Bits of a position in a sort key. The text of a name has the other half of the 64 bits."""
_LANGUAGE_FAMILIES = {"typescript": "javascript", "tsx": "javascript", "cpp": "c"}
"""The family of each language whose code is also compared with another language's."""


class NormalisedText(NamedTuple):
    """The tokens of a project in the form in which they are compared; each array has one item per token."""

    codes: NDArray[np.uint32]
    """Numbers that are equal for equal tokens. In renamed code, a name or literal has only its kind."""
    previous_distances: NDArray[np.int32] | None = None
    """The distance to the previous occurrence of the same name, 0 if there is none. None for exact code."""
    next_distances: NDArray[np.int32] | None = None
    """The distance to the next occurrence of the same name, 0 if there is none. None for exact code."""


class CloneCorpus:
    """The tokens of a project, with their lines, files and language families.

    A *segment* is a longest run of tokens without an import in one file; no fragment extends beyond one.
    """

    def __init__(self, table: TokenTable) -> None:
        tokens = self.tokens = table.tokens
        self.table = table
        self.size = len(tokens.exact)
        """The number of tokens."""
        self.file_starts = np.array(table.starts)
        """The first token of each file, followed by the number of tokens."""
        starts_line = np.ones(self.size + 1, np.bool_)
        starts_line[1:-1] = tokens.line[1:] != tokens.line[:-1]
        starts_line[self.file_starts] = True
        self.line_starts = np.flatnonzero(starts_line)
        """The first token of each line, followed by the number of tokens."""
        self._line_of_token = np.cumsum(starts_line, dtype=np.int32) - np.int32(1)
        imports = np.flatnonzero(tokens.kind == TokenKind.IMPORT)
        self._segment_bounds = np.union1d(self.file_starts, imports)
        """The start of each segment, or the import just before it; followed by the number of tokens."""
        segments = np.arange(len(self._segment_bounds) - 1, dtype=np.int32)
        self._segment_of_token = np.repeat(segments, np.diff(self._segment_bounds))
        families = [_LANGUAGE_FAMILIES.get(language, language) for language in table.languages]
        self.family_names = sorted(set(families))
        numbers = {name: number for number, name in enumerate(self.family_names)}
        self.file_families = np.array([numbers[name] for name in families], np.uint64)
        """The language family of each file, as an index in `family_names`."""

    def file_line_starts(self, file: int) -> Integers:
        """Return the first token of each line of a file, followed by the end of the file."""
        first, last = self._line_of_token[self.file_starts[file : file + 2]]
        return self.line_starts[first : last + 1]

    def files_at(self, positions: Integers) -> Integers:
        """Return the number of the file that contains each position."""
        return np.searchsorted(self.file_starts, positions, "right") - 1

    def segment_ends(self, positions: Integers) -> Integers:
        """Return where the segment at each position ends: at an import or the end of the file."""
        ends: Integers = self._segment_bounds[self._segment_of_token[positions] + 1]
        return ends

    def segment_starts(self, positions: Integers) -> Integers:
        """Return the first token of the segment at each position."""
        bounds: Integers = self._segment_bounds[self._segment_of_token[positions]]
        starts: Integers = bounds + (self.tokens.kind[bounds] == TokenKind.IMPORT)
        return starts

    def shrink_to_lines(self, starts: Integers, ends: Integers) -> tuple[Integers, Integers]:
        """Shrink ranges of tokens to whole lines; a range without a whole line becomes empty or negative."""
        lines = self._line_of_token[starts]
        next_lines = np.minimum(lines + 1, len(self.line_starts) - 1)
        is_whole = self.line_starts[lines] == starts
        first = np.where(is_whole, starts, self.line_starts[next_lines])
        return first, self.line_starts[self._line_of_token[ends]]

    def line_counts(self, starts: Integers, ends: Integers) -> Integers:
        """Return the number of lines with tokens that each range of tokens covers."""
        counts: Integers = self._line_of_token[ends - 1] - self._line_of_token[starts] + 1
        return counts

    def exact_text(self) -> NormalisedText:
        return NormalisedText(self.tokens.exact)

    def renamed_text(self) -> NormalisedText:
        """Return the tokens in prev encoding, which a consistent renaming does not change."""
        exact, kind = self.tokens.exact, self.tokens.kind
        names = np.flatnonzero(kind == TokenKind.NAME)
        # One number for each name, sorted by its text in the upper half, then by its position in the lower.
        occurrences = np.sort(exact[names].astype(np.uint64) << _POSITION_BITS | names.astype(np.uint64))
        texts = occurrences >> _POSITION_BITS
        positions = (occurrences & np.uint64(2**32 - 1)).astype(np.int64)
        repeated = np.flatnonzero(texts[1:] == texts[:-1])
        earlier, later = positions[repeated], positions[repeated + 1]
        previous_distances, next_distances = np.zeros(self.size, np.int32), np.zeros(self.size, np.int32)
        previous_distances[later] = later - earlier
        next_distances[earlier] = later - earlier
        codes = np.where(kind == TokenKind.SIGN, exact, kind.astype(np.uint32))
        return NormalisedText(codes, previous_distances, next_distances)


def bounds_from_sizes(sizes: Integers) -> Integers:
    """Return where consecutive ranges start, followed by the end of the last: [2, 3] gives [0, 2, 5]."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))


def indices_of_ranges(starts: Integers, sizes: Integers) -> Integers:
    """Return the indices of several ranges: starts [7, 1] and sizes [2, 3] give [7, 8, 1, 2, 3]."""
    bounds = bounds_from_sizes(sizes)
    indices: Integers = np.repeat(starts - bounds[:-1], sizes) + np.arange(bounds[-1])
    return indices
