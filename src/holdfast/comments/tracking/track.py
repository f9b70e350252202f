"""Tracks anchors from one version to another in one step.

Contract: the result depends only on the two versions; a line is never placed outside the new text; only
anchors whose surroundings changed need a search. A range ends with its syntax node if it did before, else
with its last line; never before its start or after the end of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

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
from holdfast.comments.tracking.outline import Outline
from holdfast.comments.tracking.placement import Anchor, Confidence, FileVersion, Placement, Reason

if TYPE_CHECKING:
    from tree_sitter import Node


def end_of_node(old: Outline, new: Outline, start: int, end: int, new_start: int) -> int | None:
    """Return where the node at the new start ends, if the old range was a node of the same type."""
    if old.parsed is None or new.parsed is None:
        return None
    old_nodes = _nodes_starting_on(old.parsed.tree.root_node, start)
    types = [node.type for node in old_nodes if _last_row(node) == end]
    ends: dict[str, int] = {}
    for node in _nodes_starting_on(new.parsed.tree.root_node, new_start):
        ends.setdefault(node.type, _last_row(node))
    return next((ends[node_type] for node_type in types if node_type in ends), None)


def end_of_lines(
    start: int, end: int, new_start: int, locate: Callable[[int], int | None], length: int
) -> int:
    """Return the new end index, derived from the last line of the range that is found after the new start."""
    for index in range(end, start, -1):
        found = locate(index)
        if found is not None and found >= new_start:
            return min(length - 1, found + end - index)
    return new_start


def _nodes_starting_on(root: Node, row: int) -> Iterator[Node]:
    """Yield the nodes that start at the first code on a row, outer nodes first."""
    column = None
    nodes = [root]
    while nodes:
        node = nodes.pop(0)
        if node.start_point[0] == row and node is not root:
            if column is None:
                column = node.start_point[1]
            if node.start_point[1] == column:
                yield node
        nodes = [child for child in node.children if child.start_point[0] <= row <= child.end_point[0]]
        nodes = nodes[:1] if nodes and nodes[0].start_point[0] == row else nodes[-1:]


def _last_row(node: Node) -> int:
    """Return the last row on which a node has text."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row


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
        self._lines: dict[int, Placement] = {}

    def place(self, anchor: Anchor) -> Placement:
        index = anchor.line - 1
        if not 0 <= index < len(self._comparison.old_lines):
            return Placement(None, None, Confidence.NONE, "outside", "line_deleted")
        if self._unchanged:
            return Placement(anchor.line, anchor.end_line, Confidence.HIGH, "unchanged")
        placement = self._line(index)
        if anchor.end_line is None or placement.line is None:
            return placement
        return replace(placement, end_line=self._end(index, anchor.end_line - 1, placement.line - 1) + 1)

    def _line(self, index: int) -> Placement:
        """Return where a line is, computed once."""
        if index not in self._lines:
            self._lines[index] = self._locate(index)
        return self._lines[index]

    def _locate(self, index: int) -> Placement:
        """Return where a line is; an edited line directly below inserted code needs review."""
        found = self._search(index)
        if found.line is None or found.confidence is not Confidence.HIGH or found.method == "exact":
            return found
        if is_below_new_code(self._comparison, index, found.line - 1):
            return replace(found, confidence=Confidence.MEDIUM)
        return found

    def _search(self, index: int) -> Placement:
        """Return where a line is, without checking for inserted code."""
        comparison = self._comparison
        target, method = comparison.confirmed.get(index), "exact"
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
        agrees = is_distinct_match(comparison, index, best.index) or is_confirmed(comparison, index, best)
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
        if (
            comparison.confirmed.get(start) == new_start
            and comparison.confirmed.get(end) == new_start + end - start
        ):
            return new_start + end - start
        found = end_of_node(comparison.outlines.old, comparison.outlines.new, start, end, new_start)
        if found is not None:
            return found

        def locate(index: int) -> int | None:
            line = self._line(index).line
            return None if line is None else line - 1

        return end_of_lines(start, end, new_start, locate, len(comparison.new_lines))
