"""Which names of a catalogue are most like a name, and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz, process
from rapidfuzz.distance import Levenshtein

from holdfast.analysis.names.catalogue import Catalogue, Flags, Numbers, Place, Scope
from holdfast.analysis.names.subwords import subwords
from holdfast.analysis.names.vectors import Matrix, shipped_vectors, unit

STRING_SHARE = 0.5
"""How much letters count in a score; the rest is meaning."""
LEAST = 0.35
"""A name that is less like the query than this is no match: two names taken at random rarely reach it."""
_DIGITS = 4


@dataclass(frozen=True)
class Match:
    """An identifier that is like the query: scores are from 0 to 1."""

    name: str
    kind: str
    places: tuple[Place, ...]
    score: float
    string: float
    vector: float | None
    """None where one of the names has no word with a vector; the score is then that of the letters."""
    phonetic: float | None
    """Where all words of the query sound like one of the name: the share of words of both that do, else 0."""
    edit_distance: int
    """Levenshtein's distance, whatever the case of letters."""


class Comparison:
    """A query compared with every name of a catalogue."""

    def __init__(self, catalogue: Catalogue, query: str, *, phonetic: bool) -> None:
        words = subwords(query)
        letters = process.cdist([query.lower()], catalogue.letters, scorer=fuzz.ratio, dtype=np.float32)
        self.strings: Matrix = letters[0] / 100
        mine = unit(shipped_vectors()(words).sum(axis=0))
        self.vectors = np.maximum(catalogue.vectors @ mine, 0)
        self.sounds: Matrix | None = None
        spelt = self.strings
        if phonetic:
            rows, heard = catalogue.heard(words)
            self.sounds = np.zeros_like(spelt)
            self.sounds[rows] = (len(words) + heard) / (len(words) + catalogue.lengths[rows])
            spelt = np.maximum(spelt, self.sounds)
        self.measured: Flags = np.logical_and(catalogue.has_vector, mine.any())
        both = STRING_SHARE * spelt + (1 - STRING_SHARE) * self.vectors
        self.scores: Matrix = np.where(self.measured, both, spelt)


def _highest(scores: Matrix, places: Numbers, count: int) -> Numbers:
    """Return the places of the highest scores, the highest first, equal ones as they come."""
    if len(places) > count:
        least = np.partition(scores[places], -count)[-count]
        places = places[scores[places] >= least]
    return places[np.argsort(-scores[places], kind="stable")][:count]


def ranking(
    catalogue: Catalogue, query: str, scope: Scope, top: int, *, phonetic: bool
) -> tuple[list[Match], int]:
    """Return the identifiers of a scope that are most like a name, and how many are like it at all."""
    compared = Comparison(catalogue, query, phonetic=phonetic)
    # Equal to the digits that are shown is equal: sums of many differ in the last ones from those of few.
    scores = compared.scores.round(_DIGITS)[catalogue.rows]
    found = np.flatnonzero((scores >= LEAST) & catalogue.scopes[scope])
    matches = []
    for at in _highest(scores, found, top):
        row, sounds = catalogue.rows[at], compared.sounds
        matches.append(
            Match(
                **catalogue.identifiers[at]._asdict(),
                score=round(float(scores[at]), _DIGITS),
                string=round(float(compared.strings[row]), _DIGITS),
                vector=round(float(compared.vectors[row]), _DIGITS) if compared.measured[row] else None,
                phonetic=None if sounds is None else round(float(sounds[row]), _DIGITS),
                edit_distance=Levenshtein.distance(query.lower(), catalogue.letters[row]),
            )
        )
    return matches, len(found)
