"""The statements of a Python file as coverage.py counts them, because its data file has only the lines that
ran.

A statement is identified by its first line. It ran if any of its lines did; of a compound statement only the
header counts. Docstrings, other constant expressions, `global` and `nonlocal` do not count. `pragma: no
cover` excludes a statement and everything in it.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence

from holdfast.storage.files.foreign_document import UnreadableDocument

_LEFT_OUT = re.compile(r"#\s*(?:pragma|PRAGMA)[:\s]?\s*(?:no|NO)\s*(?:cover|COVER)")
_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")

Statement = range
"""The lines that show that it ran; the first one identifies it."""


def python_statements(source: bytes) -> list[Statement]:
    """Return the statements of a file, in order, or raise `UnreadableDocument`."""
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UnreadableDocument("it is not valid Python") from None
    lines = source.decode("utf-8", "replace").splitlines()
    marked = frozenset(number for number, line in enumerate(lines, 1) if _LEFT_OUT.search(line))
    return sorted(_within(tree, marked), key=lambda statement: statement.start)


def _within(root: ast.AST, marked: frozenset[int]) -> Iterator[Statement]:
    waiting: list[ast.AST] = [root]
    while waiting:
        node = waiting.pop()
        blocks = [
            block for name in _BLOCKS if (block := getattr(node, name, None)) and isinstance(block, list)
        ]
        if not isinstance(node, ast.Module):
            own = _own_lines(node, blocks)
            if not marked.isdisjoint(own):
                continue
            yield from _counted(node, own)
        before = blocks[0][0] if blocks else None
        for block in blocks:
            # Between two blocks there is `else:` or `finally:`.
            gap = (
                range(0)
                if block is blocks[0] or before is None
                else range(_last(before) + 1, _first(block[0]))
            )
            if marked.isdisjoint(gap):
                waiting += block
            before = block[-1]


def _counted(node: ast.AST, own: Statement) -> Iterator[Statement]:
    if isinstance(node, ast.Global | ast.Nonlocal):
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    decorators = getattr(node, "decorator_list", ())
    for decorator in decorators:  # each decorator is a line that runs, and so is the `def` line
        yield range(decorator.lineno, _last(decorator) + 1)
    yield range(node.lineno, own.stop) if decorators else own  # type: ignore[attr-defined]


def _own_lines(node: ast.AST, blocks: Sequence[list[ast.AST]]) -> Statement:
    """Return the lines of a statement without those of the statements in it."""
    first = _first(node)
    end = min((_first(block[0]) for block in blocks), default=_last(node) + 1)
    return range(first, max(end, first + 1))


def _first(node: ast.AST) -> int:
    named: ast.AST = node.pattern if isinstance(node, ast.match_case) else node
    decorators: Sequence[ast.expr] = getattr(node, "decorator_list", ())
    return min([int(getattr(named, "lineno", 1)), *(decorator.lineno for decorator in decorators)])


def _last(node: ast.AST) -> int:
    if isinstance(node, ast.match_case):
        return _last(node.body[-1])
    return int(getattr(node, "end_lineno", None) or _first(node))
