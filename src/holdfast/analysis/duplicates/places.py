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
from typing import NamedTuple

from holdfast.analysis.duplicates.clone import COPY_SIMILARITY_DECIMALS, Fragment, FragmentGroup
from holdfast.kernel.call import current_call

_MAX_COVERED_SHARE = 0.5
"""The share of a place's lines in earlier groups that it may have: a judgement. Two groups may touch."""

_BLOCK_LINES = 32
"""Lines of a block: a judgement. Most fragments have lines of one or two blocks."""


class TakenLines(NamedTuple):
    """The lines of a fragment, and the number of its group."""

    start: int
    end: int
    group: int


TakenPlaces = dict[int, list[TakenLines]]
"""The places with lines in each block of a file, by the number of the block."""


def one_per_place(groups: Iterable[FragmentGroup]) -> list[FragmentGroup]:
    """Return the groups with each place in one of them, as the module describes."""
    files: defaultdict[str, TakenPlaces] = defaultdict(dict)
    result: list[FragmentGroup] = []
    for group in sorted(groups, key=_rank):
        fragments = tuple(_one_of_each_group(group, files))
        if len(fragments) == 1:
            continue
        for fragment in fragments:
            place = TakenLines(fragment.start_line, fragment.end_line, len(result))
            places = files[fragment.file]
            for block in _blocks(fragment):
                places.setdefault(block, []).append(place)
        result.append(_with_fragments(group, fragments))
    return result


def _blocks(fragment: Fragment) -> range:
    return range(fragment.start_line // _BLOCK_LINES, fragment.end_line // _BLOCK_LINES + 1)


def _one_of_each_group(group: FragmentGroup, files: Mapping[str, TakenPlaces]) -> Iterator[Fragment]:
    """Yield the fragments that are in no earlier group, and one in each of these."""
    represented: set[int] = set()
    call = current_call()
    for fragment in group.fragments:
        call.check()
        places = files[fragment.file]
        blocks = _blocks(fragment)
        found = [
            place
            for block in blocks
            for place in places.get(block, ())
            if block == max(blocks.start, place.start // _BLOCK_LINES)  # each once
        ]
        around = _groups_around(fragment, found) if found else set()
        if represented.isdisjoint(around):
            represented |= around
            yield fragment


def _groups_around(fragment: Fragment, places: Iterable[TakenLines]) -> set[int]:
    """Return the groups in which a fragment lies for the most part; one, if several share it."""
    first, last = fragment.start_line, fragment.end_line
    least = _MAX_COVERED_SHARE * fragment.line_count
    counts: Counter[int] = Counter()
    covered: set[int] = set()
    for place in sorted(places, key=lambda place: (max(place.start, first), place.group)):
        lines = range(max(place.start, first), min(place.end, last) + 1)
        if lines:
            counts[place.group] += len(lines)
            covered.update(lines)
    around = {number for number, count in counts.items() if count > least}
    if not around and len(covered) > least:
        around = {counts.most_common(1)[0][0]}
    return around


def _with_fragments(group: FragmentGroup, fragments: tuple[Fragment, ...]) -> FragmentGroup:
    if fragments == group.fragments:
        return group
    mean = sum(each.similarity for each in fragments[1:]) / (len(fragments) - 1)
    return replace(group, fragments=fragments, similarity=round(mean, COPY_SIMILARITY_DECIMALS))


def _rank(group: FragmentGroup) -> tuple[object, ...]:
    return -group.fragments[0].tokens, group.kind != "exact", -len(group.fragments), group.id
