"""Runs many tasks on executors: retries those whose process died, and yields outcomes as they complete."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from typing import NamedTuple

from holdfast.kernel.errors import Unavailable
from holdfast.storage.processes.executors import Executors

Work = Callable[[str], str]


class RepositoryTask(NamedTuple):
    """One repository's part of a run."""

    name: str
    request: str
    """The argument of the work function, as JSON."""


def outcomes(
    tasks: Sequence[RepositoryTask], work: Work, executors: Executors, retries: int
) -> Iterator[tuple[RepositoryTask, str | None]]:
    """Yield each task with its result, or with None if its process died on every try."""
    waiting = deque((task, 0) for task in tasks)
    idle = list(executors.slots)
    running: dict[Future[str], tuple[RepositoryTask, int, Executor]] = {}
    while waiting or running:
        while waiting and idle:
            task, failed = waiting.popleft()
            slot, future = _submit(executors, idle.pop(), work, task)
            running[future] = (task, failed, slot)
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            task, failed, slot = running.pop(future)
            if future.cancelled():
                raise Unavailable(
                    "The executor that ran the tasks is gone.",
                    hint="Check it and run the command again; finished results are cached.",
                )
            died = future.exception() is not None
            idle.append(executors.renewed(slot) if died else slot)
            if not died:
                yield task, future.result()
            elif executors.retries and failed < retries:
                waiting.append((task, failed + 1))
            else:
                yield task, None


def _submit(
    executors: Executors, slot: Executor, work: Work, task: RepositoryTask
) -> tuple[Executor, Future[str]]:
    try:
        return slot, slot.submit(work, task.request)
    except BrokenExecutor:  # its process died while idle
        slot = executors.renewed(slot)
        return slot, slot.submit(work, task.request)
