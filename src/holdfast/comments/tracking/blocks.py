"""Guesses where a line that opens a block went, from the lines inside the block.

Each line inside votes for the line that opens the block around it in the new version. Confirmed lines vote
or, if there are none, the first few lines that can be located. A strict majority must agree on one opening
line of the same kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from holdfast.comments.tracking.comparison import VersionComparison
from holdfast.comments.tracking.guess import Guess
from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.outline import Outline

if TYPE_CHECKING:
    from holdfast.syntax.symbols import Symbol

_MAX_VOTERS = 7
"""Number of lines that vote: the first ones inside a block. This value and the scores below were tuned with
`bench/anchors` (docs/accuracy.md, decision 0016)."""

_MIN_SAME_CONTENT_SCORE = 0.8
"""Lowest score of an opening line whose block contains the same lines."""

_ONLY_BLOCK_SCORE = 0.6
"""Score of the only block of its kind in the same function, when nothing else is similar."""

_MAX_LOCATED_VOTERS = 3
"""Lines inside a block that are located if none is confirmed. A judgement: each needs a search of its own."""

_MAX_BLOCK_LINES = 400
"""Lines of a block that are searched for confirmed ones. A judgement: longer blocks have some among them."""


class BlockGuesses:
    """Guesses for the lines of one comparison that open blocks; `locate` finds any other line."""

    def __init__(self, comparison: VersionComparison, locate: Callable[[int], int | None]) -> None:
        self._comparison = comparison
        self._locate = locate
        self._old_lines, self._new_lines = comparison.old_lines, comparison.new_lines

    def guess(self, index: int) -> Guess | None:
        """Return the line that opens the block which contains most of the old block's lines."""
        kind = self._old_lines.role(index).opens
        if not kind or not self._comparison.outlines.both_parsed:
            return None
        votes = Counter(self._vote(index, kind, old, new) for old, new in self._voters(index))
        opener, count = votes.most_common(1)[0] if votes else (None, 0)
        if opener is None or 2 * count <= votes.total():
            return None
        score = self._comparison.similarity.score(index, opener)
        return Guess(opener, max(_MIN_SAME_CONTENT_SCORE, score), "body")

    def _vote(self, index: int, kind: str, old: int, new: int) -> int | None:
        """Return the new opening line at the same depth, in blocks of the same kind around a line.

        None if the new line is not so deep, or if the old line is not in the block after all.
        """
        outlines = self._comparison.outlines
        old_openers = _enclosing_openers(outlines.old, self._old_lines, old, kind)
        new_openers = _enclosing_openers(outlines.new, self._new_lines, new, kind)
        if index not in old_openers:
            return None
        depth = old_openers.index(index)
        return new_openers[depth] if depth < len(new_openers) else None

    def guess_only_block(self, index: int) -> Guess | None:
        """Return the only block of a kind in the same symbol, if the old block was the only one, too."""
        kind = self._old_lines.role(index).opens
        pair = self._comparison.outlines.pair_at(index) if kind else None
        if pair is None:
            return None
        old_openers = _openers_in_symbol(self._old_lines, pair.old, kind)
        new_openers = _openers_in_symbol(self._new_lines, pair.new, kind)
        is_only = old_openers == [index] and len(new_openers) == 1
        return Guess(new_openers[0], _ONLY_BLOCK_SCORE, "only") if is_only else None

    def _voters(self, index: int) -> list[tuple[int, int]]:
        """Return the first confirmed or located lines inside a block, each with its new line."""
        block_lines = self._comparison.outlines.old.block_lines(index)
        content_lines = [line for line in block_lines if not self._old_lines.is_trivial(line)]
        confirmed = self._comparison.confirmed
        voters = [(line, confirmed[line]) for line in content_lines[:_MAX_BLOCK_LINES] if line in confirmed]
        if voters:
            return voters[:_MAX_VOTERS]
        # Locating an opening line would ask for its block in turn.
        not_openers = [line for line in content_lines if not self._old_lines.role(line).opens]
        located = ((line, self._locate(line)) for line in not_openers[:_MAX_LOCATED_VOTERS])
        return [(line, target) for line, target in located if target is not None]


def _enclosing_openers(outline: Outline, lines: Lines, index: int, kind: str) -> list[int]:
    """Return the lines that open blocks of a kind around a line, innermost first."""
    return [row for row in outline.enclosing_rows(index) if lines.role(row).opens == kind]


def _openers_in_symbol(lines: Lines, symbol: Symbol, kind: str) -> list[int]:
    symbol_lines = range(symbol.start_line - 1, min(symbol.end_line, len(lines)))
    return [index for index in symbol_lines if lines.role(index).opens == kind]
