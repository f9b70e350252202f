"""Matches the symbols of two versions: by qualified name, by name, by similarity of their bodies.

Contract: the map is one-to-one, and pairs only symbols of compatible kinds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from rapidfuzz.distance import Indel

from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.outline import Outline

if TYPE_CHECKING:
    from holdfast.syntax.symbols import Symbol


_MIN_ALIKE = 0.55
"""Lowest body similarity for a pair. This and the weights and bounds of similarity below were tuned with
`bench/anchors` (docs/accuracy.md, decision 0016)."""

_NAME_BONUS = 0.15
_MAX_PAIRS = 4000
"""Pairs of unmatched symbols whose bodies are compared; beyond this only pairs that share unchanged lines
are. A chosen bound on time."""

_LONGEST_BODY = 400
"""Lines of a body that are compared. A chosen bound on time."""


_TINY = 30
_TINY_NAME = 0.6
"""Symbols with fewer than `_TINY` tokens together must have names at least this similar."""

_UNCHANGED_SHARE = 0.3
_MIN_UNCHANGED = 6
"""A symbol that was renamed is certain only if this share of its body, and this many distinctive tokens, are
unchanged."""

_ALIKE = {"Function": "callable", "Method": "callable", "Constructor": "callable"}


class SymbolMap:
    """The symbols of two versions, paired."""

    def __init__(
        self, old: Outline, new: Outline, before: Lines, after: Lines, fixed: dict[int, int]
    ) -> None:
        self._old, self._new = old, new
        self._before, self._after = before, after
        self._fixed = fixed
        self.target_of: dict[int, int] = {}
        self._is_claimed: set[int] = set()
        self._bodies: dict[tuple[bool, int], Counter[str]] = {}
        self._votes = self._counted_votes()
        self._pair_by(lambda symbol: (symbol.path, _kind(symbol), symbol.signature))
        self._pair_by(lambda symbol: (symbol.path, _kind(symbol)))
        self._pair_by_similarity()
        self._pair_by(lambda symbol: (symbol.name, _kind(symbol)), only_single=True)

    def _counted_votes(self) -> dict[tuple[int, int], int]:
        """Return how many unchanged lines lead from each old innermost symbol to each new one."""
        votes: dict[tuple[int, int], int] = defaultdict(int)
        for old_index, new_index in self._fixed.items():
            source, target = self._old.symbol_at(old_index), self._new.symbol_at(new_index)
            if source is not None and target is not None and not self._before.is_trivial(old_index):
                votes[source, target] += 1
        return votes

    def _pair_by(self, key: Callable[[Symbol], Hashable], *, only_single: bool = False) -> None:
        """Pair symbols with equal keys: directly if unique on both sides, else by their content."""
        left = self._grouped(self._old.symbols, self.target_of, key)
        right = self._grouped(self._new.symbols, self._is_claimed, key)
        for shared, sources in left.items():
            targets = right.get(shared, [])
            if len(sources) == 1 and len(targets) == 1:
                self._pair(sources[0], targets[0])
            elif targets and not only_single:
                self._best_first(
                    (self._similarity(source, target) + self._nearness(source, target), source, target)
                    for source in sources[:20]
                    for target in targets[:20]
                )

    def _grouped(
        self, symbols: tuple[Symbol, ...], done: Iterable[int], key: Callable[[Symbol], Hashable]
    ) -> dict[Hashable, list[int]]:
        """Return the numbers of the unpaired symbols by key."""
        groups: dict[Hashable, list[int]] = defaultdict(list)
        closed = set(done)
        for number, symbol in enumerate(symbols):
            if number not in closed:
                groups[key(symbol)].append(number)
        return groups

    def _pair_by_similarity(self) -> None:
        """Pair the remaining symbols by similarity of their bodies, with a bonus for the name."""
        left = [number for number in range(len(self._old.symbols)) if number not in self.target_of]
        right = [number for number in range(len(self._new.symbols)) if number not in self._is_claimed]
        if len(left) * len(right) > _MAX_PAIRS:
            voted = {(source, target) for source, target in self._votes if source in set(left)}
            pairs = [(source, target) for source, target in sorted(voted) if target in set(right)]
        else:
            pairs = [(source, target) for source in left for target in right]
        self._best_first(
            (score, source, target)
            for source, target in pairs
            if (score := self._similarity(source, target)) >= _MIN_ALIKE
        )

    def _best_first(self, scored: Iterable[tuple[float, int, int]]) -> None:
        """Pair greedily by descending score, each symbol once."""
        for _, source, target in sorted(scored, key=lambda item: (-item[0], item[1], item[2])):
            if source not in self.target_of and target not in self._is_claimed:
                self._pair(source, target)

    def _pair(self, source: int, target: int) -> None:
        self.target_of[source] = target
        self._is_claimed.add(target)

    def is_confident(self, source: int, target: int) -> bool:
        """Return whether a pair has the same name in the same scope, or enough of the same body."""
        one, other = self._old.symbols[source], self._new.symbols[target]
        outer, outer_target = self._old.parent(source), self._new.parent(target)
        is_there = outer_target is None if outer is None else self.target_of.get(outer) == outer_target
        return (one.name == other.name and is_there) or self._keeps_body(one, other)

    def _keeps_body(self, one: Symbol, other: Symbol) -> bool:
        """Return whether enough unique lines of a symbol's body are in the other symbol."""
        inside = [at for at in range(one.start_line - 1, one.end_line) if at != one.name_line - 1]
        there = set(self._after.normal[other.start_line - 1 : other.end_line])
        alone = self._before.counts, self._after.counts
        unchanged = sum(
            self._before.distinctive_tokens(at)
            for at in inside
            if (text := self._before.normal[at]) in there and all(counts[text] == 1 for counts in alone)
        )
        total = sum(map(self._before.distinctive_tokens, inside))
        return unchanged >= max(_MIN_UNCHANGED, _UNCHANGED_SHARE * total)

    def _similarity(self, source: int, target: int) -> float:
        """Return how similar two symbols are: Dice coefficient of tokens, shared lines, similar names."""
        one, other = self._old.symbols[source], self._new.symbols[target]
        if _kind(one) != _kind(other):
            return 0.0
        mine, theirs = self._body(False, source), self._body(True, target)
        total = sum(mine.values()) + sum(theirs.values())
        dice = 2 * sum((mine & theirs).values()) / total if total else 0.0
        name = Indel.normalized_similarity(one.name, other.name)
        if total < _TINY and name < _TINY_NAME:
            return 0.0
        shared = 0.2 * self._votes.get((source, target), 0) / max(1, one.end_line - one.start_line)
        return dice + min(0.2, shared) + _NAME_BONUS * name

    def _nearness(self, source: int, target: int) -> float:
        """Return a small preference for equal order among symbols of the same name."""
        one, other = self._old.symbols[source], self._new.symbols[target]
        return 0.05 * (1 - abs(one.start_line / len(self._before) - other.start_line / len(self._after)))

    def _body(self, in_new: bool, number: int) -> Counter[str]:
        """Return the tokens of a symbol with their counts."""
        found = self._bodies.get((in_new, number))
        if found is None:
            lines = self._after if in_new else self._before
            symbol = (self._new if in_new else self._old).symbols[number]
            end = min(symbol.end_line, symbol.start_line + _LONGEST_BODY, len(lines))
            found = Counter(token for at in range(symbol.start_line - 1, end) for token in lines.tokens(at))
            self._bodies[in_new, number] = found
        return found


