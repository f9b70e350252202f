"""The thread pool that runs operations for an event loop, shared fairly between callers.

Contract:
- A caller waits for a job until the deadline or the cancellation of the call, even if the thread takes longer
  to stop.
- Threads are daemons: an operation that does not notice its cancellation cannot keep the process alive.
- A named caller gets another thread only if more threads are free than it already has, and the caller with
  the fewest threads is served first. So no caller waits for the backlog of another.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.kernel.call import Call

if TYPE_CHECKING:
    import asyncio

Result = TypeVar("Result")

Job = Callable[[], None]


class Workers:
    """A pool of threads, started on demand. Everything except the jobs runs on the event loop."""

    def __init__(self, max_threads: int) -> None:
        self._max_threads = self._free = max_threads
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._busy: dict[str | None, int] = {}
        """How many threads each caller has; None stands for all callers without a name."""
        self._waiting: dict[str | None, deque[Job]] = {}
        """The jobs that no thread has yet, by caller, oldest first."""

    async def run(self, work: Callable[[], Result], call: Call) -> Result:
        """Run `work` in a thread; stop waiting at the call's deadline or when the task is cancelled."""
        # Commands import this module but never call this; the import would cost each of them 17 ms.
        import asyncio

        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[Result] = loop.create_future()
        timer = DeadlineTimer(loop, outcome, call)
        job = partial(self._perform, work, loop, outcome, call.actor)
        self._waiting.setdefault(call.actor, deque()).append(job)
        self._start_waiting()
        try:
            return await outcome
        except asyncio.CancelledError:
            call.cancel()
            raise
        finally:
            timer.stop()

    def close(self) -> None:
        """Let every thread end after the jobs that are queued already."""
        for _ in self._threads:
            self._jobs.put(None)

    def _start_waiting(self) -> None:
        """Start waiting jobs while threads are free for their callers."""
        while self._waiting:
            caller = min(self._waiting, key=lambda name: self._busy.get(name, 0))
            busy = self._busy.get(caller, 0)
            if not self._free or (caller is not None and busy >= self._free):
                return
            # Removed and added again at the end, so that callers with equally many threads take turns.
            jobs = self._waiting.pop(caller)
            self._busy[caller] = busy + 1
            self._free -= 1
            if len(self._threads) < self._max_threads - self._free:
                name = f"holdfast-{len(self._threads)}"
                self._threads.append(threading.Thread(target=self._work, name=name, daemon=True))
                self._threads[-1].start()
            self._jobs.put(jobs.popleft())
            if jobs:
                self._waiting[caller] = jobs

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()

    def _perform(
        self,
        work: Callable[[], Result],
        loop: asyncio.AbstractEventLoop,
        outcome: asyncio.Future[Result],
        caller: str | None,
    ) -> None:
        try:
            deliver = partial(outcome.set_result, work())
        except BaseException as failure:
            deliver = partial(outcome.set_exception, failure)

        def finish() -> None:
            self._free += 1
            self._busy[caller] -= 1
            if not self._busy[caller]:
                del self._busy[caller]
            # After a cancellation or a missed deadline the outcome is set already.
            if not outcome.done():
                deliver()
            self._start_waiting()

        # The loop was closed while the operation ran if the process is about to exit.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(finish)


class DeadlineTimer:
    """Fails a future at a call's deadline, which moves while the operation waits for a person."""

    def __init__(self, loop: asyncio.AbstractEventLoop, outcome: asyncio.Future[Any], call: Call) -> None:
        self._loop = loop
        self._outcome = outcome
        self._call = call
        self._timer: asyncio.TimerHandle | None = None
        self._start()

    def stop(self) -> None:
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()

    def _start(self) -> None:
        remaining = self._call.remaining()
        if remaining is not None:
            self._timer = self._loop.call_later(remaining, self._expire)

    def _expire(self) -> None:
        if self._outcome.done():
            return
        if self._call.remaining():
            self._start()
            return
        self._call.cancel()
        self._outcome.set_exception(self._call.deadline_error())
