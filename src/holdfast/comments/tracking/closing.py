"""Places lines without words, such as closing brackets and blank lines, by the head of their block.

Their text occurs many times, so equal text proves little; but the bracket that closes a block is where the
block ends. The head is the line on which the block starts. Lines of a block with equal text keep their order.

Contract: confidence is high only if a trusted run of unchanged lines or the head of the block confirms it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from holdfast.comments.tracking.comparison import VersionComparison
from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.outline import Outline
from holdfast.comments.tracking.placement import Confidence, Placement


class _Target(NamedTuple):
    """The new index of a line, and whether it is the only one of its text in its block."""

    row: int
    is_only: bool


class ClosingLines:
    """The lines without words of one comparison; `place` places any other line."""

    def __init__(self, comparison: VersionComparison, place: Callable[[int], Placement]) -> None:
        self._comparison = comparison
        self._place = place

    def placement(self, index: int, found: Placement) -> Placement:
        """Return the placement of an old line, given the one by its text and its neighbours."""
        head = self._head(index)
        if head is None:
            return self._flagged(index, found)
        new_head = self._place(head)
        target = None if new_head.line is None else self._in_block(index, head, new_head.line - 1)
        is_certain = new_head.confidence is Confidence.HIGH
        if target is None:
            return self._flagged(index, found)
        line = target.row + 1
        if found.line not in (None, line):
            return Placement(line, None, Confidence.MEDIUM, "block", None, found.candidates)
        if is_certain and target.is_only:
            return Placement(line, None, Confidence.HIGH, "block")
        return (
            self._flagged(index, found) if found.line else Placement(line, None, Confidence.MEDIUM, "block")
        )

    def _flagged(self, index: int, found: Placement) -> Placement:
        """Return a placement, for review unless the line is in a trusted run of unchanged lines."""
        return found if index in self._comparison.confirmed else _capped(found)

    def _head(self, index: int) -> int | None:
        """Return the head of the block around an old line, if there is one with words."""
        comparison = self._comparison
        head = comparison.outlines.old.head_row(index) if comparison.outlines.both_parsed else None
        return None if head is None or comparison.old_lines.is_trivial(head) else head

    def _in_block(self, index: int, head: int, new_head: int) -> _Target | None:
        """Return where an old line is in the block with a new head, if as many lines are like it there."""
        comparison = self._comparison
        text = comparison.old_lines.normalized[index]
        old = _rows_like(comparison.outlines.old, comparison.old_lines, head, text)
        new = _rows_like(comparison.outlines.new, comparison.new_lines, new_head, text)
        if index not in old or len(old) != len(new):
            return None
        return _Target(new[old.index(index)], len(new) == 1)


def _capped(found: Placement) -> Placement:
    is_high = found.confidence is Confidence.HIGH
    return replace(found, confidence=Confidence.MEDIUM) if is_high else found


def _rows_like(outline: Outline, lines: Lines, head: int, text: str) -> list[int]:
    """Return the lines with a text whose block has a head."""
    inside = range(head + 1, min(outline.last_row(head) + 1, len(lines)))
    return [row for row in inside if lines.normalized[row] == text and outline.head_row(row) == head]
