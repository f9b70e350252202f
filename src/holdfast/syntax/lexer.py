"""Splits source text into tokens with one regular expression per language, without parsing.

Contract:
- `tokens` holds 32-bit numbers. The low three bits are the `TokenKind`; the others are a CRC-32 of the text.
  A BLANK token (white space and comments) instead holds the number of lines that end in it and, above
  `LINE_BITS`, the indentation of the line after it.
- The kind of a string or import of several lines is increased by `MULTILINE_OFFSET`; the number of lines that
  end in it is the next entry of `line_ends`.
- An import that starts in the first column is one token. Operators are split: `==` is two tokens.
- Any bytes can be tokenized, in time linear in their number. Only BLANK tokens depend on the layout, even in
  Python.
"""

from __future__ import annotations

import re
from array import array
from enum import IntEnum
from functools import cache
from typing import NamedTuple
from zlib import crc32

from holdfast.syntax.languages import LANGUAGES
from holdfast.syntax.languages.language import Flow
from holdfast.syntax.literals import LITERALS

KIND_BITS = 3
"""Enough for the kinds of `TokenKind`, and those of tokens that span lines."""
LINE_BITS = 22
"""The bits for a number of lines: four million, and seven bits remain for the indentation."""
KEYWORD = 1 << KIND_BITS
"""The bit that is set for keywords only."""
MULTILINE_OFFSET = 2
"""The difference between the kinds of a string or import in one line and in several."""
_MAX_INDENTATION = 127
"""Columns; what fits into the bits above `KIND_BITS` and `LINE_BITS` of a 32-bit number."""
_TAB_COLUMNS = 4
"""A common width in editors; the indentation is only compared within a file."""


class TokenKind(IntEnum):
    """What a token is, as far as the search for duplicates distinguishes it."""

    BLANK = 0
    SIGN = 1
    """A keyword, operator or bracket."""
    NAME = 2
    NUMBER = 3
    STRING = 4
    IMPORT = 5


class TokenizedText(NamedTuple):
    """The tokens of a text, blank ones included; both fields are arrays of 32-bit numbers."""

    tokens: bytes
    line_ends: bytes


_COMMENTS = {"slashes": rb"//", "hash": rb"#", "shell": rb"(?<!\S)#", "all": rb"(?://|#(?!\[))"}
_NAMES_AND_MODULE = rb"[\s\w$*,{}]{0,2000}+[\"'][^\"'\n]*+[\"'];?"
"""The imported names and the quoted module; the limit, as in Rust below, keeps the time linear."""
IMPORTS = {
    "python": (
        rb"from[ \t][^\n(]*+(?:\((?:[\w\s,.]|#[^\n]*+)*+\))?"  # perhaps with names in parentheses
        rb"|import[ \t][^\n]*+"
    ),
    "script": rb"import\b" + _NAMES_AND_MODULE + rb"|export[ \t]*+[*{]" + _NAMES_AND_MODULE,
    "go": rb"package\b[^\n]*+|import[ \t]*+(?:\([^()]*+\)|[^\n]*+)",
    "rust": rb"(?:pub[ \t]++)?(?:use|extern[ \t]++crate)\b[^;]{0,2000}+;",
    "include": rb"#[ \t]*+include\b[^\n]*+",
    "using": rb"(?:global[ \t]++)?using\b[^\n;(]*+;",
    "php": rb"(?:use|namespace|(?:require|include)(?:_once)?)\b[^;\n]*+;",
    "ruby": rb"(?:require|require_relative|load|autoload)\b[^\n]*+",
    "source": rb"(?:source|\.)[ \t][^\n]*+",
    "import": rb"(?:import|package)\b[^\n]*+",
}
"""By the names in `Flow.import_style`."""
_SPACES = rb"[ \t\r\f\v]*+"
_LINE_ENDS = rb"\\?\n\s*+"
_BLOCK_COMMENT = rb"/\*[\s\S]*?(?:\*/|\Z)"
_FREQUENT_SYMBOLS = rb"[()\[\].,:=;{}]"
"""The most frequent operators and brackets; tried first, for speed."""
_WORD = rb"[@$]?+[A-Za-z_\x80-\xff][\w$\x80-\xff]*+"
_QUOTES = frozenset((b'"', b"'"))
WORD_MASK = 2**32 - 2 * KEYWORD
"""The bits of a token's number that depend on its text."""
_is_word = re.compile(_WORD).fullmatch
_NUMBER = rb"\d\w*+(?:\.\d\w*+)?+(?:(?<=[eE])[+-]\d++)?+"


