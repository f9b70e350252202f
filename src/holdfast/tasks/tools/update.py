"""`taskpilot_update`, `taskpilot_done` and `taskpilot_approve`: change, finish and approve tasks."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from holdfast.kernel.call import current_call
from holdfast.kernel.operation import Effect
from holdfast.kernel.questions import Form
from holdfast.kernel.route import Address
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.caller import caller_name, check_workspace, reading, writing
from holdfast.tasks.change_input import TaskFields, UpdateTask, change_of
from holdfast.tasks.connected_files import missing_files, resolve_typed_paths
from holdfast.tasks.inputs import EvidenceIn, ShortTexts
from holdfast.tasks.link_targets import check_link_targets
from holdfast.tasks.models import (
    Agent,
    Body,
    InSession,
    MissingFiles,
    Reported,
    Scoped,
    ShortText,
    TakeOver,
    TaskId,
    TaskReceipt,
)
from holdfast.tasks.store.change import apply_change
from holdfast.tasks.store.gate import verify_commit
from holdfast.tasks.store.records import CallerIdentity, Change
from holdfast.tasks.store.rows import find_task, ids_of
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import WRITING, tasks
from holdfast.tasks.view.change_text import change_text, uids_in_change
from holdfast.tasks.view.results import receipt, workspace_ref
from holdfast.tasks.view.text import missing_lines

_APPROVAL_FORM = {
    "type": "object",
    "properties": {"done": {"type": "boolean", "title": "The task is done"}},
    "required": ["done"],
}


FieldName = Literal[
    "title", "description", "status", "priority", "progress", "notes", "plan", "milestone", "rank",
    "parent_id", "github_issue_number", "github_url", "labels", "depends_on", "connected_files", "criteria",
    "evidence", "links", "claimed_by",
]  # fmt: skip


class TaskUpdated(Reported):
    """Receipt for a change."""

    task: TaskReceipt
    changed: dict[FieldName, list[UntrustedText]] = Field(description="Old and new value of each field.")
    unblocked: list[str] | None = Field(default=None, description="Tasks that became ready.")
    missing_files: MissingFiles = None


def _text(result: TaskUpdated) -> str:
    if not result.changed:
        return "\n".join([f"{result.task.id} is unchanged.", *missing_lines(result.missing_files)])
    fields = ", ".join(sorted(result.changed))
    unblocked = f" Now ready: {', '.join(result.unblocked)}." if result.unblocked else ""
    task = result.task
    updated = f"Updated {task.id} ({task.status}, version {task.version}): {fields}.{unblocked}"
    return "\n".join([updated, *missing_lines(result.missing_files)])


@tasks.operation(
    "taskpilot_update",
    title="Update a task",
    effect=Effect.WRITE,
    command="update",
    positional=("task_id",),
    example="holdfast tasks update TP-1 --field priority --value high",
    specified=True,
    text=_text,
    fill_in=resolve_typed_paths,
    annotations=WRITING,
    expects_version="if_version",
    result_version="task.version",
    addresses=(
        Address("PUT", "workspaces/{workspace_path}/tasks/{task_id}"),
        Address(
            "PATCH",
            "workspaces/{workspace_path}/tasks/{task_id}",
            members=dict.fromkeys(TaskFields.model_fields, "set"),
        ),
        Address(
            "DELETE",
            "workspaces/{workspace_path}/tasks/{task_id}",
            {"field": "status", "value": "dropped"},
            takes=frozenset({"if_version", "take_over"}),
        ),
    ),
)
def update(room: Tasks, arguments: UpdateTask) -> TaskUpdated:
    """Change a task: its text, state, lists, criteria and evidence.

    The status done is refused until the workspace's done gate is met.
    """
    return _apply_update(room, arguments)


def _apply_update(room: Tasks, arguments: UpdateTask) -> TaskUpdated:
    wanted = change_of(arguments)
    check_link_targets(room, wanted.add.get("links", ()))
    wanted.evidence = _verify_evidence(room, arguments)
    wanted.approved = wanted.set.get("status") == "done" and _ask_user_to_approve(room, arguments)
    with writing(room, arguments, agent=arguments.agent, token=arguments.token) as transaction:
        changed = apply_change(transaction, arguments.task_id, wanted, if_version=arguments.if_version)
        ids = ids_of(transaction, uids_in_change(changed))
    return TaskUpdated(
        operation="update",
        workspace=workspace_ref(transaction.workspace),
        task=receipt(changed.task),
        changed=change_text(changed, ids),
        unblocked=list(changed.unblocked) or None,
        missing_files=missing_files(room, [*wanted.set.get("files", ()), *wanted.add.get("files", ())]),
    )


def _ask_user_to_approve(room: Tasks, arguments: UpdateTask) -> bool:
    """Ask the client's user whether a task is done, if the gate requires it and the client can ask."""
    call = current_call()
    with reading(room, arguments) as transaction:
        if transaction.workspace.gate != "human" or not call.can_ask("elicitation"):
            return False
        task = find_task(transaction, arguments.task_id)
    call.defer()  # a person may take long
    answer = call.ask({"done": Form(f"Is {task.id} done?", _APPROVAL_FORM)})["done"]
    return answer.get("action") == "accept" and bool(answer.get("content", {}).get("done"))


