"""Resources about single tasks: the task, and its history."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.kernel.content import ContentAnnotations
from holdfast.kernel.resource import ListedResource, ResourceBody
from holdfast.tasks.resources import (
    FOR_AGENTS,
    MAX_DOCUMENT_TASKS,
    find_workspace_or_none,
    json_resource,
    served_workspace,
    unknown_resource_if_missing,
)
from holdfast.tasks.store import history, query, rows
from holdfast.tasks.store.records import task_id as short_id
from holdfast.tasks.store.states import FINISHED, IS_UNFINISHED, STATUSES
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.view.resource_text import JSON, json_body
from holdfast.tasks.view.results import event_out, task_detail, timestamp

MAX_LISTED_TASKS = 500
"""Tasks in the list of resources. A judgement: clients read that list on every connection."""
UNFINISHED = tuple(status for status in STATUSES if status not in FINISHED)


def complete_task_id(room: Tasks, typed: str) -> list[str]:
    """Return the ids of unfinished tasks that start with the typed text, with or without `TP-`.

    An exact match comes first; the others are in order of priority and number.
    """
    if find_workspace_or_none(room) is None:
        return []
    page = room.find(query.Query(status=UNFINISHED, limit=MAX_DOCUMENT_TASKS))
    prefix = typed.strip().upper()
    matching = [task for task in page.tasks if task.id.startswith(prefix) or str(task.n).startswith(prefix)]
    return [task.id for task in sorted(matching, key=lambda task: prefix not in (task.id, str(task.n)))]


def _list_unfinished_tasks(room: Tasks) -> Iterable[ListedResource]:
    """Yield the unfinished tasks; finished ones can be read, too, but are not listed."""
    workspace = find_workspace_or_none(room)
    if workspace is None:
        return
    with room.reading() as transaction:
        # Titles are untrusted text and do not belong in resource lists.
        rows = transaction.run_in_workspace(
            "SELECT n, status, updated_at FROM task WHERE workspace = :workspace"
            f" AND {IS_UNFINISHED} ORDER BY priority, n LIMIT :maximum",
            maximum=MAX_LISTED_TASKS,
        ).fetchall()
    for number, status, updated in rows:
        name = short_id(number)
        yield ListedResource(
            f"taskpilot://workspace/{workspace.id}/tasks/{name}",
            name,
            f"A task, {status}",
            JSON,
            title=f"📌 {name}",
            annotations=ContentAnnotations(
                audience=("assistant",), priority=0.6, last_modified=timestamp(updated)
            ),
        )


@json_resource(
    "taskpilot://workspace/{workspace_id}/tasks/{task_id}",
    name="Task",
    title="📌 One task",
    description="One task with all its details",
    topic="tasks/{task_id}",
    list_topic="tasks/*",
    annotations=FOR_AGENTS,
    members=_list_unfinished_tasks,
    complete={"task_id": complete_task_id},
    specified=True,
)
def one_task(room: Tasks, workspace_id: str, task_id: str) -> ResourceBody:
    """Return one task."""
    with room.reading() as transaction:
        served_workspace(transaction, workspace_id)
        with unknown_resource_if_missing():
            found = rows.find_task(transaction, task_id)
        detail = task_detail(transaction, found)
    return json_body({"task": detail.wire()}, name=found.id, last_modified=timestamp(found.updated_at))


@json_resource(
    "taskpilot://workspace/{workspace_id}/tasks/{task_id}/history",
    name="Task history",
    title="🕑 History of a task",
    description="Every change of one task, oldest first: who, when, what and why",
    topic="tasks/{task_id}",
)
def task_history(room: Tasks, workspace_id: str, task_id: str) -> ResourceBody:
    """Return the events of one task, oldest first and at most `MAX_DOCUMENT_TASKS`."""
    with room.reading() as transaction:
        workspace = served_workspace(transaction, workspace_id)
        with unknown_resource_if_missing():
            found = rows.find_task(transaction, task_id)
        events = history.events_after(transaction, workspace.id, 0, MAX_DOCUMENT_TASKS, found.uid)
    listed = [event_out(event, {found.uid: found.id}).wire() for event in events]
    return json_body({"task_id": found.id, "events": listed}, name=f"{found.id} history")
