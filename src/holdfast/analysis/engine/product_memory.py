"""An LRU cache of products in memory, bounded by their size."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic

from holdfast.analysis.engine.product import Made
from holdfast.kernel.limits import LIMITS


class ProductMemory(Generic[Made]):
    """The most recently used products by key. Thread-safe."""

    def __init__(self, most: int = LIMITS.records_in_memory_bytes) -> None:
        self._most = most
        self._bytes = 0
        self._kept: OrderedDict[str, Made] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> Made | None:
        """Return a product, if it is cached."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, key: str, record: Made) -> Made:  # type: ignore[misc]
        """Cache a product, and evict the least recently used ones beyond the bound."""
        with self._lock:
            before = self._kept.get(key)
            self._bytes += record.weight - (0 if before is None else before.weight)
            self._kept[key] = record
            while self._bytes > self._most:
                self._bytes -= self._kept.popitem(last=False)[1].weight
        return record
