"""Reading single things: the workspaces, one task, the graph, and what happens."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from holdfast.kernel.operation import Effect
from holdfast.kernel.resource import Address, FeedEvent
from holdfast.kernel.text import shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks import figures
from holdfast.tasks.annotations import READING
from holdfast.tasks.caller import acting, check_workspace
from holdfast.tasks.models import InSession, Reported, Result, Scoped, TaskDetail, TaskId
from holdfast.tasks.store import rows
from holdfast.tasks.store.records import Workspace
from holdfast.tasks.store.states import Status
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import tasks
from holdfast.tasks.view.budget import DEFAULT_BYTES, MOST_BYTES, fitting, shortened
from holdfast.tasks.view.results import event_out, moment, task_detail, workspace_ref
from holdfast.tasks.view.terminal import task_table
from holdfast.tasks.view.text import graph_words, task_words, workspaces_words

MOST_NODES = 500
_EVENTS_AT_ONCE = 200
_USUAL_NODES = 40
_TITLE = 80


class AnyWorkspace(Scoped):
    """Nothing to choose: all workspaces are listed."""


class WantedGraph(Scoped):
    """How much of the graph."""

    limit: int = Field(default=_USUAL_NODES, ge=1, le=MOST_NODES, description="Most tasks to return.")


class WorkspaceSummary(Result):
    """A workspace as lists show it."""

    id: str
    name: UntrustedText
    path: str
    status: str = Field(description="active where somebody worked here in the last five minutes, else idle.")
    last_activity: str | None = None
    task_count: int
    active_task: str | None = Field(default=None, description="The task that was taken last.")
    created_at: str


class Workspaces(Result):
    """The workspaces of the database."""

    operation: str
    workspaces: list[WorkspaceSummary]


class Health(Result):
    """That the store answers, found out by asking it."""

    operation: str
    status: Literal["ok"] = Field(description="A store that does not answer is an error instead.")
    store: Literal["sqlite", "postgresql", "none"] = Field(
        description="Where tasks are; none before the first."
    )
    workspaces: int


class OneTask(InSession):
    """Which task to show."""

    task_id: TaskId = Field(description="The task, such as TP-12.")
    whole: bool = Field(default=False, description="However long it is; else long texts and lists are cut.")


class ShownTask(Reported):
    """A task with everything that is known about it."""

    task: TaskDetail


class Node(Result):
    """A task in the graph."""

    id: str
    title: UntrustedText
    status: Status


class Edge(Result):
    """That a task waits for another."""

    task: str
    needs: str


class Graph(Reported):
    """Which task waits for which."""

    nodes: list[Node]
    edges: list[Edge]
    total: int = Field(description="How many tasks there are in all.")
    truncated: bool | None = Field(default=None, description="Set where not all of them are shown.")


ACTIVE_SECONDS = 300.0


@tasks.operation(
    "taskpilot_workspaces",
    title="🏢 List workspaces",
    effect=Effect.READ,
    command="workspaces",
    example="holdfast tasks workspaces",
    text=workspaces_words,
    listed=False,
    annotations=READING,
    addresses=(Address("GET", "workspaces"),),
)
def workspaces(room: Tasks, arguments: AnyWorkspace) -> Workspaces:
    """List the workspaces of the database, with what is going on in each."""
    check_workspace(room, arguments)
    return Workspaces(operation="workspaces", workspaces=summaries(room))


@tasks.operation(
    "taskpilot_health",
    title="Ask how the store is",
    effect=Effect.READ,
    command="health",
    example="holdfast tasks health --json",
    text=lambda found: f"The store ({found.store}) answers; {found.workspaces} workspaces.",
    listed=False,
    annotations=READING,
    addresses=(Address("GET", "health"),),
)
def health(room: Tasks, arguments: AnyWorkspace) -> Health:
    """Ask the store of the tasks for what it holds, and tell that it answered."""
    check_workspace(room, arguments)
    found = room.workspaces()
    engine = room.store.engine if room.exists else "none"
    return Health(operation="health", status="ok", store=engine, workspaces=len(found))


def summaries(room: Tasks) -> list[WorkspaceSummary]:
    """Return every workspace as lists show it."""
    return [_summary(room, workspace) for workspace in room.workspaces()]


def _summary(room: Tasks, workspace: Workspace) -> WorkspaceSummary:
    now = room.now()
    with room.reading() as connection:
        values = {"workspace": workspace.id, "now": now}
        count = connection.execute(
            "SELECT count(*) FROM task WHERE workspace = :workspace", values
        ).fetchone()[0]
        last = connection.execute(
            "SELECT max(at) FROM event WHERE workspace = :workspace", values
        ).fetchone()[0]
        held = connection.execute(
            "SELECT n FROM task WHERE workspace = :workspace AND claim_agent IS NOT NULL"
            " AND claim_expires > :now ORDER BY claim_since DESC, n LIMIT 1",
            values,
        ).fetchone()
    return WorkspaceSummary(
        id=workspace.id,
        name=workspace.name,
        path=".",
        status="active" if last is not None and now - last <= ACTIVE_SECONDS else "idle",
        last_activity=None if last is None else moment(last),
        task_count=count,
        active_task=None if held is None else f"TP-{held[0]}",
        created_at=moment(workspace.created_at),
    )


@tasks.operation(
    "taskpilot_show",
    title="Show a task",
    effect=Effect.READ,
    command="show",
    positional=("task_id",),
    example="holdfast tasks show TP-1",
    text=lambda result: task_words(result.task),
    table=task_table,
    listed=False,
    annotations=READING,
    result_version="task.version",
    fill_in=lambda _, given: {"whole": True, **given},
    addresses=(Address("GET", "workspaces/{workspace_path}/tasks/{task_id}", {"whole": True}),),
)
def show(room: Tasks, arguments: OneTask) -> ShownTask:
    """Show everything that is known about one task. It takes nothing and moves nothing.

    What is very long is cut, and `truncated` says so, unless it is asked for `whole`.
    """
    who = acting(room, arguments)
    with room.reading() as connection:
        workspace = room.workspace_in(connection)
        found = rows.find_task(connection, workspace.id, arguments.task_id)
        detail = task_detail(connection, found, room.instant(), who)
    detail = detail if arguments.whole else shortened(detail, MOST_BYTES)
    return ShownTask(operation="show", workspace=workspace_ref(workspace), task=detail)


@tasks.operation(
    "taskpilot_graph",
    title="Show the graph of tasks",
    effect=Effect.READ,
    command="graph",
    example="holdfast tasks graph --json",
    text=graph_words,
    listed=False,
    annotations=READING,
    addresses=(Address("GET", "workspaces/{workspace_path}/graph"),),
)
def graph(room: Tasks, arguments: WantedGraph) -> Graph:
    """Return which task waits for which, those that matter to others first.

    `taskpilot_chart` draws the same.
    """
    check_workspace(room, arguments)
    with room.reading() as connection:
        workspace = room.workspace_in(connection)
        boxes, needs, total = figures.graph(connection, workspace.id, arguments.limit)
    most = DEFAULT_BYTES if arguments.limit <= _USUAL_NODES else MOST_BYTES
    nodes = [Node(id=box.id, title=shorten(box.title, _TITLE, tidy=True), status=box.status) for box in boxes]  # type: ignore[arg-type]
    nodes = fitting(nodes, most * 2 // 3)
    shown = {node.id for node in nodes}
    edges = [Edge(task=task, needs=need) for task, need in needs if task in shown and need in shown]
    told = fitting(edges, most // 3)
    return Graph(
        operation="graph",
        workspace=workspace_ref(workspace),
        nodes=nodes,
        edges=told,
        total=total,
        truncated=True if len(nodes) < total or len(told) < len(edges) else None,
    )


@tasks.feed("workspaces/{workspace_path}/events", topic="tasks", specified=True)
def events(room: Tasks, position: str | None, workspace_path: str) -> tuple[str, list[FeedEvent]]:
    """Return what happened in a workspace after an event, as `task.created` and the like."""
    check_workspace(room, Scoped(workspace_path=workspace_path))
    with room.reading() as connection:
        served = room.workspace_in(connection)
        if position is None or not position.isdigit():
            newest = connection.execute(
                "SELECT coalesce(max(seq), 0) FROM event WHERE workspace = :id", {"id": served.id}
            ).fetchone()[0]
            return str(newest), []
        happened = rows.events_after(connection, served.id, int(position), _EVENTS_AT_ONCE)
        ids = rows.ids_of(connection, [event.task for event in happened if event.task is not None])
    told = [
        FeedEvent(str(event.seq), f"task.{event.type}", event_out(event, ids).wire()) for event in happened
    ]
    return (told[-1].id if told else position), told
