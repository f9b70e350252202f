"""Runs the tasks of a fleet in an executor: retries lost tasks, and yields each result as soon as it is
ready."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from holdfast.kernel.errors import Unavailable
from holdfast.storage.processes.pool import DaskCluster, ProcessPool, run_unordered

Work = Callable[[str], str]


class RepositoryTask(NamedTuple):
    """One repository's part of a run."""

    name: str
    request: str
    """The argument of the work function, as JSON."""


def run_tasks(
    tasks: Sequence[RepositoryTask], work: Work, executor: ProcessPool | DaskCluster, retries: int
) -> Iterator[tuple[RepositoryTask, str | None]]:
    """Yield each task with the result of its work, or None if every attempt failed; in any order.

    Tasks are retried here only if the executor does not do so itself.
    """
    queue, lost = deque(tasks), Counter[str]()
    for task, future in run_unordered(executor, partial(_run, work), queue, executor.size):
        if future.cancelled():
            raise Unavailable(
                "The executor that ran the tasks is gone.",
                hint="Check it and run the command again; finished tasks are kept.",
            )
        if future.exception() is None:
            yield task, future.result()
        elif executor.loses_tasks and lost[task.name] < retries:
            lost[task.name] += 1
            queue.append(task)
        else:
            yield task, None


def _run(work: Work, task: RepositoryTask) -> str:
    return work(task.request)
