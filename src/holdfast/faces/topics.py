"""Where the faces subscribe to changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Topics(Protocol):
    """Notifies of changes; the workspace does."""

    def subscribe(self, topic: str, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back, on any thread, after a change of `topic`; return the function that ends this."""
