"""Where a range ends now: with its syntax node where it ended with one, else with its last line.

Contract: the end is never before the start and never behind the end of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from holdfast.comments.tracking.outline import Outline

if TYPE_CHECKING:
    from tree_sitter import Node


def end_of_node(old: Outline, new: Outline, start: int, end: int, new_start: int) -> int | None:
    """Return the end of the node at the new start that is of the kind the range was, if it was a node."""
    if old.parsed is None or new.parsed is None:
        return None
    kinds = [node.type for node in _starting(old.parsed.tree.root_node, start) if _last_row(node) == end]
    ends = {
        node.type: _last_row(node) for node in reversed(list(_starting(new.parsed.tree.root_node, new_start)))
    }
    return next((ends[kind] for kind in kinds if kind in ends), None)


def end_of_lines(
    start: int, end: int, new_start: int, locate: Callable[[int], int | None], length: int
) -> int:
    """Return the new end index: that of the last line of the range which is found after the new start."""
    for index in range(end, start, -1):
        found = locate(index)
        if found is not None and found >= new_start:
            return min(length - 1, found + end - index)
    return new_start


def _starting(root: Node, row: int) -> Iterator[Node]:
    """Yield the nodes that start with the first code of a row, outer ones first."""
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
    """Return the last row that a node has text on."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row
