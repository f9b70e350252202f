"""What a query matches: a regular expression without regard to case, or, failing that, the text itself.

Expressions are RE2's. Its time grows with the length of the text and never explodes, whatever the query.
"""

from __future__ import annotations

import re
from functools import cache, partial
from itertools import permutations
from typing import Any, NamedTuple

MOST_COUNTED = 100
"""How many matches in one comment are counted at most."""

_MEMORY_BYTES = 8 << 20
_LARGE = 1000
"""Expressions of so many instructions are tried on single texts: they may read a long one all in vain."""
_MOST_ALTERNATIVES = 3
_SPECIAL = frozenset(".^$*+?()[]{}|\\")
_ONE_LETTER = re.compile(r"\.|\\[dDsSwW]|\[\^?[\w -]+\]")
_WORD_START = re.compile(r"\\b\w", re.ASCII)
_LINE_ANCHOR = re.compile(r"[\^$]")
_TEXT_ANCHOR = re.compile(r"\\[Az]|\(\?[a-zA-Z]*-")
"""What holds at the ends of a text and not at those of a line, or may: flags can be taken back."""


class Expression:
    """A compiled regular expression of RE2, without regard to case.

    It is the library's binding itself. The module around it makes objects of every match, which takes longer
    than to find it, and keeps 128 expressions with their automata, each of up to 8 MB.
    """

    def __init__(self, source: str) -> None:
        from re2 import _re2  # type: ignore[import-untyped]

        self._compiled = _re2.RE2(encoded(source), _options())
        self.search = partial(self._compiled.Match, _re2.RE2.Anchor.UNANCHORED)
        """Given bytes, a start and an end: the place of the first match, or (-1, -1), in a list."""
        self.size: int = self._compiled.ProgramSize()
        """How many instructions it has: at worst RE2 takes time for each of them at each letter."""

    @property
    def refusal(self) -> str | None:
        """Why RE2 does not take the expression."""
        if self._compiled.ok():
            return None
        reason = self._compiled.error()
        return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)

    def count(self, data: bytes) -> int:
        """Return how many matches a text has, up to `MOST_COUNTED`."""
        search, end = self.search, len(data)
        found = place = 0
        while found < MOST_COUNTED:
            start, stop = search(data, place, end)[0]
            if start < 0:
                break
            found += 1
            if place == end:
                break
            # An empty match where the last one ended: one byte on, so that there is an end to it.
            place = stop if stop != place else place + 1
        return found


class Pattern(NamedTuple):
    """A query, ready to be tried."""

    refusal: str | None
    """Why the query is taken as plain text, or None when it is an expression."""
    text: str | None
    """The folded text to look for, where that is all."""
    texts: tuple[str, ...]
    """Folded texts each of which matches, and nothing else does; none when that cannot be said."""
    prefix: str | None
    """The folded text that a text begins with, where that is all."""
    expression: Expression
    by_line: Expression | None
    """Finds all matches of texts that are lines of a longer one; None when only single texts can be tried."""
    has_line_anchors: bool
    """Whether `by_line` may find more than that in a text of several lines."""
    is_rough: bool
    """Whether `by_line` may find more than that in any text."""
    is_one_letter: bool
    """Whether every match is one letter, whatever stands beside it."""

    def count(self, text: str) -> int:
        """Return how often the query matches, up to `MOST_COUNTED`."""
        if self.text is not None:
            return min(folded(text).count(self.text), MOST_COUNTED)
        return self.expression.count(encoded(text))


def compiled(query: str) -> Pattern:
    """Return what a query matches."""
    expression = Expression(query)
    refusal = expression.refusal
    is_text = refusal is not None or not _SPECIAL.intersection(query)
    is_prefix = query.isascii() and query[:1] == "^" and _is_plain(query[1:])
    # Without `\b` before it RE2 leaps from one beginning of a word to the next.
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
    """Return an expression whose anchors are at the ends of lines; None where that cannot be said."""
    if _TEXT_ANCHOR.search(query):
        return None
    found = Expression(f"(?m){query}")
    return found if found.refusal is None and found.size < _LARGE else None


def _alternatives(query: str) -> tuple[str, ...]:
    """Return the texts of an expression such as `lock|cache`, of which no two can overlap."""
    found = folded(query).split("|")
    # Of other letters than these RE2 may know other forms.
    if len(found) > _MOST_ALTERNATIVES or not query.isascii() or not all(map(_is_plain, found)):
        return ()
    return () if any(_overlap(*pair) for pair in permutations(found, 2)) else tuple(found)


def _overlap(before: str, after: str) -> bool:
    ends = (before.endswith(after[:size]) for size in range(1, len(after)))
    return after in before or any(ends)


def encoded(text: str) -> bytes:
    """Return a text as expressions read it; half a character, which is none, becomes a question mark."""
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
    """The small form of each letter, found at first use."""

    def __missing__(self, code: int) -> str | int:
        letter = chr(code)
        small = next((form for form in (letter.casefold(), letter.lower()) if len(form) == 1), letter)
        self[code] = small
        return small


_small_letters = _SmallLetters()


def folded(text: str) -> str:
    """Return `text` so that two texts differing only in case become equal; its length stays."""
    return text.lower() if text.isascii() else text.translate(_small_letters)
