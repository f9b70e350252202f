"""Structures: alike whatever the names, less alike the more is different, rare runs weighing more."""

from __future__ import annotations

from holdfast.analysis.duplicates.structure import Structures
from tests.analysis.duplicates.test_sketch import others, pieces


def test_names_do_not_count_and_other_structures_do() -> None:
    text, *rest = others(20)
    renamed = [token + 500 if token > 50 else token for token in text]
    half = text[: len(text) // 2] + rest[0]
    structures = Structures(pieces(text, renamed, half, *rest))

    assert structures.similarity(0, 1) == 1.0
    assert 1 > structures.similarity(0, 2) > structures.similarity(0, 4)
    assert structures.similarity(2, 0) == structures.similarity(0, 2)
