"""Likely pairs: planted copies are found, crowds stay bounded, any array module gives the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from holdfast.analysis.duplicates import sketch
from holdfast.analysis.duplicates.sketch import (
    NEIGHBOURS,
    Pieces,
    candidate_pairs,
    likely_pairs,
    minhash_sketches,
)

OF_BOTH = frozenset(
    {"add", "arange", "asarray", "bincount", "concatenate", "empty", "empty_like", "flatnonzero", "maximum"}
    | {"minimum", "multiply", "ones", "roll", "sort", "zeros"}
)
"""What the documentation of CuPy lists with the meaning that it has in NumPy."""


class StandIn:
    """NumPy as another array module: only what CuPy has, and the sizes of parts that a device gets.

    It shows that the code needs no more than that and that its result does not depend on those sizes. Whether
    a device counts right, only a device shows: `bench/gpu.py`.
    """

    def __getattr__(self, name: str) -> Any:
        if name not in OF_BOTH:
            raise AttributeError(f"CuPy is not known to have {name}.")
        return getattr(np, name)

    @staticmethod
    def asnumpy(values: Any) -> Any:
        return values


def pieces(*texts: list[int]) -> Pieces:
    """Return pieces in which tokens above 50 are names."""
    exact = np.array([token * 2654435761 % 2**32 for text in texts for token in text], np.uint32)
    plain = np.array([token for text in texts for token in text])
    starts = np.cumsum([0, *(len(text) for text in texts)])
    return Pieces(exact, np.where(plain > 50, np.uint32(2), exact), starts)


def crowd(count: int, changed: int, seed: int) -> list[list[int]]:
    """Return copies of one text with so many tokens changed in each."""
    random = np.random.default_rng(seed)
    text = random.integers(0, 400, 90)
    found = []
    for _ in range(count):
        copy = text.copy()
        copy[random.choice(90, changed, replace=False)] = random.integers(0, 400, changed)
        found.append(copy.tolist())
    return found


def others(count: int) -> list[list[int]]:
    random = np.random.default_rng(7)
    return [random.integers(0, 400, random.integers(45, 160)).tolist() for _ in range(count)]


def test_an_edited_copy_is_a_likely_pair_and_other_code_is_none() -> None:
    found = likely_pairs(pieces(*others(50), *crowd(2, 15, 1)))

    assert (50, 51) in set(zip(found.first.tolist(), found.second.tolist(), strict=True))
    assert len(found.first) < 10


def test_a_renamed_copy_is_a_likely_pair() -> None:
    random = np.random.default_rng(3)
    signs, names = random.integers(0, 50, 120), random.random(120) < 0.4
    first, second = (np.where(names, signs + shift, signs).tolist() for shift in (100, 200))

    assert len(likely_pairs(pieces(first, second)).first) == 1


def test_shared_tokens_are_never_fewer_than_both_have() -> None:
    texts = crowd(2, 12, 2)
    found = likely_pairs(pieces(*texts))

    both = sum(min(texts[0].count(token), texts[1].count(token)) for token in set(texts[0]))
    assert found.max_shared.tolist()[0] >= both


def test_pairs_of_a_crowd_grow_with_its_number_and_not_with_its_square() -> None:
    crowded = pieces(*crowd(2000, 12, 5))
    found = candidate_pairs(minhash_sketches(crowded))

    assert len(found) < 2000 * NEIGHBOURS * 16 < 2000 * 1999 / 3
    # Every one of them has partners all the same.
    assert np.bincount(found // 2000, minlength=2000)[:-1].min() >= 1


def test_the_same_pairs_come_from_another_array_module_that_has_what_cupy_has() -> None:
    many = pieces(*others(300), *crowd(60, 10, 1), *crowd(60, 25, 2))
    ours, theirs = likely_pairs(many), likely_pairs(many, StandIn())

    assert len(ours.first) > 500
    for mine, other in zip(vars(ours).values(), vars(theirs).values(), strict=True):
        assert mine.tobytes() == other.tobytes()


def test_parts_of_any_size_give_the_same_sketches(monkeypatch: pytest.MonkeyPatch) -> None:
    many = pieces(*others(200))
    whole = minhash_sketches(many)
    monkeypatch.setattr(sketch, "CPU_BATCH_ITEMS", 500)

    assert np.array_equal(minhash_sketches(many), whole)


def test_no_pieces_and_one_piece_have_no_pairs() -> None:
    assert len(likely_pairs(pieces(others(1)[0])).first) == 0
