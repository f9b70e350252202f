"""What this process has served: how many requests by name, how many failed, and how long the latest took."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from holdfast.kernel.clock import monotonic

LATEST = 1000
"""So many of the latest durations are kept for each name: enough for a percentile, and bounded."""


@dataclass(slots=True)
class Served:
    """The requests of one name."""

    requests: int = 0
    failed: int = 0
    seconds: deque[float] = field(default_factory=lambda: deque(maxlen=LATEST))

    def percentile(self, share: float) -> float:
        """Return the duration that this share of the latest requests did not exceed."""
        ordered = sorted(self.seconds.copy())
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Tally:
    """Counts what is served. Written by the event loop alone, and read by any thread."""

    def __init__(self) -> None:
        self.began: float | None = None
        """When this process began to serve; None where it serves nobody, as a command does."""
        self.worker, self.workers = 0, 1
        self._served: dict[str, Served] = {}

    def begin(self, worker: int = 0, workers: int = 1) -> None:
        """Count from now on, as one of so many processes behind one port."""
        self.began, self.worker, self.workers = monotonic(), worker, workers
        self._served.clear()

    def count(self, name: str, seconds: float, *, failed: bool) -> None:
        """Count one request."""
        served = self._served.get(name)
        if served is None:
            served = self._served[name] = Served()
        served.requests += 1
        served.failed += failed
        served.seconds.append(seconds)

    def by_name(self) -> dict[str, Served]:
        """Return what was served, by name."""
        return dict(self._served)


SERVED = Tally()
"""What this process has served."""
