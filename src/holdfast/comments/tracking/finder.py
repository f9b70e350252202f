"""Finds a line again that the diff does not confirm.

Each strategy returns a guess with a score: the line aligned in its place, its symbol's counterpart, the same
variable, the same block, a similar line elsewhere, a line it was joined into. `guesses` ranks them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.comments.tracking.alignment import is_small
from holdfast.comments.tracking.blocks import Blocks
from holdfast.comments.tracking.comparison import VersionComparison
from holdfast.comments.tracking.guess import Guess
from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.neighbour_guesses import NeighbourGuesses

if TYPE_CHECKING:
    from holdfast.syntax.symbols import Symbol


_MOVED_SCORE = 0.62
"""Lowest score and text similarity of a line that moved. These and the scores below were tuned with
`bench/anchors` (docs/accuracy.md, decision 0016)."""

_MOVED_CONTENT = 0.55
_LEAD = {"moved": 0.08, "alone": 0.2}
"""By how much a line elsewhere, moved in a block or alone, must score above the one in place."""

_MAX_MOVES = 8
"""Candidates elsewhere. A chosen bound on time."""

_ALONG = 0.8
"""Text similarity from which a neighbour counts as having moved along."""

_LONGEST_STATEMENT = 12
"""Lines of a statement. A chosen bound on time."""

_SAME_START = 2
"""Tokens that must be equal where a statement begins. A judgement."""

_DECLARED = 0.97
"""Lowest score of the declaration of the same symbol."""

_DOUBTFUL = 0.6
"""Lowest score of a declaration of a symbol that is only similar."""

_VARIABLE = 0.95
"""Lowest score of the only declaration of the same variable in the same function."""

_LOCATED = 0.75
"""Score from which a line counts as located."""

_STAYED = 0.6
"""Similarity from which a line in the original symbol outranks an equal line in another symbol."""

_MIN_ALIKE = 0.45
"""Score below which a guess is considered worthless."""

_BY_STRUCTURE = frozenset(["declaration", "variable", "body"])
"""Methods that rely on structure, not on the similarity of texts."""


class Finder:
    """Guesses for lines that are not confirmed."""

    def __init__(self, comparison: VersionComparison) -> None:
        self._comparison = comparison
        self._before, self._after = comparison.before, comparison.after
        self._similarity = comparison.similarity
        self._neighbours = NeighbourGuesses(comparison)
        self._blocks = Blocks(comparison, self._locate_confidently)

    def guesses(self, index: int) -> list[Guess]:
        """Return what a line may have become, best first."""
        in_order = self._in_order(index) or self._joined_statement(index)
        in_symbol = self._in_symbol(index, in_order)
        found = [
            self._declared(index),
            self._variable(index),
            self._blocks.guess(index),
            self._at_statement_start(index, in_order),
            self._at_statement_start(index, in_symbol),
        ]
        moves = self._better_moves(index, [guess for guess in found if guess], self._moved(index))
        joined = None if any(found) or moves else self._joined(index) or self._neighbours.guess(index)
        ranked = sorted((guess for guess in [*found, *moves, joined] if guess), key=lambda one: -one.score)
        if not ranked or not self._is_like(index, ranked[0]):
            only = self._blocks.only(index)
            ranked = [only, *ranked] if only else ranked
        return _merged_by_line(ranked)

    def _is_like(self, index: int, guess: Guess) -> bool:
        """Return whether a guess is good enough and opens the same kind of block, if any."""
        opens = self._before.role(index).opens
        return guess.score >= _MIN_ALIKE and (not opens or self._after.role(guess.index).opens == opens)

    def _locate_confidently(self, index: int) -> int | None:
        """Return where a line is, if its best guess is similar enough."""
        guesses = self.guesses(index)
        return guesses[0].index if guesses and guesses[0].score >= _LOCATED else None

    def _better_moves(self, index: int, found: list[Guess], moves: list[Guess]) -> list[Guess]:
        """Return the moves that beat the best guess in place; another kind of block is not in place."""
        opens = self._before.role(index).opens
        best = max(found, key=lambda guess: guess.score, default=None)
        if best is None:
            return moves
        if opens and self._after.role(best.index).opens != opens:
            return [move for move in moves if move.score > best.score]
        return [move for move in moves if move.score > best.score + _LEAD[move.method]]

    def _in_order(self, index: int) -> Guess | None:
        """Return the line that the alignment of the area puts in its place."""
        found = self._comparison.aligned(self._comparison.area(index), index).get(index)
        return Guess(found[0], found[1], "aligned") if found else None

    def _joined_statement(self, index: int) -> Guess | None:
        """Return where the rest of a statement went, if that line begins as the statement did."""
        outlines = self._comparison.outlines
        if not outlines.both_parsed or outlines.old.statement_row(index) != index:
            return None
        aligned = self._comparison.aligned(self._comparison.area(index), index)
        for rest in range(index + 1, min(index + _LONGEST_STATEMENT, len(self._before))):
            if outlines.old.statement_row(rest) != index:
                return None
            target, score = aligned.get(rest, (index, 0.0))
            if score and self._begins_alike(index, target):
                return Guess(target, score, "aligned")
        return None

    def _begins_alike(self, index: int, target: int) -> bool:
        tokens, others = self._before.tokens(index), self._after.tokens(target)
        return bool(tokens) and tokens[:_SAME_START] == others[:_SAME_START]

    def _declared(self, index: int) -> Guess | None:
        """Return the declaration of the symbol that a line declares."""
        outlines = self._comparison.outlines
        old_symbol = outlines.old.symbol_at(index) if outlines.both_parsed else None
        target = outlines.symbols.target_of.get(old_symbol) if old_symbol is not None else None
        if old_symbol is None or target is None:
            return None
        old, new = outlines.old.symbols[old_symbol], outlines.new.symbols[target]
        if index + 1 == old.name_line:
            at = new.name_line - 1
        elif index + 1 == old.start_line:
            at = new.start_line - 1
        else:
            return None
        worth = _DECLARED if outlines.symbols.is_confident(old_symbol, target) else _DOUBTFUL
        return Guess(at, max(worth, self._similarity.score(index, at)), "declaration")

    def _variable(self, index: int) -> Guess | None:
        """Return the matching declaration of a variable that the symbol declares once."""
        name = self._before.role(index).declares
        outlines = self._comparison.outlines
        old_symbol = outlines.old.symbol_at(index) if name and outlines.both_parsed else None
        target = outlines.symbols.target_of.get(old_symbol) if old_symbol is not None else None
        if old_symbol is None or target is None:
            return None
        old_lines = _declaring(self._before, outlines.old.symbols[old_symbol], name)
        new_lines = _declaring(self._after, outlines.new.symbols[target], name)
        if old_lines != [index] or len(new_lines) != 1:
            return None
        return Guess(new_lines[0], max(_VARIABLE, self._similarity.score(index, new_lines[0])), "variable")

    def _at_statement_start(self, index: int, guess: Guess | None) -> Guess | None:
        """Return the first line of a broken statement when a later line of it was guessed."""
        if guess is None or self._similarity.content(index, guess.index) == 1.0:
            return guess
        first = self._similarity.statement_start(index, guess.index)
        if first is None:
            first = self._statement(index, guess.index)
        return guess if first is None else Guess(first, guess.score, guess.method)

    def _statement(self, index: int, target: int) -> int | None:
        """Return where a new line's statement begins, if the old line began one with the same word."""
        outlines = self._comparison.outlines
        row = outlines.new.statement_row(target) if outlines.both_parsed else None
        if row is None or row >= target or target - row > _LONGEST_STATEMENT:
            return None
        return row if self._begins_alike(index, row) and outlines.old.statement_row(index) == index else None

    def _in_symbol(self, index: int, in_order: Guess | None) -> Guess | None:
        """Return the aligned line in the symbol's counterpart, unless the area already has it."""
        outlines = self._comparison.outlines
        old_symbol = outlines.old.symbol_at(index) if outlines.both_parsed else None
        while old_symbol is not None and old_symbol not in outlines.symbols.target_of:
            old_symbol = outlines.old.parent(old_symbol)
        if old_symbol is None:
            return None
        old, new = (
            outlines.old.symbols[old_symbol],
            outlines.new.symbols[outlines.symbols.target_of[old_symbol]],
        )
        if in_order is not None and new.start_line <= in_order.index + 1 <= new.end_line:
            return None
        found = self._comparison.aligned(
            (old.start_line - 1, old.end_line, new.start_line - 1, new.end_line), index
        )
        place = found.get(index)
        return Guess(place[0], place[1], "symbol") if place else None

    def counterpart_in_symbol(self, index: int, target: int) -> Guess | None:
        """Return the unmatched similar line in a line's own symbol, if the line left that symbol."""
        comparison, bag = self._comparison, self._before.bag(index)
        alike = comparison.unmatched.sharing_words(bag, 0, len(self._after), _MAX_MOVES)
        # Cheap word similarity first: parsing costs far more.
        if all(bag.cosine(self._after.bag(at)) < _STAYED for at in alike):
            return None
        guess = (
            self._in_symbol(index, None) if comparison.outlines.is_in_other_symbol(index, target) else None
        )
        if guess is None or guess.index in self._neighbours.confirmed_targets:
            return None
        return guess if self._similarity.content(index, guess.index) >= _STAYED else None

    def _moved(self, index: int) -> list[Guess]:
        """Return similar unmatched lines elsewhere."""
        if self._before.is_trivial(index):
            return []
        moves: list[Guess] = []
        left_over = self._comparison.unmatched
        alike = left_over.sharing_words(self._before.bag(index), 0, len(self._after), _MAX_MOVES)
        equal = left_over.equal(self._before.normal[index], index, _MAX_MOVES)
        for target in sorted({*alike, *equal}):
            if self._similarity.content(index, target) < _MOVED_CONTENT:
                continue
            score = self._similarity.score(index, target)
            if score >= _MOVED_SCORE and not self._is_claimed(index, target, score):
                method = "moved" if self._moved_along(index, target) else "alone"
                moves.append(Guess(target, score, method))
        return sorted(moves, key=lambda move: (-move.score, move.index))[:_MAX_MOVES]

    def _moved_along(self, index: int, target: int) -> bool:
        """Return whether a neighbour of the old line is next to the new one too, as in a moved block."""
        return any(
            not self._before.is_trivial(index + step)
            and self._similarity.content(index + step, target + step) >= _ALONG
            for step in (-2, -1, 1, 2)
            if 0 <= index + step < len(self._before) and 0 <= target + step < len(self._after)
        )

    def _is_claimed(self, index: int, target: int, score: float) -> bool:
        """Return whether another line has a better claim to a new line."""
        area = self._comparison.area_of_new(target)
        if not is_small(area):
            return False
        claims = self._comparison.aligned(area, area[0])
        return any(
            claimed == target and claim >= score and source != index
            for source, (claimed, claim) in claims.items()
        )

    def _joined(self, index: int) -> Guess | None:
        """Return the line into which a line was joined together with those before it."""
        text = self._before.normal[index]
        aligned = self._comparison.aligned(self._comparison.area(index), index)
        if not text:
            return None
        for first in range(index - 1, max(-1, index - 12), -1):
            if first not in aligned:
                continue
            target, score = aligned[first]
            place = 0
            for between in range(first, index + 1):
                part = self._before.normal[between]
                place = self._after.normal[target].find(part, place)
                if place < 0:
                    return None
                place += len(part)
            return Guess(target, score, "joined")
        return None


def _merged_by_line(ranked: list[Guess]) -> list[Guess]:
    """Return the guesses with those for the same line merged."""
    unique: dict[int, Guess] = {}
    for guess in ranked:
        first = unique.setdefault(guess.index, guess)
        if (first.method in _BY_STRUCTURE) != (guess.method in _BY_STRUCTURE):
            unique[guess.index] = replace(first, supported=True)
    return list(unique.values())


def _declaring(lines: Lines, symbol: Symbol, name: str) -> list[int]:
    """Return the lines of a symbol that declare a variable of a name."""
    inside = range(symbol.start_line - 1, min(symbol.end_line, len(lines)))
    return [index for index in inside if name in lines.raw[index] and lines.role(index).declares == name]
