"""Alignments: the longest common subsequence, as the textbook's table gives it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.analysis.duplicates.alignment import Aligner

TEXTS = st.lists(st.integers(0, 5), max_size=40)


def by_table(first: list[int], second: list[int]) -> int:
    row = [0] * (len(second) + 1)
    for token in first:
        above = row[:]
        for place, other in enumerate(second, 1):
            row[place] = above[place - 1] + 1 if token == other else max(above[place], row[place - 1])
    return row[-1]


@given(TEXTS, TEXTS)
def test_the_common_tokens_are_those_of_the_longest_common_subsequence(
    first: list[int], second: list[int]
) -> None:
    assert Aligner(first).common_length(second) == by_table(first, second)
