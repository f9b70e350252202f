"""What a line does: opens a block of some kind, or declares a variable.

Works on tokens, without a parser, for all languages alike.

Contract: a role is assigned only where the words leave little doubt; a line without a role is compared by its
text alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_BLOCKS = {
    "choice": "if elif elsif elseif unless guard",
    "loop": "for foreach while until do loop repeat",
    "attempt": "try",
    "handler": "catch except rescue",
    "ending": "finally ensure",
    "selection": "switch match when select",
    "hold": "with using lock synchronized",
    "branch": "case default else",
}
# Which keyword opens which kind of block; kinds are compared, never shown.
_OPENS = {word: kind for kind, words in _BLOCKS.items() for word in words.split()}
_BEFORE_BLOCKS = frozenset(["}", "async", "await", "end"])
_INTRODUCERS = frozenset(["let", "const", "var", "val", "auto", "my", "local"])
_MODIFIERS = frozenset(["mut", "final", "static", "readonly", "volatile", "lateinit"])
_STATEMENTS = (
    "return throw raise break continue goto package import from new delete assert await yield else case "
    "default typedef using namespace in is not and or del global nonlocal use pub fn func def class extends"
)
_NOT_TYPES = frozenset(_STATEMENTS.split())
_IN_TYPES = frozenset("<>[],.?*&@:")
_ENDS_TYPE = frozenset(">]?*&")
_ENDS_NAME = frozenset("=;")


@dataclass(frozen=True, slots=True)
class LineRole:
    """The kind of block that a line opens, or the variable that it declares."""

    opens: str = ""
    word: str = ""
    """The keyword that opens the block."""
    declares: str = ""


NO_ROLE = LineRole()


def role_of(tokens: Sequence[str]) -> LineRole:
    """Return the role of a line with these tokens."""
    place = _keyword(tokens)
    if place is not None:
        return LineRole(opens=_OPENS[tokens[place]], word=tokens[place])
    return LineRole(declares=_declared(tokens)) if tokens else NO_ROLE


def _keyword(tokens: Sequence[str]) -> int | None:
    """Return the index of the token that opens a block, after a label, a brace or `else`."""
    start = 0
    while start < len(tokens) and tokens[start] in _BEFORE_BLOCKS:
        start += 1
    if start + 2 < len(tokens) and tokens[start + 1] == ":" and _is_name(tokens[start]):
        start += 2
    if start + 1 < len(tokens) and tokens[start] == "else" and tokens[start + 1] in _OPENS:
        start += 1
    return start if start < len(tokens) and tokens[start] in _OPENS else None


def _declared(tokens: Sequence[str]) -> str:
    """Return the name of the variable that a line declares, or an empty string."""
    if tokens[0] in _INTRODUCERS:
        words = [token for token in tokens[1:4] if token not in _MODIFIERS]
        return words[0] if words and _is_name(words[0]) else ""
    for place, token in enumerate(tokens):
        if token in _ENDS_NAME:
            return _named(tokens[:place], tokens[place : place + 2])
        if not (_is_name(token) or token in _IN_TYPES):
            return ""
    return ""


def _named(before: Sequence[str], sign: Sequence[str]) -> str:
    """Return the name before an assignment sign, if a type precedes the name."""
    if before and before[-1] == ":" and sign[0] == "=":  # Go
        return before[0] if all(_is_name(part) or part == "," for part in before[:-1]) else ""
    if len(before) < 2 or not _is_name(before[-1]) or list(sign) == ["=", "="]:
        return ""
    is_type = _is_name(before[-2]) or before[-2] in _ENDS_TYPE
    return before[-1] if is_type and not _NOT_TYPES.intersection(before[:-1]) else ""


def _is_name(token: str) -> bool:
    return token[0].isalpha() or token[0] in "_$"
