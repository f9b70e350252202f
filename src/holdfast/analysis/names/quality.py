"""Rates how descriptive the names of a file are, by the share that is neither too short nor a placeholder."""

from __future__ import annotations

from functools import lru_cache

from holdfast.analysis.names.subwords import is_name, subwords
from holdfast.syntax.record import Record

_CONVENTIONAL_LETTERS = frozenset("ijknxyzefst")
"""Single letters with a conventional meaning: counters, coordinates, exception, file, string, type."""
_PLACEHOLDERS = frozenset(
    ("aux", "bar", "baz", "dummy", "foo", "qux", "stuff", "temp", "thing", "thingy", "tmp", "var")
)
_MAX_STEM_LETTERS = 3
"""Letters before a number that make an unclear name, as in `x1` or `obj2`: a judgement. Longer stems are
mostly words, as in `base64`; the price is that `sha256` and `utf8` are rated unclear."""


def name_quality(record: Record) -> float | None:
    """Return the share, 0 to 1, of a file's names that are clear; None if it defines no names.

    The names are those of definitions, parameters and local variables, each once per enclosing definition. A
    name is unclear if it is a single letter without a conventional meaning, a placeholder (`tmp`, `foo`), or
    a placeholder or up to three letters followed by a number (`x1`, `tmp2`). Names of underscores alone,
    which mark something as unused, and generated names of anonymous functions are ignored.
    """
    names = [definition.name for definition in record.names.definitions]
    names += [name for uses in record.names.uses for name in uses.bound]
    unclear = [is_unclear for is_unclear in map(_is_unclear_name, names) if is_unclear is not None]
    return 1 - sum(unclear) / len(unclear) if unclear else None


@lru_cache(2**16)  # files share most of their names
def _is_unclear_name(name: str) -> bool | None:
    """Return whether a name is unclear, or None if no developer chose it."""
    return are_unclear(subwords(name)) if is_name(name) else None


def are_unclear(words: list[str]) -> bool:
    """Return whether a name made of these words, at least one, says nothing about its meaning."""
    first, rest = words[0], words[1:]
    if not rest:
        return first in _PLACEHOLDERS or (len(first) == 1 and first not in _CONVENTIONAL_LETTERS)
    is_numbered = len(rest) == 1 and rest[0].isdecimal()
    return is_numbered and (len(first) <= _MAX_STEM_LETTERS or first in _PLACEHOLDERS)
