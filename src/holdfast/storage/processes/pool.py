"""A pool of worker processes behind `concurrent.futures.Executor`, or a Dask cluster instead.

Contract:
- If a worker dies, or exceeds the time limit for a task, only that task is lost: its future fails with
  `WorkerLost`, and the next task gets another worker.
- `shutdown` ends every worker at once.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any, TypeVar

from holdfast.kernel.call import current_call
from holdfast.kernel.clock import monotonic
from holdfast.kernel.errors import InvalidArguments, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.storage.processes.child import cores, start_interpreter
from holdfast.storage.processes.time_limit import POLL_SECONDS
from holdfast.storage.processes.worker import Request, Start, Worker, WorkerLost

Item = TypeVar("Item")

LOCAL_EXECUTOR = "process"
DASK_PREFIX = "dask://"

_MAX_START_ATTEMPTS = 3
"""A judgement: memory may be short for a short time; a program that cannot start at all fails each time."""
CONNECT_SECONDS = 10
"""A judgement: a scheduler on the same network answers within a second, and a person waits for this."""


class ProcessPool(Executor):
    """Up to `size` worker processes, started as tasks arrive; a lost one is replaced."""

    loses_tasks = True
    """Whether a lost worker makes its task fail, so that the caller may have to submit the task again."""

    def __init__(
        self,
        size: int | None = None,
        *,
        initializer: Callable[..., object] | None = None,
        initargs: tuple[Any, ...] = (),
        task_seconds: float | None = None,
        start: Start = start_interpreter,
    ) -> None:
        """Each worker first calls `initializer(*initargs)`; `start` starts the process that runs `main`."""
        self.size = size or cores()
        self._first_request = (initializer or _do_nothing, initargs)
        self._task_seconds = task_seconds
        self._start = start
        self._idle: list[Worker] = []
        self._stopped = threading.Event()
        # One thread per worker sends it a task and waits for the answer.
        self._threads = ThreadPoolExecutor(self.size, thread_name_prefix="pool")

    def submit(self, function: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        """Run an importable function in a worker."""
        return self._threads.submit(self._run, (function, args, named))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """End the workers; tasks that have not begun are cancelled, those that have fail."""
        self._stopped.set()
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        while self._idle:
            self._idle.pop().end()

    def _run(self, request: Request) -> Any:
        worker = self._idle_worker() or self._new_worker()
        try:
            return worker.call(request, self._time_limit(self._task_seconds))
        except WorkerLost:
            worker.end()
            raise
        finally:
            if not worker.has_ended:
                self._idle.append(worker)

    def _time_limit(self, seconds: float | None) -> Callable[[], None]:
        """Return a function that raises after some seconds, and once the pool is shut down."""
        deadline = None if seconds is None else monotonic() + seconds

        def check() -> None:
            if self._stopped.is_set() or (deadline is not None and monotonic() > deadline):
                raise WorkerLost("the worker was ended before it answered")

        return check

    def _idle_worker(self) -> Worker | None:
        while True:
            try:
                worker = self._idle.pop()
            except IndexError:
                return None
            if not worker.has_ended:
                return worker
            worker.end()

    def _new_worker(self) -> Worker:
        for _ in range(_MAX_START_ATTEMPTS):
            if self._stopped.is_set():
                raise WorkerLost("the pool was shut down")
            worker = Worker(self._start)
            try:
                worker.call((*self._first_request, {}), self._time_limit(LIMITS.file_seconds))
            except WorkerLost:
                worker.end()
            except BaseException:
                worker.end()
                raise
            else:
                return worker
        raise Unavailable(
            "A further process could not be started.", hint="Free some memory, or ask for one worker."
        )


class DaskCluster(Executor):
    """The workers of a Dask cluster, whose scheduler itself repeats the tasks of a lost worker."""

    loses_tasks = False

    def __init__(self, address: str, size: int | None = None) -> None:
        client = _client_class()
        try:
            self._client: Any = client(f"tcp://{address}", timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError):  # the library's message may contain details of this machine
            raise Unavailable(
                f"No Dask scheduler answers at {address}.", hint="Check that it runs, and its address."
            ) from None
        self._executor: Executor = self._client.get_executor(pure=False)
        self.size = size or max(1, sum(self._client.nthreads().values()))

    def submit(self, function: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        """Run a function on the cluster."""
        return self._executor.submit(function, *args, **named)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:  # noqa: ARG002 - of Executor
        """Leave the cluster. Unfinished tasks are withdrawn in any case."""
        self._executor.shutdown(wait=False)  # withdraws them
        self._client.close()


def _client_class() -> Any:
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise Unavailable(
            "A Dask cluster needs the library distributed, which is not installed.",
            hint="Install it with: pip install 'holdfast[cluster]'. Or use the executor process.",
        ) from None
    return Client


def create_executor(name: str, size: int | None) -> ProcessPool | DaskCluster:
    """Return an executor for `process` or `dask://HOST:PORT`."""
    if name == LOCAL_EXECUTOR:
        # With the environment, in which workers run git with the user's own configuration.
        return ProcessPool(size, start=partial(start_interpreter, environment=os.environ))
    address = name.removeprefix(DASK_PREFIX)
    if address == name or not address.rpartition(":")[2].isdecimal() or "/" in address:
        raise InvalidArguments(
            f'"{name}" is not an executor.',
            hint=f"Give {LOCAL_EXECUTOR}, or {DASK_PREFIX}HOST:PORT of a scheduler.",
        )
    return DaskCluster(address, size)


def run_unordered(
    executor: Executor, work: Callable[[Item], Any], waiting: deque[Item], max_in_flight: int
) -> Iterator[tuple[Item, Future[Any]]]:
    """Run `work` for each waiting item; yield the items with their completed futures, in any order.

    At most `max_in_flight` items are submitted at a time. The caller may append items to `waiting` meanwhile,
    for example to try one again.
    """
    call = current_call()
    running: dict[Future[Any], Item] = {}
    while waiting or running:
        while waiting and len(running) < max_in_flight:
            item = waiting.popleft()
            running[executor.submit(work, item)] = item
        for future in wait(running, POLL_SECONDS, FIRST_COMPLETED).done:
            yield running.pop(future), future
        call.check()


def _do_nothing() -> None:
    pass
