"""How well similar names are found, and how fast.

    python -m bench.names [--ratings CSV] [--names 50000] [--tree FOLDER] [--wordllama FOLDER]

A file of ratings has pairs of names and what developers said of them: the columns `id1`, `id2`, `similarity`,
`relatedness` and perhaps `contextual_similarity`, as IdBench has them, NAN where nobody said anything. Shown
is Spearman's rank correlation of each score with each of them. FOLDER of wordllama is that of its package,
with its weights and its tokenizer, for comparison; it needs safetensors and tokenizers.

Speed is that of a search among names made of the words that the vectors know, or of the names of a folder,
against a product of the same matrix with a vector, which no search by vectors can do without. It is in CPU
seconds; set OPENBLAS_NUM_THREADS=1, or the product counts threads that wait for each other.
"""

from __future__ import annotations

import argparse
import csv
import random
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from holdfast.analysis.names.catalogue import Catalogue, Identifier, catalogue
from holdfast.analysis.names.ranking import STRING_SHARE, Comparison, ranking
from holdfast.analysis.names.subwords import subwords
from holdfast.analysis.names.vectors import shipped_vectors
from holdfast.analysis.room import Analysis
from holdfast.analysis.survey import Project
from holdfast.storage.git.repository import Repository

RATINGS = ("similarity", "relatedness", "contextual_similarity")
TIMES = 30


def ranks(values: Sequence[float]) -> np.ndarray[Any, Any]:
    """Return the ranks of values, equal ones sharing the mean of theirs."""
    _, place, count = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return ((last - count + 1 + last) / 2)[place]


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    return float(np.corrcoef(ranks(one), ranks(other))[0, 1])


def wordllama(folder: Path) -> Callable[[str, str], float]:
    """Return how its authors would compare two names: the mean of the rows of their tokens."""
    [weights], [tokens] = folder.rglob("*.safetensors"), folder.rglob("*tokenizer_config.json")
    [rows] = import_module("safetensors.numpy").load_file(weights).values()
    tokenizer = import_module("tokenizers").Tokenizer.from_file(str(tokens))

    def vector(name: str) -> np.ndarray[Any, Any]:
        ids = tokenizer.encode(" ".join(subwords(name)) or name, add_special_tokens=False).ids
        mean = rows[ids].astype(np.float32).mean(axis=0)
        return mean / np.linalg.norm(mean)

    return lambda one, other: float(vector(one) @ vector(other))


def pair_scores(one: str, other: str) -> tuple[float, float, float]:
    """Return how alike two names are: by letters, by meaning, and by both."""
    compared = Comparison(Catalogue([Identifier(other, "", ())]), one, phonetic=False)
    return float(compared.strings[0]), float(compared.vectors[0]), float(compared.scores[0])


def accuracy(path: Path, other: Callable[[str, str], float] | None) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        pairs = list(csv.DictReader(file))
    ours = [pair_scores(pair["id1"], pair["id2"]) for pair in pairs]
    strings, vectors, combined = zip(*ours, strict=True)
    scores = {"string": strings, "vector": vectors, "combined": combined}
    if other is not None:
        theirs = [other(pair["id1"], pair["id2"]) for pair in pairs]
        both = [STRING_SHARE * a + (1 - STRING_SHARE) * b for a, b in zip(strings, theirs, strict=True)]
        scores |= {"wordllama": tuple(theirs), "string and wordllama": tuple(both)}
    for rating in RATINGS:
        rated = [at for at, pair in enumerate(pairs) if pair.get(rating, "NAN") != "NAN"]
        said = [float(pairs[at][rating]) for at in rated]
        shown = (f"{name} {spearman([each[at] for at in rated], said):.3f}" for name, each in scores.items())
        print(f"{rating} ({len(rated)} pairs): " + ", ".join(shown))


def made_up(count: int) -> Catalogue:
    words = list(shipped_vectors().index)
    chance = random.Random(1)
    names = {"_".join(chance.choices(words, k=chance.randint(1, 4))) for _ in range(count)}
    return Catalogue([Identifier(name, "Function", (("a.py", 1),)) for name in sorted(names)])


def fastest(what: Callable[[], object]) -> float:
    """Return the CPU seconds of the fastest of several runs."""
    taken = []
    for _ in range(TIMES):
        start = time.process_time()
        what()
        taken.append(time.process_time() - start)
    return min(taken)


def speed(known: Catalogue) -> None:
    matrix = np.random.default_rng(1).standard_normal(known.vectors.shape, dtype=np.float32)
    vector = matrix[0].copy()
    bare = fastest(lambda: matrix @ vector)
    print(f"{len(known.names):,} names, product of the matrix alone: {bare * 1e3:.2f} ms")
    for phonetic in (False, True):
        took = fastest(lambda: ranking(known, "calculateTotal", "all", 10, phonetic=phonetic))  # noqa: B023
        print(f"first ten, phonetic {phonetic}: {took * 1e3:.2f} ms, {took / bare:.1f} times as long")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--ratings", type=Path)
    parser.add_argument("--wordllama", type=Path)
    parser.add_argument("--names", type=int, default=50_000)
    parser.add_argument("--tree", type=Path)
    given = parser.parse_args()
    start = time.process_time()
    shipped_vectors()
    print(f"vectors loaded: {(time.process_time() - start) * 1e3:.1f} ms")
    if given.ratings:
        accuracy(given.ratings, wordllama(given.wordllama) if given.wordllama else None)
    room = Analysis(Repository.discover(given.tree)) if given.tree else None
    survey = room.survey(Project()) if room else None
    start = time.process_time()
    known = catalogue(survey) if survey else made_up(given.names)
    print(f"catalogue made: {time.process_time() - start:.2f} s")
    speed(known)
    if room:
        room.close()


if __name__ == "__main__":
    main()
