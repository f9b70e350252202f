"""Which names of a catalogue are most like a name, and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz, process
from rapidfuzz.distance import Levenshtein

from holdfast.analysis.names.catalogue import Catalogue, Flags, Identifier, Numbers, Scope
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

    identifier: Identifier
    score: float
    string: float
    vector: float | None
    """None where one of the names has no word with a vector; the score is then that of the letters."""
    phonetic: float | None
    """Where all words of the query sound like one of the name: the share of words of both that do, else 0."""
    edits: int
    """Levenshtein's distance, whatever the case of letters."""


@dataclass(frozen=True)
class Ranking:
    """The best matches, and among how many they are."""

    matches: tuple[Match, ...]
    found: int
    candidates: int


class Comparison:
    """A query compared with every name of a catalogue."""

    def __init__(self, catalogue: Catalogue, query: str, *, phonetic: bool) -> None:
        words = subwords(query)
        self.strings = _similar_letters(query.lower(), catalogue.letters)
        mine = unit(shipped_vectors()(words).sum(axis=0))
        self.vectors = np.maximum(catalogue.vectors @ mine, 0)
        self.sounds = None
        spelt = self.strings
        if phonetic:
            heard = catalogue.heard(words)
            alike = len(words) + heard.sum(axis=1)
            self.sounds = np.where(heard.all(axis=1), alike / (len(words) + catalogue.lengths), 0)
            spelt = np.maximum(spelt, self.sounds)
        self.measured: Flags = np.logical_and(catalogue.has_vector, mine.any())
        both = STRING_SHARE * spelt + (1 - STRING_SHARE) * self.vectors
        self.scores: Matrix = np.where(self.measured, both, spelt).round(_DIGITS)


def pair_scores(one: str, other: str) -> tuple[float, float, float]:
    """Return how alike two names are: by letters, by meaning, and both combined."""
    compared = Comparison(Catalogue([Identifier(other, "", ())]), one, phonetic=False)
    return float(compared.strings[0]), float(compared.vectors[0]), float(compared.scores[0])


def _similar_letters(query: str, names: list[str]) -> Matrix:
    found: Matrix = process.cdist([query], names, scorer=fuzz.ratio, dtype=np.float32)[0] / 100
    return found


def _highest(scores: Matrix, places: Numbers, count: int) -> Numbers:
    """Return the places of the highest scores, the highest first, equal ones as they come."""
    if len(places) > count:
        least = np.partition(scores[places], -count)[-count]
        places = places[scores[places] >= least]
    return places[np.argsort(-scores[places], kind="stable")][:count]


def ranking(catalogue: Catalogue, query: str, scope: Scope, top: int, *, phonetic: bool) -> Ranking:
    """Return the identifiers of a scope that are most like a name, the best first."""
    compared = Comparison(catalogue, query, phonetic=phonetic)
    wanted = catalogue.scopes[scope]
    scores = compared.scores[catalogue.rows]
    found = np.flatnonzero((scores >= LEAST) & wanted)
    matches = []
    for at in _highest(scores, found, top):
        row = catalogue.rows[at]
        matches.append(
            Match(
                identifier=catalogue.identifiers[at],
                score=round(float(scores[at]), _DIGITS),
                string=round(float(compared.strings[row]), _DIGITS),
                vector=round(float(compared.vectors[row]), _DIGITS) if compared.measured[row] else None,
                phonetic=None if compared.sounds is None else round(float(compared.sounds[row]), _DIGITS),
                edits=Levenshtein.distance(query.lower(), catalogue.letters[row]),
            )
        )
    return Ranking(tuple(matches), len(found), int(np.count_nonzero(wanted)))
