"""Runs many tasks through an executor: retries lost ones and yields each result as soon as it is there."""

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
    task: RepositoryTask
    work: Work
    failed: int = 0


def outcomes(
    tasks: Sequence[RepositoryTask], work: Work, executor: ProcessPool | DaskCluster, retries: int
) -> Iterator[tuple[RepositoryTask, str | None]]:
    """Yield each task with what its work returned, or None when every attempt failed."""
    waiting = deque(_Attempt(task, work) for task in tasks)
    for attempt, future in run_unordered(executor, _run, waiting, executor.size):
        if future.cancelled():
            raise Unavailable(
                "The executor that ran the tasks is gone.",
                hint="Check it and run the command again; finished tasks are kept.",
            )
        if future.exception() is None:
            yield attempt.task, future.result()
        elif executor.loses_tasks and attempt.failed < retries:
            waiting.append(attempt._replace(failed=attempt.failed + 1))
        else:
            yield attempt.task, None


def _run(attempt: _Attempt) -> str:
    return attempt.work(attempt.task.request)
