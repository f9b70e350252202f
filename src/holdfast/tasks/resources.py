"""Resources with the lists of a workspace: tasks, connected files, agents. Reading them has no side effects.

In URIs, the served workspace is named by its id or by `current`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from holdfast.kernel.content import ContentAnnotations
from holdfast.kernel.errors import NotFound, UnknownResource
from holdfast.kernel.resource import Complete, ListedResource, ResourceBody
from holdfast.tasks.store import query
from holdfast.tasks.store.records import TaskWorkspace, task_id
from holdfast.tasks.store.session import recent_sessions
from holdfast.tasks.store.states import IS_UNFINISHED
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import TaskTransaction
from holdfast.tasks.toolset import tasks
from holdfast.tasks.view.resource_text import JSON, json_body
from holdfast.tasks.view.results import task_refs, timestamp, workspace_ref
from holdfast.tasks.view.workspace_summary import workspace_summaries

ResourceLister = Callable[[Tasks], Iterable[ListedResource]]
"""A function that lists the existing resources of a URI template."""

TOPIC = "tasks"
MAX_DOCUMENT_TASKS = 1000
"""Tasks or events in one resource. A judgement: about 200 kB of tasks; `taskpilot_list` has pages."""
LISTED_SESSION_SECONDS = 24 * 3600.0
"""An agent is listed for so long after its last call. A judgement: a day, to include last night's work."""

FOR_AGENTS = ContentAnnotations(audience=("assistant",), priority=0.9)
"""MCP's priority goes from 0, optional, to 1, required. Lists of tasks come first, then rules with 0.8, then
single tasks with 0.6."""


def served_workspace(transaction: TaskTransaction, workspace_id: str) -> TaskWorkspace:
    """Return the served workspace; raise if a URI names another workspace."""
    workspace = transaction.workspace
    if workspace_id not in ("current", workspace.id):
        raise UnknownResource(
            f"Resource not found: there is no workspace {workspace_id[:60]} here.",
            hint="taskpilot://workspaces lists them.",
        )
    return workspace


def find_workspace_or_none(room: Tasks) -> TaskWorkspace | None:
    """Return the served workspace, or None if there is none yet."""
    if not room.exists:
        return None
    with room.reading() as transaction:
        return transaction.workspace if transaction.has_workspace else None


json_resource = partial(tasks.resource, mime_type=JSON, topic=TOPIC)


@json_resource(
    "taskpilot://workspaces",
    name="All Workspaces",
    title="🏢 TaskPilot Workspaces",
    description="List of all registered workspaces",
    specified=True,
)
def all_workspaces(room: Tasks) -> ResourceBody:
    """Return a summary of every workspace of the database."""
    listed = [item.wire() for item in workspace_summaries(room)]
    return json_body({"workspaces": listed}, name="All Workspaces", title="🏢 TaskPilot Workspaces")


def list_workspace_resource(
    suffix: str, *, name: str, description: str, title: str, mime_type: str = JSON
) -> ResourceLister:
    """Return a function that lists the served workspace's resource at `suffix`, if there is a workspace."""

    def list_resource(room: Tasks) -> Iterable[ListedResource]:
        workspace = find_workspace_or_none(room)
        if workspace is not None:
            uri = f"taskpilot://workspace/{workspace.id}/{suffix}"
            yield ListedResource(uri, name, description, mime_type, title=title, annotations=FOR_AGENTS)

    return list_resource


@json_resource(
    "taskpilot://workspace/{workspace_id}/tasks",
    name="Workspace tasks",
    title="📋 Tasks of a workspace",
    description="All tasks of one workspace",
    annotations=FOR_AGENTS,
    members=list_workspace_resource(
        "tasks", name="Workspace tasks", description="All tasks of this workspace", title="📋 Tasks"
    ),
    specified=True,
)
@json_resource(
    "taskpilot://workspace/current/tasks",
    name="Current Tasks",
    title="📋 Active Workspace Tasks",
    description="All tasks in the current workspace",
    annotations=FOR_AGENTS,
    specified=True,
)
def workspace_tasks(room: Tasks, workspace_id: str = "current") -> ResourceBody:
    """Return the tasks of a workspace, by priority and without their details."""
    with room.reading() as transaction:
        workspace = served_workspace(transaction, workspace_id)
        page = query.find(transaction, query.Query(limit=MAX_DOCUMENT_TASKS))
        listed = [item.wire() for item in task_refs(transaction, page.tasks)]
        query_newest = "SELECT max(at) FROM event WHERE workspace = :workspace"
        at = transaction.run_in_workspace(query_newest).fetchone()[0]
    document = {"workspace": workspace_ref(workspace).wire(), "tasks": listed, "total": page.total}
    if len(listed) < page.total:
        document["truncated"] = True
    changed = None if at is None else timestamp(at)
    return json_body(document, name="Current Tasks", title="📋 Active Workspace Tasks", last_modified=changed)


