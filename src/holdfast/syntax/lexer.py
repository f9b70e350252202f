"""The tokens of a source text, by one search for a language's literals, comments and words; no tree is made.

Contract:
- `tokens` holds numbers of 32 bits. The low three say the `Kind`; the others are a hash of the token's text,
  or for BLANK, which is white space and comments, how many lines end there, and above `LINE_BITS` how far the
  line that begins after it is indented.
- A string or import of several lines has the kind of one line plus `OVER_LINES`; how many lines end in it is
  the next of the numbers in `line_ends`.
- An import at the very beginning of a line is one token. Signs come one by one: `==` is two tokens.
- Any bytes have tokens, and the time that takes grows with their number alone. The other
  numbers know no layout, not even the indentation of Python.
"""

from __future__ import annotations

import re
from array import array
from enum import IntEnum
from functools import cache
from typing import NamedTuple
from zlib import crc32

from holdfast.syntax.halstead import STRINGS
from holdfast.syntax.languages.language import Flow

KIND_BITS = 3
LINE_BITS = 22
KEYWORD = 1 << KIND_BITS
"""Set in the number of a keyword, and in no other."""
OVER_LINES = 2
_DEEPEST = 127
_TAB = 4


class Kind(IntEnum):
    """What a token is."""

    BLANK = 0
    SIGN = 1
    """A keyword, operator or bracket."""
    NAME = 2
    NUMBER = 3
    STRING = 4
    IMPORT = 5


class Lexed(NamedTuple):
    """The tokens of a text, blank ones among them; both parts are numbers of 32 bits."""

    tokens: bytes
    line_ends: bytes


_COMMENTS = {"slashes": rb"//", "hash": rb"#", "shell": rb"(?<!\S)#", "all": rb"(?://|#(?!\[))"}
_QUOTED = rb"[\s\w$*,{}]{0,2000}+[\"'][^\"'\n]*+[\"'];?"
_IMPORTS = {
    "python": rb"from[ \t][^\n(]*+(?:\((?:[\w\s,.]|#[^\n]*+)*+\))?|import[ \t][^\n]*+",
    "script": rb"import\b" + _QUOTED + rb"|export[ \t]*+[*{]" + _QUOTED,
    "go": rb"package\b[^\n]*+|import[ \t]*+(?:\([^()]*+\)|[^\n]*+)",
    "rust": rb"(?:pub[ \t]++)?(?:use|extern[ \t]++crate)\b[^;]{0,2000}+;",
    "include": rb"#[ \t]*+include\b[^\n]*+",
    "using": rb"(?:global[ \t]++)?using\b[^\n;(]*+;",
    "php": rb"(?:use|namespace|(?:require|include)(?:_once)?)\b[^;\n]*+;",
    "ruby": rb"(?:require|require_relative|load|autoload)\b[^\n]*+",
    "source": rb"(?:source|\.)[ \t][^\n]*+",
    "import": rb"(?:import|package)\b[^\n]*+",
}
_BLANK = rb"[ \t\r\f\v]*+"
_LINE_ENDS = rb"\\?\n\s*+"
_BLOCK_COMMENT = rb"/\*[\s\S]*?(?:\*/|\Z)"
_PLAIN = rb"[()\[\].,:=;{}]"
"""The signs that most tokens are, before others are tried."""
_WORD = rb"[@$]?+[A-Za-z_\x80-\xff][\w$\x80-\xff]*+"
_QUOTES = frozenset((b'"', b"'"))
_HASH = 2**32 - 2 * KEYWORD
_is_word = re.compile(_WORD).fullmatch
_NUMBER = rb"\d\w*+(?:\.\d\w*+)?+(?:(?<=[eE])[+-]\d++)?+"


class _Lexer(dict[bytes, int]):
    """The numbers of the tokens seen in a language; one of several lines is told anew each time."""

    def __init__(self, flow: Flow) -> None:
        super().__init__()
        self.line_ends = array("I")
        self._has_blocks = flow.comments in ("slashes", "all")
        self._keywords = frozenset(word.encode() for word in flow.operators.split())
        self._import = re.compile(_IMPORTS[flow.imports])
        tokens = (
            _LINE_ENDS, rb"^(?:" + _IMPORTS[flow.imports] + b")", _WORD + rb"(?!#{0,2}[\"'])",
            *([_BLOCK_COMMENT] if self._has_blocks else ()), _PLAIN,
            *(STRINGS[name] for name in flow.strings), _NUMBER, _WORD, rb"\S|\Z",
        )  # fmt: skip
        comment = rb"(?:" + _COMMENTS[flow.comments] + rb"[^\n]*+)?+"
        self._token = re.compile(_BLANK + comment + b"(" + b"|".join(tokens) + b")", re.MULTILINE)

    def lexed(self, source: bytes) -> Lexed:
        """Return the tokens of a text."""
        self.line_ends = array("I")
        found = self._token.findall(b"\n" + source)  # every line begins with a line end, the first one too
        if self._token.groups > 1:
            found = [token for token, _tag in found]
        return Lexed(array("I", map(self.__getitem__, found)).tobytes(), self.line_ends.tobytes())

    def __missing__(self, token: bytes) -> int:
        if _is_word(token):  # which most are
            kind = KEYWORD | Kind.SIGN if token in self._keywords else Kind.NAME
            self[token] = number = crc32(token) & _HASH | kind
            return number
        lines, kind = token.count(b"\n"), self._kind(token)
        if kind == Kind.BLANK:
            number = (_indentation(token) << LINE_BITS | lines) << KIND_BITS
        else:
            number = crc32(token) & _HASH | kind
            if lines:
                self.line_ends.append(lines)
                return number + OVER_LINES
        if not lines or not token.strip():
            self[token] = number
        return number

    def _kind(self, token: bytes) -> int:
        if token[:1] in _QUOTES and len(token) > 1:
            return Kind.STRING
        if not token.strip() or token[:2] == b"\\\n" or (self._has_blocks and token[:2] == b"/*"):
            return Kind.BLANK
        if token[:1].isdigit():
            return Kind.NUMBER
        if self._import.fullmatch(token):
            return Kind.IMPORT
        return Kind.SIGN if len(token) == 1 else Kind.STRING


def _indentation(blank: bytes) -> int:
    last = blank.rpartition(b"\n")[2]
    return 0 if last.strip() else min(len(last.expandtabs(_TAB)), _DEEPEST)


@cache
def _lexer(flow: str) -> _Lexer:
    from holdfast.syntax.languages import LANGUAGES

    return _Lexer(next(language.flow for language in LANGUAGES if language.name == flow))


def lexed(language: str, source: bytes) -> Lexed:
    """Return the tokens of a text in a language."""
    return _lexer(language).lexed(source)
