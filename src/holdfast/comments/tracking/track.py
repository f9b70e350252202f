"""Following anchors from one version to another in one step.

Contract: equal versions give equal answers; a line is never placed outside the new text; only anchors whose
surroundings changed pay for a search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from holdfast.comments.tracking.comparison import Comparison
from holdfast.comments.tracking.confidence import certain, judged, unsure
from holdfast.comments.tracking.confirmation import is_confirmed
from holdfast.comments.tracking.finder import Finder
from holdfast.comments.tracking.models import Anchor, Confidence, Placement, Reason, Version
from holdfast.comments.tracking.ranges import end_of_lines, end_of_node


def track(old: Version, new: Version, anchors: Sequence[Anchor]) -> list[Placement]:
    """Return where each anchor of the old version is in the new one."""
    tracker = _Tracker(old, new)
    return [tracker.place(anchor) for anchor in anchors]


class _Tracker:
    """One pair of versions and the lines already found in it."""

    def __init__(self, old: Version, new: Version) -> None:
        self._unchanged = old.text == new.text
        self._comparison = Comparison(old, new)
        self._finder = Finder(self._comparison)
        self._lines: dict[int, Placement] = {}

    def place(self, anchor: Anchor) -> Placement:
        """Return where an anchor is."""
        index = anchor.line - 1
        if not 0 <= index < len(self._comparison.before):
            return Placement(None, None, Confidence.NONE, "outside", "line_deleted")
        if self._unchanged:
            return Placement(anchor.line, anchor.end_line, Confidence.HIGH, "unchanged")
        placement = self._line(index)
        if anchor.end_line is None or placement.line is None:
            return placement
        return replace(placement, end_line=self._end(index, anchor.end_line - 1, placement.line - 1) + 1)

    def _line(self, index: int) -> Placement:
        """Return where a line is, found once."""
        if index not in self._lines:
            self._lines[index] = self._found(index)
        return self._lines[index]

    def _found(self, index: int) -> Placement:
        """Return where a line is."""
        comparison = self._comparison
        if index in comparison.firm:
            return certain(comparison.firm[index])
        guesses = self._finder.guesses(index)
        if not guesses:
            return judged(guesses, agrees=False, reason=self._reason(index))
        best = guesses[0]
        if self._loses_block(index, best.index):
            return unsure(guesses)
        same = comparison.equal.get(index) == best.index and not comparison.before.is_trivial(index)
        agrees = same or is_confirmed(comparison, index, best)
        return judged(guesses, agrees=agrees, reason="ambiguous")

    def _loses_block(self, index: int, target: int) -> bool:
        """Return whether a line opened a block and what is taken for it opens none."""
        comparison = self._comparison
        role = comparison.before.role(index)
        if not role.opens or comparison.after.role(target).opens:
            return False
        return comparison.places.known and comparison.places.old.opens(index, role.word)

    def _reason(self, index: int) -> Reason:
        """Return whether only the line is gone or what held it too."""
        places = self._comparison.places
        holder = places.old.holder(index) if places.known else None
        if holder is None or holder in places.symbols.to:
            return "line_deleted"
        return "symbol_deleted"

    def _end(self, start: int, end: int, new_start: int) -> int:
        """Return the index at which a range ends now."""
        comparison = self._comparison
        end = min(max(start, end), len(comparison.before) - 1)
        if comparison.firm.get(start) == new_start and comparison.firm.get(end) == new_start + end - start:
            return new_start + end - start
        found = end_of_node(comparison.places.old, comparison.places.new, start, end, new_start)
        if found is not None:
            return found

        def locate(index: int) -> int | None:
            line = self._line(index).line
            return None if line is None else line - 1

        return end_of_lines(start, end, new_start, locate, len(comparison.after))
