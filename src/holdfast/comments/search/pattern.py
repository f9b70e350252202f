"""What a query matches: a regular expression without regard to case, or, failing that, the text itself.

Expressions are RE2's. Its time grows with the length of the text and never explodes, whatever the query.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from holdfast.comments.search.folding import folded
from holdfast.comments.search.literals import Every, plain_text, required
from holdfast.comments.search.within import is_within_words

MOST_COUNTED = 100
"""How many matches in one comment are counted at most."""

_MEMORY_BYTES = 8 << 20


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
    is_within_words: bool
    """Whether no match contains white space, or depends on what is beyond it."""
    _expression: Any
    _in_many: Any

    def count(self, text: str) -> int:
        """Return how often the query matches, up to `MOST_COUNTED`."""
        if self.text is not None:
            return min(folded(text).count(self.text), MOST_COUNTED)
        found = self._expression.finditer(encoded(text))
        return sum(1 for _ in islice(found, MOST_COUNTED))

    def starts(self, data: bytes) -> Iterator[int]:
        """Yield where each match of the expression begins."""
        return (match.start() for match in self._expression.finditer(data))

    @property
    def can_scan(self) -> bool:
        """Whether many texts can be tried at once, each on lines of its own."""
        return self._in_many is not None

    def scan(self, joined: bytes, ends: list[int]) -> Iterator[int]:
        """Yield the numbers of the texts in `joined` that may match; each ends, with a line feed, at its end.

        A match of one text alone is a match of all together as well, so none is missed. What two neighbours
        match only together is yielded too, which `count` finds out.
        """
        from bisect import bisect_right

        position, search = 0, self._in_many.search
        while position < len(joined) and (match := search(joined, position)) is not None:
            number = bisect_right(ends, match.start())
            if number >= len(ends):
                return
            yield number
            position = ends[number]


def compiled(query: str) -> Pattern:
    """Return what a query matches."""
    import re2  # type: ignore[import-untyped]

    expression, refusal = _expression_of(query)
    text = query if refusal is not None else plain_text(query)
    if text is not None:
        text = folded(text)
        return Pattern(query, refusal, text, Every([text]), text.split() == [text], re2, None)
    needs = required(query)
    in_many = None
    if needs is not None and not {"\\A", "\\z"}.intersection(_escapes(query)):
        in_many, _ = _expression_of(f"(?m:{query})")
    return Pattern(query, None, None, _folded_needs(needs), is_within_words(query), expression, in_many)


def encoded(text: str) -> bytes:
    """Return a text as expressions read it; half a character, which is none, becomes a question mark."""
    return text.encode("utf-8", "replace")


def _expression_of(query: str) -> tuple[Any, str | None]:
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _MEMORY_BYTES
    try:
        return re2.compile(encoded(query), options), None
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        return None, reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)


def _escapes(query: str) -> set[str]:
    return {query[place : place + 2] for place in range(len(query)) if query[place] == "\\"}


def _folded_needs(needs: Every | None) -> Every | None:
    if needs is None:
        return None
    return Every(
        [folded(text) for text in needs.texts],
        [[_folded_needs(branch) or Every() for branch in choice] for choice in needs.choices],
    )
