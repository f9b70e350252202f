"""Waits for calls on other threads, with a bound."""

from __future__ import annotations

import threading

BOUND_SECONDS = 30.0


class Counter:
    """A callable that counts its calls."""

    def __init__(self) -> None:
        self.calls = 0
        self._called = threading.Condition()

    def __call__(self) -> None:
        with self._called:
            self.calls += 1
            self._called.notify_all()

    def reaches(self, calls: int) -> bool:
        """Wait for the calls up to that number."""
        with self._called:
            return self._called.wait_for(lambda: self.calls >= calls, BOUND_SECONDS)


class Paths:
    """A callable that collects the paths it is called with."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self._called = threading.Condition()

    def __call__(self, path: str) -> None:
        with self._called:
            self.seen.add(path)
            self._called.notify_all()

    def holds(self, *paths: object) -> bool:
        """Wait for one of these paths."""
        wanted = set(map(str, paths))
        with self._called:
            return self._called.wait_for(lambda: not wanted.isdisjoint(self.seen), BOUND_SECONDS)

    def clear(self) -> None:
        """Forget the paths so far."""
        with self._called:
            self.seen.clear()
