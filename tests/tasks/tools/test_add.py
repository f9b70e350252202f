"""New tasks are told as they are: what is new, what was there, what looks alike."""

from __future__ import annotations

from typing import Any

from holdfast.tasks.inputs import NewTask
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.tools.add import AddTasks, TasksAdded, add, added_text


def added(room: Tasks, **arguments: Any) -> TasksAdded:
    result: TasksAdded = add(room, AddTasks(**arguments))
    return result


def test_a_task_that_was_there_already_does_not_resemble_itself(room: Tasks):
    added(room, title="Light the lamp", client_key="k")
    assert added_text(added(room, title="Light the lamp", client_key="k")) == "TP-1 exists already."


def test_of_several_tasks_the_one_that_looks_alike_is_named_by_its_place(room: Tasks):
    added(room, title="Light the lamp")
    assert added_text(added(room, title="Light the lamp")).splitlines()[1] == "It resembles TP-1."
    several = [NewTask(title="Trim the wick"), NewTask(title="Light the lamp")]
    assert added_text(added(room, tasks=several)).splitlines()[2].startswith("Task 2 resembles TP-")
