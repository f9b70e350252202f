"""Reads the record of a source file with a single query of its syntax tree.

Contract: the record depends on the file name and the bytes alone. `symbols`, `complexity` and `names` each
contribute patterns with their own capture names; all of them run as one query.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from holdfast.syntax.complexity import code_before, function_metrics, metric_patterns
from holdfast.syntax.languages import Language, language_of
from holdfast.syntax.names import name_patterns, names
from holdfast.syntax.parse import Parsed, captures, parse
from holdfast.syntax.record import NO_NAMES, Comment, Record
from holdfast.syntax.symbols import Declared, declared, symbol_patterns

if TYPE_CHECKING:
    from tree_sitter import Node


@cache
def _patterns(language: Language, with_names: bool) -> str:
    comments = (f"({kind}) @comment" for kind in sorted(language.comments))
    named = (name_patterns(language),) if with_names else ()
    return "\n".join((symbol_patterns(language), metric_patterns(language), *named, *comments))


def read(path: str, source: bytes, with_names: bool = True) -> Record | None:
    """Return the record of a file, or None if its language is not supported."""
    text = source.decode("utf-8-sig", "replace")
    language = language_of(path, text)
    if language is None:
        return None
    parsed = parse(language, text)
    found = captures(parsed, _patterns(language, with_names))
    symbols = declared(parsed, found)
    comments = sorted(found.get("comment", ()), key=lambda node: node.start_byte)
    code = code_before(parsed.source, comments)
    return Record(
        language.name,
        parsed.source.count(b"\n") + (not parsed.source.endswith(b"\n")) if parsed.source else 0,
        code[-1],
        code_before(parsed.source)[-1] - code[-1] if comments else 0,
        function_metrics(parsed, symbols, found, code),
        tuple(_comment(node, parsed.source) for node in comments),
        names(parsed, symbols, found) if with_names else NO_NAMES,
        _broken(path, parsed, symbols),
    )


def _comment(node: Node, source: bytes) -> Comment:
    row, column = node.start_point
    start = node.start_byte
    text = source[start : node.end_byte].decode("utf-8", "replace").rstrip("\r\n")
    before = len(source[start - column : start].decode("utf-8", "replace"))
    return Comment(row + 1, before + 1, row + 1 + text.count("\n"), text)


def _broken(path: str, parsed: Parsed, symbols: Sequence[Declared]) -> str | None:
    """Return the first syntax error, unless the grammar may be to blame; see `Facts.broken`."""
    language = parsed.language
    if not parsed.problems:
        return None
    if language.exact or not (symbols or path.endswith(language.relatives)):
        problem = parsed.problems[0]
        return f"line {problem.line}, column {problem.column}: {problem.message}"
    return None
