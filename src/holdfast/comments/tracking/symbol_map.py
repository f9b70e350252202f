"""Matches the symbols of two versions: by qualified name, by name, by similarity of their bodies.

Contract: the map is one-to-one, and pairs only symbols of compatible kinds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Hashable, Iterable
from functools import cache, cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from rapidfuzz.distance import Indel

from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.outline import Outline

if TYPE_CHECKING:
    from holdfast.syntax.symbols import Symbol


_MIN_BODY_SIMILARITY = 0.55
"""Similarity that two symbols with different names need to be paired. This value, the weights and the limits
of similarity below were tuned with `bench/anchors` (docs/accuracy.md, decision 0016)."""

_NAME_WEIGHT = 0.15
"""Weight of the similarity of names in the similarity of symbols."""

_SHARED_LINES_WEIGHT = 0.2
"""Weight of the share of unchanged lines in the similarity of symbols."""

_ORDER_WEIGHT = 0.05
"""Weight of the position in the file if several symbols have the same name."""

_MAX_NAMESAKES = 20
"""Symbols with the same name that are compared on each side. A judgement: 400 comparisons of bodies."""

_MAX_COMPARED_PAIRS = 4000
"""Pairs whose bodies are compared; of more, only those with unchanged lines. A judgement: below a second."""

_MAX_BODY_LINES = 400
"""Lines of a body that are compared. A judgement: the first lines of a longer body identify it."""


_MIN_IDENTIFYING_TOKENS = 30
"""Two symbols with fewer tokens combined are too short to be paired by their bodies alone."""

_MIN_SHORT_NAME_SIMILARITY = 0.6
"""Similarity that the names of such short symbols need."""

_MIN_UNCHANGED_SHARE = 0.3
"""Share of the distinctive tokens of a renamed symbol that must be unchanged for a certain pair."""

_MIN_UNCHANGED_TOKENS = 6
"""Number of distinctive tokens of a renamed symbol that must be unchanged for a certain pair."""

_SHARED_PARENT_NEARNESS = 0.4
"""Nearness of two lines whose symbols have a common outer symbol. Tuned with `bench/anchors`."""

_UNKNOWN_NEARNESS = 0.5
"""Nearness of two lines if a version could not be parsed: halfway, so that it favours no pair."""

_MERGED_KINDS = {"Function": "callable", "Method": "callable", "Constructor": "callable"}
"""Kinds that are regarded as one, because moving code turns one into the other."""


class SymbolPair(NamedTuple):
    """An old symbol and the new one that it is paired with."""

    source: int
    """The number of the old symbol in its outline."""
    target: int
    """The number of the new symbol in its outline."""
    old: Symbol
    new: Symbol


class SymbolMap:
    """A one-to-one map between the symbols of two versions, by their numbers in the outlines."""

    def __init__(
        self, old: Outline, new: Outline, old_lines: Lines, new_lines: Lines, unchanged: dict[int, int]
    ) -> None:
        self._old, self._new = old, new
        self._old_lines, self._new_lines = old_lines, new_lines
        self._unchanged = unchanged
        self.target_of: dict[int, int] = {}
        """The number of the new symbol that each old one is paired with."""
        self._claimed: set[int] = set()
        """The numbers of the new symbols that are paired."""
        self._old_tokens = cache(partial(_body_tokens, old, old_lines))
        self._new_tokens = cache(partial(_body_tokens, new, new_lines))
        self._votes = self._count_votes()
        self._pair_by(lambda symbol: (symbol.path, _merged_kind(symbol), symbol.signature))
        self._pair_by(lambda symbol: (symbol.path, _merged_kind(symbol)))
        self._pair_by_similarity()
        self._pair_by(lambda symbol: (symbol.name, _merged_kind(symbol)), only_single=True)

    def _count_votes(self) -> dict[tuple[int, int], int]:
        """Count the unchanged lines that each pair of an old and a new innermost symbol has in common."""
        votes: dict[tuple[int, int], int] = defaultdict(int)
        for old_index, new_index in self._unchanged.items():
            source, target = self._old.symbol_at(old_index), self._new.symbol_at(new_index)
            if source is not None and target is not None and not self._old_lines.is_trivial(old_index):
                votes[source, target] += 1
        return votes

    def _pair_by(self, key: Callable[[Symbol], Hashable], *, only_single: bool = False) -> None:
        """Pair symbols with equal keys: directly if unique on both sides, else by their content."""
        left = self._group_unpaired(self._old.symbols, self.target_of, key)
        right = self._group_unpaired(self._new.symbols, self._claimed, key)
        for shared, sources in left.items():
            targets = right.get(shared, [])
            if len(sources) == 1 and len(targets) == 1:
                self._pair(sources[0], targets[0])
            elif targets and not only_single:
                self._pair_best_first(
                    (self._similarity(source, target) + self._nearness(source, target), source, target)
                    for source in sources[:_MAX_NAMESAKES]
                    for target in targets[:_MAX_NAMESAKES]
                )

    def _group_unpaired(
        self, symbols: tuple[Symbol, ...], paired: Container[int], key: Callable[[Symbol], Hashable]
    ) -> dict[Hashable, list[int]]:
        groups: dict[Hashable, list[int]] = defaultdict(list)
        for number, symbol in enumerate(symbols):
            if number not in paired:
                groups[key(symbol)].append(number)
        return groups

    def _pair_by_similarity(self) -> None:
        """Pair the remaining symbols by similarity of their bodies, with a bonus for the name."""
        sources = [number for number in range(len(self._old.symbols)) if number not in self.target_of]
        targets = [number for number in range(len(self._new.symbols)) if number not in self._claimed]
        if len(sources) * len(targets) > _MAX_COMPARED_PAIRS:
            open_sources, open_targets = set(sources), set(targets)
            pairs = [
                pair for pair in sorted(self._votes) if pair[0] in open_sources and pair[1] in open_targets
            ]
        else:
            pairs = [(source, target) for source in sources for target in targets]
        self._pair_best_first(
            (score, source, target)
            for source, target in pairs
            if (score := self._similarity(source, target)) >= _MIN_BODY_SIMILARITY
        )

    def _pair_best_first(self, scored: Iterable[tuple[float, int, int]]) -> None:
        """Pair greedily by descending score, each symbol once."""
        for _, source, target in sorted(scored, key=lambda item: (-item[0], item[1], item[2])):
            if source not in self.target_of and target not in self._claimed:
                self._pair(source, target)

    def _pair(self, source: int, target: int) -> None:
        self.target_of[source] = target
        self._claimed.add(target)

    def is_confident(self, source: int, target: int) -> bool:
        """Return whether a pair has the same name in the same scope, or enough of the same body."""
        old, new = self._old.symbols[source], self._new.symbols[target]
        old_parent, new_parent = self._old.parent(source), self._new.parent(target)
        if old_parent is None:
            is_same_scope = new_parent is None
        else:
            is_same_scope = self.target_of.get(old_parent) == new_parent
        return (old.name == new.name and is_same_scope) or self._keeps_body(old, new)

    def _keeps_body(self, old: Symbol, new: Symbol) -> bool:
        """Return whether enough lines of an old body, unique in both versions, are in the new symbol."""
        body = [index for index in range(old.start_line - 1, old.end_line) if index != old.name_line - 1]
        new_body = set(self._new_lines.normalized[new.start_line - 1 : new.end_line])

        def is_kept(index: int) -> bool:
            text = self._old_lines.normalized[index]
            is_unique = self._old_lines.counts[text] == self._new_lines.counts[text] == 1
            return text in new_body and is_unique

        unchanged = sum(self._old_lines.distinctive_tokens(index) for index in body if is_kept(index))
        total = sum(map(self._old_lines.distinctive_tokens, body))
        return unchanged >= max(_MIN_UNCHANGED_TOKENS, _MIN_UNCHANGED_SHARE * total)

    def _similarity(self, source: int, target: int) -> float:
        """Return how similar two symbols are: the Dice coefficient of tokens, plus shared lines and names."""
        old, new = self._old.symbols[source], self._new.symbols[target]
        if _merged_kind(old) != _merged_kind(new):
            return 0.0
        old_tokens, new_tokens = self._old_tokens(source), self._new_tokens(target)
        total = old_tokens.total() + new_tokens.total()
        dice = 2 * (old_tokens & new_tokens).total() / total if total else 0.0
        name = Indel.normalized_similarity(old.name, new.name)
        if total < _MIN_IDENTIFYING_TOKENS and name < _MIN_SHORT_NAME_SIMILARITY:
            return 0.0
        votes = self._votes.get((source, target), 0)
        shared = _SHARED_LINES_WEIGHT * votes / max(1, old.end_line - old.start_line)
        return dice + min(_SHARED_LINES_WEIGHT, shared) + _NAME_WEIGHT * name

    def _nearness(self, source: int, target: int) -> float:
        """Return a small bonus for a similar relative position, for symbols with the same name."""
        old_position = self._old.symbols[source].start_line / len(self._old_lines)
        new_position = self._new.symbols[target].start_line / len(self._new_lines)
        return _ORDER_WEIGHT * (1 - abs(old_position - new_position))


def _body_tokens(outline: Outline, lines: Lines, number: int) -> Counter[str]:
    symbol = outline.symbols[number]
    end = min(symbol.end_line, symbol.start_line + _MAX_BODY_LINES, len(lines))
    return Counter(chain.from_iterable(map(lines.tokens, range(symbol.start_line - 1, end))))


def _merged_kind(symbol: Symbol) -> str:
    """Return the kind of a symbol, which is the same for functions, methods and constructors."""
    return _MERGED_KINDS.get(symbol.kind, symbol.kind)


class OutlinePair:
    """The outlines of two versions and the map between their symbols, built at first use."""

    def __init__(
        self, old: Outline, new: Outline, old_lines: Lines, new_lines: Lines, unchanged: dict[int, int]
    ) -> None:
        self.old, self.new = old, new
        self._old_lines, self._new_lines = old_lines, new_lines
        self._unchanged = unchanged

    @cached_property
    def both_parsed(self) -> bool:
        return self.old.parsed is not None and self.new.parsed is not None

    @cached_property
    def symbols(self) -> SymbolMap:
        return SymbolMap(self.old, self.new, self._old_lines, self._new_lines, self._unchanged)

    def pair_at(self, old_index: int) -> SymbolPair | None:
        """Return the innermost symbol around an old line with its counterpart, or None if it has none."""
        source = self.old.symbol_at(old_index) if self.both_parsed else None
        target = self.symbols.target_of.get(source) if source is not None else None
        if source is None or target is None:
            return None
        return SymbolPair(source, target, self.old.symbols[source], self.new.symbols[target])

    def is_only_such_line(self, old_index: int, new_index: int) -> bool:
        """Return whether two lines are in confidently paired symbols, in which their text occurs once."""
        pair = self.pair_at(old_index)
        if pair is None or not self.is_confident_pair(old_index, new_index):
            return False
        text = self._old_lines.normalized[old_index]
        sides = ((self._old_lines, pair.old), (self._new_lines, pair.new))
        return all(
            lines.normalized[symbol.start_line - 1 : symbol.end_line].count(text) == 1
            for lines, symbol in sides
        )

    def is_in_other_symbol(self, old_index: int, new_index: int) -> bool:
        """Return whether an old line's symbol still exists and the new line is in another one."""
        if not self.both_parsed:
            return False
        source, target = self.old.symbol_at(old_index), self.new.symbol_at(new_index)
        if source is None or target is None:
            return False
        return self.symbols.target_of.get(source, target) != target

    def is_doubtful(self, old_index: int, new_index: int) -> bool:
        """Return whether two lines are in an uncertain pair of symbols, or declare unpaired symbols."""
        pair = self.is_confident_pair(old_index, new_index)
        return pair is False or (pair is None and self.both_parsed and self.old.declares(old_index))

    def is_confident_pair(self, old_index: int, new_index: int) -> bool | None:
        """Return whether the symbols of two lines are paired confidently; None if they are not paired."""
        pair = self.pair_at(old_index)
        if pair is None or self.new.symbol_at(new_index) != pair.target:
            return None
        return self.symbols.is_confident(pair.source, pair.target)

    def nearness(self, old_index: int, new_index: int) -> float:
        """Return how close the symbols of two lines are.

        1 means the same symbol or none on both sides, and 0 that the symbols have nothing in common.
        """
        if not self.both_parsed:
            return _UNKNOWN_NEARNESS
        source, target = self.old.symbol_at(old_index), self.new.symbol_at(new_index)
        if source is None or target is None:
            return 1.0 if source is target else 0.0
        if self.symbols.target_of.get(source) == target:
            return 1.0
        return _SHARED_PARENT_NEARNESS if self._share_parent(source, target) else 0.0

    def _share_parent(self, source: int, target: int) -> bool:
        """Return whether two symbols have paired parents, or one is paired with the parent of the other."""
        old_parent, new_parent = self.old.parent(source), self.new.parent(target)
        target_of = self.symbols.target_of
        if new_parent is not None and target_of.get(source) == new_parent:
            return True
        return old_parent is not None and target_of.get(old_parent) in (target, new_parent)
