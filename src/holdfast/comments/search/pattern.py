"""What a query matches: a regular expression without regard to case, or, failing that, the text itself.

Expressions are RE2's. Its time grows with the length of the text and never explodes, whatever the query.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

from holdfast.comments.search.chain import Chain, chain_of
from holdfast.comments.search.folding import folded
from holdfast.comments.search.literals import Every, required
from holdfast.comments.search.shape import Shape, shape_of, shape_of_text
from holdfast.comments.search.syntax import parsed, plain_text

MOST_COUNTED = 100
"""How many matches in one comment are counted at most."""

_MEMORY_BYTES = 8 << 20
_AT_ONCE = 16


@dataclass(frozen=True)
class Pattern:
    """A query, ready to be tried."""

    query: str
    refusal: str | None
    """Why the query is taken as plain text, or None when it is an expression."""
    text: str | None
    """The folded text to look for, where that is all."""
    needs: Every | None
    """What a match must contain, in folded letters."""
    shape: Shape | None
    """How matches lie across words, where that can be said."""
    chain: Chain | None
    """What follows each other in a line, where that can be said."""
    _expression: Any
    _in_many: Any

    def count(self, text: str) -> int:
        """Return how often the query matches, up to `MOST_COUNTED`."""
        if self.text is not None:
            return min(folded(text).count(self.text), MOST_COUNTED)
        found = self._expression.finditer(encoded(text))
        return sum(1 for _ in islice(found, MOST_COUNTED))

    def is_letter(self, letter: str) -> bool:
        """Tell whether one letter alone is matched."""
        if self.text is not None:
            return folded(letter) == self.text
        return self._expression.search(encoded(letter)) is not None

    @property
    def can_scan(self) -> bool:
        """Whether many texts can be tried at once, each on lines of its own."""
        return self._in_many is not None

    def scan(self, joined: bytes, ends: list[int]) -> Iterator[int]:
        """Yield the numbers of the texts in `joined` that may match; each ends, with a line feed, at its end.

        A match of one text alone is a match of all together as well, so none is missed. What two neighbours
        match only together is yielded too, which `count` finds out.
        """
        search = self._in_many.search
        position = 0
        # A few at a time: an expression may have to read all that is left before it gives up.
        for end in (*ends[_AT_ONCE - 1 : -1 : _AT_ONCE], *ends[-1:]):
            while position < end and (match := search(joined, position, end)) is not None:
                number = bisect_right(ends, match.start())
                if number >= len(ends):
                    return
                yield number
                position = ends[number]
            position = end


def compiled(query: str) -> Pattern:
    """Return what a query matches."""
    expression, refusal = expression_of(query)
    text = query if refusal is not None else plain_text(query)
    if text is not None:
        text = folded(text)
        return Pattern(query, refusal, text, Every([text]), shape_of_text(text), None, expression, None)
    choice = parsed(query)
    if choice is None:
        return Pattern(query, None, None, None, None, None, expression, None)
    in_many = None
    if not {"\\A", "\\z"}.intersection(_escapes(query)):
        in_many, _ = expression_of(f"(?m:{query})")
    needs = required(choice)
    return Pattern(query, None, None, needs, shape_of(choice), chain_of(choice), expression, in_many)


def encoded(text: str) -> bytes:
    """Return a text as expressions read it; half a character, which is none, becomes a question mark."""
    return text.encode("utf-8", "replace")


def expression_of(query: str) -> tuple[Any, str | None]:
    """Return an expression without regard to case, or None and why it is none."""
    import re2  # type: ignore[import-untyped]

    try:
        return re2.compile(encoded(query), _options()), None
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        return None, reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)


@cache
def _options() -> Any:
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _MEMORY_BYTES
    return options


def _escapes(query: str) -> set[str]:
    return {query[place : place + 2] for place in range(len(query)) if query[place] == "\\"}
