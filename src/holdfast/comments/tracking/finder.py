"""Finds a line that the diff does not confirm.

Each strategy returns a guess with a score: the line aligned with it, the declaration of its symbol, the same
variable, the same block, a similar line elsewhere, a line that it was joined into. `guesses` ranks them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.comments.tracking.blocks import BlockGuesses
from holdfast.comments.tracking.comparison import VersionComparison
from holdfast.comments.tracking.diff import Area
from holdfast.comments.tracking.guess import Guess
from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.move_guesses import MAX_MOVE_CANDIDATES, MoveGuesses
from holdfast.comments.tracking.neighbour_guesses import NeighbourGuesses
from holdfast.comments.tracking.reflow import MAX_STATEMENT_LINES

if TYPE_CHECKING:
    from holdfast.syntax.symbols import Symbol


_MIN_LEAD_BY_METHOD = {"moved": 0.08, "alone": 0.2}
"""Lead of the score of a line elsewhere, which moved with a block or alone, over the best guess in place.
This value and the scores below were tuned with `bench/anchors` (docs/accuracy.md, decision 0016)."""

_SAME_FIRST_TOKENS = 2
"""Tokens that must be equal at the start of a statement. A judgement: such as a name and a bracket."""

_MIN_DECLARATION_SCORE = 0.97
"""Lowest score given to the declaration of the same symbol."""

_MIN_DOUBTFUL_DECLARATION_SCORE = 0.6
"""Lowest score given to the declaration of a symbol that is only similar."""

_MIN_VARIABLE_SCORE = 0.95
"""Lowest score given to the only declaration of the same variable in the same function."""

_MIN_ONLY_LINE_SCORE = 0.95
"""Lowest score given to the only line with equal text in the same symbol."""

_MIN_LOCATED_SCORE = 0.75
"""Score from which on the best guess for a line is regarded as its place."""

_MIN_STAYED_SIMILARITY = 0.6
"""Similarity from which on a line in the original symbol outranks an equal line in another symbol."""

_MIN_USEFUL_SCORE = 0.45
"""Score below which a guess is considered worthless."""

_STRUCTURAL_METHODS = frozenset(["declaration", "variable", "body"])
"""Methods that rely on structure, not on the similarity of texts."""


class Finder:
    """Guesses for lines that are not confirmed."""

    def __init__(self, comparison: VersionComparison) -> None:
        self._comparison = comparison
        self._old_lines, self._new_lines = comparison.old_lines, comparison.new_lines
        self._similarity = comparison.similarity
        self._neighbours = NeighbourGuesses(comparison)
        self._moves = MoveGuesses(comparison)
        self._blocks = BlockGuesses(comparison, self._locate_confidently)

    def guesses(self, index: int) -> list[Guess]:
        """Return the new lines that an old line may have become, best first."""
        in_place = self._in_place(index)
        guesses = in_place + self._better_moves(index, in_place, self._moves.guesses(index))
        if not guesses:
            last_resort = self._joined(index) or self._neighbours.guess(index)
            guesses = [] if last_resort is None else [last_resort]
        ranked = sorted(guesses, key=lambda guess: -guess.score)
        if not ranked or not self._is_useful(index, ranked[0]):
            only_block = self._blocks.guess_only_block(index)
            if only_block is not None:
                ranked.insert(0, only_block)
        return _merge_by_line(ranked)

    def _in_place(self, index: int) -> list[Guess]:
        """Return the guesses that keep the line in its area, symbol or block; of equal scores, best first."""
        in_order = self._in_order(index) or self._joined_statement(index)
        in_symbol = self._in_symbol(index, in_order)
        guesses = [
            self._declared(index),
            self._variable(index),
            self._only_in_symbol(index),
            self._blocks.guess(index),
            self._at_statement_start(index, in_order),
            self._at_statement_start(index, in_symbol),
        ]
        return [guess for guess in guesses if guess is not None]

    def _is_useful(self, index: int, guess: Guess) -> bool:
        """Return whether a guess is good enough and opens the same kind of block, if any."""
        opens = self._old_lines.role(index).opens
        return guess.score >= _MIN_USEFUL_SCORE and (
            not opens or self._new_lines.role(guess.index).opens == opens
        )

    def _locate_confidently(self, index: int) -> int | None:
        """Return where a line is, if its best guess is similar enough."""
        guesses = self.guesses(index)
        return guesses[0].index if guesses and guesses[0].score >= _MIN_LOCATED_SCORE else None

    def _better_moves(self, index: int, in_place: list[Guess], moves: list[Guess]) -> list[Guess]:
        """Return the moves with a sufficient lead over the best guess in place.

        If that guess opens another kind of block, any lead is sufficient.
        """
        opens = self._old_lines.role(index).opens
        best = max(in_place, key=lambda guess: guess.score, default=None)
        if best is None:
            return moves
        if opens and self._new_lines.role(best.index).opens != opens:
            return [move for move in moves if move.score > best.score]
        return [move for move in moves if move.score > best.score + _MIN_LEAD_BY_METHOD[move.method]]

    def _in_order(self, index: int) -> Guess | None:
        """Return the new line that the alignment of the area matches with a line."""
        aligned = self._comparison.alignment(self._comparison.area(index), index).get(index)
        return Guess(aligned.target, aligned.score, "aligned") if aligned else None

    def _joined_statement(self, index: int) -> Guess | None:
        """Return the line aligned with a later line of the statement, if it starts like the statement."""
        outlines = self._comparison.outlines
        if not outlines.both_parsed or outlines.old.statement_row(index) != index:
            return None
        aligned = self._comparison.alignment(self._comparison.area(index), index)
        for rest in range(index + 1, min(index + MAX_STATEMENT_LINES, len(self._old_lines))):
            if outlines.old.statement_row(rest) != index:
                return None
            pair = aligned.get(rest)
            if pair is not None and self._start_alike(index, pair.target):
                return Guess(pair.target, pair.score, "aligned")
        return None

    def _start_alike(self, index: int, target: int) -> bool:
        start = self._old_lines.tokens(index)[:_SAME_FIRST_TOKENS]
        return bool(start) and start == self._new_lines.tokens(target)[:_SAME_FIRST_TOKENS]

    def _declared(self, index: int) -> Guess | None:
        """Return the declaration of the symbol that a line declares."""
        outlines = self._comparison.outlines
        pair = outlines.pair_at(index)
        if pair is None:
            return None
        if index + 1 == pair.old.name_line:
            new_index = pair.new.name_line - 1
        elif index + 1 == pair.old.start_line:
            new_index = pair.new.start_line - 1
        else:
            return None
        is_confident = outlines.symbols.is_confident(pair.source, pair.target)
        min_score = _MIN_DECLARATION_SCORE if is_confident else _MIN_DOUBTFUL_DECLARATION_SCORE
        return Guess(new_index, max(min_score, self._similarity.score(index, new_index)), "declaration")

    def _variable(self, index: int) -> Guess | None:
        """Return the declaration of the same variable, if the symbol declares it once in each version."""
        name = self._old_lines.role(index).declares
        pair = self._comparison.outlines.pair_at(index) if name else None
        if pair is None:
            return None
        old_indices = _lines_declaring(self._old_lines, pair.old, name)
        new_indices = _lines_declaring(self._new_lines, pair.new, name)
        if old_indices != [index] or len(new_indices) != 1:
            return None
        (target,) = new_indices
        return Guess(target, max(_MIN_VARIABLE_SCORE, self._similarity.score(index, target)), "variable")

    def _only_in_symbol(self, index: int) -> Guess | None:
        """Return the line with equal text in the same symbol, if its text occurs there once in each version.

        A symbol may be copied with all its lines; the note stays with the original.
        """
        pair = self._comparison.outlines.pair_at(index)
        if pair is None or pair.old.path != pair.new.path or self._old_lines.is_trivial(index):
            return None
        text = self._old_lines.normalized[index]
        lines = self._new_lines.normalized[pair.new.start_line - 1 : pair.new.end_line]
        if lines.count(text) != 1:
            return None
        target = pair.new.start_line - 1 + lines.index(text)
        if not self._comparison.outlines.is_only_such_line(index, target):
            return None
        return Guess(target, max(_MIN_ONLY_LINE_SCORE, self._similarity.score(index, target)), "symbol")

    def _at_statement_start(self, index: int, guess: Guess | None) -> Guess | None:
        """Return a guess, moved to the first line of its statement if that was broken into several lines."""
        if guess is None or self._similarity.content(index, guess.index) == 1.0:
            return guess
        first = self._similarity.statement_start(index, guess.index)
        if first is None:
            first = self._statement_start(index, guess.index)
        return guess if first is None else Guess(first, guess.score, guess.method)

    def _statement_start(self, index: int, target: int) -> int | None:
        """Return the first line of a new line's statement, if it starts like the old line's."""
        outlines = self._comparison.outlines
        row = outlines.new.statement_row(target) if outlines.both_parsed else None
        if row is None or row >= target or target - row > MAX_STATEMENT_LINES:
            return None
        is_same = self._start_alike(index, row) and outlines.old.statement_row(index) == index
        return row if is_same else None

    def _in_symbol(self, index: int, in_order: Guess | None) -> Guess | None:
        """Return the aligned line in the new version of the symbol, unless `in_order` is in it already."""
        outlines = self._comparison.outlines
        old_symbol = outlines.old.symbol_at(index) if outlines.both_parsed else None
        while old_symbol is not None and old_symbol not in outlines.symbols.target_of:
            old_symbol = outlines.old.parent(old_symbol)
        if old_symbol is None:
            return None
        old = outlines.old.symbols[old_symbol]
        new = outlines.new.symbols[outlines.symbols.target_of[old_symbol]]
        if in_order is not None and new.start_line <= in_order.index + 1 <= new.end_line:
            return None
        area = Area(old.start_line - 1, old.end_line, new.start_line - 1, new.end_line)
        aligned = self._comparison.alignment(area, index).get(index)
        return Guess(aligned.target, aligned.score, "symbol") if aligned else None

    def counterpart_in_symbol(self, index: int, target: int) -> Guess | None:
        """Return a similar unmatched line in a line's own symbol, if the equal line is in another symbol."""
        comparison, bag = self._comparison, self._old_lines.bag(index)
        alike = comparison.unmatched.sharing_words(bag, 0, len(self._new_lines), MAX_MOVE_CANDIDATES)
        # Word similarity is checked first, because parsing takes far longer.
        if all(bag.cosine(self._new_lines.bag(candidate)) < _MIN_STAYED_SIMILARITY for candidate in alike):
            return None
        if not comparison.outlines.is_in_other_symbol(index, target):
            return None
        guess = self._in_symbol(index, None)
        if guess is None or guess.index in comparison.confirmed_targets:
            return None
        return guess if self._similarity.content(index, guess.index) >= _MIN_STAYED_SIMILARITY else None

    def _joined(self, index: int) -> Guess | None:
        """Return the line into which a line was joined with those before it."""
        text = self._old_lines.normalized[index]
        aligned = self._comparison.alignment(self._comparison.area(index), index)
        if not text:
            return None
        for first in range(index - 1, max(-1, index - MAX_STATEMENT_LINES), -1):
            if first not in aligned:
                continue
            _, target, score = aligned[first]
            position = 0
            for joined in range(first, index + 1):
                part = self._old_lines.normalized[joined]
                position = self._new_lines.normalized[target].find(part, position)
                if position < 0:
                    return None
                position += len(part)
            return Guess(target, score, "joined")
        return None


def _merge_by_line(ranked: list[Guess]) -> list[Guess]:
    """Merge the guesses for the same line; it is supported if structure and text similarity led to it."""
    unique: dict[int, Guess] = {}
    for guess in ranked:
        first = unique.setdefault(guess.index, guess)
        if (first.method in _STRUCTURAL_METHODS) != (guess.method in _STRUCTURAL_METHODS):
            unique[guess.index] = replace(first, supported=True)
    return list(unique.values())


def _lines_declaring(lines: Lines, symbol: Symbol, name: str) -> list[int]:
    inside = range(symbol.start_line - 1, min(symbol.end_line, len(lines)))
    return [index for index in inside if name in lines.raw[index] and lines.role(index).declares == name]
