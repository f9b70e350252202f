"""Halstead's operators and operands, found with one regular expression per language.

Operators are punctuation, opening brackets (a pair of brackets is one operator) and the keywords that the
language's table lists. Operands are all other words, numbers and literals. A literal is one operand,
including anything interpolated in it. Comments and closing brackets are not counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from functools import cache
from typing import NamedTuple

from holdfast.syntax.languages.language import Flow
from holdfast.syntax.literals import LITERALS

_COMMENTS = {
    "slashes": rb"//[^\n]*|/\*[\s\S]*?\*/",
    "hash": rb"#[^\n]*",
    "shell": rb"(?<!\S)#[^\n]*",
    "all": rb"//[^\n]*|/\*[\s\S]*?\*/|#(?!\[)[^\n]*",
}
_SKIPPED = rb"[ \t\r\n)\]}]*+"
"""Skipped between tokens. No token starts with a closing bracket, so these are skipped too."""
_WORDS = (
    rb"@?[A-Za-z_$\x80-\xff][\w$\x80-\xff]*+(?![\"'])"  # no prefix of a string
    rb"|\d\w*(?:\.\d\w*)?(?:(?<=[eE])[+-]\d+)?"  # a number, perhaps with a signed exponent
)
_FREQUENT_OPERATORS = rb"[,;(\[{]|\.(?!\.)|:(?![:=])|=(?![=>])"
"""The most frequent operators; tried before the longer ones, for speed."""
_LONG_OPERATORS = (
    rb"<=>|===|!==|>>>=?|<<=|>>=|\*\*=?|&&=?|\|\|=?|\?\?=?|\?\.|->|=>|::|:=|\+\+|--|//=?"
    rb"|\.\.\.|\.\.[=<]?"  # ranges, and rest parameters
    rb"|[-+*/%&|^<>=!]=|<<|>>"
    rb"|[-+*/%&|^~<>=!?:.@]"
)
"""Longer operators come before their beginnings."""
OPERATOR_SYMBOLS = frozenset(
    b"<=> === !== >>> >>>= <<= >>= ** **= && &&= || ||= ?? ??= ?. -> => :: := ++ -- // //= ... .. ..= ..<"
    b" -= += *= /= %= &= |= ^= <= >= == != << >> - + * / % & | ^ ~ < > = ! ? : . @ , ; ( [ {".split()
)


class Halstead(NamedTuple):
    """The four counts of Halstead's metrics."""

    distinct_operators: int
    distinct_operands: int
    operators: int
    operands: int


@cache
def token_pattern(strings: tuple[str, ...], comments: str) -> re.Pattern[bytes]:
    """Return a pattern whose first group is a token, or empty for a comment."""
    literals = (LITERALS[name] for name in strings)
    tokens = b"|".join((_WORDS, _FREQUENT_OPERATORS, *literals, _LONG_OPERATORS))
    return re.compile(_SKIPPED + b"(?:" + _COMMENTS[comments] + b"|(" + tokens + b"))", re.MULTILINE)


@cache
def _operator_tokens(keywords: str) -> frozenset[bytes]:
    return OPERATOR_SYMBOLS | {keyword.encode() for keyword in keywords.split()}


def split_tokens(flow: Flow, parts: Iterable[bytes]) -> list[bytes]:
    """Return the operators and operands in parts of a text."""
    lexer = token_pattern(flow.string_styles, flow.comment_style)
    found = lexer.findall(b"\n".join(parts))
    if lexer.groups > 1:  # a heredoc pattern has a group for its tag
        found = [token for token, _tag in found]
    return list(filter(None, found))


def count_halstead(flow: Flow, tokens: Sequence[bytes], distinct: Set[bytes]) -> Halstead:
    """Count operators and operands; `distinct` is the set of `tokens`."""
    operators = _operator_tokens(flow.operators)
    operator_count = len(list(filter(operators.__contains__, tokens)))
    distinct_operators = len(distinct & operators)
    distinct_operands = len(distinct) - distinct_operators
    return Halstead(distinct_operators, distinct_operands, operator_count, len(tokens) - operator_count)
