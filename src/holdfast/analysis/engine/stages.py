"""Runs several pieces of work, and reports their progress to the caller as that of one.

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
    """Divides the progress of a call among pieces of work."""

    def __init__(self, pieces: int) -> None:
        self._call = current_call()
        self._pieces = pieces
        self._done: dict[str, float] = {}
        self._reported = 0.0
        self._lock = threading.Lock()
        self.spent: dict[str, float] = {}
        """The seconds that each piece took."""

    def run(self, name: str, work: Callable[[], Answer]) -> Answer:
        """Run one piece of work."""
        began = time.monotonic()
        with running(_Piece(self, self._call, name)):
            answer = work()
        self.spent[name] = time.monotonic() - began
        self.report(name, 1.0, name)
        return answer

    def all(self, works: Iterable[tuple[str, Callable[[], Answer]]], workers: int) -> list[Answer]:
        """Run pieces of work concurrently, and return their results in the order given."""
        with ThreadPoolExecutor(workers, thread_name_prefix="analysis") as pool:
            futures: list[Future[Answer]] = [
                pool.submit(copy_context().run, self.run, name, work) for name, work in works
            ]
            wait(futures, return_when=FIRST_EXCEPTION)
            for future in futures:
                future.cancel()
            return [future.result() for future in futures if not future.cancelled()]

    def report(self, name: str, share: float, message: str | None) -> None:
        """Report the progress of the whole, given that of one piece."""
        with self._lock:
            self._done[name] = max(share, self._done.get(name, 0.0))
            self._reported = max(self._reported, sum(self._done.values()))
            self._call.progress(round(100 * self._reported / self._pieces, 1), 100, message)


class _Piece(Call):
    """The call that a piece of work runs in."""

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
