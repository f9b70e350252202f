"""An LRU cache of products in memory, bounded by their size."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic

from holdfast.analysis.engine.product import Made
from holdfast.kernel.limits import LIMITS


class ProductMemory(Generic[Made]):
    """The most recently used products, by content key. Thread-safe."""

    def __init__(self, max_bytes: int = LIMITS.records_in_memory_bytes) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._products: OrderedDict[str, Made] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> Made | None:
        with self._lock:
            found = self._products.get(key)
            if found is not None:
                self._products.move_to_end(key)
            return found

    def put(self, key: str, product: Made) -> Made:  # type: ignore[misc]
        """Cache a product and return it; evict the least recently used ones beyond the bound."""
        with self._lock:
            replaced = self._products.get(key)
            self._bytes += product.weight - (0 if replaced is None else replaced.weight)
            self._products[key] = product
            while self._bytes > self._max_bytes:
                _, evicted = self._products.popitem(last=False)
                self._bytes -= evicted.weight
        return product
