"""Patterns for paths: `*` and `?` stay in one folder, `**` crosses folders, `[a-z]` and `{one,two}` choose.

Contract:
- A pattern without a slash is about names at any depth. One with a slash counts from the project's folder.
- A pattern whose last name holds no sign of its own also means everything below a folder of that name, and so
  does one that ends with a slash.
- Patterns come from outside and are matched in linear time, whatever they hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.limits import LIMITS

_SIGNS = re.compile(r"\*\*/|\*\*|\*|\?|\[(!?)((?:\]|[^\]/])[^\]/]*)\]|\{([^{}/]*)\}", re.DOTALL)
_MAGIC = frozenset("*?[{")


def matcher(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Return what tells whether a path, from the project's folder on, matches one of the patterns."""
    if len(patterns) > LIMITS.patterns or any(len(one) > LIMITS.pattern_characters for one in patterns):
        raise InvalidArguments(
            f"At most {LIMITS.patterns} patterns of {LIMITS.pattern_characters} characters are matched.",
            hint="Use fewer or shorter patterns.",
        )
    import re2  # type: ignore[import-untyped]  # loaded only where somebody gives a pattern

    options = re2.Options()
    options.dot_nl, options.log_errors = True, False
    joined = "|".join(f"(?:{_expression(pattern)})" for pattern in patterns)
    try:
        expression = re2.compile(_encoded(joined), options)
    except re2.error:
        raise InvalidArguments(
            "One of the patterns for paths says nothing that can be matched.",
            hint="Use *, ?, **, [a-z] and {one,two}, such as 'src/**/*.rs'.",
        ) from None
    return lambda path: expression.fullmatch(_encoded(path)) is not None


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _expression(pattern: str) -> str:
    below = pattern.endswith("/")
    pattern = pattern.removeprefix("./").strip("/")
    if "/" not in pattern:
        pattern = f"**/{pattern}"
    below = below or _MAGIC.isdisjoint(pattern.rpartition("/")[2])
    return _translated(pattern) + ("(?:/.*)?" if below else "")


def _translated(pattern: str) -> str:
    pieces, at = [], 0
    for sign in _SIGNS.finditer(pattern):
        pieces += [re.escape(pattern[at : sign.start()]), _piece(sign)]
        at = sign.end()
    return "".join((*pieces, re.escape(pattern[at:])))


def _piece(sign: re.Match[str]) -> str:
    text = sign[0]
    if text[0] == "{":
        return "(?:" + "|".join(map(_translated, sign[3].split(","))) + ")"
    if text[0] == "[":
        inside = "".join(one if one == "-" else re.escape(one) for one in sign[2])
        return f"[^/{inside}]" if sign[1] else f"[{inside}]"
    return {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}[text]
