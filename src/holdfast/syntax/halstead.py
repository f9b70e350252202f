"""Operators and operands, as Halstead counts them, by one search of a text.

Operators are the signs of a language, opening brackets (a pair is one operator), and the words that its table
calls operators; operands are all other words, numbers and literals. A literal is one operand with whatever is
interpolated in it. Comments and closing brackets count for nothing.
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
"""What is not closed goes on to the end of its line, or of the text: nothing is searched for twice."""
_COMMENTS = {
    "slashes": rb"//[^\n]*|/\*[\s\S]*?\*/",
    "hash": rb"#[^\n]*",
    "shell": rb"(?<!\S)#[^\n]*",
    "all": rb"//[^\n]*|/\*[\s\S]*?\*/|#(?!\[)[^\n]*",
}
_BLANK = rb"[ \t\r\n)\]}]*+"
"""What is between tokens, closing brackets included: no token begins with one."""
_WORDS = rb"@?[A-Za-z_$\x80-\xff][\w$\x80-\xff]*+(?![\"'])|\d\w*(?:\.\d\w*)?(?:(?<=[eE])[+-]\d+)?"
_PLAIN = rb"[,;(\[{]|\.(?!\.)|:(?![:=])|=(?![=>])"
"""The signs that most tokens are, before the longer ones are tried."""
_SIGNS = (
    rb"<=>|===|!==|>>>=?|<<=|>>=|\*\*=?|&&=?|\|\|=?|\?\?=?|\?\.|->|=>|::|:=|\+\+|--|//=?|\.\.\.|\.\.[=<]?"
    rb"|[-+*/%&|^<>=!]=|<<|>>|[-+*/%&|^~<>=!?:.@]"
)
SIGNS = frozenset(
    b"<=> === !== >>> >>>= <<= >>= ** **= && &&= || ||= ?? ??= ?. -> => :: := ++ -- // //= ... .. ..= ..<"
    b" -= += *= /= %= &= |= ^= <= >= == != << >> - + * / % & | ^ ~ < > = ! ? : . @ , ; ( [ {".split()
)


class Halstead(NamedTuple):
    """What Halstead counts."""

    distinct_operators: int
    distinct_operands: int
    operators: int
    operands: int


@cache
def _lexer(strings: tuple[str, ...], comments: str) -> re.Pattern[bytes]:
    """Return what finds tokens: its first group, which is empty for comments."""
    literals = (STRINGS[name] for name in strings)
    tokens = b"|".join((_WORDS, _PLAIN, *literals, _SIGNS))
    return re.compile(_BLANK + b"(?:" + _COMMENTS[comments] + b"|(" + tokens + b"))", re.MULTILINE)


@cache
def _operators(words: str) -> frozenset[bytes]:
    return SIGNS | {word.encode() for word in words.split()}


def tokens(flow: Flow, parts: Iterable[bytes]) -> list[bytes]:
    """Return the operators and operands in the parts of a text."""
    lexer = _lexer(flow.strings, flow.comments)
    found = lexer.findall(b"\n".join(parts))
    return list(filter(None, found if lexer.groups == 1 else [token for token, _tag in found]))


def halstead(flow: Flow, tokens: Sequence[bytes], distinct: Set[bytes]) -> Halstead:
    """Count operators and operands."""
    words = _operators(flow.operators)
    operators = len(list(filter(words.__contains__, tokens)))
    different = len(distinct & words)
    return Halstead(different, len(distinct) - different, operators, len(tokens) - operators)
