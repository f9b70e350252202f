"""Positions in a source: the order of nodes, and the definition that each byte belongs to.

Contract: definitions are passed in source order, an outer one before those nested in it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from holdfast.syntax.record import MODULE
from holdfast.syntax.symbols import DeclaredSymbol

if TYPE_CHECKING:
    from tree_sitter import Node


def sort_by_position(nodes: Iterable[Node]) -> list[Node]:
    """Sort nodes by position; queries return them in any order."""
    return sorted(nodes, key=lambda node: (node.start_byte, -node.end_byte))


class Regions:
    """The regions of a source, each with the innermost definition around it.

    `owners` has the index of that definition for each region; `containers`, for each definition, that of the
    one directly around it. MODULE stands for the file.
    """

    def __init__(self, declared: Sequence[DeclaredSymbol]) -> None:
        self.starts = [0]
        self.owners = [MODULE]
        self.containers: list[int] = []
        self._shared_starts: list[int] = []
        self._shared: list[tuple[int, list[int]]] = []  # the end of what several names share, and the names
        open_: list[tuple[int, int]] = []  # the end and index of each definition around the current one
        for index, symbol in enumerate(declared):
            start = symbol.start
            self._close(open_, start)
            self.containers.append(open_[-1][1] if open_ else MODULE)
            self._start_region(start, index)
            open_.append((symbol.node.end_byte, index))
        self._close(open_, None)
        self._collect_shared(declared)

    def _collect_shared(self, declared: Sequence[DeclaredSymbol]) -> None:
        parts: dict[int, list[int]] = {}
        for index, symbol in enumerate(declared):
            if symbol.declaration is not None:
                parts.setdefault(symbol.declaration.id, []).append(index)
        for indexes in parts.values():
            first = declared[indexes[0]]
            self._shared_starts.append(first.outer.start_byte)
            self._shared.append((first.start, indexes))

    def _close(self, open_: list[tuple[int, int]], until: int | None) -> None:
        """End the definitions that end at or before an offset, or all of them."""
        while open_ and (until is None or open_[-1][0] <= until):
            end, _index = open_.pop()
            self._start_region(end, open_[-1][1] if open_ else MODULE)

    def _start_region(self, start: int, owner: int) -> None:
        if start <= self.starts[-1]:
            self.owners[-1] = owner
        else:
            self.starts.append(start)
            self.owners.append(owner)

    def owner(self, byte: int) -> int:
        """Return the index of the innermost definition around a byte, or MODULE."""
        return self.owners[bisect_right(self.starts, byte) - 1]

    def reassign(self, spans: Iterable[tuple[int, int, int]]) -> None:
        """Give ranges of bytes, each inside one region, to other definitions; skip those with several."""
        regions = dict(zip(self.starts, self.owners, strict=True))
        for start, end, owner in spans:
            first = bisect_right(self.starts, start)
            if first == bisect_left(self.starts, end):
                regions[start] = owner
                regions.setdefault(end, self.owners[first - 1])
        self.starts = sorted(regions)
        self.owners = [regions[start] for start in self.starts]

    def owners_of_modifier(self, byte: int) -> Sequence[int]:
        """Return the definitions that a modifier belongs to: in `private int a, b;` to both."""
        at = bisect_right(self._shared_starts, byte) - 1
        if at >= 0 and byte < self._shared[at][0]:
            return self._shared[at][1]
        return (self.owner(byte),)

    def split(self, text: bytes) -> list[tuple[int, bytes]]:
        """Split a text at the boundaries of regions; return each part with the index of its definition."""
        ends = [*self.starts[1:], len(text)]
        regions = zip(self.owners, self.starts, ends, strict=True)
        return [(owner, text[start:end]) for owner, start, end in regions if start < end]


class Spans:
    """Non-overlapping ranges of the source; `in` tests whether a byte is inside one of them."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        spans = sorted((node.start_byte, node.end_byte) for node in nodes)
        self.starts = [start for start, _end in spans]
        self.ends = [end for _start, end in spans]

    def __contains__(self, byte: int) -> bool:
        count = bisect_right(self.starts, byte)
        return count > 0 and byte < self.ends[count - 1]
