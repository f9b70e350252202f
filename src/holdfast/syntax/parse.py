"""Parses source text into a tree-sitter syntax tree, within limits.

Contract:
- A text longer than `MAX_CHARACTERS`, or whose tree takes longer than `MAX_PARSE_SECONDS` to build or to
  query, is refused with `ParseTooLong`.
- A text with syntax errors is still parsed; the first `MAX_PROBLEMS` errors are in `problems`.
- Lines count from 1 and end at a line feed, so `\\r\\n` counts once and a lone `\\r` not at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any

from holdfast.kernel.errors import TooLarge
from holdfast.kernel.text import shorten
from holdfast.syntax.languages.language import Language
from holdfast.syntax.languages.nodes import text_of

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import Node, Query, Tree

MAX_CHARACTERS = 5_000_000
"""Hand-written files are much shorter, and the tree of such a text still fits into memory."""
MAX_PARSE_SECONDS = 5.0
"""Ordinary files are parsed in milliseconds; only degenerate text takes so long."""
MAX_PROBLEMS = 20
"""After the first few errors of a file, the others are usually consequences."""
_MAX_QUOTED_CHARACTERS = 40
"""How much of an unexpected text a message quotes, to fit a line."""


class ParseTooLong(TooLarge, kind="parse_too_long", number=4131):
    """The text is too long, or takes too long to parse."""


@dataclass(frozen=True)
class SyntaxProblem:
    """A syntax error, with its line and column in bytes, both from 1."""

    line: int
    column: int
    message: str


@dataclass(frozen=True)
class Parsed:
    """A source text with its syntax tree."""

    language: Language
    source: bytes
    tree: Tree
    problems: tuple[SyntaxProblem, ...]

    @property
    def root(self) -> Node:
        return self.tree.root_node


@cache
def load_grammar(language: Language) -> Grammar:
    """Load the grammar of a language, whose library is imported on first use."""
    import tree_sitter

    module, function = language.grammar
    return tree_sitter.Language(getattr(import_module(module), function)())


@cache
def compile_query(language: Language, patterns: str) -> Query:
    """Compile query patterns for a language."""
    import tree_sitter

    return tree_sitter.Query(load_grammar(language), patterns)


def captures(parsed: Parsed, patterns: str, seconds: float = MAX_PARSE_SECONDS) -> Mapping[str, list[Node]]:
    """Run query patterns; return the nodes by capture name, or raise `ParseTooLong` after some seconds."""
    import tree_sitter

    cursor = tree_sitter.QueryCursor(compile_query(parsed.language, patterns), **_time_limit(seconds))
    start = monotonic()
    # Not by `captures`: it sorts its result in quadratic time, to which the time limit does not apply.
    matches = cursor.matches(parsed.root)
    # At the time limit tree-sitter returns a partial result without an error.
    if monotonic() - start >= seconds:
        raise _timeout_error(parsed.language, seconds)
    found: dict[str, dict[int, Node]] = {}
    for _, nodes_by_name in matches:
        for name, nodes in nodes_by_name.items():
            by_id = found.setdefault(name, {})
            for node in nodes:
                by_id[node.id] = node
    return {name: list(by_id.values()) for name, by_id in found.items()}


def parse(language: Language, text: str, seconds: float = MAX_PARSE_SECONDS) -> Parsed:
    """Parse a text, or raise `ParseTooLong` after some seconds."""
    if len(text) > MAX_CHARACTERS:
        raise ParseTooLong(
            f"The text has {len(text)} characters; at most {MAX_CHARACTERS} are parsed",
            hint="Comments in such files are tracked by their lines, without a parser.",
        )
    source = text.encode("utf-8", "replace")
    if not language.has_exact_grammar:
        parsed = _parse_source(language, _rewrite(language, source), seconds)
    else:
        parsed = _parse_source(language, source, seconds)
        rewritten = _rewrite(language, source) if parsed.problems else source
        if rewritten != source:
            reparsed = _parse_source(language, rewritten, seconds)
            parsed = min(parsed, reparsed, key=lambda candidate: len(candidate.problems))
    return replace(parsed, source=source, problems=parsed.problems[:MAX_PROBLEMS])


def _rewrite(language: Language, source: bytes) -> bytes:
    """Replace syntax that the grammar does not know with equivalents of the same length."""
    for pattern, equivalent in language.rewrites:
        source = re.sub(pattern, partial(_pad, equivalent), source)
    return source


def _pad(equivalent: bytes, match: re.Match[bytes]) -> bytes:
    return equivalent.ljust(len(match[0]))


def _parse_source(language: Language, source: bytes, seconds: float) -> Parsed:
    """Build the tree and collect its errors, both within the same seconds."""
    deadline = monotonic() + seconds
    tree = _build_tree(language, source, seconds)
    parsed = Parsed(language, source, tree, ())
    if not tree.root_node.has_error:
        return parsed
    return replace(parsed, problems=_syntax_problems(parsed, deadline - monotonic()))


def _build_tree(language: Language, source: bytes, seconds: float) -> Tree:
    import tree_sitter

    parser = tree_sitter.Parser(load_grammar(language), **_time_limit(seconds))
    try:
        return parser.parse(source)
    except ValueError:  # says only that parsing failed, which happens at the time limit
        raise _timeout_error(language, seconds) from None


def _time_limit(seconds: float) -> dict[str, Any]:
    """Return the option for a time limit; the callback that replaces it crashes in tree-sitter 0.25."""
    return {"timeout_micros": max(1, int(seconds * 1_000_000))}


def _timeout_error(language: Language, seconds: float) -> ParseTooLong:
    return ParseTooLong(
        f"The text could not be read as {language.name} within {max(0.0, seconds):.2g} s",
        hint="Comments in such files are tracked by their lines, without a parser.",
    )


def _syntax_problems(parsed: Parsed, seconds: float) -> tuple[SyntaxProblem, ...]:
    found = captures(parsed, "(ERROR) @unexpected (MISSING) @missing", seconds)
    problems = [
        _syntax_problem(node, f"Unexpected '{quote_first_line(node)}'")
        for node in found.get("unexpected", ())
    ]
    problems += [_syntax_problem(node, f"Missing '{node.type}'") for node in found.get("missing", ())]
    return tuple(sorted(problems, key=lambda problem: (problem.line, problem.column, problem.message)))


def _syntax_problem(node: Node, text: str) -> SyntaxProblem:
    row, column = node.start_point
    return SyntaxProblem(row + 1, column + 1, text)


def quote_first_line(node: Node) -> str:
    """Return the start of a node's text, for a message."""
    first = text_of(node).strip().split("\n", 1)[0]
    if not first.isprintable():
        start = first[:_MAX_QUOTED_CHARACTERS]
        first = "".join(char if char.isprintable() else f"<U+{ord(char):04X}>" for char in start)
    return shorten(first, _MAX_QUOTED_CHARACTERS, beyond=True)
