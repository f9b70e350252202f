"""Divides a call into pieces of work, and combines their progress into that of the call.

Contract: the reported progress never decreases, even if the pieces run in several threads. A piece stops as
soon as the call is cancelled.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import TypeVar

from holdfast.kernel.call import Call, current_call, running

Answer = TypeVar("Answer")


class Stages:
    """The pieces of work of the current call, each of which counts the same."""

    def __init__(self, pieces: int) -> None:
        self._call = current_call()
        self._pieces = pieces
        self._progress: dict[str, float] = {}
        """The progress of each piece, from 0 to 1."""
        self._reported = 0.0
        self._lock = threading.Lock()
        self.seconds: dict[str, float] = {}
        """How long each piece took."""

    def run(self, name: str, work: Callable[[], Answer]) -> Answer:
        """Run one piece of work."""
        started = time.monotonic()
        with running(_PieceCall(self, self._call, name)):
            answer = work()
        self.seconds[name] = time.monotonic() - started
        self.report(name, 1.0, name)
        return answer

    def run_concurrently(
        self, pieces: Iterable[tuple[str, Callable[[], Answer]]], threads: int
    ) -> list[Answer]:
        """Run pieces of work in threads, and return their results in the order given."""
        with ThreadPoolExecutor(threads, thread_name_prefix="analysis") as pool:
            futures: list[Future[Answer]] = [
                pool.submit(copy_context().run, self.run, name, work) for name, work in pieces
            ]
            wait(futures, return_when=FIRST_EXCEPTION)
            for future in futures:
                future.cancel()
            return [future.result() for future in futures if not future.cancelled()]

    def report(self, name: str, share: float, message: str | None) -> None:
        """Report the progress of the whole call, given the progress of one piece from 0 to 1."""
        with self._lock:
            self._progress[name] = max(share, self._progress.get(name, 0.0))
            self._reported = max(self._reported, sum(self._progress.values()))
            self._call.progress(round(100 * self._reported / self._pieces, 1), 100, message)


class _PieceCall(Call):
    """The current call of one piece of work."""

    def __init__(self, stages: Stages, whole: Call, name: str) -> None:
        super().__init__(actor=whole.actor)
        self._stages, self._whole, self._name = stages, whole, name

    @property
    def cancelled(self) -> bool:
        """Whether the whole call was cancelled."""
        return self._whole.cancelled

    def remaining(self) -> float | None:
        """Return the seconds left for the whole call."""
        return self._whole.remaining()

    def check(self) -> None:
        """Raise if the whole call should stop now."""
        self._whole.check()

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Report the progress of this piece."""
        self._stages.report(self._name, min(done / total, 1.0) if total else 0.0, message)
