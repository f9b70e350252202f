"""`taskpilot_add` and `taskpilot_create_task`: one task, or up to fifty that belong together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field, StrictBool

from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.operation import Effect
from holdfast.kernel.route import Address
from holdfast.kernel.text import one_line
from holdfast.tasks.inputs import NewTask, draft_of, refuse_missing
from holdfast.tasks.models import InSession, Reported, Result, TaskReceipt
from holdfast.tasks.store.census import open_titles, sorted_words
from holdfast.tasks.store.creation import create
from holdfast.tasks.store.records import Draft, task_id
from holdfast.tasks.store.session import reading, writing
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import WRITING, tasks
from holdfast.tasks.view.results import receipt, workspace_ref

MOST_TASKS = 50
_LIKE_ENOUGH = 90
_SHOWN_DUPLICATES = 5


class AddTasks(NewTask, InSession):
    """One task, or several at once."""

    tasks: list[NewTask] = Field(
        default=[], max_length=MOST_TASKS, description="Several tasks instead of one; all are added or none."
    )
    dry_run: StrictBool = Field(default=False, description="Say what would be added, and add nothing.")


class Likeness(Result):
    """A new task that may be there already."""

    title: str = Field(description="The new task, by its place: task 1, task 2, and so on.")
    like: str = Field(description="The task that it resembles.")


class TasksAdded(Reported):
    """Receipt for new tasks."""

    tasks_created: list[TaskReceipt]
    existing: list[str] | None = Field(default=None, description="Already there by their `client_key`.")
    possible_duplicates: list[Likeness] | None = None
    dry_run: bool | None = None


class CreateTask(NewTask, InSession):
    """One task."""


class TaskCreated(Reported):
    """Receipt for a new task."""

    task: TaskReceipt


def added_words(result: Any) -> str:
    """Return what was added, one task on each line."""
    verb = "Would add" if result.dry_run else "Added"
    lines = [f"{verb} {task.id}: {one_line(task.title)}" for task in result.tasks_created]
    lines += [f"{task} was there already." for task in result.existing or ()]
    named = len(lines) > 1
    for item in result.possible_duplicates or ():
        lines.append(f"{item.title.capitalize() if named else 'It'} resembles {item.like}.")
    return "\n".join(lines)


@tasks.operation(
    "taskpilot_add",
    title="Add tasks",
    effect=Effect.WRITE,
    command="add",
    positional=("task_description",),
    example='holdfast tasks add "Answer 413 when a body is too large" --criteria "A test shows it"',
    specified=True,
    text=added_words,
    annotations=WRITING,
)
def add(room: Tasks, arguments: AddTasks) -> TasksAdded:
    """Add a task, or up to fifty that may depend on each other.

    Say in `criteria` what has to be true before it is done. Open tasks that look alike are named in
    `possible_duplicates`.
    """
    drafts = [draft_of(task) for task in _wanted(arguments)]
    refuse_missing(room, (link for draft in drafts for link in draft.links))
    duplicates = _likenesses(room, arguments, drafts)
    with writing(room, arguments) as transaction:
        made = create(transaction, drafts)
        if arguments.dry_run:
            transaction.discard()
    existing = [task.id for task, is_new in made if not is_new]
    return TasksAdded(
        operation="add",
        workspace=workspace_ref(transaction.workspace),
        tasks_created=[receipt(task) for task, is_new in made if is_new],
        existing=existing or None,
        possible_duplicates=[item for item in duplicates if item.like not in existing] or None,
        dry_run=True if arguments.dry_run else None,
        next_steps=None if arguments.dry_run else ["Begin one with taskpilot_focus."],
    )


@tasks.operation(
    "taskpilot_create_task",
    title="Create a task",
    effect=Effect.WRITE,
    command="create-task",
    positional=("task_description",),
    example='holdfast tasks create-task "Answer 413 when a body is too large" --priority high',
    specified=True,
    text=lambda result: f"Created {result.task.id}: {one_line(result.task.title)}",
    annotations=WRITING,
    result_version="task.version",
    addresses=(
        Address(
            "POST",
            "workspaces/{workspace_path}/tasks",
            status=201,
            renamed={"description": "task_description"},
        ),
    ),
    listed=False,
)
def create_task(room: Tasks, arguments: CreateTask) -> TaskCreated:
    """Create one task and return it. `taskpilot_add` does the same for several at once."""
    draft = draft_of(arguments)
    refuse_missing(room, draft.links)
    with writing(room, arguments) as transaction:
        [(task, _)] = create(transaction, [draft])
    return TaskCreated(
        operation="create_task", workspace=workspace_ref(transaction.workspace), task=receipt(task)
    )


def _wanted(arguments: AddTasks) -> Sequence[NewTask]:
    if not arguments.tasks:
        return [arguments]
    if arguments.task_description is not None or arguments.title is not None:
        raise InvalidArguments(
            "One task and `tasks` were both given.", hint="Put all of them into `tasks`, or leave it out."
        )
    return arguments.tasks


def _likenesses(room: Tasks, arguments: AddTasks, drafts: Sequence[Draft]) -> list[Likeness]:
    """Name open tasks whose titles are nearly those of new ones."""
    from rapidfuzz import fuzz, process

    with reading(room, arguments) as transaction:
        titles = open_titles(transaction)
    found = []
    for place, draft in enumerate(drafts, 1):
        matches = process.extract(
            sorted_words(draft.title), titles, scorer=fuzz.ratio, score_cutoff=_LIKE_ENOUGH, limit=1
        )
        found += [Likeness(title=f"task {place}", like=task_id(number)) for _, _, number in matches]
    return found[:_SHOWN_DUPLICATES]
