"""Patterns for paths, as in a `.gitignore`.

`*` and `?` do not cross a slash, `**` does; `[abc]` is one of the letters. A pattern without a slash fits a
name at any depth, one that ends with a slash everything below that folder. A plain path means that file
alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

_ANY = r"[^\x00]"
_IN_SEGMENT = r"[^/\x00]"
_WILD = frozenset("*?[\\")
_MAGIC = frozenset(".^$*+?()[]{}|\\")


def fitting(pattern: str, paths: Sequence[str]) -> list[int]:
    """Return which of some paths fit a pattern, by their places; one may be named twice."""
    pattern = pattern.removeprefix("./").removeprefix("/")
    if pattern.endswith("/"):
        pattern += "**"
    # Names such as `[id].tsx` are patterns and names; whoever types one may mean either.
    found = [place for place, path in enumerate(paths) if path == pattern]
    if not _WILD.intersection(pattern):
        return found
    import re2  # type: ignore[import-untyped]

    if "/" not in pattern:
        pattern = f"**/{pattern}"
    # All paths at once, between letters that no path contains; a match is as many in a row as fit. The same
    # engine as for queries: no pattern, however odd, takes long.
    data = [f"{path}\0".encode("utf-8", "replace") for path in paths]
    starts = list(accumulate(map(len, data), initial=1))
    for match in re2.compile(f"\\x00(?:{_expression(pattern)}\\x00)+").finditer(b"\0" + b"".join(data)):
        found += range(bisect_left(starts, match.start() + 1), bisect_left(starts, match.end()))
    return found


def _expression(pattern: str) -> str:
    """Return the regular expression that says the same."""
    pieces: list[str] = []
    place = 0
    while place < len(pattern):
        piece, place = _piece(pattern, place)
        pieces.append(piece)
    return "".join(pieces)


def _piece(pattern: str, place: int) -> tuple[str, int]:
    """Translate what stands at a place, and return the place after it."""
    starts_segment = place == 0 or pattern[place - 1] == "/"
    if starts_segment and pattern.startswith("**/", place):
        return rf"(?:{_ANY}*/)?", place + 3
    if starts_segment and pattern[place:] == "**":
        return rf"{_ANY}+", len(pattern)
    letter = pattern[place]
    if letter == "*":
        return rf"{_IN_SEGMENT}*", place + (2 if pattern.startswith("**", place) else 1)
    if letter == "?":
        return _IN_SEGMENT, place + 1
    if letter == "[" and (found := _class(pattern, place)) is not None:
        return found
    if letter == "\\" and place + 1 < len(pattern):
        return _literal(pattern[place + 1]), place + 2
    return _literal(letter), place + 1


def _class(pattern: str, place: int) -> tuple[str, int] | None:
    """Translate a class of letters, or return None where a bracket stands for itself."""
    start = place + 1
    is_negated = pattern[start : start + 1] in ("!", "^")
    start += is_negated
    end = pattern.find("]", start + 1)
    if end < 0:
        return None
    inside = "".join(
        letter if letter.isalnum() or letter == "-" else f"\\{letter}" for letter in pattern[start:end]
    )
    if not _is_valid("[" + inside + "]"):
        return None
    return (rf"[^/\x00{inside}]" if is_negated else f"[{inside}]"), end + 1


def _is_valid(expression: str) -> bool:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(expression, options)
    except re2.error:
        return False
    return True


def _literal(letter: str) -> str:
    return f"\\{letter}" if letter in _MAGIC else letter
