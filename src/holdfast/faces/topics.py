"""The interface through which faces subscribe to changes of topics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Topics(Protocol):
    """A source of change notifications, implemented by the workspace."""

    def subscribe(self, topic: str, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back, on any thread, after a change of `topic`; return the function that unsubscribes."""
