"""The new lines that no firm line has become, to be found by their text or by the words in them."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from functools import cached_property

from holdfast.comments.tracking.lines import Bag, Lines

_COMMON = 60
"""Lines in which a part of a word occurs beyond which it tells nothing."""

_MOST_READ = 20_000
"""Lines whose words are read; of a longer rest only equal texts are found."""


class LeftOver:
    """Lines to choose from."""

    def __init__(self, lines: Lines, taken: set[int]) -> None:
        self._lines = lines
        self._indices = [index for index in range(len(lines)) if index not in taken]

    @cached_property
    def _by_text(self) -> dict[str, list[int]]:
        """The lines by what they say, each list increasing."""
        found: dict[str, list[int]] = defaultdict(list)
        for index in self._indices:
            found[self._lines.normal[index]].append(index)
        return found

    @cached_property
    def _by_piece(self) -> dict[str, list[int]]:
        """The lines by the parts of words in them, without parts that are everywhere."""
        found: dict[str, list[int]] = defaultdict(list)
        for index in self._indices[:_MOST_READ]:
            for piece in self._lines.bag(index).counts:
                found[piece].append(index)
        return found

    def equal(self, text: str, goal: int, most: int) -> list[int]:
        """Return the lines with a text that are nearest to a goal."""
        found = self._by_text.get(text, [])
        place = bisect_left(found, goal)
        near = found[max(0, place - most) : place + most]
        return sorted(near, key=lambda index: (abs(index - goal), index))[:most]

    def sharing(self, bag: Bag, start: int, end: int, most: int) -> list[int]:
        """Return the lines from start to before end that share most of the rarer words."""
        votes: dict[int, float] = defaultdict(float)
        for piece in bag.counts:
            holders = self._by_piece.get(piece, [])
            low, high = bisect_left(holders, start), bisect_left(holders, end)
            if high - low <= _COMMON:
                worth = 1 / (1 + high - low)
                for index in holders[low:high]:
                    votes[index] += worth
        return sorted(votes, key=lambda index: (-votes[index], index))[:most]
