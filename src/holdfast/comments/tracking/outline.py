"""The symbols and blocks of a version, from its syntax tree; empty where parsing fails."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from holdfast.comments.tracking.lines import Lines

if TYPE_CHECKING:
    from tree_sitter import Node

    from holdfast.syntax.parse import Parsed
    from holdfast.syntax.symbols import Symbol

_MAX_PARSED_CHARACTERS = 600_000
"""Longest text that is parsed. A judgement: larger files are generated."""

_CONTAINER_SUFFIXES = (
    "block",
    "body",
    "_list",
    "module",
    "program",
    "source_file",
    "compound_statement",
    "object",
)
"""Suffixes of the types of nodes that contain statements or members."""

_STATEMENT_PART_TYPES = frozenset(["argument_list", "parameter_list", "expression_list"])
"""Types of lists that are part of one statement."""

_EXPRESSION_TYPES = frozenset(["for_in_clause", "if_clause", "conditional_expression"])
"""Types of nodes that start with the keyword of a block but are expressions."""

_MAX_PARSE_SECONDS = 0.5
"""Seconds after which parsing is stopped and the text is tracked by its lines alone. A judgement: most files
are parsed in milliseconds, and reading a file must stay interactive."""


class Outline:
    """The syntax tree of a version and its symbols, parsed at first use."""

    def __init__(self, path: str, lines: Lines) -> None:
        self._path = path
        self._lines = lines

    @cached_property
    def parsed(self) -> Parsed | None:
        """The parsed text, or None where it cannot be parsed."""
        from holdfast.syntax.languages import language_of
        from holdfast.syntax.parse import ParseTooLong, parse

        if sum(map(len, self._lines.raw)) > _MAX_PARSED_CHARACTERS:
            return None
        text = "\n".join(self._lines.raw)
        language = language_of(self._path, text)
        try:
            return None if language is None else parse(language, text, _MAX_PARSE_SECONDS)
        except ParseTooLong:
            return None

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """All symbols ordered by their start, outer ones first; none where finding them takes too long."""
        if self.parsed is None:
            return ()
        from holdfast.syntax.parse import ParseTooLong
        from holdfast.syntax.symbols import symbols

        with suppress(ParseTooLong):
            found = symbols(self.parsed, _MAX_PARSE_SECONDS)
            return tuple(sorted(found, key=lambda symbol: (symbol.start_line, -symbol.end_line)))
        return ()

    @cached_property
    def _innermost(self) -> dict[int, int]:
        """The number of the innermost symbol for each line index inside one."""
        numbers: dict[int, int] = {}
        open_symbols: list[int] = []
        following = 0
        # One pass with a stack: filling the range of every symbol would be quadratic in the depth of nesting.
        for line in range(1, len(self._lines) + 1):
            while following < len(self.symbols) and self.symbols[following].start_line <= line:
                open_symbols.append(following)
                following += 1
            while open_symbols and self.symbols[open_symbols[-1]].end_line < line:
                open_symbols.pop()
            if open_symbols:
                numbers[line - 1] = open_symbols[-1]
        return numbers

    def symbol_at(self, index: int) -> int | None:
        """Return the number of the innermost symbol that contains a line index."""
        return self._innermost.get(index)

    def declares(self, index: int) -> bool:
        """Return whether the declaration of a symbol, or its name, starts on a line."""
        symbol_number = self.symbol_at(index)
        return symbol_number is not None and index + 1 in (
            self.symbols[symbol_number].start_line,
            self.symbols[symbol_number].name_line,
        )

    @cached_property
    def _parents(self) -> list[int | None]:
        parents: list[int | None] = []
        open_symbols: list[int] = []
        for number, symbol in enumerate(self.symbols):
            while open_symbols and self.symbols[open_symbols[-1]].end_line < symbol.start_line:
                open_symbols.pop()
            parents.append(open_symbols[-1] if open_symbols else None)
            open_symbols.append(number)
        return parents

    def parent(self, number: int) -> int | None:
        return self._parents[number]

    def _first_node(self, index: int) -> Node | None:
        """Return the innermost node at the first character of a line that is not white space."""
        text = self._lines.raw[index]
        return self._node_at(index, text[: len(text) - len(text.lstrip())])

    def _node_at(self, index: int, text_before: str) -> Node | None:
        """Return the innermost node of a line after some text, or None if the version is not parsed."""
        if self.parsed is None:
            return None
        point = (index, len(text_before.encode()))
        return self.parsed.tree.root_node.descendant_for_point_range(point, point)

    def enclosing_rows(self, index: int) -> list[int]:
        """Return the indices of the lines above on which the nodes around a line start, nearest first."""
        rows: list[int] = []
        node = self._first_node(index)
        while node is not None and node.parent is not None:
            row = node.start_point[0]
            if row < index and (not rows or row != rows[-1]):
                rows.append(row)
            node = node.parent
        return rows

    def opens(self, index: int, word: str) -> bool:
        """Return whether a keyword on a line opens a block, and is not part of an expression."""
        before, _, _ = self._lines.raw[index].partition(word)
        node = self._node_at(index, before)
        parent = node.parent if node is not None else None
        return parent is not None and parent.type not in _EXPRESSION_TYPES

    def has_alternative(self, index: int) -> bool:
        """Return whether a condition on a line has a branch for when it does not hold."""
        node = self._first_node(index)
        while node is not None and node.start_point[0] >= index:
            if node.child_by_field_name("alternative") is not None:
                return True
            node = node.parent
        return False

    def block_lines(self, index: int) -> range:
        """Return the line indices of the block that a line opens, without later branches."""
        node = self._node_at(index, self._lines.raw[index].rstrip()[:-1])
        while node is not None and node.end_point[0] == index and node.parent is not None:
            node = node.parent
        if node is None or node.start_point[0] != index:
            return range(0)
        block = _main_block(node) or node
        return range(index + 1, block.end_point[0] + 1)

    def head_row(self, index: int) -> int | None:
        """Return the index of the line above on which the block or list around a line starts, if any.

        For a line that closes a block or a list, that is the one which it closes.
        """
        node = self._first_node(index)
        while node is not None and node.start_point[0] >= index:
            node = node.parent
        if node is None or node.parent is None:
            return None
        # A block starts with its bracket or its first statement; the head is what it belongs to.
        is_content = node.type.endswith(_CONTAINER_SUFFIXES) or node.type in _STATEMENT_PART_TYPES
        head = node.parent if is_content and node.parent.parent is not None else node
        row = head.start_point[0]
        symbol = self._symbol_around(row)
        # Of a declaration that is the line with the name: annotations above it come and go.
        return symbol.name_line - 1 if symbol is not None and symbol.start_line == row + 1 else row

    def _symbol_around(self, index: int) -> Symbol | None:
        number = self.symbol_at(index)
        return None if number is None else self.symbols[number]

    def last_row(self, index: int) -> int:
        """Return the index of the last line of what starts on a line."""
        symbol = self._symbol_around(index)
        if symbol is not None and symbol.name_line == index + 1:
            return symbol.end_line - 1
        node = self._first_node(index)
        last = index
        while node is not None and node.parent is not None and node.start_point[0] >= index:
            last, node = max(last, last_row_of(node)), node.parent
        return last

    def statement_row(self, index: int) -> int | None:
        """Return the index of the line on which the statement around a line starts."""
        node = self._first_node(index)
        while node is not None and node.parent is not None and not _contains_statements(node.parent):
            node = node.parent
        return node.start_point[0] if node is not None and node.parent is not None else None


def last_row_of(node: Node) -> int:
    """Return the last row on which a node has text."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row


def _contains_statements(node: Node) -> bool:
    """Return whether the children of a node are statements or members."""
    if node.type in _STATEMENT_PART_TYPES:
        return False
    return node.parent is None or node.type.endswith(_CONTAINER_SUFFIXES) or node.type.startswith("switch")


def _main_block(node: Node) -> Node | None:
    """Return the main block of a statement: its body, or its `then` branch."""
    for name in ("consequence", "body"):
        found = node.child_by_field_name(name)
        if found is not None:
            return found
    return None
