"""Determines the role of a line: it may open a block of some kind, or declare a variable.

The role is derived from tokens, without a parser, and in the same way for all languages.

Contract: a role is assigned only if the tokens leave little doubt; a line without a role is compared by its
text alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_KEYWORDS_BY_KIND = {
    "condition": "if elif elsif elseif unless guard",
    "loop": "for foreach while until do loop repeat",
    "try": "try",
    "handler": "catch except rescue",
    "cleanup": "finally ensure",
    "switch": "switch match when select",
    "resource": "with using lock synchronized",
    "alternative": "case default else",
}
_KIND_BY_KEYWORD = {word: kind for kind, words in _KEYWORDS_BY_KIND.items() for word in words.split()}
"""The kind of block that each keyword opens. Kinds are compared and never shown."""

_TOKENS_BEFORE_KEYWORD = frozenset(["}", "async", "await", "end"])
_DECLARATION_KEYWORDS = frozenset(["let", "const", "var", "val", "auto", "my", "local"])
_MODIFIERS = frozenset(["mut", "final", "static", "readonly", "volatile", "lateinit"])
_STATEMENT_KEYWORDS = (
    "return throw raise break continue goto package import from new delete assert await yield else case "
    "default typedef using namespace in is not and or del global nonlocal use pub fn func def class extends"
)
_NOT_TYPES = frozenset(_STATEMENT_KEYWORDS.split())
"""Words that may precede a name without being its type, such as `return` in `return x;`."""

_TYPE_PUNCTUATION = frozenset("<>[],.?*&@:")
_TOKENS_AT_TYPE_END = frozenset(">]?*&")
_TOKENS_AFTER_NAME = frozenset("=;")


@dataclass(frozen=True, slots=True)
class LineRole:
    """The kind of block that a line opens, or the variable that it declares."""

    opens: str = ""
    """A key of `_KEYWORDS_BY_KIND`, or empty."""
    word: str = ""
    """The keyword that opens the block, or empty."""
    declares: str = ""
    """The name of the variable, or empty."""


NO_ROLE = LineRole()


def role_of(tokens: Sequence[str]) -> LineRole:
    """Return the role of a line with these tokens."""
    position = _keyword_index(tokens)
    if position is not None:
        return LineRole(opens=_KIND_BY_KEYWORD[tokens[position]], word=tokens[position])
    return LineRole(declares=_declared_variable(tokens)) if tokens else NO_ROLE


def _keyword_index(tokens: Sequence[str]) -> int | None:
    """Return the index of the keyword that opens a block.

    A brace, `async` and the like, a label with a colon, and `else` before another keyword may precede it.
    """
    start = 0
    while start < len(tokens) and tokens[start] in _TOKENS_BEFORE_KEYWORD:
        start += 1
    has_label = start + 2 < len(tokens) and tokens[start + 1] == ":" and _is_name(tokens[start])
    if has_label:
        start += 2
    is_else_if = start + 1 < len(tokens) and tokens[start] == "else" and tokens[start + 1] in _KIND_BY_KEYWORD
    if is_else_if:
        start += 1
    return start if start < len(tokens) and tokens[start] in _KIND_BY_KEYWORD else None


def _declared_variable(tokens: Sequence[str]) -> str:
    """Return the name of the variable that a line declares, or an empty string."""
    if tokens[0] in _DECLARATION_KEYWORDS:
        words = [token for token in tokens[1:4] if token not in _MODIFIERS]  # at most two modifiers
        return words[0] if words and _is_name(words[0]) else ""
    for position, token in enumerate(tokens):
        if token in _TOKENS_AFTER_NAME:
            return _typed_variable(tokens[:position], tokens[position : position + 2])
        if not (_is_name(token) or token in _TYPE_PUNCTUATION):
            return ""
    return ""


def _typed_variable(before: Sequence[str], after: Sequence[str]) -> str:
    """Return the last name in `before` if a type precedes it; `after` are the two tokens that follow."""
    if before and before[-1] == ":" and after[0] == "=":  # `name := value` in Go
        return before[0] if all(_is_name(part) or part == "," for part in before[:-1]) else ""
    if len(before) < 2 or not _is_name(before[-1]) or list(after) == ["=", "="]:
        return ""
    is_type = _is_name(before[-2]) or before[-2] in _TOKENS_AT_TYPE_END
    return before[-1] if is_type and not _NOT_TYPES.intersection(before[:-1]) else ""


def _is_name(token: str) -> bool:
    return token[0].isalpha() or token[0] in "_$"
