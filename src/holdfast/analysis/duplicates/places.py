"""One clone group for each place: of groups that overlap, the longest.

A function and its first half may both be copies, the function of one other place and the half of ten. Each
place belongs to the longest group that has it, an exact one before a renamed one of the same length. A
shorter group keeps its other places, and one place of each longer group, as all are copies of each other.

Contract: of the fragments of a group, at most one lies for the most part in each earlier group.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from holdfast.analysis.duplicates.clone import COPY_SIMILARITY_DECIMALS, Fragment, FragmentGroup
from holdfast.kernel.call import current_call

_MAX_COVERED_SHARE = 0.5
"""The share of a place's lines in earlier groups that it may have: a judgement. Two groups may touch."""

LineGroups = dict[int, list[int]]
"""The numbers of the groups that each line of a file belongs to."""


def one_per_place(groups: Iterable[FragmentGroup]) -> list[FragmentGroup]:
    """Return the groups with each place in one of them, as the module describes."""
    files: defaultdict[str, LineGroups] = defaultdict(dict)
    result: list[FragmentGroup] = []
    for group in sorted(groups, key=_rank):
        fragments = tuple(_one_of_each_group(group, files))
        if len(fragments) == 1:
            continue
        for fragment in fragments:
            lines = files[fragment.file]
            for line in range(fragment.start_line, fragment.end_line + 1):
                lines.setdefault(line, []).append(len(result))
        result.append(_with_fragments(group, fragments))
    return result


def _one_of_each_group(group: FragmentGroup, files: Mapping[str, LineGroups]) -> Iterator[Fragment]:
    """Yield the fragments that are in no earlier group, and one in each of these."""
    represented: set[int] = set()
    call = current_call()
    for fragment in group.fragments:
        call.check()
        lines = files[fragment.file]
        span = range(fragment.start_line, fragment.end_line + 1)
        counts = Counter(number for line in span for number in lines.get(line, ()))
        least = _MAX_COVERED_SHARE * len(span)
        around = {number for number, count in counts.items() if count > least}
        if not around and sum(line in lines for line in span) > least:
            around = {counts.most_common(1)[0][0]}  # several groups share it
        if represented.isdisjoint(around):
            represented |= around
            yield fragment


def _with_fragments(group: FragmentGroup, fragments: tuple[Fragment, ...]) -> FragmentGroup:
    if fragments == group.fragments:
        return group
    mean = sum(each.similarity for each in fragments[1:]) / (len(fragments) - 1)
    return replace(group, fragments=fragments, similarity=round(mean, COPY_SIMILARITY_DECIMALS))


def _rank(group: FragmentGroup) -> tuple[object, ...]:
    return -group.fragments[0].tokens, group.kind != "exact", -len(group.fragments), group.id