def _kind(symbol: Symbol) -> str:
    """Return the kind, with kinds merged that turn into each other when code moves."""
    return _ALIKE.get(symbol.kind, symbol.kind)


class OutlinePair:
    """The outlines of two versions and the map between their symbols, built at first use."""

    def __init__(
        self, old: Outline, new: Outline, before: Lines, after: Lines, fixed: dict[int, int]
    ) -> None:
        self.old, self.new = old, new
        self._before, self._after = before, after
        self._fixed = fixed

    @cached_property
    def both_parsed(self) -> bool:
        """Whether both versions have a syntax tree."""
        return self.old.parsed is not None and self.new.parsed is not None

    @cached_property
    def symbols(self) -> SymbolMap:
        """The map between the symbols."""
        return SymbolMap(self.old, self.new, self._before, self._after, self._fixed)

    def is_only_such_line(self, old_index: int, new_index: int) -> bool:
        """Return whether two lines are in a confidently paired symbol and unique in it by text."""
        source, target = self.old.symbol_at(old_index), self.new.symbol_at(new_index)
        if source is None or target is None or not self.is_confident_pair(old_index, new_index):
            return False
        text = self._before.normal[old_index]
        sides = ((self._before, self.old.symbols[source]), (self._after, self.new.symbols[target]))
        return all(lines.normal[one.start_line - 1 : one.end_line].count(text) == 1 for lines, one in sides)

    def is_in_other_symbol(self, old_index: int, new_index: int) -> bool:
        """Return whether an old line's symbol still exists and the new line is in another one."""
        source, target = (
            (self.old.symbol_at(old_index), self.new.symbol_at(new_index)) if self.both_parsed else (None, 0)
        )
        return (
            source is not None and target is not None and self.symbols.target_of.get(source, target) != target
        )

    def is_doubtful(self, old_index: int, new_index: int) -> bool:
        """Return whether two lines are in an uncertain pair of symbols, or declare unpaired symbols."""
        pair = self.is_confident_pair(old_index, new_index)
        return pair is False or (pair is None and self.both_parsed and self.old.declares(old_index))

    def is_confident_pair(self, old_index: int, new_index: int) -> bool | None:
        """Return whether the symbols of two lines are paired confidently; None if they are not paired."""
        source = self.old.symbol_at(old_index) if self.both_parsed else None
        target = self.symbols.target_of.get(source) if source is not None else None
        if source is None or target is None or self.new.symbol_at(new_index) != target:
            return None
        return self.symbols.is_confident(source, target)

    def nearness(self, old_index: int, new_index: int) -> float:
        """Return 1 for the same symbol or none on both sides, 0.4 for a shared outer symbol, else 0."""
        if not self.both_parsed:
            return 0.5
        source, target = self.old.symbol_at(old_index), self.new.symbol_at(new_index)
        if source is None or target is None:
            return 1.0 if source is target else 0.0
        if self.symbols.target_of.get(source) == target:
            return 1.0
        return 0.4 if self._share_parent(source, target) else 0.0

    def _share_parent(self, source: int, target: int) -> bool:
        """Return whether one symbol is, or is next to, the other's counterpart's parent."""
        outer_source, outer_target = self.old.parent(source), self.new.parent(target)
        to = self.symbols.target_of
        return (
            (outer_target is not None and to.get(source) == outer_target)
            or (outer_source is not None and to.get(outer_source) == target)
            or (outer_source is not None and to.get(outer_source) == outer_target)
        )
