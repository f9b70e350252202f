"""Compiles the text of a query: to a case-insensitive regular expression or, if it is invalid, plain text.

Expressions are those of RE2, which matches any of them in time linear in the length of the text.
"""

from __future__ import annotations

import re
from functools import cache, partial
from itertools import permutations
from typing import Any, NamedTuple

MAX_MATCHES_COUNTED = 100
"""Matches in one comment that are counted. A judgement: beyond them, the order of results hardly matters."""

_MAX_AUTOMATON_BYTES = 8 << 20
"""Memory for the automata of an expression, RE2's `max_mem` option; 8 MiB is its default."""

_MAX_JOINED_INSTRUCTIONS = 1000
"""Expressions with this many instructions or more are matched text by text, because on the joined texts they
may read far ahead of each match. A judgement; `bench/search` measures the result."""

_MAX_ALTERNATIVES = 3
"""Up to so many alternatives are counted as plain texts. A judgement; `bench/search` measures the result."""

_SPECIAL_CHARACTERS = frozenset(".^$*+?()[]{}|\\")
_ONE_CHARACTER = re.compile(r"\.|\\[dDsSwW]|\[\^?[\w -]+\]")
_WORD_START = re.compile(r"\\b\w", re.ASCII)
_LINE_ANCHOR = re.compile(r"[\^$]")
_TEXT_ANCHOR = re.compile(r"\\[Az]|\(\?[a-zA-Z]*-")
"""Anchors that match only at the ends of a text, and flags that are switched off, which may create them."""


class Expression:
    """A compiled, case-insensitive RE2 expression.

    Uses the library's binding directly: its Python module creates objects for every match, which takes longer
    than matching, and caches 128 expressions of up to 8 MB each.
    """

    def __init__(self, source: str) -> None:
        from re2 import _re2  # type: ignore[import-untyped]

        self._compiled = _re2.RE2(encode(source), _options())
        self.search = partial(self._compiled.Match, _re2.RE2.Anchor.UNANCHORED)
        """Takes bytes, a start and an end; returns the span of the first match, or (-1, -1), in a list."""
        self.size: int = self._compiled.ProgramSize()
        """Number of instructions: at worst RE2 executes each of them at each character."""

    @property
    def refusal(self) -> str | None:
        """Why RE2 rejects the expression, or None."""
        if self._compiled.ok():
            return None
        reason = self._compiled.error()
        return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)

    def count(self, data: bytes) -> int:
        """Return the number of matches in a text, up to `MAX_MATCHES_COUNTED`."""
        search, end = self.search, len(data)
        count = position = 0
        while count < MAX_MATCHES_COUNTED:
            match_start, match_end = search(data, position, end)[0]
            if match_start < 0:
                break
            count += 1
            if position == end:
                break
            # After an empty match at this position, advance one byte so that the loop terminates.
            position = match_end if match_end != position else position + 1
        return count


class Pattern(NamedTuple):
    """A compiled query."""

    refusal: str | None
    """RE2's reason to reject the query, which is then plain text; None if it is an expression."""
    text: str | None
    """The case-folded text, if the query is plain text."""
    texts: tuple[str, ...]
    """Case-folded plain texts that together are equivalent to the query; empty if it has no such form."""
    prefix: str | None
    """The case-folded prefix, if the query is equivalent to a plain text at the start."""
    expression: Expression
    by_line: Expression | None
    """Finds all matches in joined texts; None if each text must be matched alone."""
    has_line_anchors: bool
    """Whether `by_line` may find additional matches in a text of several lines."""
    is_rough: bool
    """Whether `by_line` may find additional matches in any text."""
    is_one_character: bool
    """Whether every match is a single character, regardless of context."""

    def count(self, text: str) -> int:
        if self.text is not None:
            return min(fold_case(text).count(self.text), MAX_MATCHES_COUNTED)
        return self.expression.count(encode(text))


def compile_query(query: str) -> Pattern:
    """Compile a query."""
    expression = Expression(query)
    refusal = expression.refusal
    is_text = refusal is not None or not _SPECIAL_CHARACTERS.intersection(query)
    is_prefix = query.isascii() and query[:1] == "^" and _is_plain(query[1:])
    # Without the leading `\b`, RE2 can skip to the next possible start of a match.
    is_rough = _WORD_START.match(query) is not None
    return Pattern(
        refusal=refusal,
        text=fold_case(query) if is_text else None,
        texts=(fold_case(query),) if is_text else _alternatives(query),
        prefix=fold_case(query[1:]) if is_prefix else None,
        expression=expression,
        by_line=_compile_by_line(query.removeprefix(r"\b") if is_rough else query),
        has_line_anchors=_LINE_ANCHOR.search(query) is not None,
        is_rough=is_rough,
        is_one_character=_ONE_CHARACTER.fullmatch(query) is not None,
    )


def _is_plain(text: str) -> bool:
    return bool(text) and not _SPECIAL_CHARACTERS.intersection(text)


def _compile_by_line(query: str) -> Expression | None:
    """Return an expression anchored at the ends of lines, or None if there is no equivalent."""
    if _TEXT_ANCHOR.search(query):
        return None
    expression = Expression(f"(?m){query}")
    is_usable = expression.refusal is None and expression.size < _MAX_JOINED_INSTRUCTIONS
    return expression if is_usable else None


def _alternatives(query: str) -> tuple[str, ...]:
    """Return the texts of an expression such as `lock|cache` if no two can overlap."""
    alternatives = fold_case(query).split("|")
    # RE2 may fold non-ASCII letters differently.
    if len(alternatives) > _MAX_ALTERNATIVES or not query.isascii() or not all(map(_is_plain, alternatives)):
        return ()
    if any(_can_overlap(*pair) for pair in permutations(alternatives, 2)):
        return ()
    return tuple(alternatives)


def _can_overlap(first: str, second: str) -> bool:
    """Return whether a text can contain `first` and, starting inside it, `second`."""
    shares_end = any(first.endswith(second[:size]) for size in range(1, len(second)))
    return second in first or shares_end


def encode(text: str) -> bytes:
    """Return a text as UTF-8; a lone surrogate becomes a question mark."""
    return text.encode("utf-8", "replace")


@cache
def _options() -> Any:
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _MAX_AUTOMATON_BYTES
    return options


class _LowerCaseForms(dict[int, str | int]):
    """The lower case form of each character, computed at first use; always a single character."""

    def __missing__(self, code: int) -> str | int:
        character = chr(code)
        forms = (character.casefold(), character.lower())
        small = next((form for form in forms if len(form) == 1), character)
        self[code] = small
        return small


_lower_case_forms = _LowerCaseForms()


def fold_case(text: str) -> str:
    """Fold the case of a text character by character, so that its length does not change."""
    return text.lower() if text.isascii() else text.translate(_lower_case_forms)
