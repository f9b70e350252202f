"""One clone group for each place: of groups that overlap, those that make more code redundant.

A function and its first half may both be copies, the function of one other place and the half of ten. Each
place belongs to the longest group that has it, an exact one before a renamed one of the same length. A
shorter group keeps its other places, and its representative, of which they are copies.

Contract: of the fragments of a group, at most the representative lies for the most part in earlier groups.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from holdfast.analysis.duplicates.clone import COPY_SIMILARITY_DECIMALS, Fragment, FragmentGroup

_MAX_COVERED_SHARE = 0.5
"""The share of a place's lines in earlier groups that it may have: a judgement. Two groups may touch."""

LineSets = dict[str, int]
"""A set of lines of each file, as an integer whose bit n is line n."""


def one_per_place(groups: Iterable[FragmentGroup]) -> list[FragmentGroup]:
    """Return the groups with each place in one of them, as the module describes."""
    covered: LineSets = {}
    result = []
    for group in sorted(groups, key=_rank):
        new = [fragment for fragment in group.fragments if not _is_covered(fragment, covered)]
        if not new:
            continue
        first = group.fragments[0]
        fragments = tuple(new if new[0] == first else (first, *new))
        if len(fragments) == 1:
            fragments = group.fragments[:2]
        for fragment in fragments:
            covered[fragment.file] = covered.get(fragment.file, 0) | line_set(fragment)
        result.append(_with_fragments(group, fragments))
    return result


def _with_fragments(group: FragmentGroup, fragments: tuple[Fragment, ...]) -> FragmentGroup:
    if fragments == group.fragments:
        return group
    mean = sum(each.similarity for each in fragments[1:]) / (len(fragments) - 1)
    return replace(group, fragments=fragments, similarity=round(mean, COPY_SIMILARITY_DECIMALS))


def line_set(fragment: Fragment) -> int:
    """Return the lines of a fragment as an integer whose bit n is line n."""
    return (1 << fragment.end_line + 1) - (1 << fragment.start_line)


def _is_covered(fragment: Fragment, covered: LineSets) -> bool:
    lines = line_set(fragment)
    shared = (lines & covered.get(fragment.file, 0)).bit_count()
    return shared > _MAX_COVERED_SHARE * lines.bit_count()


def _rank(group: FragmentGroup) -> tuple[object, ...]:
    return -group.fragments[0].tokens, group.kind != "exact", -len(group.fragments), group.id
