"""Syntax highlighting: source text split into pieces, each with a style.

Contract:
- The joined pieces of a line are that line without its line end, even in a text with syntax errors.
- A text that cannot be parsed has no styles, nor has the part after the first million syntax nodes: a hostile
  text loses its styles instead of taking long.
- Lines end at `\\n` or `\\r\\n`. Text after the last line end is a line only if it is not empty.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Literal

from holdfast.syntax.languages.language import Language
from holdfast.syntax.parse import Parsed, ParseTooLong, parse

TokenStyle = Literal["", "keyword", "string", "number", "comment", "function", "type"]
Piece = tuple[TokenStyle, str]

_STYLES: tuple[TokenStyle, ...] = ("", "keyword", "string", "number", "comment", "function", "type")
_PLAIN, _KEYWORD, _STRING, _NUMBER, _COMMENT, _FUNCTION, _TYPE, _UNNAMED_TOKEN, _NAME = range(9)
_MAX_NODES = 1_000_000
"""Files that people read have far fewer."""
_is_word = re.compile(rb"[#@]?[A-Za-z_]+").fullmatch
_STYLES_OF_LEAVES = (
    (
        _STRING,
        re.compile(r"string|char(?:acter)?_|heredoc_body|regex|template_chars|escape_seq|simple_symbol"),
    ),
    (_NUMBER, re.compile(r"integer|float|number|(?:int|real|hex)_literal|imaginary")),
    (
        _KEYWORD,
        re.compile(
            r"_keyword$|modifier|specifier$|^(?:null|nil|boolean)(?:_literal)?$|^(?:true|false|none)$"
        ),
    ),
    (_KEYWORD, re.compile(r"^(?:this|self|super|crate|auto|else|throws)$")),
    (_TYPE, re.compile(r"(?:^|_)type(?:_identifier)?$|^constant$")),
)
"""Styles of named leaf nodes, by patterns on their types in all grammars."""
_STYLES_OF_DECLARED_NAMES = (
    (_FUNCTION, re.compile(r"function|method|constructor|^command_name$")),
    (_TYPE, re.compile(r"class|struct|interface|enum|trait|module|object|protocol|record")),
)


class HighlightedText:
    """A text with its styles; lines are split into pieces on request."""

    def __init__(self, language: Language | None, text: str) -> None:
        self._source = text.encode("utf-8", "replace")
        self._spans = array("I")
        """The start, end and style of each span with a style, one after the other, in source order."""
        if language is not None:
            with suppress(ParseTooLong):
                self._highlight(parse(language, text))
        ends = [match.end() for match in re.finditer(rb"\n", self._source)]
        if self._source and not self._source.endswith(b"\n"):
            ends.append(len(self._source) + 1)
        self._line_starts = array("I", [0, *ends])

    @property
    def line_count(self) -> int:
        return len(self._line_starts) - 1

    def lines(self, start: int) -> Iterator[list[Piece]]:
        """Yield the pieces of each line from line `start` on, counted from 1."""
        if start > self.line_count:
            return
        next_span = bisect_right(self._spans[1::3], self._line_starts[start - 1]) * 3
        for row in range(start - 1, self.line_count):
            position, line_end = self._line_starts[row], self._line_starts[row + 1] - 1
            if line_end > position and self._source[line_end - 1 : line_end + 1] == b"\r\n":
                line_end -= 1
            pieces: list[Piece] = []
            while next_span < len(self._spans) and self._spans[next_span] < line_end:
                span_start, span_end, style = self._spans[next_span : next_span + 3]
                self._append_piece(pieces, position, span_start, _PLAIN)
                self._append_piece(pieces, max(span_start, position), min(span_end, line_end), style)
                # A span may end inside the previous line end.
                position = max(position, min(span_end, line_end))
                if span_end > line_end:
                    break
                next_span += 3
            self._append_piece(pieces, position, line_end, _PLAIN)
            yield pieces

    def _append_piece(self, pieces: list[Piece], start: int, end: int, style: int) -> None:
        if start < end:
            pieces.append((_STYLES[style], self._source[start:end].decode("utf-8", "replace")))

    def _highlight(self, parsed: Parsed) -> None:
        """Walk the tree iteratively, and collect the spans with a style."""
        cursor, language = parsed.tree.walk(), parsed.language
        single_tokens = language.comments | language.atoms
        parents = [""]
        for _ in range(_MAX_NODES):
            node = cursor.node
            if node is None:
                return
            kind = node.type
            if kind not in single_tokens and cursor.goto_first_child():
                parents.append(kind)
                continue
            start, end = node.start_byte, node.end_byte
            style = _style_of_leaf(kind, node.is_named, parents[-1])
            if kind in language.comments:
                style = _COMMENT
            elif style == _NAME:
                style = _style_of_name(cursor.field_name, parents[-1])
            elif style == _UNNAMED_TOKEN:
                style = _KEYWORD if _is_word(self._source, start, end) else _PLAIN
            if style and start < end:
                self._spans.extend((start, end, style))
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return
                parents.pop()


@lru_cache(maxsize=4096)
def _style_of_leaf(kind: str, is_named: bool, parent: str) -> int:
    if not is_named:
        return _STRING if "string" in parent else _UNNAMED_TOKEN
    return next((style for style, pattern in _STYLES_OF_LEAVES if pattern.search(kind)), _NAME)


@lru_cache(maxsize=4096)
def _style_of_name(field: str | None, parent: str) -> int:
    """Return the style of a name, which depends on the parent node; only declared names have a style."""
    if field not in ("name", "declarator") and parent != "command_name":
        return _PLAIN
    return next((style for style, pattern in _STYLES_OF_DECLARED_NAMES if pattern.search(parent)), _PLAIN)
