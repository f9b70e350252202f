"""The text of a query, compiled: a case-insensitive regular expression or, if it is invalid, plain text.

Expressions are RE2's, whose time is linear in the length of the text for any expression.
"""

from __future__ import annotations

import re
from functools import cache, partial
from itertools import permutations
from typing import Any, NamedTuple

MAX_COUNTED = 100
"""Matches in one comment are counted up to this number. A chosen bound: beyond it the order hardly matters.
"""

_MEMORY_BYTES = 8 << 20
"""Memory for the automata of an expression, RE2's `max_mem` option; 8 MiB is its default."""

_LARGE = 1000
"""Expressions with this many instructions are matched on single texts: they may read a long one in vain. A
judgement."""
_MAX_ALTERNATIVES = 3
"""Alternatives that are counted as plain texts. A judgement; `bench/search` measures the result."""

_SPECIAL = frozenset(".^$*+?()[]{}|\\")
_ONE_LETTER = re.compile(r"\.|\\[dDsSwW]|\[\^?[\w -]+\]")
_WORD_START = re.compile(r"\\b\w", re.ASCII)
_LINE_ANCHOR = re.compile(r"[\^$]")
_TEXT_ANCHOR = re.compile(r"\\[Az]|\(\?[a-zA-Z]*-")
"""Anchors that match at the ends of a text and not of a line, and flag resets, which may create them."""


class Expression:
    """A compiled, case-insensitive RE2 expression.

    Uses the library's binding directly: its Python module creates objects for every match, which takes longer
    than matching, and caches 128 expressions of up to 8 MB each.
    """

    def __init__(self, source: str) -> None:
        from re2 import _re2  # type: ignore[import-untyped]

        self._compiled = _re2.RE2(encoded(source), _options())
        self.search = partial(self._compiled.Match, _re2.RE2.Anchor.UNANCHORED)
        """Takes bytes, a start and an end; returns the span of the first match, or (-1, -1), in a list."""
        self.size: int = self._compiled.ProgramSize()
        """Number of instructions: at worst RE2 executes each of them at each letter."""

    @property
    def refusal(self) -> str | None:
        """Why RE2 rejects the expression, or None."""
        if self._compiled.ok():
            return None
        reason = self._compiled.error()
        return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)

    def count(self, data: bytes) -> int:
        """Return the number of matches in a text, up to `MAX_COUNTED`."""
        search, end = self.search, len(data)
        found = place = 0
        while found < MAX_COUNTED:
            start, stop = search(data, place, end)[0]
            if start < 0:
                break
            found += 1
            if place == end:
                break
            # An empty match where the last one ended: advance one byte so that the loop ends.
            place = stop if stop != place else place + 1
        return found


class Pattern(NamedTuple):
    """A compiled query."""

    refusal: str | None
    """Why the query is treated as plain text, or None if it is an expression."""
    text: str | None
    """The folded text, if the query is plain text."""
    texts: tuple[str, ...]
    """Folded texts equivalent to the query, or empty if there are none."""
    prefix: str | None
    """The folded prefix, if the query only matches a plain prefix."""
    expression: Expression
    by_line: Expression | None
    """Finds all matches in texts that are lines of a longer one; None if texts must be matched alone."""
    has_line_anchors: bool
    """Whether `by_line` may find additional matches in a text of several lines."""
    is_rough: bool
    """Whether `by_line` may find additional matches in any text."""
    is_one_letter: bool
    """Whether every match is a single letter, regardless of context."""

    def count(self, text: str) -> int:
        """Return the number of matches in a text, up to `MAX_COUNTED`."""
        if self.text is not None:
            return min(folded(text).count(self.text), MAX_COUNTED)
        return self.expression.count(encoded(text))


def compiled(query: str) -> Pattern:
    """Compile a query."""
    expression = Expression(query)
    refusal = expression.refusal
    is_text = refusal is not None or not _SPECIAL.intersection(query)
    is_prefix = query.isascii() and query[:1] == "^" and _is_plain(query[1:])
    # Without the leading `\b` RE2 can skip from one possible start to the next.
    is_rough = _WORD_START.match(query) is not None
    return Pattern(
        refusal=refusal,
        text=folded(query) if is_text else None,
        texts=(folded(query),) if is_text else _alternatives(query),
        prefix=folded(query[1:]) if is_prefix else None,
        expression=expression,
        by_line=_by_line(query.removeprefix(r"\b") if is_rough else query),
        has_line_anchors=_LINE_ANCHOR.search(query) is not None,
        is_rough=is_rough,
        is_one_letter=_ONE_LETTER.fullmatch(query) is not None,
    )


def _is_plain(text: str) -> bool:
    return bool(text) and not _SPECIAL.intersection(text)


def _by_line(query: str) -> Expression | None:
    """Return an expression anchored at the ends of lines, or None if there is no equivalent."""
    if _TEXT_ANCHOR.search(query):
        return None
    found = Expression(f"(?m){query}")
    return found if found.refusal is None and found.size < _LARGE else None


def _alternatives(query: str) -> tuple[str, ...]:
    """Return the texts of an expression such as `lock|cache` if no two can overlap."""
    found = folded(query).split("|")
    # RE2 may fold non-ASCII letters differently.
    if len(found) > _MAX_ALTERNATIVES or not query.isascii() or not all(map(_is_plain, found)):
        return ()
    return () if any(_overlap(*pair) for pair in permutations(found, 2)) else tuple(found)


def _overlap(before: str, after: str) -> bool:
    ends = (before.endswith(after[:size]) for size in range(1, len(after)))
    return after in before or any(ends)


def encoded(text: str) -> bytes:
    """Return a text as UTF-8; a lone surrogate becomes a question mark."""
    return text.encode("utf-8", "replace")


@cache
def _options() -> Any:
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _MEMORY_BYTES
    return options


class _SmallLetters(dict[int, str | int]):
    """The lower case form of each letter, computed at first use."""

    def __missing__(self, code: int) -> str | int:
        letter = chr(code)
        small = next((form for form in (letter.casefold(), letter.lower()) if len(form) == 1), letter)
        self[code] = small
        return small


_small_letters = _SmallLetters()


def folded(text: str) -> str:
    """Return `text` with case folded letter by letter, so its length stays."""
    return text.lower() if text.isascii() else text.translate(_small_letters)
