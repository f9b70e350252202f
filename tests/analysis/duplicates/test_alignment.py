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


@given(TEXTS, TEXTS, st.integers(0, 40))
def test_a_length_that_is_too_short_may_be_any_that_is(
    first: list[int], second: list[int], at_least: int
) -> None:
    found, longest = Aligner(first).common_length(second, at_least), by_table(first, second)
    assert found == longest or max(found, longest) < at_least
