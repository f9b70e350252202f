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
def record_patterns(language: Language, with_names: bool) -> str:
    """Return the query patterns for a record."""
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
    found = captures(parsed, record_patterns(language, with_names))
    symbols = find_declarations(parsed, found)
    comments = sorted(found.get("comment", ()), key=lambda node: node.start_byte)
    code_lines_before = count_code_lines(parsed.source, comments)  # for each line, and in total
    code_lines = code_lines_before[-1]
    lines_with_text = count_code_lines(parsed.source)[-1] if comments else code_lines
    return Record(
        language=language.name,
        lines=_line_count(parsed.source),
        code_lines=code_lines,
        comment_lines=lines_with_text - code_lines,
        functions=function_metrics(parsed, symbols, found, code_lines_before),
        comments=tuple(_comment_at(node, parsed.source) for node in comments),
        names=read_names(parsed, symbols, found) if with_names else NO_NAMES,
        syntax_error=_first_syntax_error(parsed) if language.can_judge_syntax(path, bool(symbols)) else None,
    )


def _line_count(source: bytes) -> int:
    """Return the number of lines; a last line without a line end counts too."""
    return source.count(b"\n") + (source != b"" and not source.endswith(b"\n"))


def _comment_at(node: Node, source: bytes) -> Comment:
    """Return the comment of a node, whose column counts bytes; ours counts characters."""
    row, column_in_bytes = node.start_point
    start, line = node.start_byte, row + 1
    text = source[start : node.end_byte].decode("utf-8", "replace").rstrip("\r\n")
    text_before = source[start - column_in_bytes : start].decode("utf-8", "replace")
    return Comment(line, column=len(text_before) + 1, end_line=line + text.count("\n"), text=text)


def _first_syntax_error(parsed: Parsed) -> str | None:
    if not parsed.problems:
        return None
    problem = parsed.problems[0]
    return f"line {problem.line}, column {problem.column}: {problem.message}"
