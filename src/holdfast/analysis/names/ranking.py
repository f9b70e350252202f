"""Ranks the names of a catalogue by similarity to a query: spelling, meaning and sound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz, process
from rapidfuzz.distance import Levenshtein

from holdfast.analysis.names.catalogue import Booleans, FileLine, Indices, NameCatalogue, Scope
from holdfast.analysis.names.subwords import subwords
from holdfast.analysis.names.vectors import Matrix, shipped_vectors, unit

STRING_SHARE = 0.5
"""The weight of spelling in a score, the rest is that of meaning: measured on IdBench, docs/accuracy.md."""
MIN_SCORE = 0.35
"""The lowest score of a match: a judgement. Random pairs of names rarely reach it."""
_SCORE_DECIMALS = 4


@dataclass(frozen=True)
class Match:
    """An identifier similar to the query; scores are from 0 to 1."""

    name: str
    kind: str
    places: tuple[FileLine, ...]
    score: float
    string: float
    """The similarity of the spelling."""
    vector: float | None
    """Cosine similarity of meaning; None, and not part of the score, if a name has no word with a vector."""
    phonetic: float | None
    """The share of matching words, if every word of the query sounds like one of the name; else 0."""
    edit_distance: int
    """The Levenshtein distance, ignoring case."""


class NameComparison:
    """The scores of a query against every name of a catalogue: each array has one item per name."""

    def __init__(self, catalogue: NameCatalogue, query: str, *, phonetic: bool) -> None:
        words = subwords(query)
        percent = process.cdist([query.lower()], catalogue.letters, scorer=fuzz.ratio, dtype=np.float32)
        self.strings: Matrix = percent[0] / 100
        query_vector = unit(shipped_vectors()(words).sum(axis=0))
        self.vectors = np.maximum(catalogue.vectors @ query_vector, 0)
        self.sounds: Matrix | None = None
        spellings = self.strings
        if phonetic:
            rows, matching_words = catalogue.sounding_like(words)
            self.sounds = np.zeros_like(spellings)
            self.sounds[rows] = (len(words) + matching_words) / (len(words) + catalogue.lengths[rows])
            spellings = np.maximum(spellings, self.sounds)
        self.has_meaning: Booleans = np.logical_and(catalogue.has_vector, query_vector.any())
        weighted = STRING_SHARE * spellings + (1 - STRING_SHARE) * self.vectors
        self.scores: Matrix = np.where(self.has_meaning, weighted, spellings)


def _highest(scores: Matrix, indices: Indices, count: int) -> Indices:
    """Return the indices of the highest scores in descending order; ties keep their order."""
    if len(indices) > count:
        lowest_selected = np.partition(scores[indices], -count)[-count]
        indices = indices[scores[indices] >= lowest_selected]
    return indices[np.argsort(-scores[indices], kind="stable")][:count]


def ranking(
    catalogue: NameCatalogue, query: str, scope: Scope, top: int, *, phonetic: bool
) -> tuple[list[Match], int]:
    """Return the `top` identifiers of a scope, the most similar first, and the total number of matches."""
    comparison = NameComparison(catalogue, query, phonetic=phonetic)
    sounds = comparison.sounds
    # Round first: sums differ in their last digits depending on how many names are compared at once.
    name_scores = comparison.scores.round(_SCORE_DECIMALS)
    scores = name_scores[catalogue.rows]
    matching = np.flatnonzero((scores >= MIN_SCORE) & catalogue.scopes[scope])
    matches = []
    for identifier in _highest(scores, matching, top):
        row = catalogue.rows[identifier]
        matches.append(
            Match(
                **catalogue.identifiers[identifier]._asdict(),
                score=round(float(scores[identifier]), _SCORE_DECIMALS),
                string=round(float(comparison.strings[row]), _SCORE_DECIMALS),
                vector=round(float(comparison.vectors[row]), _SCORE_DECIMALS)
                if comparison.has_meaning[row]
                else None,
                phonetic=None if sounds is None else round(float(sounds[row]), _SCORE_DECIMALS),
                edit_distance=Levenshtein.distance(query.lower(), catalogue.letters[row]),
            )
        )
    return matches, len(matching)
