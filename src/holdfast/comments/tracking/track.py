"""Tracks anchors from one version to another in one step.

Contract: the result depends only on the two versions; a line is never placed outside the new text; only
anchors whose surroundings changed need a search. A range ends with its syntax node if it did before, else
with its last line; never before its start or after the end of the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.comments.tracking.branches import is_branch, is_other_branch
from holdfast.comments.tracking.closing import ClosingLines
from holdfast.comments.tracking.comparison import VersionComparison
from holdfast.comments.tracking.finder import Finder
from holdfast.comments.tracking.guess import (
    is_below_new_code,
    is_confirmed,
    is_distinct_match,
    low_confidence_placement,
    placement_of,
    same_text_placement,
)
from holdfast.comments.tracking.outline import Outline, last_row_of
from holdfast.comments.tracking.placement import Anchor, Confidence, FileVersion, Placement, Reason

if TYPE_CHECKING:
    from tree_sitter import Node


def track(old: FileVersion, new: FileVersion, anchors: Sequence[Anchor]) -> list[Placement]:
    """Return where each anchor of the old version is in the new one."""
    tracker = _Tracker(old, new)
    return [tracker.place(anchor) for anchor in anchors]


class _Tracker:
    """One pair of versions with the lines located so far."""

    def __init__(self, old: FileVersion, new: FileVersion) -> None:
        self._unchanged = old.text == new.text
        self._comparison = VersionComparison(old, new)
        self._finder = Finder(self._comparison)
        self._closing = ClosingLines(self._comparison, self._placement)
        self._placements: dict[int, Placement] = {}

    def place(self, anchor: Anchor) -> Placement:
        index = anchor.line - 1
        if not 0 <= index < len(self._comparison.old_lines):
            return Placement(None, None, Confidence.NONE, "outside", "line_deleted")
        if self._unchanged:
            return Placement(anchor.line, anchor.end_line, Confidence.HIGH, "unchanged")
        placement = self._placement(index)
        if anchor.end_line is None or placement.line is None:
            return placement
        return replace(placement, end_line=self._end(index, anchor.end_line - 1, placement.line - 1) + 1)

    def _placement(self, index: int) -> Placement:
        """Return where a line is, computed once; an edited line in a doubtful place needs review."""
        if index not in self._placements:
            found = self._search(index)
            is_edited = found.confidence is Confidence.HIGH and found.method != "exact"
            if is_edited and found.line and self._is_doubtful(index, found.line - 1):
                found = replace(found, confidence=Confidence.MEDIUM)
            if self._comparison.old_lines.is_trivial(index):
                found = self._closing.placement(index, found)
            self._placements[index] = found
        return self._placements[index]

    def _is_doubtful(self, index: int, target: int) -> bool:
        """Return whether an edited line is directly below new code or in a branch that may be another one."""
        comparison = self._comparison
        if is_below_new_code(comparison, index, target):
            return True
        old, text = comparison.outlines.old, comparison.old_lines.normalized[index]
        if text == comparison.new_lines.normalized[target] or not comparison.outlines.both_parsed:
            return False
        head = old.head_row(index)
        if head is None or not is_branch(old, comparison.old_lines, head):
            return False
        return self._placement(head).confidence is not Confidence.HIGH

    def _search(self, index: int) -> Placement:
        """Return where a line is, without checking for inserted code."""
        comparison = self._comparison
        target, method = comparison.confirmed.get(index), "exact"
        # A declaration is found by its symbol: its tokens may be the same in several places.
        if target is None and not comparison.outlines.old.declares(index):
            target, method = comparison.reflowed_line(index), "reflowed"
        if target is not None:
            return same_text_placement(
                comparison, index, target, method, self._finder.counterpart_in_symbol(index, target)
            )
        guesses = self._finder.guesses(index)
        if not guesses:
            return placement_of(guesses, agrees=False, reason=self._reason(index))
        best = guesses[0]
        if self._loses_block(index, best.index):
            return low_confidence_placement(guesses)
        agrees = is_distinct_match(comparison, index, best.index) or (
            is_confirmed(comparison, index, best) and not is_other_branch(comparison, index, best.index)
        )
        return placement_of(guesses, agrees=agrees, reason="ambiguous")

    def _loses_block(self, index: int, target: int) -> bool:
        """Return whether a line opened a block and its best match opens none."""
        comparison = self._comparison
        role = comparison.old_lines.role(index)
        if not role.opens or comparison.new_lines.role(target).opens:
            return False
        return comparison.outlines.both_parsed and comparison.outlines.old.opens(index, role.word)

    def _reason(self, index: int) -> Reason:
        """Return whether only the line was deleted, or its symbol as well."""
        outlines = self._comparison.outlines
        old_symbol = outlines.old.symbol_at(index) if outlines.both_parsed else None
        if old_symbol is None or old_symbol in outlines.symbols.target_of:
            return "line_deleted"
        return "symbol_deleted"

    def _end(self, start: int, end: int, new_start: int) -> int:
        """Return the index at which a range ends now."""
        comparison = self._comparison
        end = min(max(start, end), len(comparison.old_lines) - 1)
        same_length_end = new_start + end - start
        if (comparison.confirmed.get(start), comparison.confirmed.get(end)) == (new_start, same_length_end):
            return same_length_end
        outlines = comparison.outlines
        node_end = _end_of_node(outlines.old, outlines.new, start, end, new_start)
        if node_end is not None:
            return node_end
        # The last line of the range that is found after the new start; lines below it are assumed unchanged.
        for index in range(end, start, -1):
            line = self._placement(index).line
            if line is not None and line > new_start:
                return min(len(comparison.new_lines) - 1, line - 1 + end - index)
        return new_start


def _end_of_node(old: Outline, new: Outline, start: int, end: int, new_start: int) -> int | None:
    """Return where the node at the new start ends, if the old range was a node of the same type."""
    if old.parsed is None or new.parsed is None:
        return None
    old_nodes = _nodes_starting_on(old.parsed.tree.root_node, start)
    types = [node.type for node in old_nodes if last_row_of(node) == end]
    ends: dict[str, int] = {}
    for node in _nodes_starting_on(new.parsed.tree.root_node, new_start):
        ends.setdefault(node.type, last_row_of(node))
    return next((ends[node_type] for node_type in types if node_type in ends), None)


def _nodes_starting_on(root: Node, row: int) -> Iterator[Node]:
    """Yield the nodes that start at the first code on a row, outer nodes first."""
    column = None
    node = root
    while True:
        if node.start_point[0] == row and node is not root:
            if column is None:
                column = node.start_point[1]
            if node.start_point[1] == column:
                yield node
        children = [child for child in node.children if child.start_point[0] <= row <= child.end_point[0]]
        if not children:
            return
        # The first child that starts on the row, else the last one that covers it.
        node = children[0] if children[0].start_point[0] == row else children[-1]
