"""Patterns for paths, as in a `.gitignore`.

`*` and `?` do not match a slash, `**` does; `[abc]` matches one of the letters. A pattern without a slash
matches a name at any depth, one that ends with a slash everything below that folder. A plain path matches
only that file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from holdfast.comments.search.pattern import Expression, encoded

_ANY = r"[^\x00]"
_IN_SEGMENT = r"[^/\x00]"
_WILD = frozenset("*?[\\")
_TOKEN = re.compile(
    r"""(?P<folders>(?:\A|(?<=/))\*\*/) | (?P<rest>(?:\A|(?<=/))\*\*\Z) | (?P<some>\*\*?) | (?P<one>\?)
    | \[(?P<negation>[!^]?+)(?P<letters>.[^]]{0,255})] | \\(?P<escaped>.) | (?P<letter>.)""",
    re.DOTALL | re.VERBOSE,
)
_EXPRESSIONS = {
    "folders": rf"(?:{_ANY}*/)?",
    "rest": rf"{_ANY}+",
    "some": rf"{_IN_SEGMENT}*",
    "one": _IN_SEGMENT,
}


def is_pattern(text: str) -> bool:
    """Return whether a text may match other paths than the one it spells."""
    return text.endswith("/") or not _WILD.isdisjoint(text)


def matching_places(pattern: str, paths: Sequence[str]) -> list[int]:
    """Return the indices of the paths that match a pattern; an index may occur twice."""
    pattern = encoded(pattern).decode().removeprefix("./").removeprefix("/")
    if pattern.endswith("/"):
        pattern += "**"
    # Names such as `[id].tsx` are patterns and names; either may be meant.
    found = [place for place, path in enumerate(paths) if path == pattern]
    if not _WILD.intersection(pattern):
        return found
    import re2  # type: ignore[import-untyped]

    if "/" not in pattern:
        pattern = f"**/{pattern}"
    # All paths at once, separated by NUL; one match covers consecutive matching paths. RE2 as for queries:
    # its time is linear for any pattern.
    data = [encoded(f"{path}\0") for path in paths]
    starts = list(accumulate(map(len, data), initial=1))
    for match in re2.compile(f"\\x00(?:{_expression(pattern)}\\x00)+").finditer(b"\0" + b"".join(data)):
        found += range(bisect_left(starts, match.start() + 1), bisect_left(starts, match.end()))
    return found


def _expression(pattern: str) -> str:
    """Return the equivalent regular expression."""
    pieces: list[str] = []
    place = 0
    while (token := _TOKEN.match(pattern, place)) is not None:
        place = token.end()
        if token["letters"] is None:
            kind = str(token.lastgroup)
            pieces.append(_EXPRESSIONS.get(kind) or re.escape(token[kind]))
            continue
        inside = "".join(one if one.isalnum() or one == "-" else f"\\{one}" for one in token["letters"])
        if Expression(f"[{inside}]").refusal is None:
            pieces.append(rf"[^/\x00{inside}]" if token["negation"] else f"[{inside}]")
        else:
            # Not a valid character class: match the bracket literally.
            pieces.append(r"\[")
            place = token.start() + 1
    return "".join(pieces)
