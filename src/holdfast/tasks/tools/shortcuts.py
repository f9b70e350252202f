"""The shortcuts of a person's daily loop at the terminal: next, done."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.operation import Effect
from holdfast.tasks.inputs import EvidenceIn, Words
from holdfast.tasks.models import Body, InSession, TaskId, Word
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.tools.claim import ClaimResult, ClaimTask, claim
from holdfast.tasks.tools.update import TaskFields, TaskUpdated, UpdateTask, update
from holdfast.tasks.toolset import tasks
from holdfast.tasks.view.text import claimed_words, updated_words


class NextTask(InSession):
    """Which task to take, if not the one that comes next anyway."""

    agent: Word | None = Field(default=None, description="Your name.")
    label: Word | None = Field(default=None, description="Only with this label.")


class FinishTask(InSession):
    """Which task is done, and what shows it."""

    task_id: TaskId = Field(description="The task, such as TP-12.")
    check: Words = Field(default=[], description="Criteria that are met, by number from 1 or by text.")
    commit: Word | None = Field(default=None, description="The commit that did it, as evidence.")
    reason: Body | None = Field(default=None, description="Anything to say about it.")


@tasks.operation(
    "taskpilot_next",
    title="Take the next task",
    effect=Effect.WRITE,
    command="next",
    example="holdfast tasks next",
    text=claimed_words,
    command_only=True,
)
def next_task(room: Tasks, arguments: NextTask) -> ClaimResult:
    """Take the task that should be done next, as `claim next` does."""
    given = arguments.model_dump(by_alias=True)
    return claim(room, ClaimTask(action="next", **given))  # type: ignore[no-any-return]


@tasks.operation(
    "taskpilot_done",
    title="Finish a task",
    effect=Effect.WRITE,
    command="done",
    positional=("task_id",),
    example="holdfast tasks done TP-1 --check 1 --commit HEAD",
    text=updated_words,
    command_only=True,
)
def done(room: Tasks, arguments: FinishTask) -> TaskUpdated:
    """Say that a task is done. What the workspace asks for before that is checked, as always."""
    wanted = UpdateTask(
        workspace_path=arguments.workspace,
        session=arguments.session,
        task_id=arguments.task_id,
        set=TaskFields(status="done"),
        check=arguments.check,
        evidence=[EvidenceIn(kind="commit", ref=arguments.commit)] if arguments.commit else [],
        reason=arguments.reason,
    )
    return update(room, wanted)  # type: ignore[no-any-return]
