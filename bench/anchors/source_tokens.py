"""Tokens and comments of a source file, read from its syntax tree; for benchmarks and tests.

Walks are iterative, so that deeply nested files do not exhaust the stack.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.syntax.languages.nodes import text_of
from holdfast.syntax.parse import Parsed, captures

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True)
class Token:
    """A word, operator or literal, on the line where it begins."""

    text: str
    kind: str
    line: int
    comment: bool


@dataclass(frozen=True)
class Comment:
    """A comment: its text, and where it stands, in lines from 1 and bytes of the source."""

    text: str
    start_line: int
    end_line: int
    span: tuple[int, int]


def tokens(parsed: Parsed) -> Iterator[Token]:
    """Yield the tokens in the order of the text, comments among them."""
    comments = parsed.language.comments
    whole = comments | parsed.language.atoms
    for node in _leaves(parsed, whole):
        if node.end_byte > node.start_byte:
            yield Token(text_of(node), node.type, node.start_point[0] + 1, node.type in comments)


def _leaves(parsed: Parsed, whole: frozenset[str]) -> Iterator[Node]:
    cursor = parsed.tree.walk()
    while True:
        node = cursor.node
        if node is None:
            return
        if node.type not in whole and cursor.goto_first_child():
            continue
        yield node
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def comments(parsed: Parsed) -> tuple[Comment, ...]:
    """Return the comments of a file in the order of the text."""
    patterns = "\n".join(f"({kind}) @comment" for kind in sorted(parsed.language.comments))
    nodes = captures(parsed, patterns).get("comment", [])
    return tuple(sorted((_comment(node) for node in nodes), key=lambda comment: comment.span))


def _comment(node: Node) -> Comment:
    text = text_of(node)
    last = node.start_point[0] + 1 + text.rstrip("\r\n").count("\n")
    return Comment(text, node.start_point[0] + 1, last, (node.start_byte, node.end_byte))


def comment_lines(parsed: Parsed) -> frozenset[int]:
    """Return the lines that hold nothing but comment."""
    source = parsed.source
    bare: set[int] = set()
    rest = bytearray(source)
    for comment in comments(parsed):
        start, end = comment.span
        rest[start:end] = bytes(byte if byte in b"\r\n" else 0x20 for byte in source[start:end])
        bare.update(range(comment.start_line, comment.end_line + 1))
    lines = rest.split(b"\n")
    return frozenset(line for line in bare if line <= len(lines) and not lines[line - 1].strip())
