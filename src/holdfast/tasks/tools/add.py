"""`taskpilot_add` and `taskpilot_create_task`: add one task, or several at once."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field, StrictBool

from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.operation import Effect
from holdfast.kernel.route import Address
from holdfast.kernel.text import one_line
from holdfast.tasks.caller import reading, writing
from holdfast.tasks.connected_files import missing_files, resolve_typed_paths
from holdfast.tasks.inputs import NewTask, draft_of
from holdfast.tasks.link_targets import check_link_targets
from holdfast.tasks.models import InSession, MissingFiles, Reported, Result, TaskReceipt
from holdfast.tasks.store.census import open_titles, sorted_words
from holdfast.tasks.store.creation import create
from holdfast.tasks.store.records import Draft, task_id
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import WRITING, tasks
from holdfast.tasks.view.results import receipt, workspace_ref
from holdfast.tasks.view.text import missing_lines

_MAX_TASKS_PER_CALL = 50
"""A judgement: more tasks than a plan has, and few enough for a short transaction."""
_MIN_SIMILARITY_PERCENT = 90
"""Titles with at least this similarity (rapidfuzz.fuzz.ratio of the sorted words) are reported as possible
duplicates. A judgement: one changed character in ten. A false alarm costs a line, and nothing is refused."""
_MAX_DUPLICATES_SHOWN = 5
"""A judgement: a few are enough to show that a batch was added before."""


class AddTasks(NewTask, InSession):
    """One task, or several at once."""

    tasks: list[NewTask] = Field(
        default=[],
        max_length=_MAX_TASKS_PER_CALL,
        description="Several tasks instead of one; all are added or none.",
    )
    dry_run: StrictBool = Field(default=False, description="Show what would be added, and add nothing.")


class Likeness(Result):
    """A new task that resembles an existing one."""

    title: str = Field(description="The new task by position: task 1, task 2, and so on.")
    like: str = Field(description="The task that it resembles.")


class TasksAdded(Reported):
    """Receipt for new tasks."""

    tasks_created: list[TaskReceipt]
    existing: list[str] | None = Field(default=None, description="Tasks whose `client_key` existed already.")
    possible_duplicates: list[Likeness] | None = None
    missing_files: MissingFiles = None
    dry_run: bool | None = None


class CreateTask(NewTask, InSession):
    """One task."""


class TaskCreated(Reported):
    """Receipt for a new task."""

    task: TaskReceipt
    missing_files: MissingFiles = None


def added_text(result: TasksAdded) -> str:
    """Return the added and existing tasks and the possible duplicates, one per line."""
    verb = "Would add" if result.dry_run else "Added"
    lines = [f"{verb} {task.id}: {one_line(task.title)}" for task in result.tasks_created]
    lines += [f"{task} exists already." for task in result.existing or ()]
    is_batch = len(lines) > 1
    for item in result.possible_duplicates or ():
        lines.append(f"{item.title.capitalize() if is_batch else 'It'} resembles {item.like}.")
    return "\n".join([*lines, *missing_lines(result.missing_files)])


@tasks.operation(
    "taskpilot_add",
    title="Add tasks",
    effect=Effect.WRITE,
    command="add",
    positional=("task_description",),
    example='holdfast tasks add "Answer 413 when a body is too large" --criteria "A test shows it"',
    specified=True,
    text=added_text,
    fill_in=resolve_typed_paths,
    annotations=WRITING,
)
def add(room: Tasks, arguments: AddTasks) -> TasksAdded:
    """Add a task, or several that may depend on each other.

    State in `criteria` what must be true before it is done. Similar open tasks are listed in
    `possible_duplicates`.
    """
    drafts = [draft_of(task) for task in _requested_tasks(arguments)]
    check_link_targets(room, (link for draft in drafts for link in draft.links))
    duplicates = _possible_duplicates(room, arguments, drafts)
    with writing(room, arguments) as transaction:
        created = create(transaction, drafts)
        if arguments.dry_run:
            transaction.discard()
    existing = [task.id for task, is_new in created if not is_new]
    return TasksAdded(
        operation="add",
        workspace=workspace_ref(transaction.workspace),
        tasks_created=[receipt(task) for task, is_new in created if is_new],
        existing=existing or None,
        possible_duplicates=[item for item in duplicates if item.like not in existing] or None,
        missing_files=missing_files(room, (file for draft in drafts for file in draft.files)),
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
    text=lambda result: "\n".join(
        [f"Created {result.task.id}: {one_line(result.task.title)}", *missing_lines(result.missing_files)]
    ),
    fill_in=resolve_typed_paths,
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
    check_link_targets(room, draft.links)
    with writing(room, arguments) as transaction:
        [(task, _)] = create(transaction, [draft])
    return TaskCreated(
        operation="create_task",
        workspace=workspace_ref(transaction.workspace),
        task=receipt(task),
        missing_files=missing_files(room, draft.files),
    )


def _requested_tasks(arguments: AddTasks) -> Sequence[NewTask]:
    """Return the tasks to add; raise if they are given both directly and in `tasks`."""
    if not arguments.tasks:
        return [arguments]
    if arguments.task_description is not None or arguments.title is not None:
        raise InvalidArguments(
            "Both a single task and `tasks` were given.", hint="Put all tasks into `tasks`, or leave it out."
        )
    return arguments.tasks


def _possible_duplicates(room: Tasks, arguments: AddTasks, drafts: Sequence[Draft]) -> list[Likeness]:
    """Return the new tasks with titles that resemble those of open tasks, in order, up to a limit."""
    from rapidfuzz import fuzz, process

    with reading(room, arguments) as transaction:
        titles = open_titles(transaction)
    likenesses = []
    for position, draft in enumerate(drafts, 1):
        matches = process.extract(
            sorted_words(draft.title),
            titles,
            scorer=fuzz.ratio,
            score_cutoff=_MIN_SIMILARITY_PERCENT,
            limit=1,
        )
        likenesses += [Likeness(title=f"task {position}", like=task_id(number)) for _, _, number in matches]
    return likenesses[:_MAX_DUPLICATES_SHOWN]