class _TokenNumbers(dict[bytes, int]):
    """The number of each token of a language, memoized unless the token spans lines.

    A lookup in a dictionary takes a fraction of a call; `__missing__` computes the number of a new token.
    """

    def __init__(self, flow: Flow) -> None:
        super().__init__()
        self.line_ends = array("I")
        self._has_blocks = flow.comment_style in ("slashes", "all")
        self._keywords = frozenset(word.encode() for word in flow.operators.split())
        self._import = re.compile(IMPORTS[flow.import_style])
        tokens = [
            _LINE_ENDS,
            rb"^(?:" + IMPORTS[flow.import_style] + b")",
            _WORD + rb"(?!#{0,2}[\"'])",  # not the prefix of a string
            *([_BLOCK_COMMENT] if self._has_blocks else ()),
            _FREQUENT_SYMBOLS,
            *(LITERALS[name] for name in flow.string_styles),
            _NUMBER,
            _WORD,  # before a string that is not closed
            rb"\S|\Z",
        ]
        comment = rb"(?:" + _COMMENTS[flow.comment_style] + rb"[^\n]*+)?+"
        self._token = re.compile(_SPACES + comment + b"(" + b"|".join(tokens) + b")", re.MULTILINE)

    def tokenize(self, source: bytes) -> TokenizedText:
        self.line_ends = array("I")
        tokens = self._token.findall(b"\n" + source)  # so that the first line follows a line end too
        if self._token.groups > 1:  # a heredoc pattern has a group for its tag
            tokens = [token for token, _tag in tokens]
        return TokenizedText(array("I", map(self.__getitem__, tokens)).tobytes(), self.line_ends.tobytes())

    def __missing__(self, token: bytes) -> int:
        if _is_word(token):  # the most frequent case, so it comes first
            kind = KEYWORD | TokenKind.SIGN if token in self._keywords else TokenKind.NAME
            self[token] = number = crc32(token) & WORD_MASK | kind
            return number
        lines = token.count(b"\n")
        kind = self._kind(token)
        if kind == TokenKind.BLANK:
            number = (_indentation(token) << LINE_BITS | lines) << KIND_BITS
        else:
            number = crc32(token) & WORD_MASK | kind
            if lines:
                self.line_ends.append(lines)
                return number + MULTILINE_OFFSET
        if not lines or not token.strip():
            self[token] = number
        return number

    def _kind(self, token: bytes) -> int:
        if token[:1] in _QUOTES and len(token) > 1:
            return TokenKind.STRING
        if not token.strip() or token[:2] == b"\\\n" or (self._has_blocks and token[:2] == b"/*"):
            return TokenKind.BLANK
        if token[:1].isdigit():
            return TokenKind.NUMBER
        if self._import.fullmatch(token):
            return TokenKind.IMPORT
        return TokenKind.SIGN if len(token) == 1 else TokenKind.STRING


def _indentation(blank: bytes) -> int:
    last_line = blank.rpartition(b"\n")[2]
    return 0 if last_line.strip() else min(len(last_line.expandtabs(_TAB_COLUMNS)), _MAX_INDENTATION)


@cache
def _lexer(name: str) -> _TokenNumbers:
    return _TokenNumbers(next(language.flow for language in LANGUAGES if language.name == name))


def word_hash(text: str) -> int:
    """Return the bits of a token's number that depend on its text."""
    return crc32(text.encode()) & WORD_MASK


def tokenize(language: str, source: bytes) -> TokenizedText:
    """Return the tokens of a text in a language, given by its name."""
    return _lexer(language).tokenize(source)
