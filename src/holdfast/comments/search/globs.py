"""Patterns for paths, as in a `.gitignore`.

`*` and `?` do not cross a slash, `**` does; `[abc]` is one of the letters. A pattern without a slash fits a
name at any depth, one that ends with a slash everything below that folder. A plain path means that file
alone.
"""

from __future__ import annotations

from collections.abc import Callable

_WILD = frozenset("*?[\\")
_MAGIC = frozenset(".^$*+?()[]{}|\\")


def path_filter(pattern: str) -> Callable[[str], bool]:
    """Return what tells whether a path fits the pattern."""
    pattern = pattern.removeprefix("./").removeprefix("/")
    if pattern.endswith("/"):
        pattern += "**"
    if not _WILD.intersection(pattern):
        return lambda path: path == pattern
    import re2  # type: ignore[import-untyped]

    whole = pattern
    if "/" not in pattern:
        pattern = f"**/{pattern}"
    # The same engine as for queries: no pattern, however odd, takes long.
    matches = re2.compile(_expression(pattern)).fullmatch
    # Names such as `[id].tsx` are patterns and names; whoever types one may mean either.
    return lambda path: path == whole or matches(path) is not None


def _expression(pattern: str) -> str:
    """Return the regular expression that says the same."""
    pieces: list[str] = []
    place = 0
    while place < len(pattern):
        piece, place = _piece(pattern, place)
        pieces.append(piece)
    return f"(?s:{''.join(pieces)})"


def _piece(pattern: str, place: int) -> tuple[str, int]:
    """Translate what stands at a place, and return the place after it."""
    starts_segment = place == 0 or pattern[place - 1] == "/"
    if starts_segment and pattern.startswith("**/", place):
        return "(?:.*/)?", place + 3
    if starts_segment and pattern[place:] == "**":
        return ".+", len(pattern)
    letter = pattern[place]
    if letter == "*":
        return "[^/]*", place + (2 if pattern.startswith("**", place) else 1)
    if letter == "?":
        return "[^/]", place + 1
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
    return (f"[^/{inside}]" if is_negated else f"[{inside}]"), end + 1


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
