"""Word vectors: words used in similar contexts in code and its documentation have similar directions.

The vectors ship with the package, quantized to small integers; `scripts/train_names.py` trains them. An
unknown word has the mean vector of its character n-grams, as in fastText. The vector of a name is the sum of
those of its words, in which rare words have longer vectors; numbers are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import IO, Any
from zlib import crc32

import numpy as np

Matrix = np.ndarray[Any, np.dtype[np.float32]]
FILE = "vectors.npz"
_MIN_LENGTH = 1e-9
"""The length by which shorter vectors are divided: any small number avoids division by zero."""


class Vectors:
    """The vectors of words and of n-gram buckets: rows of integers, each with a scale factor."""

    def __init__(self, file: IO[bytes]) -> None:
        stored = np.load(file)
        words = bytes(stored["words"]).decode("ascii").split()
        self.index = {word: row for row, word in enumerate(words)}
        self._rows, self._scales = stored["rows"], stored["scales"]
        self._ngram_buckets = len(self._rows) - len(words)

    def __call__(self, words: Sequence[str]) -> Matrix:
        """Return a row for each word: zeros for numbers and for words with letters outside ASCII."""
        result = np.zeros((len(words), self._rows.shape[1]), dtype=np.float32)
        known = [(position, self.index[word]) for position, word in enumerate(words) if word in self.index]
        if known:
            positions, rows = np.array(known).T
            result[positions] = self._scaled(rows)
        for position, word in enumerate(words):
            if word not in self.index and word.isascii() and word.isalpha():
                buckets = np.array([crc32(ngram) % self._ngram_buckets for ngram in ngrams(word)])
                result[position] = unit(self._scaled(len(self.index) + buckets).mean(axis=0))
        return result

    def _scaled(self, rows: np.ndarray[Any, np.dtype[np.intp]]) -> Matrix:
        vectors: Matrix = self._rows[rows] * self._scales[rows, None]
        return vectors


def ngrams(word: str) -> Iterator[bytes]:
    """Yield the character n-grams of a word, n from 3 to 5, with markers for its start and end."""
    marked = f"<{word}>".encode()
    for length in (3, 4, 5):
        for start in range(max(1, len(marked) - length + 1)):
            yield marked[start : start + length]


def unit(rows: Matrix) -> Matrix:
    """Normalize rows to length one; zeros stay zeros."""
    lengths: Matrix = np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), _MIN_LENGTH)
    return rows / lengths


@cache
def shipped_vectors() -> Vectors:
    """Return the vectors that ship with the package."""
    with files("holdfast.analysis.names").joinpath(FILE).open("rb") as file:
        return Vectors(file)
