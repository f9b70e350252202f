"""Tells memories where symbols are defined, and which tasks the caller holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from holdfast.comments.memory.surroundings import Surroundings, SymbolPlace, TaskTopic
from holdfast.kernel.errors import HoldfastError

if TYPE_CHECKING:
    from holdfast.tasks.store.records import Task
    from holdfast.tasks.store.tasks import Tasks

_MAX_TASKS = 5
"""Held tasks that count for a session. A judgement: nobody works on more at once."""


class MemorySurroundings(Surroundings):
    """The symbols and tasks of one workspace."""

    def __init__(self, room: Callable[[str], Any]) -> None:
        self._room = room

    def definitions(self, name: str) -> Sequence[SymbolPlace]:
        from holdfast.analysis.engine.scan import Project

        scan = self._room("analyze").scan(Project())
        return [
            SymbolPlace(path, found.path, found.line, found.end_line)
            for path, record in scan.files.items()
            for found in record.names.definitions
            if f".{found.path}".endswith(f".{name}")
        ]

    def held_tasks(self) -> Sequence[TaskTopic]:
        """Return the tasks that the caller holds; none if there are no tasks or they cannot be read."""
        from holdfast.tasks.caller import caller_name
        from holdfast.tasks.store.query import Query

        tasks: Tasks = self._room("tasks")
        try:
            if not tasks.exists:
                return ()
            page = tasks.find(Query(agent=caller_name(tasks), limit=_MAX_TASKS))
            return [_topic(tasks, task) for task in page.tasks]
        except HoldfastError:
            return ()

    def task(self, task_id: str) -> TaskTopic:
        tasks: Tasks = self._room("tasks")
        return _topic(tasks, tasks.get(task_id))


def _topic(tasks: Tasks, task: Task) -> TaskTopic:
    from holdfast.tasks.store.items import files_of

    with tasks.reading() as transaction:
        paths = tuple(file.path for file in files_of(transaction.connection, task.uid))
    return TaskTopic(f"{task.title} {task.description}", paths)
