"""Source text to a syntax tree, within limits.

Contract
- A text over `MOST_CHARACTERS`, or one whose tree takes longer than `PATIENCE` to build or to search, is
  refused with `ParseTooLong`.
- A text with errors is still parsed; what is wrong with it stands in `problems`, the first few of them.
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

MOST_CHARACTERS = 5_000_000
PATIENCE = 5.0
MOST_PROBLEMS = 20
SHOWN = 40


class ParseTooLong(TooLarge):
    """A text that is too long, or too slow, to be parsed."""

    kind = "parse_too_long"
    number = 4131


@dataclass(frozen=True)
class SyntaxProblem:
    """A place where the text is not what the language allows."""

    line: int
    column: int
    message: str


@dataclass(frozen=True)
class Parsed:
    """A text with its tree."""

    language: Language
    source: bytes
    tree: Tree
    problems: tuple[SyntaxProblem, ...]

    @property
    def root(self) -> Node:
        """The node that holds all others."""
        return self.tree.root_node


@cache
def grammar_of(language: Language) -> Grammar:
    """Load the grammar of a language; this is where its library is first touched."""
    import tree_sitter

    module, function = language.grammar
    return tree_sitter.Language(getattr(import_module(module), function)())


@cache
def query_for(language: Language, patterns: str) -> Query:
    """Compile patterns for a language, once."""
    import tree_sitter

    return tree_sitter.Query(grammar_of(language), patterns)


def captures(parsed: Parsed, patterns: str, patience: float = PATIENCE) -> Mapping[str, list[Node]]:
    """Return the nodes that patterns name, by their name, or refuse within `patience` seconds."""
    import tree_sitter

    cursor = tree_sitter.QueryCursor(query_for(parsed.language, patterns), **_limit(patience))
    began = monotonic()
    found = cursor.captures(parsed.root)
    if monotonic() - began >= patience:  # what was found until then comes back without a word
        raise _too_long(parsed.language, patience)
    return found


def parse(language: Language, text: str, patience: float = PATIENCE) -> Parsed:
    """Parse a text, or refuse it within `patience` seconds."""
    if len(text) > MOST_CHARACTERS:
        raise ParseTooLong(
            f"The text has {len(text)} characters; at most {MOST_CHARACTERS} are parsed",
            hint="Lines are followed without a parser in such files.",
        )
    source = text.encode("utf-8", "replace")
    parsed = _parsed(language, source if language.exact else _rewritten(language, source), patience)
    if language.exact and parsed.problems and (again := _rewritten(language, source)) != source:
        parsed = min(parsed, _parsed(language, again, patience), key=lambda one: len(one.problems))
    return replace(parsed, source=source, problems=parsed.problems[:MOST_PROBLEMS])


def _rewritten(language: Language, source: bytes) -> bytes:
    """Return a text in which the grammar knows everything, and everything stays in its place."""
    for pattern, known in language.rewritten:
        source = re.sub(pattern, partial(_as_long, known), source)
    return source


def _as_long(known: bytes, found: re.Match[bytes]) -> bytes:
    return known.ljust(len(found[0]))


def _parsed(language: Language, source: bytes, patience: float) -> Parsed:
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
    """Limit the time; the callback that is to replace this option ends the process in 0.25."""
    return {"timeout_micros": max(1, int(patience * 1_000_000))}


def _too_long(language: Language, patience: float) -> ParseTooLong:
    return ParseTooLong(
        f"The text could not be read as {language.name} within {patience:g} s",
        hint="Lines are followed without a parser in such files.",
    )


def _problems(parsed: Parsed) -> tuple[SyntaxProblem, ...]:
    found = captures(parsed, "(ERROR) @unexpected (MISSING) @missing")
    problems = [_problem(node, "Unexpected") for node in found.get("unexpected", ())]
    problems += [_problem(node, "Missing") for node in found.get("missing", ())]
    return tuple(sorted(problems, key=lambda one: (one.line, one.column, one.message)))


def _problem(node: Node, word: str) -> SyntaxProblem:
    shown = node.type if word == "Missing" else _shown(node)
    return SyntaxProblem(node.start_point[0] + 1, node.start_point[1] + 1, f"{word} '{shown}'")


def _shown(node: Node) -> str:
    first = text_of(node).strip().split("\n", 1)[0]
    if not first.isprintable():
        first = "".join(one if one.isprintable() else f"<U+{ord(one):04X}>" for one in first[:SHOWN])
    return shorten(first, SHOWN, beyond=True)
