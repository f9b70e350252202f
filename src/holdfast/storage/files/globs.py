r"""Patterns for paths: the one dialect that every tool, filter and setting uses, close to `.gitignore`.

| Sign | Matches |
| --- | --- |
| `*`, `?` | any characters, or one character, within a name |
| `**` | any characters, across folders; `**/` also none |
| `[a-z]`, `[!a]`, `[^a]` | one character of a class, or one outside of it |
| `{one,two}` | either text |
| `\*` | the character after the backslash, as it is |

Contract:
- A pattern without a slash, except at its end, matches names at any depth. One with a slash counts from the
  folder that the paths count from. `./` and `/` at the beginning are ignored.
- A pattern whose last name has no sign, or that ends with a slash, also matches everything below a folder of
  that name.
- A pattern also matches the path that is spelled like it: files may be called `[id].tsx` or `{slug}.md`.
  A bracket that is no class stands for itself.
- Patterns are foreign input: RE2 matches them in linear time, whatever they contain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.limits import LIMITS

_SIGNS = frozenset("*?[{\\")
_TOKEN = re.compile(
    r"""(?P<folders>(?:\A|(?<=/))\*\*/) | (?P<any>\*\*) | (?P<name>\*) | (?P<one>\?)
    | \[(?P<negation>[!^]?)(?P<letters>(?:\]|[^\]/])[^\]/]*)\] | \{(?P<choice>[^{}/]*)\}
    | \\(?P<escaped>.) | (?P<plain>.)""",
    re.DOTALL | re.VERBOSE,
)
_EXPRESSIONS = {"folders": "(?:.*/)?", "any": ".*", "name": "[^/]*", "one": "[^/]"}


def is_pattern(text: str) -> bool:
    """Return whether a text may match other paths than the one it spells."""
    return text.endswith("/") or not _SIGNS.isdisjoint(text)


def escaped(path: str) -> str:
    """Return a pattern in which no character of a path is a sign."""
    return re.sub(r"[*?\[{\\]", r"\\\g<0>", path)


def file_filter(text: str) -> Callable[[str], bool]:
    """Return a predicate for the one file that a path names, or for the files that a pattern matches."""
    return matcher([text]) if is_pattern(text) else text.removeprefix("./").removeprefix("/").__eq__


def matcher(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Return a predicate for the paths that at least one of the patterns matches."""
    if len(patterns) > LIMITS.patterns or any(len(one) > LIMITS.pattern_characters for one in patterns):
        raise InvalidArguments(
            f"At most {LIMITS.patterns} patterns of {LIMITS.pattern_characters} characters are matched.",
            hint="Use fewer or shorter patterns.",
        )
    expression = _compiled("|".join(f"(?:{_expression(pattern)})" for pattern in patterns))
    return lambda path: expression.fullmatch(_encoded(path)) is not None


def _compiled(expression: str) -> Any:
    import re2  # type: ignore[import-untyped]  # loaded only where a pattern is given

    options = re2.Options()
    options.dot_nl, options.log_errors = True, False
    return re2.compile(_encoded(expression), options)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _expression(pattern: str) -> str:
    ends_with_slash = pattern.endswith("/")
    pattern = _encoded(pattern).decode().removeprefix("./").strip("/")  # as paths are compared
    depth = "" if "/" in pattern else "(?:.*/)?"
    has_signs = not _SIGNS.isdisjoint(pattern.rpartition("/")[2])
    below = "" if has_signs and not ends_with_slash else "(?:/.*)?"
    either = f"(?:{_translated(pattern)}|{re.escape(pattern)})"
    return f"{depth}{either}{below}"


def _translated(pattern: str) -> str:
    """Return the regular expression for the signs of a pattern."""
    pieces: list[str] = []
    position = 0
    while (token := _TOKEN.match(pattern, position)) is not None:
        position = token.end()
        kind = str(token.lastgroup)
        if kind in _EXPRESSIONS:
            pieces.append(_EXPRESSIONS[kind])
        elif kind == "choice":
            alternatives = "|".join(map(_translated, token["choice"].split(",")))
            pieces.append(f"(?:{alternatives})")
        elif kind == "letters":
            letters = "".join(one if one == "-" else re.escape(one) for one in token["letters"])
            if _is_class(letters):
                pieces.append(f"[^/{letters}]" if token["negation"] else f"[{letters}]")
            else:
                pieces.append(r"\[")
                position = token.start() + 1
        else:
            pieces.append(re.escape(token[kind]))
    return "".join(pieces)


def _is_class(letters: str) -> bool:
    import re2

    try:
        _compiled(f"[{letters}]")
    except re2.error:
        return False
    return True
