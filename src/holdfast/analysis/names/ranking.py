"""Ranks the names of a catalogue by similarity to a query: spelling, meaning and sound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz, process
from rapidfuzz.distance import Levenshtein

from holdfast.analysis.names.catalogue import FileLine, Flags, NameCatalogue, Numbers, Scope
from holdfast.analysis.names.subwords import subwords
from holdfast.analysis.names.vectors import Matrix, shipped_vectors, unit

STRING_SHARE = 0.5
"""The weight of spelling in a score; the rest is meaning. docs/accuracy.md measures it on IdBench."""
LEAST = 0.35
"""The lowest score of a match; random pairs of names rarely reach it."""
_DIGITS = 4


@dataclass(frozen=True)
class Match:
    """An identifier similar to the query; scores are from 0 to 1."""

    name: str
    kind: str
    places: tuple[FileLine, ...]
    score: float
    string: float
    vector: float | None
    """Cosine similarity of meaning; None if a name has no word with a vector, then spelling alone counts."""
    phonetic: float | None
    """If every word of the query sounds like one of the name, the share of matching words, else 0."""
    edit_distance: int
    """The Levenshtein distance, ignoring case."""


class NameComparison:
    """The scores of a query against every name of a catalogue."""

    def __init__(self, catalogue: NameCatalogue, query: str, *, phonetic: bool) -> None:
        words = subwords(query)
        letters = process.cdist([query.lower()], catalogue.letters, scorer=fuzz.ratio, dtype=np.float32)
        self.strings: Matrix = letters[0] / 100
        query_vector = unit(shipped_vectors()(words).sum(axis=0))
        self.vectors = np.maximum(catalogue.vectors @ query_vector, 0)
        self.sounds: Matrix | None = None
        spelt = self.strings
        if phonetic:
            rows, matching = catalogue.sounding_like(words)
            self.sounds = np.zeros_like(spelt)
            self.sounds[rows] = (len(words) + matching) / (len(words) + catalogue.lengths[rows])
            spelt = np.maximum(spelt, self.sounds)
        self.measured: Flags = np.logical_and(catalogue.has_vector, query_vector.any())
        both = STRING_SHARE * spelt + (1 - STRING_SHARE) * self.vectors
        self.scores: Matrix = np.where(self.measured, both, spelt)


def _highest(scores: Matrix, places: Numbers, count: int) -> Numbers:
    """Return the positions of the highest scores in descending order; ties keep their order."""
    if len(places) > count:
        least = np.partition(scores[places], -count)[-count]
        places = places[scores[places] >= least]
    return places[np.argsort(-scores[places], kind="stable")][:count]


def ranking(
    catalogue: NameCatalogue, query: str, scope: Scope, top: int, *, phonetic: bool
) -> tuple[list[Match], int]:
    """Return the identifiers of a scope most similar to a name, and the total number of matches."""
    compared = NameComparison(catalogue, query, phonetic=phonetic)
    # Round first: sums differ in their last digits depending on how many names are compared at once.
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
