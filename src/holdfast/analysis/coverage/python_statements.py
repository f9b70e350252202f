"""Finds the statements of a Python file as coverage.py does: its data file has only the lines that were run.

A statement is identified by its first line. It was run if any of its lines was run; of a compound statement
only the lines of the header are considered. Docstrings, other constant expressions, `global` and `nonlocal`
are not counted. `pragma: no cover` excludes a statement and everything in it.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence

from holdfast.storage.files.foreign_document import UnreadableDocument

_NO_COVER_COMMENT = re.compile(r"#\s*(?:pragma|PRAGMA)[:\s]?\s*(?:no|NO)\s*(?:cover|COVER)")
_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")
"""The attributes of compound statements that contain other statements, in the order of their lines."""

Statement = range
"""The lines of a statement, of a compound statement those of its header; the first one identifies it."""


def python_statements(source: bytes) -> list[Statement]:
    """Return the statements of a file, in order, or raise `UnreadableDocument`."""
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UnreadableDocument("it is not valid Python") from None
    lines = source.decode("utf-8", "replace").splitlines()
    excluded = frozenset(number for number, line in enumerate(lines, 1) if _NO_COVER_COMMENT.search(line))
    return sorted(_statements_in(tree, excluded), key=lambda statement: statement.start)


def _statements_in(root: ast.AST, excluded: frozenset[int]) -> Iterator[Statement]:
    """Yield the statements below a node, without those that a comment on an excluded line applies to."""
    pending: list[ast.AST] = [root]
    while pending:
        node = pending.pop()
        blocks = [block for name in _BLOCKS if (block := getattr(node, name, None))]
        if not isinstance(node, ast.Module):
            own_lines = _own_lines(node, blocks)
            if not excluded.isdisjoint(own_lines):
                continue
            yield from _statements_of(node, own_lines)
        pending += _included_children(blocks, excluded)


def _included_children(blocks: Sequence[list[ast.AST]], excluded: frozenset[int]) -> Iterator[ast.AST]:
    """Yield the nodes of blocks, without those of a block whose `else:` or `finally:` is excluded."""
    last_line_before: int | None = None
    for block in blocks:
        first_line = _first_line(block[0])
        # The keyword has no node of its own: it is on a line between the block before and this one.
        if last_line_before is None or excluded.isdisjoint(range(last_line_before + 1, first_line)):
            yield from block
        last_line_before = _last_line(block[-1])


def _statements_of(node: ast.AST, own_lines: Statement) -> Iterator[Statement]:
    """Yield what is counted for one node: nothing, the statement, or also each of its decorators."""
    if isinstance(node, ast.Global | ast.Nonlocal):
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    decorators = getattr(node, "decorator_list", ())
    for decorator in decorators:  # each decorator is a line that runs, and so is the `def` line
        yield range(decorator.lineno, _last_line(decorator) + 1)
    yield range(node.lineno, own_lines.stop) if decorators else own_lines  # type: ignore[attr-defined]


def _own_lines(node: ast.AST, blocks: Sequence[list[ast.AST]]) -> Statement:
    """Return the lines of a statement without those of the statements in it."""
    first = _first_line(node)
    end = min((_first_line(block[0]) for block in blocks), default=_last_line(node) + 1)
    return range(first, max(end, first + 1))  # the body may be on the line of the header


def _first_line(node: ast.AST) -> int:
    # A `case` has no line number of its own, but its pattern has one.
    numbered: ast.AST = node.pattern if isinstance(node, ast.match_case) else node
    decorators: Sequence[ast.expr] = getattr(node, "decorator_list", ())
    return min([int(getattr(numbered, "lineno", 1)), *(decorator.lineno for decorator in decorators)])


def _last_line(node: ast.AST) -> int:
    if isinstance(node, ast.match_case):
        return _last_line(node.body[-1])
    return int(getattr(node, "end_lineno", None) or _first_line(node))
