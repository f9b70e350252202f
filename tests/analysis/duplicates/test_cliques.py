"""Groups: every pair is in one, and no group chains together what is no pair."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.analysis.duplicates.cliques import MAX_GROUPS_PER_ITEM, Pair, cliques

PAIRS = st.dictionaries(
    st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda pair: pair[0] < pair[1]),
    st.sampled_from([0.6, 0.7, 0.8]),
)


def test_a_chain_is_no_group() -> None:
    assert cliques({(1, 2): 0.9, (2, 3): 0.8}, [(1, 2), (2, 3)]) == [[1, 2], [2, 3]]


def test_those_that_are_all_alike_are_one_group() -> None:
    similar = dict.fromkeys(combinations(range(5), 2), 0.7)

    assert cliques(similar, similar) == [[0, 1, 2, 3, 4]]


@given(PAIRS)
def test_every_pair_is_covered_and_every_two_of_a_group_are_a_pair(similar: dict[Pair, float]) -> None:
    groups = cliques(similar, similar)

    assert {pair for group in groups for pair in combinations(group, 2)} == set(similar)
    backwards = dict(reversed(similar.items()))
    assert cliques(backwards, list(backwards)) == groups


def test_in_a_crowd_of_which_not_all_were_compared_groups_stay_few() -> None:
    similar = {(one, one + step): 0.8 for one in range(500) for step in range(1, 80) if (one * step) % 7}
    groups = cliques(similar, similar)

    assert len(groups) <= 580 * MAX_GROUPS_PER_ITEM
    assert {thing for group in groups for thing in group} == {thing for pair in similar for thing in pair}
