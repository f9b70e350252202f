"""Time limits for waiting on other processes, beside the caller's deadline and cancellation."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.kernel.call import current_call
from holdfast.kernel.clock import monotonic
from holdfast.kernel.errors import DeadlineExceeded

POLL_SECONDS = 0.05
"""The interval at which a wait checks its limit. A judgement: a person does not notice so short a delay after
a cancellation, and the cost of twenty checks a second cannot be measured."""


class TimeLimit:
    """The limit for one piece of work, checked along with the deadline and cancellation of its caller."""

    def __init__(self, seconds: float, work: str) -> None:
        """`work` names the work in the error message."""
        self._seconds = seconds
        self._work = work
        self._deadline = monotonic() + seconds
        self._call = current_call()

    def check(self) -> None:
        """Raise when the work should stop now."""
        self._call.check()
        if monotonic() > self._deadline:
            raise DeadlineExceeded(
                f"{self._work} did not finish within {self._seconds:g} seconds.",
                hint="Try again when the machine is less busy.",
            )


@contextmanager
def acquired(lock: threading.Lock, limit: TimeLimit) -> Iterator[None]:
    """Hold a lock; stop waiting for it at the limit."""
    while not lock.acquire(timeout=POLL_SECONDS):
        limit.check()
    try:
        yield
    finally:
        lock.release()
