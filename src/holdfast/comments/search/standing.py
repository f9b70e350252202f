"""Where a phrase stands in the row of all words."""

from __future__ import annotations

import sys
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, compress
from typing import TypeAlias

from holdfast.comments.search.phrases import DOUBTFUL, TOUCHING, Phrase
from holdfast.comments.search.picking import picked
from holdfast.comments.search.sequence import WordRow
from holdfast.comments.search.tally import Tally
from holdfast.comments.search.vocabulary import AFTER, BEFORE, EDGE, FITS, TooComplex

_ANY = sys.maxsize
_ADJACENT = (-1, 1)
_NOTHING = 0
_WITHOUT_FLAGS = frozenset({_NOTHING, FITS})
_IS = [bytes(byte == value for byte in range(256)) for value in range(8)]
"""For each combination of flags, which bytes are that."""


@dataclass
class Group:
    """Places of the rarest word of a phrase, at which the phrase stands or does not."""

    counts: Tally | None
    """How often the word is in each comment, where these are all places of one word that is frequent."""
    places: array[int]
    dropped: array[int] = field(default_factory=lambda: array("I"))


@dataclass
class Standing:
    """Where a phrase stands: the places of its rarest word."""

    shift: int
    """How far before that its first word is."""
    groups: list[Group] = field(default_factory=list)
    doubtful: list[int] = field(default_factory=list)
    """Places that were said to be doubtful."""
    touching: list[int] = field(default_factory=list)
    """Places at which other matches may begin."""

    def starts(self) -> Iterator[int]:
        """Return the places of the first words."""
        return map((-self.shift).__add__, chain.from_iterable(group.places for group in self.groups))


def standing(row: WordRow, phrase: Phrase) -> Standing:
    """Return where a phrase stands."""
    sizes = [_ANY if table is None else row.occurrences(table) for table in phrase.words]
    order = sorted(range(len(sizes)), key=sizes.__getitem__)
    at = order[0]
    table = phrase.words[at]
    if table is None or sizes[at] > row.most_places:
        raise TooComplex
    looking = _Looking(row, phrase, at, order[1:])
    rare: defaultdict[int, list[int]] = defaultdict(list)
    for word in compress(range(len(table)), table):
        if row.counts(word) is None:
            rare[table[word]].append(word)
        else:
            looking.at_frequent(word, table[word])
    for flags, words in rare.items():
        looking.at_places(Group(None, row.places(words)), flags)
    return looking.found


def standing_at(row: WordRow, phrase: Phrase, starts: array[int]) -> array[int]:
    """Return at which places, of some for its first word, a phrase stands."""
    # Where few words fit, most places drop out.
    fitting = [0 if table is None else len(table) - table.count(_NOTHING) for table in phrase.words]
    order = sorted(range(len(fitting)), key=fitting.__getitem__)
    looking = _Looking(row, phrase, int(phrase.begins_with_gap), order)
    group = Group(None, starts)
    looking.at_places(group, 0)
    return group.places


_Check: TypeAlias = Callable[[Sequence[int]], bytes]
"""Given places, returns a byte for each that says whether it fits."""


class _Looking:
    """Looks around the places of the rarest word of a phrase."""

    def __init__(self, row: WordRow, phrase: Phrase, at: int, order: list[int]) -> None:
        self.found = Standing(at - phrase.begins_with_gap)
        self._row = row
        self._words = {place - at: table for place in order if (table := phrase.words[place]) is not None}
        self._gaps: list[_Check] = []
        for place, table in enumerate(phrase.gaps):
            if not _is_known(row, table, phrase.words[place], phrase.words[place + 1]):
                self._gaps.append(partial(_gaps_fit, row, place - at, table))

    def at_frequent(self, word: int, flags: int) -> None:
        """Look around a frequent word, whose places are known by its neighbours."""
        counts = self._row.counts(word)
        side = next((distance for distance in self._words if distance in _ADJACENT), None)
        if side is None:
            self.at_places(Group(counts, self._row.places([word])), flags)
            return
        found = self._row.by_neighbour(word, side, self._words[side])
        group = Group(counts, array("I"), found.pop(_NOTHING, array("I")))
        for flag, places in found.items():
            self._note(flag, places)
            group.places += places
        self.at_places(group, flags, seen=side)

    def at_places(self, group: Group, flags: int, seen: int | None = None) -> None:
        """Look around places, where one side may have been looked at already."""
        words: Iterator[_Check] = (
            partial(_words_fit, self._row, distance, table)
            for distance, table in self._words.items()
            if distance != seen
        )
        for check in chain(words, self._gaps):
            found = check(group.places)
            for flags_here in set(found).difference(_WITHOUT_FLAGS):
                is_here = found.translate(_IS[flags_here])
                self._note(flags_here, compress(group.places, is_here))
            if _NOTHING in found:
                group.dropped.extend(compress(group.places, found.translate(_IS[_NOTHING])))
                group.places = array("I", compress(group.places, found))
        self._note(flags, group.places)
        self.found.groups.append(group)

    def _note(self, flags: int, places: Iterable[int]) -> None:
        """Keep places that something was said about."""
        if flags & DOUBTFUL:
            self.found.doubtful += places
        elif flags & TOUCHING:
            self.found.touching += places


def _words_fit(row: WordRow, distance: int, table: bytearray, places: Sequence[int]) -> bytes:
    return bytes(picked(table, row.words_beside(places, distance)))


def _gaps_fit(row: WordRow, distance: int, table: bytearray, places: Sequence[int]) -> bytes:
    return row.gaps_beside(places, distance).translate(table)


def _is_known(row: WordRow, gap: bytearray, before: bytearray | None, after: bytearray | None) -> bool:
    """Tell whether a gap fits wherever the words beside it do."""
    if gap[EDGE] and row.gaps.are_all(gap):
        return True
    if before is None or after is None:
        return False
    if before[BEFORE] or after[AFTER]:
        # Beside the edge there is nothing else.
        return gap[EDGE] == FITS and not any(gap[EDGE + 1 :])
    return row.gaps.are_all(gap)
