"""Counts and durations of the requests that this process has served, by tool or protocol method."""

from __future__ import annotations

from collections import defaultdict, deque

from holdfast.kernel.clock import monotonic

MAX_DURATIONS = 1000
"""How many of the latest durations are stored for each name. A judgement: a 95th percentile is then based on
50 slower requests, and a name takes about 32 KB (a reference and a float object for each duration)."""


class RequestStatistics:
    """The requests for one tool or protocol method."""

    def __init__(self) -> None:
        self.requests = self.failed = 0
        """How many there were, and how many of them failed."""
        self.seconds: deque[float] = deque(maxlen=MAX_DURATIONS)
        """The latest durations, oldest first."""

    def percentile(self, share: float) -> float:
        """Return the duration that a share of the latest requests, such as 0.95, did not exceed.

        There must have been a request.
        """
        ordered = sorted(self.seconds.copy())
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class ProcessStatistics:
    """The requests of a server process. Only the event loop writes to it; any thread may read."""

    def __init__(self) -> None:
        self.began: float | None = None
        """When this process started to serve; None in a process that is not a server, such as a command."""
        self.worker, self.workers = 0, 1
        self._by_name: defaultdict[str, RequestStatistics] = defaultdict(RequestStatistics)

    def begin(self, worker: int = 0, workers: int = 1) -> None:
        """Start counting, as one of `workers` processes that share a port."""
        self.began, self.worker, self.workers = monotonic(), worker, workers
        self._by_name.clear()

    def count(self, name: str, seconds: float, *, failed: bool) -> None:
        """Count one request."""
        statistics = self._by_name[name]
        statistics.requests += 1
        statistics.failed += failed
        statistics.seconds.append(seconds)

    def by_name(self) -> dict[str, RequestStatistics]:
        """Return a copy of the statistics of every name."""
        return dict(self._by_name)


STATISTICS = ProcessStatistics()
"""The statistics of this process."""
