"""Halstead's operators and operands, found with one regular expression per language.

Operators are punctuation, opening brackets (a pair is one operator) and the keywords that the language's
table lists; operands are all other words, numbers and literals. A literal is one operand, including anything
interpolated in it. Comments and closing brackets are not counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from functools import cache
from typing import NamedTuple

from holdfast.syntax.languages.language import Flow

STRINGS = {
    "double": rb'"(?:[^"\\\n]++|\\[\s\S])*+"?+',
    "single": rb"'(?:[^'\\\n]++|\\[\s\S])*+'?+",
    "raw_single": rb"'[^']*+'",
    "character": rb"'(?:[^'\\\n]|\\[^\n]{1,10}?)'",
    "triple": rb'"""[\s\S]*?(?:"""|\Z)',
    "backtick": rb"`(?:[^`\\]++|\\[\s\S])*+`?+",
    "raw_backtick": rb"`[^`]*+`",
    "verbatim": rb'\$?@\$?"(?:[^"]++|"")*+"?+',
    "rust": rb'b?r"[^"]*+"|b?r#"[\s\S]*?(?:"#|\Z)|b?r##"[\s\S]*?(?:"##|\Z)',
    "cpp": rb'R"\([\s\S]*?(?:\)"|\Z)',
    "regex": (
        rb"(?:(?<=[=(,:;!&|?{}\[\n])|(?<=[=(,:;!&|?{}\[] )|(?<=return ))"
        rb"/(?![/*])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,200}+\]){1,500}+/\w*"
    ),
    "python": (
        rb"[rRbBuUfFtT]{0,2}+"
        rb"(?:\"(?:\"\"(?:[^\\\"]++|\\[\s\S]|\"(?!\"\"))*+(?:\"\"\")?+|(?:[^\"\\\n]++|\\[\s\S])*+\"?+)"
        rb"|'(?:''(?:[^\\']++|\\[\s\S]|'(?!''))*+(?:''')?+|(?:[^'\\\n]++|\\[\s\S])*+'?+))"
    ),
    "heredoc": (
        rb"<<[-~<]?+[\"']?+(?P<tag>[A-Z_]\w*+)[\"']?+(?![^\n]{0,80}\)\))[^\n]*+\n"
        rb"[\s\S]*?(?:^[ \t]*+(?P=tag)\b|\Z)"
    ),
}
"""An unclosed literal extends to the end of its line or text. Possessive quantifiers keep matching linear."""
_COMMENTS = {
    "slashes": rb"//[^\n]*|/\*[\s\S]*?\*/",
    "hash": rb"#[^\n]*",
    "shell": rb"(?<!\S)#[^\n]*",
    "all": rb"//[^\n]*|/\*[\s\S]*?\*/|#(?!\[)[^\n]*",
}
_BLANK = rb"[ \t\r\n)\]}]*+"
"""Skipped between tokens; includes closing brackets, with which no token begins."""
_WORDS = rb"@?[A-Za-z_$\x80-\xff][\w$\x80-\xff]*+(?![\"'])|\d\w*(?:\.\d\w*)?(?:(?<=[eE])[+-]\d+)?"
_PLAIN = rb"[,;(\[{]|\.(?!\.)|:(?![:=])|=(?![=>])"
"""The most frequent operators; tried before the longer ones, for speed."""
_SIGNS = (
    rb"<=>|===|!==|>>>=?|<<=|>>=|\*\*=?|&&=?|\|\|=?|\?\?=?|\?\.|->|=>|::|:=|\+\+|--|//=?|\.\.\.|\.\.[=<]?"
    rb"|[-+*/%&|^<>=!]=|<<|>>|[-+*/%&|^~<>=!?:.@]"
)
SIGNS = frozenset(
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
def _lexer(strings: tuple[str, ...], comments: str) -> re.Pattern[bytes]:
    """Return a pattern whose first group is a token, or empty for a comment."""
    literals = (STRINGS[name] for name in strings)
    tokens = b"|".join((_WORDS, _PLAIN, *literals, _SIGNS))
    return re.compile(_BLANK + b"(?:" + _COMMENTS[comments] + b"|(" + tokens + b"))", re.MULTILINE)


@cache
def _operators(words: str) -> frozenset[bytes]:
    return SIGNS | {word.encode() for word in words.split()}


def tokens(flow: Flow, parts: Iterable[bytes]) -> list[bytes]:
    """Return the operators and operands in parts of a text."""
    lexer = _lexer(flow.strings, flow.comments)
    found = lexer.findall(b"\n".join(parts))
    return list(filter(None, found if lexer.groups == 1 else [token for token, _tag in found]))


def halstead(flow: Flow, tokens: Sequence[bytes], distinct: Set[bytes]) -> Halstead:
    """Count operators and operands; `distinct` is the set of `tokens`."""
    words = _operators(flow.operators)
    operators = len(list(filter(words.__contains__, tokens)))
    different = len(distinct & words)
    return Halstead(different, len(distinct) - different, operators, len(tokens) - operators)
