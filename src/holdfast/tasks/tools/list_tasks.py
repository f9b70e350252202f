"""`taskpilot_list`, `taskpilot_board` and `taskpilot_show`: tasks a page at a time, and one whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field, StrictBool

from holdfast.kernel.models import ONLY_SPECIFIED, Integer, count_field
from holdfast.kernel.operation import Effect
from holdfast.kernel.route import Address
from holdfast.kernel.text import one_line, table
from holdfast.tasks.inputs import AnyPriority, AnyStatus, path_named
from holdfast.tasks.models import InSession, Reported, ResponseFormat, TaskDetail, TaskId, TaskRef, Word
from holdfast.tasks.store import rows
from holdfast.tasks.store.query import Query, Sort, cursor_after, find, totals
from holdfast.tasks.store.records import task_number
from holdfast.tasks.store.session import reading
from holdfast.tasks.store.states import FINISHED, MILESTONE, STATUSES
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import Transaction
from holdfast.tasks.toolset import READING, tasks
from holdfast.tasks.view.board import Board, columns, last_event, task_cards
from holdfast.tasks.view.budget import DEFAULT_BYTES, MOST_BYTES, fitting, fitting_refs, shortened
from holdfast.tasks.view.results import task_detail, task_refs, workspace_ref
from holdfast.tasks.view.text import held_up_words, task_words

_USUAL_LIMIT = 20
_FOR_MODELS = 100
"""A model gets no more bytes than it can read; a page in a browser may ask for more cards than this."""


class TaskFilter(InSession):
    """Which tasks are meant."""

    status: list[AnyStatus] = Field(default=[], max_length=6, description="Only tasks in these states.")
    ready: StrictBool = Field(default=False, description="Only tasks that may be taken now.")
    blocked: StrictBool = Field(default=False, description="Only tasks that wait for others or for a person.")
    mine: StrictBool = Field(default=False, description="Only tasks that you hold.")
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


class ListTasks(TaskFilter):
    """Which tasks to list."""

    sort: Sort = Field(default="priority", description="Order of the list.")
    limit: Integer = count_field(_USUAL_LIMIT, 100, "Most tasks to return.")
    offset: Integer = Field(
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


def listing_words(page: Any) -> str:
    """Return a page of tasks, one on each line."""
    shown = page.details or page.tasks
    if not shown:
        return "No tasks." if not page.total else f"No more tasks; {page.total} altogether."
    lines = [task_words(task) for task in shown]
    if page.next_cursor is not None:
        lines.append(f"{page.total} altogether; more with the cursor {page.next_cursor}")
    return "\n".join(lines)


def listing_table(page: Any, width: int) -> str:
    """Return a page of tasks as a table, and how to see the rest."""
    shown: Sequence[TaskRef] = page.details or page.tasks
    if not shown:
        return "No tasks fit." if not page.total else f"No more tasks; {page.total} altogether."
    lines = [table([_row(task) for task in shown], width, flexible=(3, 4))]
    if any(task.ready for task in shown):
        lines.append("\n* ready: nothing is in its way, and nobody holds it")
    if page.next_cursor is not None:
        lines.append(f"\n{len(shown)} of {page.total}; the next page: --cursor {page.next_cursor}")
    return "\n".join(lines)


def _row(task: TaskRef) -> tuple[str, str, str, str, str]:
    state = f"{task.status}*" if task.ready else task.status
    held = f"held by {one_line(task.claimed_by)}" if task.claimed_by else ""
    waits = held_up_words(task.blocked_by) if task.blocked_by else ""
    return task.id, state, task.priority, one_line(task.title), held or waits


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

    `sort` by ready is how `taskpilot_claim` hands tasks out.
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
            details = fitting(shortened(task_detail(transaction, task)) for task in page.tasks)
        else:
            most = DEFAULT_BYTES if arguments.limit <= _USUAL_LIMIT else MOST_BYTES
            refs = fitting_refs(task_refs(transaction, page.tasks), most)
    shown = len(details or refs)
    left_out = page.tasks[shown - 1] if shown < len(page.tasks) else None
    return TaskPage(
        operation="list",
        workspace=workspace_ref(transaction.workspace),
        tasks=refs,
        details=details,
        total=page.total,
        next_cursor=page.next_cursor if left_out is None else cursor_after(wanted, left_out),
        truncated=None if left_out is None else True,
    )


def _query(transaction: Transaction, arguments: TaskFilter) -> Query:
    """Return what finds the tasks that are meant."""
    return Query(
        status=tuple(arguments.status),
        ready=arguments.ready,
        blocked=arguments.blocked,
        agent=transaction.who.actor if arguments.mine else arguments.agent,
        priority=arguments.priority,
        label=arguments.label,
        parent=arguments.parent and rows.find_task(transaction, arguments.parent).uid,
        milestone=arguments.milestone,
        file=arguments.connected_file and path_named(arguments.connected_file),
        text=arguments.query,
    )


class ShowBoard(TaskFilter):
    """Which cards to show."""

    task_ids: list[TaskId] = Field(default=[], max_length=100, description="Only these, as far as they fit.")
    sort: Literal["ready", "updated"] = Field(
        default="ready", description="In the order in which they are handed out, or the latest first."
    )
    limit: Integer = count_field(_USUAL_LIMIT, 500, "Most cards; above 100 for pages, not for models.")
    cursor: str | None = Field(default=None, max_length=1000, description="Cursor of the page before.")


def board_words(shown: Any) -> str:
    """Return how many tasks each column has, and the cards one on each line."""
    heads = ", ".join(f"{column.total} {column.status}" for column in shown.columns if column.total)
    return "\n".join([heads or "No tasks.", *map(task_words, shown.cards)])


@tasks.operation(
    "taskpilot_board",
    title="Show the board",
    effect=Effect.READ,
    command="board",
    example="holdfast tasks board --label api",
    text=board_words,
    listed=False,
    annotations=READING,
)
def board(room: Tasks, arguments: ShowBoard) -> Board:
    """Show tasks as the cards of a board, with what is missing before each is done, and where it may go."""
    with reading(room, arguments) as transaction:
        meant = _query(transaction, arguments)
        wanted = meant._replace(
            numbers=tuple(task_number(name) for name in arguments.task_ids),
            sort=arguments.sort,
            limit=arguments.limit,
            cursor=arguments.cursor,
        )
        page = find(transaction, wanted)
        cards = task_cards(transaction, page.tasks)
        if arguments.limit <= _FOR_MODELS:
            cards = fitting(cards, DEFAULT_BYTES if arguments.limit <= _USUAL_LIMIT else MOST_BYTES)
        left_out = page.tasks[len(cards) - 1] if len(cards) < len(page.tasks) else None
        return Board(
            operation="board",
            workspace=workspace_ref(transaction.workspace),
            columns=columns(totals(transaction, meant._replace(status=()))),
            cards=cards,
            total=page.total,
            next_cursor=page.next_cursor if left_out is None else cursor_after(wanted, left_out),
            seq=last_event(transaction),
        )


class OneTask(InSession):
    """Which task to show."""

    task_id: TaskId = Field(description="The task, such as TP-12.")
    whole: StrictBool = Field(
        default=False, description="However long it is; else long texts and lists are cut."
    )


class ShownTask(Reported):
    """A task with everything that is known about it."""

    task: TaskDetail


def task_table(shown: ShownTask, width: int) -> str:
    """Return one task, a line for each thing that is known about it."""
    task = shown.task
    facts = [(name, value) for name, value in _facts(task) if value]
    head = table([(task.id, one_line(task.title))], width, flexible=(1,))
    body = table([(f"  {name}", value) for name, value in facts], width, flexible=(1,))
    words = "\n".join(f"  {one_line(line)}" for line in task.description.splitlines())
    return "\n".join(part for part in (head, body, f"\n{words}" if words else "") if part)


def _milestone(task: TaskDetail) -> str:
    closed = any(name.startswith(MILESTONE) for name in task.blocked_by or [])
    return one_line(task.milestone or "") + (", closed" if closed else "")


def _facts(task: TaskDetail) -> list[tuple[str, str]]:
    state = f"{task.status}{', ready' if task.ready else ''}, {task.priority}, {task.progress} %"
    criteria = [f"[{'x' if item.checked else ' '}] {one_line(item.text)}" for item in task.criteria or []]
    others = task.depends_on or []
    return [
        ("state", f"{state}, version {task.version}"),
        ("held by", one_line(task.claimed_by or "")),
        ("needs", ", ".join(f"{item.id} ({item.status})" for item in others if item.kind == "blocks")),
        ("related", ", ".join(f"{item.kind} {item.id}" for item in others if item.kind != "blocks")),
        ("needed by", ", ".join(task.blocks or [])),
        ("parent", task.parent_id or ""),
        ("parts", ", ".join(f"{item.id} ({item.status})" for item in task.subtasks or [])),
        ("milestone", _milestone(task)),
        ("labels", ", ".join(one_line(label) for label in task.labels or [])),
        ("files", ", ".join(one_line(item.path) for item in task.connected_files or [])),
        ("links", ", ".join(one_line(f"{item.kind} {item.ref}") for item in task.links or [])),
        ("attached", ", ".join(one_line(item.name) for item in task.attachments or [])),
        *(("criteria" if number == 0 else "", text) for number, text in enumerate(criteria)),
        ("evidence", ", ".join(one_line(f"{item.kind} {item.ref}") for item in task.evidence or [])),
        ("plan", one_line(task.plan or "")),
        ("notes", one_line(task.notes or "")),
    ]


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
    with reading(room, arguments) as transaction:
        found = rows.find_task(transaction, arguments.task_id)
        detail = task_detail(transaction, found, transaction.who)
    detail = detail if arguments.whole else shortened(detail, MOST_BYTES)
    return ShownTask(operation="show", workspace=workspace_ref(transaction.workspace), task=detail)
