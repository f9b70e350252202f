"""`taskpilot_list`: finding tasks, a page at a time."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.operation import ONLY_SPECIFIED, Effect
from holdfast.kernel.resource import Address
from holdfast.tasks.annotations import READING
from holdfast.tasks.caller import acting
from holdfast.tasks.inputs import AnyPriority, AnyStatus, path_named
from holdfast.tasks.models import InSession, Reported, ResponseFormat, TaskDetail, TaskId, TaskRef, Word
from holdfast.tasks.store import rows
from holdfast.tasks.store.query import Query, Sort, cursor_after, find
from holdfast.tasks.store.states import FINISHED, STATUSES
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import tasks
from holdfast.tasks.view.budget import DEFAULT_BYTES, MOST_BYTES, fitting, fitting_refs, shortened
from holdfast.tasks.view.results import task_detail, task_refs, workspace_ref
from holdfast.tasks.view.terminal import listing_table
from holdfast.tasks.view.text import listing_words

_USUAL_LIMIT = 20


class ListTasks(InSession):
    """Which tasks to list."""

    status: list[AnyStatus] = Field(default=[], max_length=6, description="Only tasks in these states.")
    ready: bool = Field(default=False, description="Only tasks that may be taken now.")
    blocked: bool = Field(default=False, description="Only tasks that wait for others or for a person.")
    mine: bool = Field(default=False, description="Only tasks that you hold.")
    agent: Word | None = Field(
        default=None, description="Only tasks that this agent holds.", json_schema_extra=ONLY_SPECIFIED
    )
    priority: AnyPriority | None = Field(default=None, description="Only tasks of this priority.")
    label: Word | None = Field(default=None, description="Only tasks with this label.")
    parent: TaskId | None = Field(default=None, description="Only subtasks of this task.")
    milestone: Word | None = Field(default=None, description="Only tasks of this milestone.")
    connected_file: Word | None = Field(default=None, description="Only tasks about this file.")
    query: str | None = Field(
        default=None, max_length=200, description="Only tasks whose text has these words."
    )
    sort: Sort = Field(default="priority", description="Order of the list.")
    limit: int = Field(default=_USUAL_LIMIT, ge=1, le=100, description="Most tasks to return.")
    offset: int = Field(
        default=0,
        ge=0,
        le=1_000_000,
        description="Tasks to skip; cursors are surer.",
        json_schema_extra=ONLY_SPECIFIED,
    )
    cursor: str | None = Field(default=None, max_length=1000, description="Cursor of the page before.")
    response_format: ResponseFormat = Field(default="concise", description="How much of each.")


class TaskPage(Reported):
    """A page of tasks."""

    tasks: list[TaskRef]
    details: list[TaskDetail] | None = Field(default=None, description="Instead of `tasks`, when asked for.")
    total: int = Field(description="How many tasks fit altogether.")
    next_cursor: str | None = Field(default=None, description="Pass it as `cursor` for the next page.")
    truncated: bool | None = Field(default=None, description="Set where the page ended early, to stay short.")


@tasks.operation(
    "taskpilot_list",
    title="List tasks",
    effect=Effect.READ,
    command="list",
    example="holdfast tasks list --status backlog --limit 10",
    text=listing_words,
    table=listing_table,
    annotations=READING,
    addresses=(
        Address(
            "GET",
            "workspaces/{workspace_path}/tasks",
            meanings={
                "status": {
                    "current": [name for name in STATUSES if name not in FINISHED],
                    "history": sorted(FINISHED),
                }
            },
        ),
        Address("GET", "workspaces/{workspace_path}/ready", {"ready": True}),
    ),
)
def list_tasks(room: Tasks, arguments: ListTasks) -> TaskPage:
    """Find tasks by state, readiness, holder, label, file or words, a page at a time.

    The order `ready` is that in which `taskpilot_claim` hands tasks out.
    """
    who = acting(room, arguments)
    instant = room.instant()
    with room.reading() as connection:
        workspace = room.workspace_in(connection)
        parent = arguments.parent and rows.find_task(connection, workspace.id, arguments.parent).uid
        wanted = Query(
            status=tuple(arguments.status),
            ready=arguments.ready,
            blocked=arguments.blocked,
            agent=who.actor if arguments.mine else arguments.agent,
            priority=arguments.priority,
            label=arguments.label,
            parent=parent,
            milestone=arguments.milestone,
            file=path_named(arguments.connected_file),
            text=arguments.query,
            sort="ready" if arguments.ready else arguments.sort,
            limit=arguments.limit,
            offset=arguments.offset,
            cursor=arguments.cursor,
        )
        page = find(connection, workspace.id, wanted, instant)
        refs: list[TaskRef] = []
        details: list[TaskDetail] | None = None
        if arguments.response_format == "detailed":
            details = fitting(shortened(task_detail(connection, task, instant)) for task in page.tasks)
        else:
            most = DEFAULT_BYTES if arguments.limit <= _USUAL_LIMIT else MOST_BYTES
            refs = fitting_refs(task_refs(connection, page.tasks, instant), most)
    shown = len(details or refs)
    left_out = page.tasks[shown - 1] if shown < len(page.tasks) else None
    return TaskPage(
        operation="list",
        workspace=workspace_ref(workspace),
        tasks=refs,
        details=details,
        total=page.total,
        next_cursor=page.next_cursor if left_out is None else cursor_after(wanted, left_out),
        truncated=None if left_out is None else True,
    )
