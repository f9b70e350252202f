"""Several pieces of work that report to one caller as if they were one.

Contract: what the caller hears never goes back, whatever the pieces report and in which threads they run. A
piece stops as soon as the caller has gone.
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
    """Shares the progress of a call out to pieces of work."""

    def __init__(self, pieces: int) -> None:
        self._call = current_call()
        self._pieces = pieces
        self._done: dict[str, float] = {}
        self._told = 0.0
        self._lock = threading.Lock()
        self.spent: dict[str, float] = {}
        """How many seconds each piece took."""

    def run(self, name: str, work: Callable[[], Answer]) -> Answer:
        """Do a piece of work as a part of the whole."""
        began = time.monotonic()
        with running(_Piece(self, self._call, name)):
            answer = work()
        self.spent[name] = time.monotonic() - began
        self.report(name, 1.0, name)
        return answer

    def all(self, works: Iterable[tuple[str, Callable[[], Answer]]], workers: int) -> list[Answer]:
        """Do pieces of work at the same time, and return their answers in the order given."""
        with ThreadPoolExecutor(workers, thread_name_prefix="analysis") as pool:
            futures: list[Future[Answer]] = [
                pool.submit(copy_context().run, self.run, name, work) for name, work in works
            ]
            wait(futures, return_when=FIRST_EXCEPTION)
            for future in futures:
                future.cancel()
            return [future.result() for future in futures if not future.cancelled()]

    def report(self, name: str, share: float, message: str | None) -> None:
        """Tell the caller how far the whole is, now that a piece is so far."""
        with self._lock:
            self._done[name] = max(share, self._done.get(name, 0.0))
            self._told = max(self._told, sum(self._done.values()))
            self._call.progress(round(100 * self._told / self._pieces, 1), 100, message)


class _Piece(Call):
    """A call that a piece of work takes for its own."""

    def __init__(self, stages: Stages, whole: Call, name: str) -> None:
        super().__init__(actor=whole.actor)
        self._stages, self._whole, self._name = stages, whole, name

    @property
    def cancelled(self) -> bool:
        """Whether the caller of the whole has given up."""
        return self._whole.cancelled

    def remaining(self) -> float | None:
        """Return the seconds left to the whole."""
        return self._whole.remaining()

    def check(self) -> None:
        """Raise when the whole should stop now."""
        self._whole.check()

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Report how far this piece is."""
        self._stages.report(self._name, min(done / total, 1.0) if total else 0.0, message)
