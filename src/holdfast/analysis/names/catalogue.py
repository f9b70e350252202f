"""The identifiers of a project, and what it takes to compare a name with all of them at once.

Contract: identifiers are sorted by name and kind, places by file and line, so that the same files give the
same catalogue. What is kept for each distinct name has its row in the order of `names`.
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
Place = tuple[str, int]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
Numbers = np.ndarray[Any, np.dtype[np.intp]]
LOCAL = "Local"
"""The kind of parameters and local variables, of which records tell the function and no line of their own."""
KINDS: dict[Scope, frozenset[str]] = {
    "functions": FUNCTIONS,
    "types": CLASSES,
    "variables": VARIABLES | {"EnumMember", "Event", LOCAL},
}
_BATCH = 10_000
_FILES = 100
_SHORT_CODE = 1
"""Codes of so few letters are those of far too many words."""


class Identifier(NamedTuple):
    """A name with its kind, and every place where something of that kind is defined by it."""

    name: str
    kind: str
    places: tuple[Place, ...]


class Catalogue:
    """Identifiers, with the vectors, letters and words of their names."""

    def __init__(self, identifiers: Sequence[Identifier]) -> None:
        self.identifiers = identifiers
        self.scopes = {
            scope: np.array([each.kind in kinds for each in identifiers], dtype=bool)
            for scope, kinds in KINDS.items()
        }
        self.scopes["all"] = np.ones(len(identifiers), dtype=bool)
        rows = {name: row for row, name in enumerate(dict.fromkeys(each.name for each in identifiers))}
        self.names = list(rows)
        self.rows = np.array([rows[each.name] for each in identifiers], dtype=np.intp)
        self.letters = [name.lower() for name in self.names]
        words: dict[str, int] = {"": 0}
        flat: list[int] = []
        starts: list[int] = []
        for name in self.names:
            starts.append(len(flat))
            flat += [words.setdefault(word, len(words)) for word in subwords(name)] or [0]
        self._words = list(words)
        self._flat, self._starts = np.array(flat, dtype=np.intp), np.array(starts, dtype=np.intp)
        self.vectors = unit(self._summed(shipped_vectors()(self._words)))
        self.has_vector: Flags = np.asarray(self.vectors.any(axis=1))

    def _summed(self, of_words: Matrix) -> Matrix:
        """Return for each name the sum of what is given for each word."""
        batches = []
        ends = [*self._starts[_BATCH::_BATCH], len(self._flat)] if self.names else []
        for number, end in enumerate(ends):
            current_call().check()
            starts = self._starts[number * _BATCH : (number + 1) * _BATCH]
            batches.append(np.add.reduceat(of_words[self._flat[starts[0] : end]], starts - starts[0]))
        return np.concatenate(batches) if batches else of_words[:0]

    @cached_property
    def lengths(self) -> Numbers:
        """How many words each name has."""
        return np.diff([*self._starts, len(self._flat)])

    @cached_property
    def _sounding(self) -> dict[str, Numbers]:
        """The names with a word of each sound, by their rows, once for each such word."""
        codes: dict[str, int] = {}
        of_words = [codes.setdefault(sound(word), len(codes)) for word in self._words]
        sounds = np.array(of_words, dtype=np.intp)[self._flat]
        order = np.argsort(sounds, kind="stable")
        rows = np.repeat(np.arange(len(self.names)), self.lengths)[order]
        ends = np.searchsorted(sounds[order], np.arange(1, len(codes)))
        return dict(zip(codes, np.split(rows, ends), strict=True))

    def heard(self, query: Sequence[str]) -> tuple[Numbers, Numbers]:
        """Return the rows of names that have every sound of a query, and how many of their words have one."""
        nothing = np.zeros(0, dtype=np.intp)
        found = [self._sounding.get(code, nothing) for code in dict.fromkeys(map(sound, query))]
        rows, times = np.unique(np.concatenate(found), return_counts=True)
        has_all = np.logical_and.reduce([np.isin(rows, each) for each in found])
        return rows[has_all], times[has_all]


def sound(word: str) -> str:
    """Return the Metaphone code of a word; the word itself where that has no more than a letter."""
    code = jellyfish.metaphone(word)
    return code if len(code) > _SHORT_CODE else word


def catalogue(scan: Scan) -> Catalogue:
    """Return the identifiers of a scan: all definitions, parameters and local variables."""
    found: dict[tuple[str, str], set[Place]] = {}
    for number, (path, record) in enumerate(scan.files.items()):
        if number % _FILES == 0:
            current_call().progress(number, len(scan.files), "files whose names are read")
        definitions = record.names.definitions
        for each in definitions:
            found.setdefault((each.name, each.kind), set()).add((path, each.line))
        for uses in record.names.uses:
            line = 1 if uses.definition == MODULE else definitions[uses.definition].line
            for name in uses.bound:
                found.setdefault((name, LOCAL), set()).add((path, line))
    named = [(key, places) for key, places in found.items() if is_name(key[0])]
    return Catalogue([Identifier(*key, tuple(sorted(places))) for key, places in sorted(named)])
