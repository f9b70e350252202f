"""A cache whose entries are valid for one version of the data they were computed from.

Contract: a value is returned only for the very version it was stored under. Callers determine the version
before they read the data, so that a change in between is noticed at the next lookup. Nothing is stored under
the version None, which stands for data whose version is unknown.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class VersionedCache(Generic[Answer]):
    """A bounded mapping that drops its older half when it is full. Usable from many threads."""

    def __init__(self, maximum: int = 500) -> None:
        self._maximum = maximum
        self._entries: dict[Hashable, tuple[object, Answer]] = {}

    def get(self, key: Hashable, version: object) -> Answer | None:
        """Return the value that was stored under this version, or None."""
        found = self._entries.get(key)
        return None if found is None or version is None or found[0] != version else found[1]

    def put(self, key: Hashable, version: object, answer: Answer) -> Answer:
        """Store a value unless its version is None; return the value."""
        if version is not None:
            if len(self._entries) >= self._maximum and key not in self._entries:
                self._entries = dict(list(self._entries.items())[self._maximum // 2 :])
            self._entries[key] = (version, answer)
        return answer
