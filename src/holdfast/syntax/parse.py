"""Parse source text into a tree-sitter syntax tree, within limits.

Contract
- A text longer than `MAX_CHARACTERS`, or whose tree takes longer than `PATIENCE` seconds to build or to
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
from holdfast.syntax.languages.language import Language, text_of

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import Node, Query, Tree

MAX_CHARACTERS = 5_000_000
"""A judgement: well above hand-written files, and the tree of such a text still fits into memory."""
PATIENCE = 5.0
"""Seconds; a judgement. Ordinary files parse in milliseconds, so only degenerate input gets here."""
MAX_PROBLEMS = 20
QUOTED = 40
"""How many characters of the unexpected text a message quotes."""


class ParseTooLong(TooLarge):
    """The text is too long, or takes too long to parse."""

    kind = "parse_too_long"
    number = 4131


@dataclass(frozen=True)
class SyntaxProblem:
    """A syntax error and its position."""

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
        """The root node of the tree."""
        return self.tree.root_node


@cache
def grammar_of(language: Language) -> Grammar:
    """Load the grammar of a language; its library is imported here, on first use."""
    import tree_sitter

    module, function = language.grammar
    return tree_sitter.Language(getattr(import_module(module), function)())


@cache
def query_for(language: Language, patterns: str) -> Query:
    """Compile query patterns for a language; cached."""
    import tree_sitter

    return tree_sitter.Query(grammar_of(language), patterns)


def captures(parsed: Parsed, patterns: str, patience: float = PATIENCE) -> Mapping[str, list[Node]]:
    """Run query patterns; return the captured nodes by capture name, or raise after `patience` seconds."""
    import tree_sitter

    cursor = tree_sitter.QueryCursor(query_for(parsed.language, patterns), **_limit(patience))
    began = monotonic()
    found = cursor.captures(parsed.root)
    if (
        monotonic() - began >= patience
    ):  # at the time limit tree-sitter returns a partial result without an error
        raise _too_long(parsed.language, patience)
    return found


def parse(language: Language, text: str, patience: float = PATIENCE) -> Parsed:
    """Parse a text, or raise `ParseTooLong` after `patience` seconds."""
    if len(text) > MAX_CHARACTERS:
        raise ParseTooLong(
            f"The text has {len(text)} characters; at most {MAX_CHARACTERS} are parsed",
            hint="Comments in such files are tracked by their lines, without a parser.",
        )
    source = text.encode("utf-8", "replace")
    parsed = _parse_source(language, source if language.exact else _rewrite(language, source), patience)
    if language.exact and parsed.problems and (again := _rewrite(language, source)) != source:
        parsed = min(parsed, _parse_source(language, again, patience), key=lambda one: len(one.problems))
    return replace(parsed, source=source, problems=parsed.problems[:MAX_PROBLEMS])


def _rewrite(language: Language, source: bytes) -> bytes:
    """Replace syntax that the grammar does not know with equivalents of the same length."""
    for pattern, known in language.rewritten:
        source = re.sub(pattern, partial(_as_long, known), source)
    return source


def _as_long(known: bytes, found: re.Match[bytes]) -> bytes:
    return known.ljust(len(found[0]))


def _parse_source(language: Language, source: bytes, patience: float) -> Parsed:
    tree = _tree(language, source, patience)
    parsed = Parsed(language, source, tree, ())
    return replace(parsed, problems=_problems(parsed)) if tree.root_node.has_error else parsed


def _tree(language: Language, source: bytes, patience: float) -> Tree:
    import tree_sitter

    parser = tree_sitter.Parser(grammar_of(language), **_limit(patience))
    try:
        return parser.parse(source)
    except ValueError:
        raise _too_long(language, patience) from None


def _limit(patience: float) -> dict[str, Any]:
    """Return the time limit; the callback that replaces this option crashes in tree-sitter 0.25."""
    return {"timeout_micros": max(1, int(patience * 1_000_000))}


def _too_long(language: Language, patience: float) -> ParseTooLong:
    return ParseTooLong(
        f"The text could not be read as {language.name} within {patience:g} s",
        hint="Comments in such files are tracked by their lines, without a parser.",
    )


def _problems(parsed: Parsed) -> tuple[SyntaxProblem, ...]:
    found = captures(parsed, "(ERROR) @unexpected (MISSING) @missing")
    problems = [_problem(node, "Unexpected") for node in found.get("unexpected", ())]
    problems += [_problem(node, "Missing") for node in found.get("missing", ())]
    return tuple(sorted(problems, key=lambda one: (one.line, one.column, one.message)))


def _problem(node: Node, word: str) -> SyntaxProblem:
    shown = node.type if word == "Missing" else _quote(node)
    return SyntaxProblem(node.start_point[0] + 1, node.start_point[1] + 1, f"{word} '{shown}'")


def _quote(node: Node) -> str:
    first = text_of(node).strip().split("\n", 1)[0]
    if not first.isprintable():
        first = "".join(one if one.isprintable() else f"<U+{ord(one):04X}>" for one in first[:QUOTED])
    return shorten(first, QUOTED, beyond=True)