def _verify_evidence(room: Tasks, arguments: UpdateTask) -> list[dict[str, Any]]:
    """Return the evidence to store; commits are verified and named by their full hashes."""
    evidence = [item.model_dump() for item in arguments.evidence]
    commits = [item for item in evidence if item["kind"] == "commit"]
    if commits:
        with reading(room, arguments) as transaction:
            number = find_task(transaction, arguments.task_id).n
        for item in commits:
            item["ref"] = verify_commit(room.repository, item["ref"], number)
    return evidence


class FinishTask(InSession):
    """The task that is done, and the evidence."""

    task_id: TaskId = Field(description="The task, such as TP-12.")
    check: ShortTexts = Field(default=[], description="Met criteria, by number from 1 or by text.")
    commit: ShortText | None = Field(default=None, description="The commit that did it, as evidence.")
    reason: Body | None = Field(default=None, description="A remark for the history.")
    agent: Agent = Field(default=None, description="Your name, without a session.")
    take_over: TakeOver = False


@tasks.operation(
    "taskpilot_done",
    title="Finish a task",
    effect=Effect.WRITE,
    command="done",
    positional=("task_id",),
    example="holdfast tasks done TP-1 --check 1 --commit HEAD",
    text=_text,
    command_only=True,
)
def done(room: Tasks, arguments: FinishTask) -> TaskUpdated:
    """Mark a task as done, if it meets the workspace's done gate."""
    wanted = UpdateTask(
        workspace_path=arguments.workspace,
        session=arguments.session,
        task_id=arguments.task_id,
        set=TaskFields(status="done"),
        check=list(arguments.check),
        evidence=[EvidenceIn(kind="commit", ref=arguments.commit)] if arguments.commit else [],
        reason=arguments.reason,
        agent=arguments.agent,
        take_over=arguments.take_over,
    )
    return _apply_update(room, wanted)


class ApproveTask(Scoped):
    """The task that a person approves."""

    task_id: TaskId = Field(description="Which task, such as TP-12.")
    check: ShortTexts = Field(default=[], description="Met criteria, by number from 1 or by text.")
    reason: Body | None = Field(default=None, description="What you checked.")
    take_over: TakeOver = False


class Approved(Reported):
    """Receipt for an approval."""

    task: TaskReceipt


@tasks.operation(
    "taskpilot_approve",
    title="Approve a task",
    effect=Effect.WRITE,
    command="approve",
    positional=("task_id",),
    example="holdfast tasks approve TP-12",
    command_only=True,
    text=lambda result: f"{result.task.id} is {result.task.status}.",
)
def approve(room: Tasks, arguments: ApproveTask) -> Approved:
    """Approve, as a person, that a task in review is done. Servers never offer this to programs."""
    check_workspace(room, arguments)
    wanted = Change(
        set={"status": "done"},
        check=[*arguments.check],
        reason=arguments.reason,
        approved=True,
        take_over=arguments.take_over,
    )
    with room.writing(CallerIdentity(caller_name(room))) as transaction:
        changed = apply_change(transaction, arguments.task_id, wanted)
    workspace = workspace_ref(transaction.workspace)
    return Approved(operation="approve", workspace=workspace, task=receipt(changed.task))
