"""Tracks lines that open blocks by what the blocks contain.

The lines inside a block vote: each votes for the line that opens the block it is in now. Votes come from
confirmed lines or, if there are none, from the first few lines that can be located; a strict majority must
agree on one opening line of the same kind.
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

_VOTERS = 7
"""Lines inside a block that vote, the first ones. This bound and the scores below were tuned with
`bench/anchors` (docs/accuracy.md, decision 0016)."""

_SAME_CONTENT_SCORE = 0.8
"""Lowest score of an opening line whose block contains the same lines."""

_ONLY_BLOCK_SCORE = 0.6
"""Score of the only block of its kind in the same function, when nothing else is similar."""

_LOCATED_VOTERS = 3
"""Lines inside a block that are located when none of them is confirmed. A chosen bound on time."""

_LONGEST = 400
"""Lines of a block that are searched for confirmed ones. A chosen bound on time."""


class Blocks:
    """The blocks of two versions."""

    def __init__(self, comparison: VersionComparison, locate: Callable[[int], int | None]) -> None:
        self._comparison = comparison
        self._locate = locate
        self._before, self._after = comparison.before, comparison.after

    def guess(self, index: int) -> Guess | None:
        """Return the line that opens the block which contains most of the old block's lines."""
        kind = self._before.role(index).opens
        outlines = self._comparison.outlines
        if not kind or not outlines.both_parsed:
            return None
        votes: Counter[int] = Counter()
        for inside, target in self._inside(index):
            opened = _opened(outlines.old, self._before, inside, kind)
            now = _opened(outlines.new, self._after, target, kind)
            rank = opened.index(index) if index in opened else len(now)
            votes[now[rank] if rank < len(now) else -1] += 1
        target, count = votes.most_common(1)[0] if votes else (-1, 0)
        if target < 0 or 2 * count <= votes.total():
            return None
        score = self._comparison.similarity.score(index, target)
        return Guess(target, max(_SAME_CONTENT_SCORE, score), "body")

    def only(self, index: int) -> Guess | None:
        """Return the only block of a kind in the same symbol, if the old line opened the only one too."""
        kind = self._before.role(index).opens
        outlines = self._comparison.outlines
        old_symbol = outlines.old.symbol_at(index) if kind and outlines.both_parsed else None
        target = outlines.symbols.target_of.get(old_symbol) if old_symbol is not None else None
        if old_symbol is None or target is None:
            return None
        old_lines = _opening(self._before, outlines.old.symbols[old_symbol], kind)
        new_lines = _opening(self._after, outlines.new.symbols[target], kind)
        is_only = old_lines == [index] and len(new_lines) == 1
        return Guess(new_lines[0], _ONLY_BLOCK_SCORE, "only") if is_only else None

    def _inside(self, index: int) -> list[tuple[int, int]]:
        """Return the first confirmed or located lines inside a block, with their new lines."""
        lines = [
            at for at in self._comparison.outlines.old.block_lines(index) if not self._before.is_trivial(at)
        ]
        firm = self._comparison.confirmed
        confirmed = [(at, firm[at]) for at in lines[:_LONGEST] if at in firm]
        if confirmed:
            return confirmed[:_VOTERS]
        plain = [at for at in lines if not self._before.role(at).opens]
        found = ((at, self._locate(at)) for at in plain[:_LOCATED_VOTERS])
        return [(at, target) for at, target in found if target is not None]


def _opened(outline: Outline, lines: Lines, index: int, kind: str) -> list[int]:
    """Return the lines that open blocks of a kind around a line, innermost first."""
    return [row for row in outline.enclosing_rows(index) if lines.role(row).opens == kind]


def _opening(lines: Lines, symbol: Symbol, kind: str) -> list[int]:
    """Return the lines of a symbol that open blocks of a kind."""
    inside = range(symbol.start_line - 1, min(symbol.end_line, len(lines)))
    return [index for index in inside if lines.role(index).opens == kind]
