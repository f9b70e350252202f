"""A token bucket: bursts up to a capacity, then a steady rate."""

from __future__ import annotations

from holdfast.kernel.clock import MonotonicClock, monotonic


class TokenBucket:
    """Admits requests while it has tokens, and says how long to wait when it has none."""

    def __init__(self, capacity: int, per_second: float, clock: MonotonicClock = monotonic) -> None:
        self._capacity = float(capacity)
        self._per_second = per_second
        self._clock = clock
        self._tokens = self._capacity
        self._filled = clock()

    def wait_seconds(self) -> float:
        """Take one token and return 0, or return the seconds until there will be one."""
        now = self._clock()
        self._tokens = min(self._capacity, self._tokens + (now - self._filled) * self._per_second)
        self._filled = now
        if self._tokens >= 1.0:
            self._tokens -= 1.0
            return 0.0
        return (1.0 - self._tokens) / self._per_second
