"""A cache whose entries are valid for one version of the data they were computed from.

Contract: a value is returned only for the version with which it was stored. Callers determine the version
before they read the data, so that a change in between is noticed at the next lookup. With the version None,
which means unknown, nothing is stored.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class VersionedCache(Generic[Answer]):
    """A bounded mapping that drops its older half when it is full. Usable from many threads."""

    def __init__(self, max_entries: int = 500) -> None:
        self._max_entries = max_entries
        self._entries: dict[Hashable, tuple[object, Answer]] = {}

    def get(self, key: Hashable, version: object) -> Answer | None:
        """Return the value that was stored with this version, or None."""
        entry = self._entries.get(key)
        if entry is None or version is None:
            return None
        stored_version, value = entry
        return value if stored_version == version else None

    def put(self, key: Hashable, version: object, answer: Answer) -> Answer:
        """Store a value unless its version is None; return the value."""
        if version is not None:
            if len(self._entries) >= self._max_entries and key not in self._entries:
                self._entries = dict(list(self._entries.items())[self._max_entries // 2 :])
            self._entries[key] = (version, answer)
        return answer
