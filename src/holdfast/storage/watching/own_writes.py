"""Announces the writes of this process to its own watchers, which need no file system events for them.

Contract:
- `announce` is called after a write is visible to readers: after COMMIT, after a rename.
- Listeners return at once; they may be called on any thread.
"""

from __future__ import annotations

from collections.abc import Callable

_listeners: list[Callable[[str], None]] = []


def announce(path: str) -> None:
    """Report that this process has written the file or store with this absolute path."""
    for listener in tuple(_listeners):
        listener(path)


def listen(listener: Callable[[str], None]) -> Callable[[], None]:
    """Call `listener` with the path of each write, until the returned function is called."""
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)
