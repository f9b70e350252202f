"""A store that is opened at its first use, once for all threads, and closed only if it was opened."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Generic, Protocol, TypeVar


class Closeable(Protocol):
    """Anything that holds connections or processes until it is closed."""

    def close(self) -> None: ...


Store = TypeVar("Store", bound=Closeable)


class Lazy(Generic[Store]):
    """Opens a store when it is first needed."""

    def __init__(self, open_store: Callable[[], Store], exists: Callable[[], bool] = lambda: True) -> None:
        """`exists` returns whether the store already exists, so that opening would not create it."""
        self._open_store = open_store
        self._exists = exists
        self._opened: Store | None = None
        self._lock = threading.RLock()

    @property
    def exists(self) -> bool:
        """Whether the store is open, or exists and could be opened."""
        return self._opened is not None or self._exists()

    def get(self) -> Store:
        """Return the store, opened now if it was not."""
        if self._opened is None:
            with self._lock:
                if self._opened is None:
                    self._opened = self._open_store()
                return self._opened
        return self._opened

    def get_existing(self) -> Store | None:
        """Return the store, or None if none exists: reading must not create one."""
        return self.get() if self.exists else None

    def locked(self) -> AbstractContextManager[object]:
        """Keep other threads from opening or closing the store."""
        return self._lock

    def discard(self) -> None:
        """Close the store; the next use opens it again."""
        with self._lock:
            self.close()
            self._opened = None

    def close(self) -> None:
        """Close the store if it was opened; a closed store itself refuses further use."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
