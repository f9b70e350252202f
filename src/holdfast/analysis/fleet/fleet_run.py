"""Many tasks through executors: each again where its process died, each outcome as soon as it is there."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from typing import NamedTuple

from holdfast.kernel.errors import Unavailable
from holdfast.storage.processes.executors import Executors

Work = Callable[[str], str]


class Task(NamedTuple):
    """One repository's part of a run."""

    name: str
    asked: str
    """What the work is given, as JSON."""


def outcomes(
    tasks: Sequence[Task], work: Work, executors: Executors, retries: int
) -> Iterator[tuple[Task, str | None]]:
    """Yield each task with what its work returned; with None where that was never told, time after time."""
    waiting = deque((task, 0) for task in tasks)
    idle = list(executors.slots)
    running: dict[Future[str], tuple[Task, int, Executor]] = {}
    while waiting or running:
        while waiting and idle:
            task, failed = waiting.popleft()
            slot, future = _submitted(executors, idle.pop(), work, task)
            running[future] = (task, failed, slot)
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            task, failed, slot = running.pop(future)
            if future.cancelled():
                raise Unavailable(
                    "What ran the tasks is no longer there.",
                    hint="Look after it and run the command again; what is done is kept.",
                )
            died = future.exception() is not None
            idle.append(executors.renewed(slot) if died else slot)
            if not died:
                yield task, future.result()
            elif executors.retries and failed < retries:
                waiting.append((task, failed + 1))
            else:
                yield task, None


def _submitted(executors: Executors, slot: Executor, work: Work, task: Task) -> tuple[Executor, Future[str]]:
    try:
        return slot, slot.submit(work, task.asked)
    except BrokenExecutor:  # its process died while it had nothing to do
        slot = executors.renewed(slot)
        return slot, slot.submit(work, task.asked)
