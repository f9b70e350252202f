"""Rates how descriptive the names of a file are, by a simple rule."""

from __future__ import annotations

from functools import lru_cache

from holdfast.analysis.names.subwords import is_name, subwords
from holdfast.syntax.record import Record

_CUSTOMARY = frozenset("ijknxyzefst")
"""Single letters with a conventional meaning: counters, coordinates, exception, file, string, type."""
_PLACEHOLDERS = frozenset(
    ("aux", "bar", "baz", "dummy", "foo", "qux", "stuff", "temp", "thing", "thingy", "tmp", "var")
)
_STEM = 3
"""Up to this many letters before a number are not a word: `x1`, `obj2`."""


def name_quality(record: Record) -> float | None:
    """Return the share, 0 to 1, of a file's names that are clear; None if it defines no names.

    Definitions, parameters and local variables count, each once per enclosing definition. A name is unclear
    if it is a single letter without a conventional meaning, a placeholder (`tmp`, `foo`), or a placeholder or
    up to three letters followed by a number (`x1`, `tmp2`). Names of underscores alone, which mark something
    as unused, and generated names of anonymous functions do not count.
    """
    names = [definition.name for definition in record.names.definitions]
    names += [name for uses in record.names.uses for name in uses.bound]
    unclear = [known for known in map(_unclear, names) if known is not None]
    return 1 - sum(unclear) / len(unclear) if unclear else None


@lru_cache(2**16)  # files share most of their names
def _unclear(name: str) -> bool | None:
    return is_unclear(subwords(name)) if is_name(name) else None


def is_unclear(words: list[str]) -> bool:
    """Return whether a name made of these words says nothing about its meaning."""
    first, rest = words[0], words[1:]
    if not rest:
        return first in _PLACEHOLDERS or (len(first) == 1 and first not in _CUSTOMARY)
    numbered = len(rest) == 1 and rest[0].isdecimal()
    return numbered and (len(first) <= _STEM or first in _PLACEHOLDERS)
