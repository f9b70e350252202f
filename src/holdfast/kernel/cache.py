"""A cache of values that are valid for one version of the data they were computed from.

Contract: a value is returned only for the version with which it was stored. Callers determine the version
before they read the data, so that a change in between is noticed at the next lookup. The version None means
unknown: nothing is stored or returned for it.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")

_MAX_VALUES = 500
"""A judgement: more keys than a session uses at a time; a cache of large values is given a lower number."""


class VersionedCache(Generic[Value]):
    """At most `max_values` values by key; the half that was stored first makes room for more.

    Usable from many threads. One that stores while another makes room may lose its value.
    """

    def __init__(self, max_values: int = _MAX_VALUES) -> None:
        self._max_values = max_values
        self._stored: dict[Hashable, tuple[object, Value]] = {}

    def get(self, key: Hashable, version: object) -> Value | None:
        """Return the value that was stored with this version, or None."""
        stored_version, value = self._stored.get(key, (None, None))
        return value if version is not None and stored_version == version else None

    def put(self, key: Hashable, version: object, value: Value) -> Value:
        """Store a value unless its version is None; return the value."""
        if version is not None:
            if len(self._stored) >= self._max_values and key not in self._stored:
                dropped = (self._max_values + 1) // 2  # rounded up: a cache of one value drops it
                self._stored = dict(list(self._stored.items())[dropped:])
            self._stored[key] = (version, value)
        return value