@json_resource(
    "taskpilot://workspace/{workspace_id}/files",
    name="Connected files",
    title="📁 Files that tasks are about",
    description="The files that unfinished tasks are connected to, each with those tasks",
    members=list_workspace_resource(
        "files",
        name="Connected files",
        description="The files that tasks are about",
        title="📁 Connected files",
    ),
    specified=True,
)
def connected_files(room: Tasks, workspace_id: str) -> ResourceBody:
    """Return the files that unfinished tasks are connected to, each with those tasks."""
    with room.reading() as transaction:
        workspace = served_workspace(transaction, workspace_id)
        rows = transaction.run_in_workspace(
            "SELECT file.path, task.n FROM file JOIN task ON task.uid = file.task"
            f" WHERE task.workspace = :workspace AND task.{IS_UNFINISHED}"
            " ORDER BY file.path, task.n"
        )
        files: dict[str, list[str]] = {}
        for path, number in rows:
            files.setdefault(path, []).append(task_id(number))
    listed = [{"path": path, "tasks": ids} for path, ids in files.items()]
    return json_body({"workspace": workspace_ref(workspace).wire(), "files": listed}, name="Connected files")


@json_resource(
    "taskpilot://workspace/{workspace_id}/ready",
    name="Ready tasks",
    title="✅ Tasks that may be taken",
    description="Tasks that are not blocked and not claimed, in the order in which they are assigned",
    annotations=FOR_AGENTS,
)
def ready_tasks(room: Tasks, workspace_id: str) -> ResourceBody:
    """Return the tasks that may be taken now."""
    wanted = query.Query(ready=True, sort="ready", limit=MAX_DOCUMENT_TASKS)
    with room.reading() as transaction:
        served_workspace(transaction, workspace_id)
        page = query.find(transaction, wanted)
        listed = [item.wire() for item in task_refs(transaction, page.tasks)]
    return json_body({"tasks": listed, "total": page.total}, name="Ready tasks")


@json_resource(
    "taskpilot://workspace/{workspace_id}/agents",
    name="Agents",
    title="🤖 Active agents",
    description="Sessions of the last day, and the claimed tasks",
)
def agents(room: Tasks, workspace_id: str) -> ResourceBody:
    """Return the sessions of the last day, and the live claims."""
    with room.reading() as transaction:
        served_workspace(transaction, workspace_id)
        held = transaction.run_in_workspace(
            "SELECT claim_agent, n, claim_expires FROM task WHERE workspace = :workspace"
            " AND claim_agent IS NOT NULL AND claim_expires > :now ORDER BY n"
        ).fetchall()
        sessions = recent_sessions(transaction, transaction.now - LISTED_SESSION_SECONDS)
    claims = [
        {"agent": agent, "task": task_id(number), "expires_at": timestamp(expires)}
        for agent, number, expires in held
    ]
    active = [
        {"agent": item.agent, "since": timestamp(item.started), "last_seen": timestamp(item.seen)}
        for item in sessions
    ]
    return json_body({"sessions": active, "claims": claims}, name="Agents")


def complete_from(names: Sequence[str]) -> Complete:
    """Return a function that completes a part of a URI with these names."""
    return lambda _room, prefix: [name for name in names if name.startswith(prefix)]


@contextmanager
def unknown_resource_if_missing() -> Iterator[None]:
    """Turn `NotFound` into the error that MCP has for resources."""
    try:
        yield
    except NotFound as missing:
        raise UnknownResource(f"Resource not found: {missing.message}", hint=missing.hint) from None
