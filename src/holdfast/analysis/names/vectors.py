"""Word vectors: words used in similar contexts in code and its documentation have similar directions.

The vectors ship with the package, quantized to small integers; `scripts/train_names.py` trains them. An
unknown word is the mean of its character n-grams, as in fastText. The vector of a name is the sum of its
words', of which rare ones are longer; numbers are ignored.
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
_LEAST = 1e-9
"""Avoids division by zero."""


class Vectors:
    """The vectors of words and of n-gram buckets: rows of integers, each with a scale factor."""

    def __init__(self, file: IO[bytes]) -> None:
        stored = np.load(file)
        words = bytes(stored["words"]).decode("ascii").split()
        self.index = {word: row for row, word in enumerate(words)}
        self._rows, self._scales = stored["rows"], stored["scales"]
        self._pieces = len(self._rows) - len(words)

    def __call__(self, words: Sequence[str]) -> Matrix:
        """Return a row for each word: zeros for numbers and for words with letters outside ASCII."""
        result = np.zeros((len(words), self._rows.shape[1]), dtype=np.float32)
        known = [(at, self.index[word]) for at, word in enumerate(words) if word in self.index]
        if known:
            places, rows = np.array(known).T
            result[places] = self._rows[rows] * self._scales[rows, None]
        for at, word in enumerate(words):
            if word not in self.index and word.isascii() and word.isalpha():
                rows = len(self.index) + np.array([crc32(p) % self._pieces for p in pieces(word)])
                result[at] = unit((self._rows[rows] * self._scales[rows, None]).mean(axis=0))
        return result


def pieces(word: str) -> Iterator[bytes]:
    """Yield the character n-grams of a word, n from 3 to 5, with markers for its beginning and end."""
    marked = f"<{word}>".encode()
    for length in (3, 4, 5):
        for start in range(max(1, len(marked) - length + 1)):
            yield marked[start : start + length]


def unit(rows: Matrix) -> Matrix:
    """Normalize rows to length one; zeros stay zeros."""
    lengths: Matrix = np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), _LEAST)
    return rows / lengths


@cache
def shipped_vectors() -> Vectors:
    """Return the vectors that ship with the package."""
    with files("holdfast.analysis.names").joinpath(FILE).open("rb") as file:
        return Vectors(file)
