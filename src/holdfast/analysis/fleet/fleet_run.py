"""Many tasks through executors: each again where its process died, each outcome as soon as it is there."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from typing import NamedTuple, Protocol

Work = Callable[[str], str]


class Task(NamedTuple):
    """One repository's part of a run."""

    name: str
    asked: str
    """What the work is given, as JSON."""


class Executors(Protocol):
    """Where tasks run: each slot takes one at a time, and several may be of one executor."""

    slots: list[Executor]
    retries: bool
    """Whether a task whose process died is to be tried again, or was by the executor itself."""

    def renewed(self, slot: Executor) -> Executor:
        """Return what takes the place of a slot that failed."""

    def close(self) -> None:
        """End what runs, at once."""


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
            died = future.cancelled() or future.exception() is not None
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
