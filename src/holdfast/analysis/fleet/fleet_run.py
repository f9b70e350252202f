"""Runs the tasks of a fleet in an executor: retries lost tasks, and yields each result as soon as it is
ready."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from holdfast.kernel.errors import Unavailable
from holdfast.storage.processes.pool import DaskCluster, ProcessPool, run_unordered

Work = Callable[[str], str]


class RepositoryTask(NamedTuple):
    """One repository's part of a run."""

    name: str
    request: str
    """The argument of the work function, as JSON."""


class _Attempt(NamedTuple):
    """A task that waits for an executor, or is running."""

    task: RepositoryTask
    work: Work
    failed: int = 0
    """How many earlier attempts failed."""


def run_tasks(
    tasks: Sequence[RepositoryTask], work: Work, executor: ProcessPool | DaskCluster, retries: int
) -> Iterator[tuple[RepositoryTask, str | None]]:
    """Yield each task with the result of its work, or None if every attempt failed."""
    queue = deque(_Attempt(task, work) for task in tasks)
    for attempt, future in run_unordered(executor, _run, queue, executor.size):
        if future.cancelled():
            raise Unavailable(
                "The executor that ran the tasks is gone.",
                hint="Check it and run the command again; finished tasks are kept.",
            )
        if future.exception() is None:
            yield attempt.task, future.result()
        elif executor.loses_tasks and attempt.failed < retries:
            queue.append(attempt._replace(failed=attempt.failed + 1))
        else:
            yield attempt.task, None


def _run(attempt: _Attempt) -> str:
    return attempt.work(attempt.task.request)
