"""Reads the record of a source file, with a single query of its syntax tree.

Contract: the record depends on the file name and the bytes alone. `symbols`, `control_flow` and `names` each
contribute patterns with their own capture names; all of them run as one query.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from holdfast.syntax.complexity import count_code_lines, function_metrics
from holdfast.syntax.control_flow import flow_patterns
from holdfast.syntax.languages import Language, language_of
from holdfast.syntax.names import name_patterns, read_names
from holdfast.syntax.parse import Parsed, captures, parse
from holdfast.syntax.record import NO_NAMES, Comment, Record
from holdfast.syntax.symbols import find_declarations, symbol_patterns

if TYPE_CHECKING:
    from tree_sitter import Node


@cache
def _patterns(language: Language, with_names: bool) -> str:
    comments = (f"({kind}) @comment" for kind in sorted(language.comments))
    names = (name_patterns(language),) if with_names else ()
    return "\n".join((symbol_patterns(language), flow_patterns(language), *names, *comments))


def read(path: str, source: bytes, with_names: bool = True) -> Record | None:
    """Return the record of a file; `record.read_record` documents it."""
    text = source.decode("utf-8-sig", "replace")
    language = language_of(path, text)
    if language is None:
        return None
    parsed = parse(language, text)
    found = captures(parsed, _patterns(language, with_names))
    symbols = find_declarations(parsed, found)
    comments = sorted(found.get("comment", ()), key=lambda node: node.start_byte)
    code_lines = count_code_lines(parsed.source, comments)
    lines_with_text = count_code_lines(parsed.source)[-1] if comments else code_lines[-1]
    return Record(
        language.name,
        _line_count(parsed.source),
        code_lines[-1],
        lines_with_text - code_lines[-1],
        function_metrics(parsed, symbols, found, code_lines),
        tuple(_comment(node, parsed.source) for node in comments),
        read_names(parsed, symbols, found) if with_names else NO_NAMES,
        _syntax_error(parsed) if language.can_judge_syntax(path, bool(symbols)) else None,
    )


def _line_count(source: bytes) -> int:
    """Return the number of lines; a last line without a line end counts too."""
    return source.count(b"\n") + (source != b"" and not source.endswith(b"\n"))


def _comment(node: Node, source: bytes) -> Comment:
    row, column = node.start_point
    start = node.start_byte
    text = source[start : node.end_byte].decode("utf-8", "replace").rstrip("\r\n")
    preceding = len(source[start - column : start].decode("utf-8", "replace"))
    return Comment(row + 1, preceding + 1, row + 1 + text.count("\n"), text)


def _syntax_error(parsed: Parsed) -> str | None:
    """Return the first syntax error with its position, or None."""
    texts = (
        f"line {problem.line}, column {problem.column}: {problem.message}" for problem in parsed.problems
    )
    return next(texts, None)
