"""The identifiers of a project, indexed so that a name can be compared with all of them at once.

Contract: identifiers are sorted by name and kind, their locations by file and line, so that the same files
give the same catalogue. Arrays have one row for each distinct name, in the order of `names`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple

import jellyfish
import numpy as np

from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.names.subwords import is_name, subwords
from holdfast.analysis.names.vectors import Matrix, shipped_vectors, unit
from holdfast.kernel.call import current_call
from holdfast.syntax.record import MODULE
from holdfast.syntax.symbols import CLASSES, FUNCTIONS, VARIABLES

Scope = Literal["functions", "types", "variables", "all"]
FileLine = tuple[str, int]
Booleans = np.ndarray[Any, np.dtype[np.bool_]]
Indices = np.ndarray[Any, np.dtype[np.intp]]
LOCAL = "Local"
"""The kind of parameters and local variables; records have only the line of their function."""
KINDS_BY_SCOPE: dict[Scope, frozenset[str]] = {
    "functions": FUNCTIONS,
    "types": CLASSES,
    "variables": VARIABLES | {"EnumMember", "Event", LOCAL},
}
NAMES_PER_BATCH = 10_000
"""Names whose vectors are summed between two checks for cancellation: a judgement, a fraction of a second."""
_MIN_CODE_LETTERS = 2
"""Letters of a Metaphone code that is compared: a judgement. Too many words share a code of one letter."""


class Identifier(NamedTuple):
    """A name and kind, with every place where it is defined."""

    name: str
    kind: str
    places: tuple[FileLine, ...]


class NameCatalogue:
    """Identifiers, and the words, spelling and vectors of their names."""

    def __init__(self, identifiers: Sequence[Identifier]) -> None:
        self.identifiers = identifiers
        self.scopes = {
            scope: np.array([identifier.kind in kinds for identifier in identifiers], dtype=bool)
            for scope, kinds in KINDS_BY_SCOPE.items()
        }
        """For each scope, whether each identifier is in it."""
        self.scopes["all"] = np.ones(len(identifiers), dtype=bool)
        self.names = list(dict.fromkeys(identifier.name for identifier in identifiers))
        row_of = {name: row for row, name in enumerate(self.names)}
        self.rows = np.array([row_of[identifier.name] for identifier in identifiers], dtype=np.intp)
        """The row of each identifier's name."""
        self.letters = [name.lower() for name in self.names]
        """Each name as it is compared by spelling."""
        word_numbers: dict[str, int] = {"": 0}
        name_words: list[int] = []
        starts: list[int] = []
        for name in self.names:
            starts.append(len(name_words))
            numbers = [word_numbers.setdefault(word, len(word_numbers)) for word in subwords(name)]
            name_words += numbers or [0]
        self._words = list(word_numbers)
        self._name_words = np.array(name_words, dtype=np.intp)
        """The words of all names, one name after another, as indices in `_words`."""
        self._starts = np.array(starts, dtype=np.intp)
        """The index in `_name_words` of each name's first word."""
        self.vectors = unit(self._sum_over_words(shipped_vectors()(self._words)))
        self.has_vector: Booleans = np.asarray(self.vectors.any(axis=1))

    def _sum_over_words(self, word_vectors: Matrix) -> Matrix:
        sums = [word_vectors[:0]]
        for first in range(0, len(self.names), NAMES_PER_BATCH):
            current_call().check()
            starts = self._starts[first : first + NAMES_PER_BATCH]
            following = self._starts[first + NAMES_PER_BATCH :]
            end = following[0] if len(following) else len(self._name_words)
            vectors = word_vectors[self._name_words[starts[0] : end]]
            sums.append(np.add.reduceat(vectors, starts - starts[0]))
        return np.concatenate(sums)

    @cached_property
    def lengths(self) -> Indices:
        """The number of words in each name."""
        return np.diff([*self._starts, len(self._name_words)])

    @cached_property
    def _by_sound(self) -> dict[str, Indices]:
        """The rows of the names with each Metaphone code, repeated for each word that has the code."""
        code_numbers: dict[str, int] = {}
        word_codes = [code_numbers.setdefault(metaphone(word), len(code_numbers)) for word in self._words]
        codes = np.array(word_codes, dtype=np.intp)[self._name_words]
        rows = np.repeat(np.arange(len(self.names)), self.lengths)
        by_code = np.argsort(codes, kind="stable")
        ends = np.searchsorted(codes[by_code], np.arange(1, len(code_numbers)))
        return dict(zip(code_numbers, np.split(rows[by_code], ends), strict=True))

    def sounding_like(self, query: Sequence[str]) -> tuple[Indices, Indices]:
        """Return the rows of names that contain every Metaphone code of a query, and how many words match."""
        nothing = np.zeros(0, dtype=np.intp)
        codes = dict.fromkeys(map(metaphone, query))
        rows_by_code = [self._by_sound.get(code, nothing) for code in codes]
        rows, matching_words = np.unique(np.concatenate(rows_by_code), return_counts=True)
        has_all_codes = np.logical_and.reduce([np.isin(rows, with_code) for with_code in rows_by_code])
        return rows[has_all_codes], matching_words[has_all_codes]


def metaphone(word: str) -> str:
    """Return the Metaphone code of a word, or the word itself if its code is a single letter."""
    code = jellyfish.metaphone(word)
    return code if len(code) >= _MIN_CODE_LETTERS else word


def catalogue(scan: Scan) -> NameCatalogue:
    """Index the identifiers of a scan: definitions, parameters and local variables."""
    call = current_call()
    places: dict[tuple[str, str], set[FileLine]] = {}
    for done, (path, record) in enumerate(scan.files.items()):
        call.progress(done, len(scan.files), "Reading names")
        definitions = record.names.definitions
        for definition in definitions:
            key = (definition.name, definition.kind)
            places.setdefault(key, set()).add((path, definition.line))
        for uses in record.names.uses:
            line = 1 if uses.definition == MODULE else definitions[uses.definition].line
            for name in uses.bound:
                places.setdefault((name, LOCAL), set()).add((path, line))
    return NameCatalogue(
        [
            Identifier(name, kind, tuple(sorted(places[name, kind])))
            for name, kind in sorted(places)
            if is_name(name)
        ]
    )
