"""Threads that run operations beside an event loop.

Contract:
- A job runs in some worker as soon as one is free; workers are started when none is, up to a limit.
- Workers are daemons: an operation that does not notice its cancellation cannot keep the process alive.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.kernel.call import Call
from holdfast.kernel.errors import DeadlineExceeded

if TYPE_CHECKING:
    import asyncio

Result = TypeVar("Result")
Job = Callable[[], None]


class Workers:
    """A pool of threads, grown on demand. Everything but the jobs themselves happens on the event loop."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._unfinished = 0

    async def run(self, work: Callable[[], Result], call: Call) -> Result:
        """Run `work` in a worker; give up at the call's deadline or when the task is cancelled."""
        # Commands share this module's importers and never come here; the import would cost them 17 ms.
        import asyncio

        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[Result] = loop.create_future()
        watch = DeadlineWatch(loop, outcome, call)
        self._submit(lambda: self._perform(work, loop, outcome))
        try:
            return await outcome
        except asyncio.CancelledError:
            call.cancel()
            raise
        finally:
            watch.stop()

    def close(self) -> None:
        """Let every worker end once it has nothing left to do."""
        for _ in self._threads:
            self._jobs.put(None)

    def _submit(self, job: Job) -> None:
        self._unfinished += 1
        if len(self._threads) < min(self._unfinished, self._most):
            thread = threading.Thread(target=self._work, name=f"holdfast-{len(self._threads)}", daemon=True)
            self._threads.append(thread)
            thread.start()
        self._jobs.put(job)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()

    def _perform(
        self, work: Callable[[], Result], loop: asyncio.AbstractEventLoop, outcome: asyncio.Future[Result]
    ) -> None:
        try:
            result = work()
        except BaseException as failure:
            self._deliver(loop, outcome, outcome.set_exception, failure)
        else:
            self._deliver(loop, outcome, outcome.set_result, result)

    def _deliver(
        self,
        loop: asyncio.AbstractEventLoop,
        outcome: asyncio.Future[Result],
        setter: Callable[..., None],
        value: object,
    ) -> None:
        def settle() -> None:
            self._unfinished -= 1
            # Nobody waits for an operation that was cancelled or ran out of time.
            if not outcome.done():
                setter(value)

        try:
            loop.call_soon_threadsafe(settle)
        except RuntimeError:
            # The loop was closed while the operation ran: the process is on its way out.
            return


class DeadlineWatch:
    """Ends a wait at a call's deadline, which moves while the operation waits for a person."""

    def __init__(self, loop: asyncio.AbstractEventLoop, outcome: asyncio.Future[Any], call: Call) -> None:
        self._loop = loop
        self._outcome = outcome
        self._call = call
        self._timer: asyncio.TimerHandle | None = None
        self._wind()

    def stop(self) -> None:
        """Watch no more."""
        if self._timer is not None:
            self._timer.cancel()

    def _wind(self) -> None:
        remaining = self._call.remaining()
        if remaining is not None:
            self._timer = self._loop.call_later(remaining, self._expire)

    def _expire(self) -> None:
        if self._outcome.done():
            return
        if self._call.remaining():
            self._wind()
            return
        self._call.cancel()
        self._outcome.set_exception(
            DeadlineExceeded(
                "The operation did not finish in time.", hint="Narrow the request, or ask for fewer items."
            )
        )
