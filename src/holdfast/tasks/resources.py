"""Resources of a workspace: its task lists, connected files and agents. Reading them has no side effects.

In URIs, `current` refers to the served workspace, as its id does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from holdfast.kernel.content import ContentAnnotations
from holdfast.kernel.errors import NotFound, UnknownResource
from holdfast.kernel.resource import ListedResource, ResourceBody
from holdfast.tasks.store import query
from holdfast.tasks.store.records import TaskWorkspace
from holdfast.tasks.store.session import open_sessions
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import TaskTransaction
from holdfast.tasks.toolset import tasks
from holdfast.tasks.view.resource_text import JSON, json_body
from holdfast.tasks.view.results import summaries, task_refs, timestamp, workspace_ref

Members = Callable[[Tasks], Iterable[ListedResource]]
"""Lists the current resources of a URI template."""

TOPIC = "tasks"
MAX_TASKS = 1000
"""A chosen bound on one document, as resources have no pages; `taskpilot_list` has."""
SESSION_SECONDS = 24 * 3600.0
"""How long ago an agent may have been active to be listed: a day, so that last night's work shows up."""

FOR_AGENTS = ContentAnnotations(audience=("assistant",), priority=0.9)


def check_served(transaction: TaskTransaction, workspace_id: str) -> TaskWorkspace:
    """Return the served workspace; raise if the URI names another one."""
    workspace = transaction.workspace
    if workspace_id not in ("current", workspace.id):
        raise UnknownResource(
            f"Resource not found: there is no workspace {workspace_id[:60]} here.",
            hint="taskpilot://workspaces lists them.",
        )
    return workspace


def existing_workspace(room: Tasks) -> TaskWorkspace | None:
    """Return the workspace, or None if there is none yet."""
    if not room.exists:
        return None
    with room.reading() as transaction:
        return transaction.workspace if transaction.has_workspace else None


document = partial(tasks.resource, mime_type=JSON, topic=TOPIC)


@document(
    "taskpilot://workspaces",
    name="All Workspaces",
    title="🏢 TaskPilot Workspaces",
    description="List of all registered workspaces",
    specified=True,
)
def all_workspaces(room: Tasks) -> ResourceBody:
    """Return a summary of every workspace."""
    listed = [item.wire() for item in summaries(room)]
    return json_body({"workspaces": listed}, name="All Workspaces", title="🏢 TaskPilot Workspaces")


def workspace_member(suffix: str, name: str, description: str, mime_type: str, title: str) -> Members:
    """Return a function that lists the one resource of a URI template with only the workspace as variable."""

    def listed(room: Tasks) -> Iterable[ListedResource]:
        workspace = existing_workspace(room)
        if workspace is not None:
            uri = f"taskpilot://workspace/{workspace.id}/{suffix}"
            yield ListedResource(uri, name, description, mime_type, title=title, annotations=FOR_AGENTS)

    return listed


@document(
    "taskpilot://workspace/{workspace_id}/tasks",
    name="Workspace tasks",
    title="📋 Tasks of a workspace",
    description="All tasks of one workspace",
    annotations=FOR_AGENTS,
    members=workspace_member("tasks", "Workspace tasks", "All tasks of this workspace", JSON, "📋 Tasks"),
    specified=True,
)
@document(
    "taskpilot://workspace/current/tasks",
    name="Current Tasks",
    title="📋 Active Workspace Tasks",
    description="All tasks in the current workspace",
    annotations=FOR_AGENTS,
    specified=True,
)
def workspace_tasks(room: Tasks, workspace_id: str = "current") -> ResourceBody:
    """Return the tasks of a workspace in brief, by priority."""
    with room.reading() as transaction:
        workspace = check_served(transaction, workspace_id)
        page = query.find(transaction, query.Query(limit=MAX_TASKS))
        listed = [item.wire() for item in task_refs(transaction, page.tasks)]
        at = transaction.ask("SELECT max(at) FROM event WHERE workspace = :workspace").fetchone()[0]
    document = {"workspace": workspace_ref(workspace).wire(), "tasks": listed, "total": page.total}
    if len(listed) < page.total:
        document["truncated"] = True
    changed = None if at is None else timestamp(at)
    return json_body(document, name="Current Tasks", title="📋 Active Workspace Tasks", last_modified=changed)


@document(
    "taskpilot://workspace/{workspace_id}/files",
    name="Connected files",
    title="📁 Files that tasks are about",
    description="The files that unfinished tasks are connected to, each with those tasks",
    members=workspace_member(
        "files", "Connected files", "The files that tasks are about", JSON, "📁 Connected files"
    ),
    specified=True,
)
def connected_files(room: Tasks, workspace_id: str) -> ResourceBody:
    """Return the files of unfinished tasks, each with the tasks that name it."""
    with room.reading() as transaction:
        workspace = check_served(transaction, workspace_id)
        found = transaction.ask(
            "SELECT file.path, task.n FROM file JOIN task ON task.uid = file.task"
            " WHERE task.workspace = :workspace AND task.status NOT IN ('done', 'dropped')"
            " ORDER BY file.path, task.n"
        )
        files: dict[str, list[str]] = {}
        for path, number in found:
            files.setdefault(path, []).append(f"TP-{number}")
    listed = [{"path": path, "tasks": named} for path, named in files.items()]
    return json_body({"workspace": workspace_ref(workspace).wire(), "files": listed}, name="Connected files")


@document(
    "taskpilot://workspace/{workspace_id}/ready",
    name="Ready tasks",
    title="✅ Tasks that may be taken",
    description="Tasks that are not blocked and not claimed, in the order in which they are assigned",
    annotations=FOR_AGENTS,
)
def ready_tasks(room: Tasks, workspace_id: str) -> ResourceBody:
    """Return the tasks that may be taken now."""
    with room.reading() as transaction:
        check_served(transaction, workspace_id)
        wanted = query.Query(ready=True, sort="ready", limit=MAX_TASKS)
        page = query.find(transaction, wanted)
        listed = [item.wire() for item in task_refs(transaction, page.tasks)]
    return json_body({"tasks": listed, "total": page.total}, name="Ready tasks")


@document(
    "taskpilot://workspace/{workspace_id}/agents",
    name="Agents",
    title="🤖 Active agents",
    description="Sessions of the last day, and the claimed tasks",
)
def agents(room: Tasks, workspace_id: str) -> ResourceBody:
    """Return the sessions of the last day, and the claims."""
    with room.reading() as transaction:
        check_served(transaction, workspace_id)
        held = transaction.ask(
            "SELECT claim_agent, n, claim_expires FROM task WHERE workspace = :workspace"
            " AND claim_agent IS NOT NULL AND claim_expires > :now ORDER BY n"
        ).fetchall()
        sessions = open_sessions(transaction, transaction.now - SESSION_SECONDS)
    claims = [
        {"agent": agent, "task": f"TP-{number}", "expires_at": timestamp(expires)}
        for agent, number, expires in held
    ]
    active = [
        {"agent": item.agent, "since": timestamp(item.started), "last_seen": timestamp(item.seen)}
        for item in sessions
    ]
    return json_body({"sessions": active, "claims": claims}, name="Agents")


@contextmanager
def unknown_if_missing() -> Iterator[None]:
    """Turn `NotFound` into the error of an unknown resource."""
    try:
        yield
    except NotFound as missing:
        raise UnknownResource(f"Resource not found: {missing.message}", hint=missing.hint) from None
