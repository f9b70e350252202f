"""Products of files that were used last, kept in memory as far as there is room for them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic

from holdfast.analysis.engine.product import Made
from holdfast.kernel.limits import LIMITS


class ProductMemory(Generic[Made]):
    """Some products by their key; of very many, those used last. Usable from many threads."""

    def __init__(self, most: int = LIMITS.records_in_memory_bytes) -> None:
        self._most = most
        self._bytes = 0
        self._kept: OrderedDict[str, Made] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> Made | None:
        """Return one that is still there."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, key: str, record: Made) -> Made:  # type: ignore[misc]
        """Keep one, and let go of those that were not used for longest."""
        with self._lock:
            before = self._kept.get(key)
            self._bytes += record.weight - (0 if before is None else before.weight)
            self._kept[key] = record
            while self._bytes > self._most:
                self._bytes -= self._kept.popitem(last=False)[1].weight
        return record
