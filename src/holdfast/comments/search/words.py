"""Which comments have which words, for queries that match inside words.

The words of comments repeat: a hundred thousand comments have some ten thousand different ones. A query whose
matches never contain white space is tried on each different word once; how often it matches in a comment is
the sum over the words of that comment. That is exact, because white space looks like the end of a text to
everything such a query can ask about its surroundings.

Contract: comments get numbers that are never given to another one, so that a change touches the words of the
changed files only. Comments that are gone keep their numbers until half of all are gone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, islice, repeat

from holdfast.comments.search.folding import folded
from holdfast.comments.search.pattern import MOST_COUNTED, Pattern, encoded
from holdfast.comments.search.query import Accept, Facts
from holdfast.comments.search.tally import Tally, bits, numbers_in

_END = "\n"
_FREQUENT_SHARE = 256
"""A word in more than one of so many comments keeps them as bits, at most four times as large as a list."""
_FEWEST_FREQUENT = 64


class Words:
    """The different words of all comments, and which comments each is in."""

    def __init__(self) -> None:
        self._comments_of: dict[str, list[int] | Tally] = {}
        """For each word the numbers of its comments, once for each time it occurs; as bits if frequent."""
        self._facts: Sequence[Facts] = ()
        self._number_of: dict[Facts, int] = {}
        self._places: list[int] = []
        """For each number the place of its comment; for those that are gone, anything."""
        self._present = 0
        self._is_in_order = True
        self._vocabulary: list[str] = []
        self._folded: tuple[str, list[int]] = ("", [])
        self._encoded: tuple[bytes, list[int]] = (b"", [])

    def bring_up_to_date(self, facts: Sequence[Facts]) -> None:
        """Take over which comments there are, in their order."""
        known, first = self._number_of, len(self._places)
        new = [one for one in facts if one not in known]
        if first + len(new) > 2 * len(facts):
            self._comments_of = {}
            self._spell()
            known, first, new = {}, 0, list(facts)
        size = first + len(new)
        self._add(new, first, most_rare=max(size // _FREQUENT_SHARE, _FEWEST_FREQUENT))
        numbers = known | {one: number for number, one in enumerate(new, first)}
        self._facts, self._number_of = facts, {one: numbers[one] for one in facts}
        in_order = list(self._number_of.values())
        self._places = [0] * size
        for place, number in enumerate(in_order):
            self._places[number] = place
        self._present = bits(in_order) if in_order else 0
        self._is_in_order = all(map(int.__lt__, in_order, in_order[1:]))
        if len(self._vocabulary) != len(self._comments_of):
            self._spell()

    def find(
        self, pattern: Pattern, accept: Accept | None, limit: int
    ) -> tuple[int, list[tuple[int, Facts]]] | None:
        """Return how many comments match and are accepted, and those with most matches, ordered by place.

        None: so much matches that it is quicker to look at every comment.
        """
        tally = self._counted(pattern)
        if tally is None:
            return None
        meant = tally.counted() & self._present
        if accept is not None:
            at = self._places
            accepted = [number for number in numbers_in(meant) if accept(self._facts[at[number]])]
            meant = bits(accepted) if accepted else 0
        chosen: list[tuple[int, Facts]] = []
        for count, some in _limited(tally.groups(meant)):
            if len(chosen) >= limit:
                break
            chosen += [(count, self._facts[place]) for place in self._first(some, limit - len(chosen))]
        return meant.bit_count(), chosen

    def _first(self, some: int, most: int) -> list[int]:
        """Return the first places of a set of comments, in order."""
        places = map(self._places.__getitem__, numbers_in(some))
        return list(islice(places, most)) if self._is_in_order else sorted(places)[:most]

    def _counted(self, pattern: Pattern) -> Tally | None:
        """Return how often each comment matches, or None when it is a text that most comments have."""
        if pattern.text is not None:
            words = _with_text(pattern.text, *self._folded)
        else:
            words = _with_expression(pattern, *self._encoded)
        tally = Tally()
        rare: list[tuple[list[int], int]] = []
        for word, found in words:
            comments, times = self._comments_of[self._vocabulary[word]], min(found, MOST_COUNTED)
            if isinstance(comments, Tally):
                tally.add(comments, times)
            else:
                rare.append((comments, times))
        if pattern.text is not None and sum(len(comments) * times for comments, times in rare) > len(
            self._facts
        ):
            return None
        tally.count(chain.from_iterable(chain.from_iterable(repeat(*pair)) for pair in rare))
        return tally

    def _add(self, facts: Sequence[Facts], first: int, most_rare: int) -> None:
        new: defaultdict[str, list[int]] = defaultdict(list)
        for number, one in enumerate(facts, first):
            for word in one.text.split():
                new[word].append(number)
        for word, numbers in new.items():
            before = self._comments_of.get(word, [])
            if isinstance(before, Tally):
                before.count(numbers)
                continue
            together = before + numbers
            self._comments_of[word] = together if len(together) <= most_rare else Tally(together)

    def _spell(self) -> None:
        """Write all words one below the other, as texts and as expressions are looked for."""
        self._vocabulary = list(self._comments_of)
        small = [folded(word) + _END for word in self._vocabulary]
        self._folded = "".join(small), list(accumulate(map(len, small)))
        raw = [encoded(word + _END) for word in self._vocabulary]
        self._encoded = b"".join(raw), list(accumulate(map(len, raw)))


def _limited(groups: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the groups with counts of at most `MOST_COUNTED`: those above are one group."""
    most = 0
    for count, some in groups:
        if count >= MOST_COUNTED:
            most |= some
            continue
        if most:
            yield MOST_COUNTED, most
            most = 0
        yield count, some
    if most:
        yield MOST_COUNTED, most


def _with_text(text: str, joined: str, ends: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of the words that contain a text, and how often."""
    position = joined.find(text)
    while position >= 0:
        word = bisect_right(ends, position)
        yield word, joined.count(text, position, ends[word])
        position = joined.find(text, ends[word])


def _with_expression(pattern: Pattern, joined: bytes, ends: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of the words that an expression matches in, and how often."""
    return iter(Counter(bisect_right(ends, start) for start in pattern.starts(joined)).items())
