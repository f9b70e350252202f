"""Train the word vectors with which `analyze_name_similarity` compares the meaning of names.

    python -m scripts.train_names FOLDER... [--output FILE]

Each folder is the source of a project. All its names and words, in code, strings, comments and documents, are
split into subwords. A word's vector is computed from the two words before and after it: positive pointwise
mutual information (PPMI), reduced by a truncated singular value decomposition. Vectors of rarer words are
composed of character n-grams, as in fastText. The shipped vectors were trained on the projects listed in
docs/accuracy.md, with their licences; they contain none of their text.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from holdfast.analysis.names.subwords import subwords
from holdfast.analysis.names.vectors import FILE, Matrix, ngrams, unit

Numbers = np.ndarray[Any, np.dtype[np.int32]]

TARGET = Path(__file__).resolve().parent.parent / "src" / "holdfast" / "analysis" / "names" / FILE
WORDS = 20_000
KEPT = 14_000
"""The most frequent of these are shipped; the n-grams are also trained on the others, and replace them."""
PIECES = 16_000
NEIGHBOURS = 6_000
"""The number of context words, the most frequent ones."""
DIMENSIONS = 64
WINDOW = 2
PROJECT_BYTES = 40_000_000
"""The limit for one project, so that none dominates."""
PROJECTS = 3
"""The number of projects in which a word must occur."""
FREQUENT = 1e-4
"""Words more frequent than this are subsampled, as in word2vec (https://arxiv.org/abs/1310.4546)."""
SMOOTHING = 0.75
"""The exponent on context frequencies, against the bias of PMI to rare words (Levy et al. 2015,
https://aclanthology.org/Q15-1016)."""
RARE = 1e-3
"""Words more frequent than this weigh less within a name: smooth inverse frequency (Arora et al. 2017)."""
RIDGE = 0.01
ROUNDS = 10
CHUNK = 2_000_000
SEED = 1

_NAME = re.compile(r"[^\W\d][\w$]*")


class Splitter(dict[str, tuple[int, ...]]):
    """Maps a name to the indices of its words, which are numbered in order of appearance."""

    def __init__(self) -> None:
        self.words: dict[str, int] = {}

    def __missing__(self, name: str) -> tuple[int, ...]:
        words = [word for word in subwords(name) if word.isascii() and word.isalpha() and len(word) < 25]
        found = tuple(self.words.setdefault(word, len(self.words)) for word in words)
        self[name] = found
        return found


def texts(folder: Path) -> Iterator[str]:
    """Yield the files of a project in random order, up to `PROJECT_BYTES`."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    random.Random(SEED).shuffle(paths)
    read = 0
    for path in paths:
        text = path.read_text("utf-8", "replace")
        read += len(text)
        if read > PROJECT_BYTES:
            break
        yield text


def corpus(folders: Sequence[Path]) -> tuple[list[str], list[Numbers]]:
    """Return the most frequent words and each project's text as their indices; -1 ends a file."""
    splitter = Splitter()
    projects = []
    for folder in folders:
        numbers: list[int] = []
        for text in texts(folder):
            for name in _NAME.findall(text):
                numbers += splitter[name]
            numbers.append(-1)
        projects.append(np.array(numbers, dtype=np.int32))
        print(f"{folder.name}: {len(numbers):,} words", flush=True)
    counts = np.zeros(len(splitter.words))
    spread = np.zeros(len(splitter.words))
    for numbers_of in projects:
        found = np.bincount(numbers_of[numbers_of >= 0], minlength=len(counts))
        counts += found
        spread += found > 0
    counts[spread < PROJECTS] = 0
    chosen = np.argsort(-counts, kind="stable")[:WORDS]
    new = np.full(len(counts) + 1, -1, dtype=np.int32)  # the last entry maps -1, the end of a file
    new[chosen] = np.arange(len(chosen))
    words = list(splitter.words)
    return [words[index] for index in chosen], [
        new[numbers_of[(numbers_of < 0) | (new[numbers_of] >= 0)]] for numbers_of in projects
    ]


def neighbours(projects: Sequence[Numbers], counts: Matrix) -> Matrix:
    """Return how often each context word comes before each word and, in further columns, after it."""
    words = len(counts)
    keep = np.minimum(1.0, np.sqrt(FREQUENT / (counts / counts.sum()))).astype(np.float32)
    chance = np.random.default_rng(SEED)
    near = np.zeros(words * 2 * NEIGHBOURS, dtype=np.float32)
    for numbers in projects:
        for start in range(0, len(numbers), CHUNK):
            part = numbers[start : start + CHUNK]
            part = part[(part < 0) | (chance.random(len(part), dtype=np.float32) < keep[part])]
            for distance in range(1, WINDOW + 1):
                left, right = part[:-distance].astype(np.int64), part[distance:].astype(np.int64)
                both = (left >= 0) & (right >= 0)
                for word, other, column in ((right, left, 0), (left, right, NEIGHBOURS)):
                    counted = both & (other < NEIGHBOURS)
                    keys = word[counted] * 2 * NEIGHBOURS + other[counted] + column
                    keys, found = np.unique(keys, return_counts=True)
                    near[keys] += found.astype(np.float32) / distance
    return near.reshape(words, 2 * NEIGHBOURS)


def information(near: Matrix) -> Matrix:
    """Turn counts into positive pointwise mutual information, in place."""
    around = near.sum(axis=0, dtype=np.float64) ** SMOOTHING
    around /= around.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        for row in near:
            row[:] = np.nan_to_num(np.maximum(np.log(row / (row.sum(dtype=np.float64) * around)), 0))
    return near


def reduced(matrix: Matrix) -> Matrix:
    """Return unit rows in few, equally weighted dimensions, by a randomised truncated SVD."""
    start = np.random.default_rng(SEED).standard_normal((matrix.shape[1], DIMENSIONS + 32), dtype=np.float32)
    basis = np.linalg.qr(matrix @ start)[0]
    for _ in range(3):
        basis = np.linalg.qr(matrix @ np.linalg.qr(matrix.T @ basis)[0])[0]
    left = np.linalg.svd(basis.T @ matrix, full_matrices=False)[0]
    rows: Matrix = basis @ left[:, :DIMENSIONS]
    return unit(rows - rows.mean(axis=0))


def with_pieces(words: Sequence[str], vectors: Matrix) -> tuple[Matrix, Matrix]:
    """Return the vectors of words, and those of n-grams whose means approximate them.

    The n-grams are fitted by ridge regression with conjugate gradients. A word's vector is averaged with that
    of its n-grams, which helps rare words.
    """
    word_of, piece_of, share = [], [], []
    for row, word in enumerate(words):
        found = [crc32(piece) % PIECES for piece in ngrams(word)]
        word_of += [row] * len(found)
        piece_of += found
        share += [1 / len(found)] * len(found)
    starts = np.flatnonzero(np.diff(word_of, prepend=-1))
    taken, weight = np.array(piece_of), np.array(share, dtype=np.float32)[:, None]
    owner = np.array(word_of)

    def means(rows: Matrix) -> Matrix:
        return np.add.reduceat(rows[taken] * weight, starts)

    def spread(rows: Matrix) -> Matrix:
        result = np.zeros((PIECES, DIMENSIONS), dtype=np.float32)
        np.add.at(result, taken, rows[owner] * weight)
        return result

    solution = np.zeros((PIECES, DIMENSIONS), dtype=np.float32)
    rest = spread(vectors)
    direction, size = rest.copy(), (rest**2).sum(axis=0)
    for _ in range(ROUNDS):
        step = spread(means(direction)) + RIDGE * direction
        along = size / (direction * step).sum(axis=0)
        solution += along * direction
        rest -= along * step
        before, size = size, (rest**2).sum(axis=0)
        direction = rest + size / before * direction
    return unit(vectors + unit(means(solution))), solution


def pack(output: Path, words: Sequence[str], vectors: Matrix, weights: Matrix) -> None:
    """Write words and vectors, quantised to 8 bits with a scale for each row."""
    of_words, of_pieces = with_pieces(words, vectors)
    rows = np.vstack([(of_words * weights[:, None])[:KEPT], of_pieces])
    scales = np.maximum(np.abs(rows).max(axis=1), 1e-9) / 127
    np.savez_compressed(
        output,
        words=np.frombuffer(" ".join(words[:KEPT]).encode("ascii"), dtype=np.uint8),
        rows=np.round(rows / scales[:, None]).astype(np.int8),
        scales=scales.astype(np.float32),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--output", type=Path, default=TARGET)
    given = parser.parse_args()
    words, projects = corpus(given.folders)
    known = np.concatenate([numbers[numbers >= 0] for numbers in projects])
    counts = np.bincount(known, minlength=len(words)).astype(np.float32)
    vectors = reduced(information(neighbours(projects, counts)))
    rare = RARE / (RARE + counts / counts.sum())
    pack(given.output, words, vectors, rare.astype(np.float32))
    print(f"{given.output}: {len(words):,} words, {given.output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
