"""How well similar names are found, and how fast.

    python -m bench.names [--ratings CSV] [--names 50000] [--tree FOLDER]

A file of ratings, which `HOLDFAST_NAMES` names too, has pairs of names and what developers said of them: the
columns `id1`, `id2`, `similarity` and `relatedness`, as IdBench has them, NAN where nobody said anything.
Shown is Spearman's rank correlation of each score with each of them, beside those of wordllama, whose package
carries its weights, and of the columns of the file that hold the scores of FastText.

Speed is that of a search among names made of the words that the vectors know, or of the names of a folder,
against a product of the same matrix with a vector, which no search by vectors can do without. It is in CPU
seconds; set OPENBLAS_NUM_THREADS=1, or the product counts threads that wait for each other.
"""

from __future__ import annotations

import csv
import random
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from bench._peers import Peers, folders
from bench._results import Results, absent, parser
from holdfast.analysis.engine.scan import Project
from holdfast.analysis.names.catalogue import Catalogue, Identifier, catalogue
from holdfast.analysis.names.ranking import STRING_SHARE, Comparison, ranking
from holdfast.analysis.names.subwords import subwords
from holdfast.analysis.names.vectors import shipped_vectors
from holdfast.analysis.room import Analysis
from holdfast.storage.git.repository import Repository

BARS = {"similarity": 0.40, "relatedness": 0.65}
OURS = "both (`score`)"
SAMPLES = 2000
CORPUS = "The small set of IdBench: pairs of names of JavaScript programs, rated by developers"
TIMES = 30


def ranks(values: Sequence[float]) -> np.ndarray[Any, Any]:
    """Return the ranks of values, equal ones sharing the mean of theirs."""
    _, place, count = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    shared: np.ndarray[Any, Any] = ((last - count + 1 + last) / 2)[place]
    return shared


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    return float(np.corrcoef(ranks(one), ranks(other))[0, 1])


def wordllama(peers: Peers) -> Callable[[str, str], float]:
    """Return how its authors would compare two names: the mean of the rows of their tokens."""
    peers.importable()
    folder = peers.modules / "wordllama"
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


def accuracy(results: Results, path: Path, other: Callable[[str, str], float]) -> None:
    """Add how well each score agrees with what developers said."""
    with path.open(encoding="utf-8", newline="") as file:
        pairs = list(csv.DictReader(file))
    strings, vectors, combined = zip(*(pair_scores(pair["id1"], pair["id2"]) for pair in pairs), strict=True)
    theirs = [other(pair["id1"], pair["id2"]) for pair in pairs]
    both = [STRING_SHARE * a + (1 - STRING_SHARE) * b for a, b in zip(strings, theirs, strict=True)]
    scores: dict[str, Sequence[float]] = {
        "letters (`string`)": strings,
        "our vectors (`vector`)": vectors,
        OURS: combined,
    }
    scores |= {"wordllama": theirs, "letters and wordllama": both}
    scores |= {
        f"{name} (FastText on JavaScript, by the authors of the set)": [float(pair[name]) for pair in pairs]
        for name in pairs[0]
        if name.startswith("FT-")
    }
    found: dict[str, list[Any]] = {name: [] for name in scores}
    columns = []
    for rating, bar in BARS.items():
        rated = [at for at, pair in enumerate(pairs) if pair.get(rating, "NAN") != "NAN"]
        said = [float(pairs[at][rating]) for at in rated]
        columns.append(f"{rating} ({len(rated)} pairs)")
        for name, each in scores.items():
            found[name].append(spearman([each[at] for at in rated], said))
        best = max((name for name in list(scores)[3:]), key=lambda name: found[name][-1])
        against = f"{best}: {found[best][-1]:.3f}"
        results.bar(
            f"names: rank correlation, {rating}", found[OURS][-1], bar, better="higher", against=against
        )
        low, high = np.percentile(resampled([combined[at] for at in rated], said), (2.5, 97.5))
        found.setdefault("both, 95 % of samples drawn from the pairs", []).append((low, high))
    rows = [(name, *(cell(each) for each in row)) for name, row in found.items()]
    results.table("ratings", ("score", *columns), rows)


def resampled(ours: Sequence[float], said: Sequence[float]) -> list[float]:
    """Return the correlations in samples as large as the set."""
    chance, pairs = np.random.default_rng(1), np.array([ours, said])
    return [spearman(*pairs[:, chance.integers(0, len(said), len(said))]) for _ in range(SAMPLES)]


def cell(figure: float | tuple[float, float]) -> str:
    return f"{figure:.3f}" if isinstance(figure, float) else f"{figure[0]:.2f} to {figure[1]:.2f}"


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


def main() -> int:
    arguments = parser(__doc__)
    arguments.add_argument("--ratings", type=Path, default=next(iter(folders("HOLDFAST_NAMES")), None))
    arguments.add_argument("--names", type=int, default=50_000)
    arguments.add_argument("--tree", type=Path)
    given = arguments.parse_args()
    start = time.process_time()
    shipped_vectors()
    print(f"vectors loaded: {(time.process_time() - start) * 1e3:.1f} ms")
    room = Analysis(Repository.discover(given.tree)) if given.tree else None
    scan = room.scan(Project()) if room else None
    start = time.process_time()
    known = catalogue(scan) if scan else made_up(given.names)
    print(f"catalogue made: {time.process_time() - start:.2f} s")
    if room:
        room.close()
    if given.ratings is None:
        speed(known)
        return absent("a file of ratings (HOLDFAST_NAMES)")
    peers = Peers("names", ["wordllama", "safetensors", "tokenizers"])
    results = Results("bench.names", CORPUS, peers.versions())
    accuracy(results, given.ratings, wordllama(peers))
    speed(known)
    return results.finish(given)


if __name__ == "__main__":
    sys.exit(main())
