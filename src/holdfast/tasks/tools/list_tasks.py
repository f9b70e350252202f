"""`taskpilot_list`, `taskpilot_board` and `taskpilot_show`: tasks as a list, as cards, and one by one."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictBool

from holdfast.kernel.models import ONLY_SPECIFIED, Integer, count_field
from holdfast.kernel.operation import Effect
from holdfast.kernel.route import Address
from holdfast.tasks.caller import reading
from holdfast.tasks.connected_files import resolve_typed_paths
from holdfast.tasks.inputs import AnyPriority, AnyStatus, normalise_path
from holdfast.tasks.models import InSession, Reported, ResponseFormat, ShortText, TaskDetail, TaskId, TaskRef
from holdfast.tasks.store import rows
from holdfast.tasks.store.query import Page, Query, Sort, count_by_status, cursor_after, find
from holdfast.tasks.store.records import task_number
from holdfast.tasks.store.states import FINISHED, STATUSES
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import TaskTransaction
from holdfast.tasks.toolset import READING, tasks
from holdfast.tasks.view.board import Board, board_columns, last_event_number, task_cards
from holdfast.tasks.view.budget import DEFAULT_BYTES, MAX_BYTES, fit_items, fit_refs, shorten_task
from holdfast.tasks.view.results import task_detail, task_refs, workspace_ref
from holdfast.tasks.view.task_page import TaskPage, page_table, page_text
from holdfast.tasks.view.task_table import task_table
from holdfast.tasks.view.text import task_line

_DEFAULT_LIMIT = 20
"""Tasks on a page. A judgement: so many fit the default byte budget of a result (`view/budget.py`)."""
_MAX_CARDS_FOR_MODELS = 100
"""Up to this many cards, the byte budget for models applies. The web page requests more and has no budget."""


class TaskFilter(InSession):
    """A filter for tasks."""

    status: list[AnyStatus] = Field(default=[], max_length=6, description="Only tasks in these states.")
    ready: StrictBool = Field(default=False, description="Only tasks that may be taken now.")
    blocked: StrictBool = Field(default=False, description="Only tasks that wait for others or for a person.")
    mine: StrictBool = Field(default=False, description="Only tasks that you hold.")
    agent: ShortText | None = Field(
        default=None, description="Only tasks that this agent holds.", json_schema_extra=ONLY_SPECIFIED
    )
    priority: AnyPriority | None = Field(default=None, description="Only tasks of this priority.")
    label: ShortText | None = Field(default=None, description="Only tasks with this label.")
    parent: TaskId | None = Field(default=None, description="Only subtasks of this task.")
    milestone: ShortText | None = Field(default=None, description="Only tasks of this milestone.")
    connected_file: ShortText | None = Field(default=None, description="Only tasks about this file.")
    query: str | None = Field(
        default=None, max_length=200, description="Only tasks whose title or description contains this."
    )


class ListTasks(TaskFilter):
    """A filter for tasks, an order, and a page."""

    sort: Sort = Field(default="priority", description="Order of the list.")
    limit: Integer = count_field(_DEFAULT_LIMIT, 100, "Maximum number of tasks.")
    offset: Integer = Field(
        default=0,
        ge=0,
        le=1_000_000,
        description="Tasks to skip; cursors are more reliable.",
        json_schema_extra=ONLY_SPECIFIED,
    )
    cursor: str | None = Field(default=None, max_length=1000, description="Cursor of the page before.")
    response_format: ResponseFormat = Field(default="concise", description="Whether to show all details.")


@tasks.operation(
    "taskpilot_list",
    title="List tasks",
    effect=Effect.READ,
    command="list",
    example="holdfast tasks list --status backlog --limit 10",
    text=page_text,
    fill_in=resolve_typed_paths,
    table=page_table,
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
    """Find tasks by state, readiness, holder, label, file or text, a page at a time.

    `sort` by ready is the order in which `taskpilot_claim` assigns tasks.
    """
    with reading(room, arguments) as transaction:
        wanted = _query(transaction, arguments)._replace(
            sort="ready" if arguments.ready else arguments.sort,
            limit=arguments.limit,
            offset=arguments.offset,
            cursor=arguments.cursor,
        )
        page = find(transaction, wanted)
        refs: list[TaskRef] = []
        details: list[TaskDetail] | None = None
        if arguments.response_format == "detailed":
            details = fit_items(shorten_task(task_detail(transaction, task)) for task in page.tasks)
        else:
            maximum = DEFAULT_BYTES if arguments.limit <= _DEFAULT_LIMIT else MAX_BYTES
            refs = fit_refs(task_refs(transaction, page.tasks), maximum)
    shown = len(details or refs)
    return TaskPage(
        operation="list",
        workspace=workspace_ref(transaction.workspace),
        tasks=refs,
        details=details,
        total=page.total,
        next_cursor=_next_cursor(page, wanted, shown),
        truncated=True if shown < len(page.tasks) else None,
    )


def _next_cursor(page: Page, query: Query, shown: int) -> str | None:
    """Return the cursor of the page after the first `shown` tasks of this one, the others having been cut."""
    return page.next_cursor if shown == len(page.tasks) else cursor_after(query, page.tasks[shown - 1])


def _query(transaction: TaskTransaction, arguments: TaskFilter) -> Query:
    """Return the query for a filter, without order and page."""
    return Query(
        status=tuple(arguments.status),
        ready=arguments.ready,
        blocked=arguments.blocked,
        agent=transaction.who.actor if arguments.mine else arguments.agent,
        priority=arguments.priority,
        label=arguments.label,
        parent=arguments.parent and rows.find_task(transaction, arguments.parent).uid,
        milestone=arguments.milestone,
        file=arguments.connected_file and normalise_path(arguments.connected_file),
        text=arguments.query,
    )


class ShowBoard(TaskFilter):
    """A filter for cards, an order, and a page."""

    task_ids: list[TaskId] = Field(default=[], max_length=100, description="Only these tasks, if they match.")
    sort: Literal["ready", "updated"] = Field(
        default="ready", description="In the order of assignment, or the latest change first."
    )
    limit: Integer = count_field(
        _DEFAULT_LIMIT, 500, "Maximum number of cards; above 100 for pages, not models."
    )
    cursor: str | None = Field(default=None, max_length=1000, description="Cursor of the page before.")


def _board_text(board: Board) -> str:
    totals = ", ".join(f"{column.total} {column.status}" for column in board.columns if column.total)
    return "\n".join([totals or "No tasks.", *map(task_line, board.cards)])


@tasks.operation(
    "taskpilot_board",
    title="Show the board",
    effect=Effect.READ,
    command="board",
    example="holdfast tasks board --label api",
    text=_board_text,
    fill_in=resolve_typed_paths,
    listed=False,
    annotations=READING,
)
def board(room: Tasks, arguments: ShowBoard) -> Board:
    """Show tasks as cards of a board, with what each lacks to be done, and the allowed transitions."""
    with reading(room, arguments) as transaction:
        unpaged = _query(transaction, arguments)
        wanted = unpaged._replace(
            numbers=tuple(task_number(name) for name in arguments.task_ids),
            sort=arguments.sort,
            limit=arguments.limit,
            cursor=arguments.cursor,
        )
        page = find(transaction, wanted)
        cards = task_cards(transaction, page.tasks)
        if arguments.limit <= _MAX_CARDS_FOR_MODELS:
            cards = fit_items(cards, DEFAULT_BYTES if arguments.limit <= _DEFAULT_LIMIT else MAX_BYTES)
        return Board(
            operation="board",
            workspace=workspace_ref(transaction.workspace),
            columns=board_columns(count_by_status(transaction, unpaged._replace(status=()))),
            cards=cards,
            total=page.total,
            next_cursor=_next_cursor(page, wanted, len(cards)),
            seq=last_event_number(transaction),
        )


class OneTask(InSession):
    """The task to show."""

    task_id: TaskId = Field(description="The task, such as TP-12.")
    whole: StrictBool = Field(default=False, description="Do not cut long texts and lists.")


class ShownTask(Reported):
    """A task with all its details."""

    task: TaskDetail


@tasks.operation(
    "taskpilot_show",
    title="Show a task",
    effect=Effect.READ,
    command="show",
    positional=("task_id",),
    example="holdfast tasks show TP-1",
    text=lambda result: task_line(result.task),
    table=lambda shown, width: task_table(shown.task, width),
    listed=False,
    annotations=READING,
    result_version="task.version",
    fill_in=lambda _, given: {"whole": True, **given},
    addresses=(Address("GET", "workspaces/{workspace_path}/tasks/{task_id}", {"whole": True}),),
)
def show(room: Tasks, arguments: OneTask) -> ShownTask:
    """Show one task with all its details, without claiming it.

    Very long texts and lists are cut, which `truncated` reports, unless `whole` is set.
    """
    with reading(room, arguments) as transaction:
        task = rows.find_task(transaction, arguments.task_id)
        detail = task_detail(transaction, task, transaction.who)
    detail = detail if arguments.whole else shorten_task(detail, MAX_BYTES)
    return ShownTask(operation="show", workspace=workspace_ref(transaction.workspace), task=detail)
