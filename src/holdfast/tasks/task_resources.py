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
from holdfast.tasks.store.records import PREFIX
from holdfast.tasks.store.states import FINISHED, IS_UNFINISHED, STATUSES
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.view.resource_text import JSON, json_body
from holdfast.tasks.view.results import event_out, task_detail, timestamp

MAX_LISTED_TASKS = 500
"""Tasks in the list of resources. A judgement, as clients read that list on every connection."""
UNFINISHED = tuple(status for status in STATUSES if status not in FINISHED)


def complete_task_id(room: Tasks, typed: str) -> list[str]:
    """Return the ids of unfinished tasks that start with the typed text, an exact match first."""
    if find_workspace_or_none(room) is None:
        return []
    page = room.find(query.Query(status=UNFINISHED, limit=MAX_DOCUMENT_TASKS))
    prefix = typed.strip().upper()
    ids = [task.id for task in page.tasks]
    found = [name for name in ids if name.startswith(prefix) or _number_in(name).startswith(prefix)]
    return sorted(found, key=lambda name: prefix not in (name, _number_in(name)))


def _number_in(name: str) -> str:
    return name.removeprefix(PREFIX)


def _list_unfinished_tasks(room: Tasks) -> Iterable[ListedResource]:
    """Yield the unfinished tasks; finished ones can be read, too, but are not listed."""
    workspace = find_workspace_or_none(room)
    if workspace is None:
        return
    with room.reading() as transaction:
        # Titles are untrusted text and do not belong in resource lists.
        found = transaction.run_in_workspace(
            "SELECT n, status, updated_at FROM task WHERE workspace = :workspace"
            f" AND {IS_UNFINISHED} ORDER BY priority, n LIMIT :maximum",
            maximum=MAX_LISTED_TASKS,
        ).fetchall()
    for number, status, updated in found:
        yield ListedResource(
            f"taskpilot://workspace/{workspace.id}/tasks/TP-{number}",
            f"TP-{number}",
            f"A task, {status}",
            JSON,
            title=f"📌 TP-{number}",
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
    """Return the events of one task."""
    with room.reading() as transaction:
        workspace = served_workspace(transaction, workspace_id)
        with unknown_resource_if_missing():
            found = rows.find_task(transaction, task_id)
        events = history.events_after(transaction, workspace.id, 0, MAX_DOCUMENT_TASKS, found.uid)
    listed = [event_out(event, {found.uid: found.id}).wire() for event in events]
    return json_body({"task_id": found.id, "events": listed}, name=f"{found.id} history")
