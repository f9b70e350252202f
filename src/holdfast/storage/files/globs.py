r"""Patterns for paths, in one syntax for all tools, filters and settings, close to that of `.gitignore`.

| Syntax | Matches |
| --- | --- |
| `*`, `?` | any characters, or one character, within a name |
| `**` | any characters, across folders; `**/` also none |
| `[a-z]`, `[!a]`, `[^a]` | one character in a class, or one outside of it |
| `{one,two}` | either text |
| `\*` | the character after the backslash, literally |

Contract:
- A pattern without a slash, except at its end, matches names at any depth. A pattern with a slash is relative
  to the same folder as the paths. `./` and `/` at the start are ignored.
- A pattern whose last name has no special character, or that ends with a slash, also matches everything below
  a folder of that name.
- A pattern also matches the path that equals it: files may be called `[id].tsx` or `{slug}.md`. A bracket
  that does not begin a class matches itself.
- Patterns are untrusted: RE2 matches them in linear time, whatever they contain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.limits import LIMITS

_SPECIAL_CHARACTERS = frozenset("*?[{\\")
_TOKEN = re.compile(
    r"""(?P<folders>(?:\A|(?<=/))\*\*/)  # at the start of a name
    | (?P<anything>\*\*) | (?P<part_of_name>\*) | (?P<character>\?)
    | \[(?P<negation>[!^]?)(?P<members>(?:\]|[^\]/])[^\]/]*)\]  # a closing bracket may come first
    | \{(?P<choice>[^{}/]*)\}
    | \\(?P<escaped>.) | (?P<plain>.)""",
    re.DOTALL | re.VERBOSE,
)
_EXPRESSIONS = {"folders": "(?:.*/)?", "anything": ".*", "part_of_name": "[^/]*", "character": "[^/]"}


def is_pattern(text: str) -> bool:
    """Return whether a text may match other paths than the path that equals it."""
    return text.endswith("/") or not _SPECIAL_CHARACTERS.isdisjoint(text)


def escape_path(path: str) -> str:
    """Return a pattern that matches only this path, with special characters escaped."""
    return re.sub(r"[*?\[{\\]", r"\\\g<0>", path)


def file_filter(text: str) -> Callable[[str], bool]:
    """Return a predicate for the files that a pattern matches, or for the one file of a path."""
    if is_pattern(text):
        return matcher([text])
    return text.removeprefix("./").removeprefix("/").__eq__


def matcher(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Return a predicate for the paths that at least one of the patterns matches."""
    if len(patterns) > LIMITS.patterns or any(
        len(pattern) > LIMITS.pattern_characters for pattern in patterns
    ):
        raise InvalidArguments(
            f"At most {LIMITS.patterns} patterns of {LIMITS.pattern_characters} characters are matched.",
            hint="Use fewer or shorter patterns.",
        )
    expression = _compile("|".join(f"(?:{_path_expression(pattern)})" for pattern in patterns))
    return lambda path: expression.fullmatch(_encode(path)) is not None


def _compile(expression: str) -> Any:
    import re2  # type: ignore[import-untyped]  # loaded only where a pattern is given

    options = re2.Options()
    options.dot_nl, options.log_errors = True, False
    return re2.compile(_encode(expression), options)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _path_expression(pattern: str) -> str:
    ends_with_slash = pattern.endswith("/")
    pattern = _encode(pattern).decode().removeprefix("./").strip("/")  # encoded like the paths
    any_folder = "" if "/" in pattern else "(?:.*/)?"
    has_special_characters = not _SPECIAL_CHARACTERS.isdisjoint(pattern.rpartition("/")[2])
    below = "" if has_special_characters and not ends_with_slash else "(?:/.*)?"
    pattern_or_itself = f"(?:{_name_expression(pattern)}|{re.escape(pattern)})"
    return f"{any_folder}{pattern_or_itself}{below}"


def _name_expression(pattern: str) -> str:
    """Return a regular expression for a pattern, without the rules for folders above and below."""
    pieces: list[str] = []
    position = 0
    while (token := _TOKEN.match(pattern, position)) is not None:
        position = token.end()
        kind = str(token.lastgroup)
        if kind in _EXPRESSIONS:
            pieces.append(_EXPRESSIONS[kind])
        elif kind == "choice":
            alternatives = "|".join(map(_name_expression, token["choice"].split(",")))
            pieces.append(f"(?:{alternatives})")
        elif kind == "members":
            members = "".join(member if member == "-" else re.escape(member) for member in token["members"])
            if _is_character_class(members):
                pieces.append(f"[^/{members}]" if token["negation"] else f"[{members}]")
            else:
                pieces.append(r"\[")
                position = token.start() + 1
        else:
            pieces.append(re.escape(token[kind]))
    return "".join(pieces)


def _is_character_class(members: str) -> bool:
    import re2

    try:
        _compile(f"[{members}]")
    except re2.error:
        return False
    return True
