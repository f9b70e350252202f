"""Divides a call into stages, and combines their progress into that of the call.

Contract: the reported progress never decreases, even if stages run in several threads. A stage stops as soon
as the call is cancelled.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import TypeVar

from holdfast.kernel.call import Call, current_call, running

Result = TypeVar("Result")


class Stages:
    """The stages of the current call, each of which counts the same."""

    def __init__(self, count: int) -> None:
        self._call = current_call()
        self._count = count
        self._progress: dict[str, float] = {}
        """The progress of each stage, from 0 to 1."""
        self._reported = 0.0
        self._lock = threading.Lock()
        self.seconds: dict[str, float] = {}
        """How long each stage took."""

    def run(self, name: str, work: Callable[[], Result]) -> Result:
        """Do the work of one stage, and record its progress and duration."""
        started = time.monotonic()
        with running(_StageCall(self, self._call, name)):
            result = work()
        self.seconds[name] = time.monotonic() - started
        self.report(name, 1.0, name)
        return result

    def run_concurrently(
        self, work_by_stage: Mapping[str, Callable[[], Result]], threads: int
    ) -> dict[str, Result]:
        """Do the work of several stages in threads, and return the results in the order given.

        If one raises, the stages that have not started are cancelled, and its exception is raised. If this
        thread is interrupted, all stages are cancelled.
        """
        with ThreadPoolExecutor(threads, thread_name_prefix="analysis") as pool:
            futures: dict[str, Future[Result]] = {
                name: pool.submit(copy_context().run, self.run, name, work)
                for name, work in work_by_stage.items()
            }
            try:
                wait(futures.values(), return_when=FIRST_EXCEPTION)
            except BaseException:
                self._call.cancel()
                raise
            for future in futures.values():
                future.cancel()
            return {name: future.result() for name, future in futures.items() if not future.cancelled()}

    def report(self, name: str, share: float, message: str | None) -> None:
        """Report the progress of the whole call, given the progress of one stage from 0 to 1."""
        with self._lock:
            self._progress[name] = max(share, self._progress.get(name, 0.0))
            self._reported = max(self._reported, sum(self._progress.values()))
            self._call.progress(round(100 * self._reported / self._count, 1), 100, message)


class _StageCall(Call):
    """The current call while a stage runs: the whole call, but with the progress of the stage."""

    def __init__(self, stages: Stages, whole: Call, name: str) -> None:
        super().__init__(actor=whole.actor)
        self._stages, self._whole, self._name = stages, whole, name

    @property
    def cancelled(self) -> bool:
        return self._whole.cancelled

    def remaining(self) -> float | None:
        return self._whole.remaining()

    def check(self) -> None:
        self._whole.check()

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        self._stages.report(self._name, min(done / total, 1.0) if total else 0.0, message)
