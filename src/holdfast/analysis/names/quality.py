"""How well the names of a file tell what they mean, by a plain rule."""

from __future__ import annotations

from functools import lru_cache

from holdfast.analysis.names.subwords import is_name, subwords
from holdfast.syntax.record import Record

_CUSTOMARY = frozenset("ijknxyzefst")
"""Single letters that convention explains: counters, coordinates, an exception, a file, a string, a type."""
_PLACEHOLDERS = frozenset(
    ("aux", "bar", "baz", "dummy", "foo", "qux", "stuff", "temp", "thing", "thingy", "tmp", "var")
)
_STEM = 3
"""Letters before a number that make no word: `x1`, `obj2`."""


def name_quality(record: Record) -> float | None:
    """Return the share, 0 to 1, of a file's names that are not unclear; None where it defines no name.

    Names are those of definitions, parameters and local variables, each once for the definition it is in.
    One is unclear that is a single letter which no convention explains, a placeholder (`tmp`, `foo`), or one
    of these or up to three letters followed by a number (`x1`, `tmp2`). Names of underscores alone say that
    they are not used, and do not count, nor does what stands for functions without a name.
    """
    names = [definition.name for definition in record.names.definitions]
    names += [name for uses in record.names.uses for name in uses.bound]
    unclear = [known for known in map(_unclear, names) if known is not None]
    return 1 - sum(unclear) / len(unclear) if unclear else None


@lru_cache(2**16)  # files share most of their names
def _unclear(name: str) -> bool | None:
    return is_unclear(subwords(name)) if is_name(name) else None


def is_unclear(words: list[str]) -> bool:
    """Return whether a name of these words tells nothing of what it means."""
    first, rest = words[0], words[1:]
    if not rest:
        return first in _PLACEHOLDERS or (len(first) == 1 and first not in _CUSTOMARY)
    numbered = len(rest) == 1 and rest[0].isdecimal()
    return numbered and (len(first) <= _STEM or first in _PLACEHOLDERS)
