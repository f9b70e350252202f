"""What of the tasks can be read by address. Reading changes nothing, claims nothing and opens no session.

`current` stands for the workspace that is served, beside its id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from holdfast.kernel.content import Annotations
from holdfast.kernel.errors import NotFound, UnknownResource
from holdfast.kernel.resource import ListedResource, ResourceBody
from holdfast.kernel.route import FeedEvent
from holdfast.kernel.text import parse_natural
from holdfast.tasks.charts.picture import ChartFormat, painted
from holdfast.tasks.charts.plots import ChartKind, drawn
from holdfast.tasks.models import Scoped
from holdfast.tasks.store import query, rows
from holdfast.tasks.store.attachment import content_of, is_text
from holdfast.tasks.store.records import Workspace
from holdfast.tasks.store.session import check_workspace, open_sessions
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import Transaction
from holdfast.tasks.toolset import tasks
from holdfast.tasks.view.board import last_event
from holdfast.tasks.view.resource_text import JSON, json_body
from holdfast.tasks.view.results import event_out, moment, summaries, task_detail, task_refs, workspace_ref

Members = Callable[[Tasks], Iterable[ListedResource]]
"""Lists the addresses that a family has at this moment."""

TOPIC = "tasks"
MOST_TASKS = 1000
MOST_LISTED = 500
SESSION_SECONDS = 24 * 3600.0
UNFINISHED = ("in-progress", "review", "backlog", "blocked")

FOR_AGENTS = Annotations(audience=("assistant",), priority=0.9)


def served(transaction: Transaction, workspace_id: str) -> Workspace:
    """Return the workspace that an address means, which has to be the one that is served."""
    workspace = transaction.workspace
    if workspace_id not in ("current", workspace.id):
        raise UnknownResource(
            f"Resource not found: there is no workspace {workspace_id[:60]} here.",
            hint="taskpilot://workspaces lists them.",
        )
    return workspace


def _only_existing(room: Tasks) -> Workspace | None:
    if not room.exists:
        return None
    with room.reading() as transaction:
        return transaction.workspace if transaction.has_workspace else None


_document = partial(tasks.resource, mime_type=JSON, topic=TOPIC)


@_document(
    "taskpilot://workspaces",
    name="All Workspaces",
    title="🏢 TaskPilot Workspaces",
    description="List of all registered workspaces",
    specified=True,
)
def all_workspaces(room: Tasks) -> ResourceBody:
    """Return every workspace with what is going on in it."""
    listed = [item.wire() for item in summaries(room)]
    return json_body({"workspaces": listed}, name="All Workspaces", title="🏢 TaskPilot Workspaces")


def only_address(suffix: str, name: str, description: str, mime_type: str, title: str) -> Members:
    """Return what lists the one address that a family has for each workspace."""

    def listed(room: Tasks) -> Iterable[ListedResource]:
        workspace = _only_existing(room)
        if workspace is not None:
            uri = f"taskpilot://workspace/{workspace.id}/{suffix}"
            yield ListedResource(uri, name, description, mime_type, title=title, annotations=FOR_AGENTS)

    return listed


@_document(
    "taskpilot://workspace/{workspace_id}/tasks",
    name="Workspace tasks",
    title="📋 Tasks of a workspace",
    description="All tasks of one workspace",
    annotations=FOR_AGENTS,
    members=only_address("tasks", "Workspace tasks", "All tasks of this workspace", JSON, "📋 Tasks"),
    specified=True,
)
@_document(
    "taskpilot://workspace/current/tasks",
    name="Current Tasks",
    title="📋 Active Workspace Tasks",
    description="All tasks in the current workspace",
    annotations=FOR_AGENTS,
    specified=True,
)
def workspace_tasks(room: Tasks, workspace_id: str = "current") -> ResourceBody:
    """Return the tasks of a workspace, most urgent first, as lists show them."""
    with room.reading() as transaction:
        workspace = served(transaction, workspace_id)
        page = query.find(transaction, query.Query(limit=MOST_TASKS))
        listed = [item.wire() for item in task_refs(transaction, page.tasks)]
        at = transaction.ask("SELECT max(at) FROM event WHERE workspace = :workspace").fetchone()[0]
    document = {"workspace": workspace_ref(workspace).wire(), "tasks": listed, "total": page.total}
    if len(listed) < page.total:
        document["truncated"] = True
    changed = None if at is None else moment(at)
    return json_body(document, name="Current Tasks", title="📋 Active Workspace Tasks", last_modified=changed)


@_document(
    "taskpilot://workspace/{workspace_id}/files",
    name="Connected files",
    title="📁 Files that tasks are about",
    description="The files that unfinished tasks are connected with, and those tasks",
    members=only_address(
        "files", "Connected files", "The files that tasks are about", JSON, "📁 Connected files"
    ),
    specified=True,
)
def connected_files(room: Tasks, workspace_id: str) -> ResourceBody:
    """Return the files of unfinished tasks, each with the tasks that name it."""
    with room.reading() as transaction:
        workspace = served(transaction, workspace_id)
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


@_document(
    "taskpilot://workspace/{workspace_id}/ready",
    name="Ready tasks",
    title="✅ Tasks that may be taken",
    description="Tasks that nothing and nobody holds up, in the order in which they are handed out",
    annotations=FOR_AGENTS,
)
def ready_tasks(room: Tasks, workspace_id: str) -> ResourceBody:
    """Return the tasks that may be taken now."""
    with room.reading() as transaction:
        served(transaction, workspace_id)
        wanted = query.Query(ready=True, sort="ready", limit=MOST_TASKS)
        page = query.find(transaction, wanted)
        listed = [item.wire() for item in task_refs(transaction, page.tasks)]
    return json_body({"tasks": listed, "total": page.total}, name="Ready tasks")


@_document(
    "taskpilot://workspace/{workspace_id}/agents",
    name="Agents",
    title="🤖 Who is at work",
    description="Sessions of the last day, and what each of them holds",
)
def agents(room: Tasks, workspace_id: str) -> ResourceBody:
    """Return who works here, when they were last heard of, and which tasks they hold."""
    with room.reading() as transaction:
        served(transaction, workspace_id)
        held = transaction.ask(
            "SELECT claim_agent, n, claim_expires FROM task WHERE workspace = :workspace"
            " AND claim_agent IS NOT NULL AND claim_expires > :now ORDER BY n"
        ).fetchall()
        sessions = open_sessions(transaction, transaction.now - SESSION_SECONDS)
    claims = [
        {"agent": agent, "task": f"TP-{number}", "expires_at": moment(expires)}
        for agent, number, expires in held
    ]
    at_work = [
        {"agent": item.agent, "since": moment(item.started), "last_seen": moment(item.seen)}
        for item in sessions
    ]
    return json_body({"sessions": at_work, "claims": claims}, name="Agents")


def live_ids(room: Tasks, typed: str) -> list[str]:
    """Return the ids of unfinished tasks that begin like what was typed, an exact match first."""
    if _only_existing(room) is None:
        return []
    page = room.find(query.Query(status=UNFINISHED, limit=MOST_TASKS))
    wanted = typed.strip().upper()
    fitting = [task.id for task in page.tasks if task.id.startswith(wanted) or task.id[3:].startswith(wanted)]
    return sorted(fitting, key=lambda name: wanted not in (name, name[3:]))


def _unfinished(room: Tasks) -> Iterable[ListedResource]:
    """List the unfinished tasks; the finished ones can be read by the same kind of address."""
    workspace = _only_existing(room)
    if workspace is None:
        return
    with room.reading() as transaction:
        # A title is stored text, and lists are no place for it.
        found = transaction.ask(
            "SELECT n, status, updated_at FROM task WHERE workspace = :workspace"
            " AND status NOT IN ('done', 'dropped') ORDER BY priority, n LIMIT :most",
            most=MOST_LISTED,
        ).fetchall()
    for number, status, updated in found:
        yield ListedResource(
            f"taskpilot://workspace/{workspace.id}/tasks/TP-{number}",
            f"TP-{number}",
            f"A task, {status}",
            JSON,
            title=f"📌 TP-{number}",
            annotations=Annotations(audience=("assistant",), priority=0.6, last_modified=moment(updated)),
        )


@_document(
    "taskpilot://workspace/{workspace_id}/tasks/{task_id}",
    name="Task",
    title="📌 One task",
    description="Everything that is known about one task",
    topic="tasks/{task_id}",
    list_topic="tasks/*",
    annotations=FOR_AGENTS,
    members=_unfinished,
    complete={"task_id": live_ids},
    specified=True,
)
def one_task(room: Tasks, workspace_id: str, task_id: str) -> ResourceBody:
    """Return one task."""
    with room.reading() as transaction:
        served(transaction, workspace_id)
        with _missing_told():
            found = rows.find_task(transaction, task_id)
        detail = task_detail(transaction, found)
    return json_body({"task": detail.wire()}, name=found.id, last_modified=moment(found.updated_at))


@_document(
    "taskpilot://workspace/{workspace_id}/tasks/{task_id}/history",
    name="Task history",
    title="🕑 What happened to a task",
    description="Every change of one task, oldest first: who, when, what and why",
    topic="tasks/{task_id}",
)
def task_history(room: Tasks, workspace_id: str, task_id: str) -> ResourceBody:
    """Return what happened to one task."""
    with room.reading() as transaction:
        workspace = served(transaction, workspace_id)
        with _missing_told():
            found = rows.find_task(transaction, task_id)
        happened = rows.events_after(transaction, workspace.id, 0, MOST_TASKS, found.uid)
    listed = [event_out(event, {found.uid: found.id}).wire() for event in happened]
    return json_body({"task_id": found.id, "events": listed}, name=f"{found.id} history")


@tasks.resource(
    "taskpilot://workspace/{workspace_id}/{kind}/chart.{file_format}",
    name="Chart",
    title="📊 Chart",
    description="status, burndown or graph as chart.png or chart.svg",
    mime_type="image/png",
    topic=TOPIC,
    complete={
        "kind": lambda _, begun: [name for name in ("status", "burndown", "graph") if name.startswith(begun)],
        "file_format": lambda _, begun: [name for name in ("png", "svg") if name.startswith(begun)],
    },
)
def chart_picture(room: Tasks, workspace_id: str, kind: str, file_format: str) -> ResourceBody:
    """Return a chart as a file."""
    kinds: dict[str, ChartKind] = {"status": "status", "burndown": "burndown", "graph": "graph"}
    formats: dict[str, ChartFormat] = {"png": "png", "svg": "svg"}
    if kind not in kinds or file_format not in formats:
        raise UnknownResource(
            "Resource not found: there is no such chart.",
            hint="There are status, burndown and graph, each as chart.png and chart.svg.",
        )
    with room.reading() as transaction:
        served(transaction, workspace_id)
    data, mime_type = painted(drawn(room, kinds[kind])[0], formats[file_format], room.font_cache())
    return ResourceBody(data=data, mime_type=mime_type)


@tasks.resource(
    "taskpilot://workspace/{workspace_id}/attachments/{sha256}",
    name="Attachment",
    title="📎 Attachment",
    description="A file that was put on a task",
    mime_type="application/octet-stream",
)
def attachment_content(room: Tasks, workspace_id: str, sha256: str) -> ResourceBody:
    """Return a file that was put on a task, as text where it is text."""
    with room.reading() as transaction:
        served(transaction, workspace_id)
        with _missing_told():
            content = content_of(transaction, sha256)
        mime = transaction.execute(
            "SELECT mime FROM attachment WHERE sha256 = :sha256 ORDER BY name LIMIT 1", {"sha256": sha256}
        ).fetchone()[0]
    if is_text(mime):
        try:
            return ResourceBody(text=content.decode(), mime_type=mime)
        except UnicodeDecodeError:
            pass
    return ResourceBody(data=content, mime_type=mime)


@contextmanager
def _missing_told() -> Iterator[None]:
    """Tell of what is not there as of a resource that is not there."""
    try:
        yield
    except NotFound as missing:
        raise UnknownResource(f"Resource not found: {missing.message}", hint=missing.hint) from None


_EVENTS_AT_ONCE = 200


@tasks.feed("workspaces/{workspace_path}/events", topic="tasks", specified=True)
def events(room: Tasks, position: str | None, workspace_path: str) -> tuple[str, list[FeedEvent]]:
    """Return what happened in a workspace after an event, as `task.created` and the like."""
    check_workspace(room, Scoped(workspace_path=workspace_path))
    with room.reading() as transaction:
        served = transaction.workspace
        after = parse_natural(position or "")
        if position is None or after is None:
            return str(last_event(transaction)), []
        happened = rows.events_after(transaction, served.id, after, _EVENTS_AT_ONCE)
        ids = rows.ids_of(transaction, [event.task for event in happened if event.task is not None])
    told = [
        FeedEvent(str(event.seq), f"task.{event.type}", event_out(event, ids).wire()) for event in happened
    ]
    return (told[-1].id if told else position), told
