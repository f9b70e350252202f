"""`taskpilot_update`, `done` and `approve`: changing a task, with what the caller saw and what proves it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, StrictFloat

from holdfast.kernel.call import current_call
from holdfast.kernel.dispatch.validation import validated
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.models import ONLY_SPECIFIED, Input, IntegerOrNone
from holdfast.kernel.operation import Effect
from holdfast.kernel.questions import Form
from holdfast.kernel.route import Address
from holdfast.kernel.text import shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.inputs import (
    AnyPriority,
    AnyStatus,
    Criteria,
    Dependencies,
    EvidenceIn,
    LinkIn,
    Paths,
    Words,
    dependency_of,
    files_of,
    links_of,
    list_of,
    refuse_missing,
)
from holdfast.tasks.models import (
    MOST_ITEMS,
    Agent,
    Body,
    InSession,
    Reported,
    Scoped,
    TaskId,
    TaskReceipt,
    Title,
    Word,
    WordOrNone,
)
from holdfast.tasks.store.change import change
from holdfast.tasks.store.gate import commit_naming
from holdfast.tasks.store.records import Change, Changed, Who
from holdfast.tasks.store.rows import find_task, ids_of
from holdfast.tasks.store.session import actor, check_workspace, reading, writing
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import WRITING, tasks
from holdfast.tasks.view.results import receipt, workspace_ref

_SCHEMA = {
    "type": "object",
    "properties": {"done": {"type": "boolean", "title": "The task is done"}},
    "required": ["done"],
}


def _asked_for_approval(room: Tasks, arguments: UpdateTask) -> bool:
    """Ask the person at the client whether a task is done, where the gate wants it and the client can."""
    call = current_call()
    with reading(room, arguments) as transaction:
        if transaction.workspace.gate != "human" or not call.can_ask("elicitation"):
            return False
        task = find_task(transaction, arguments.task_id)
    answer = call.ask({"done": Form(f"Is {task.id} done?", _SCHEMA)})["done"]
    return answer.get("action") == "accept" and bool(answer.get("content", {}).get("done"))


SeedField = Literal[
    "title", "description", "priority", "status", "progress", "notes", "connected_files", "blocked_by"
]
FieldName = Literal[
    "title", "description", "status", "priority", "progress", "notes", "plan", "milestone", "rank",
    "parent_id", "github_issue_number", "github_url", "labels", "depends_on", "connected_files", "criteria",
    "evidence", "links", "claimed_by",
]  # fmt: skip
_SHOWN_NAMES = {
    "parent": "parent_id",
    "files": "connected_files",
    "issue_number": "github_issue_number",
    "issue_url": "github_url",
}
_SHOWN_CHARACTERS = 200


class TaskFields(Input):
    """New values. What is left out stays as it is."""

    title: Title | None = Field(default=None, description="New title.")
    description: Body | None = Field(default=None, description="New description.")
    status: AnyStatus | None = Field(default=None, description="New state.")
    priority: AnyPriority | None = Field(default=None, description="New priority.")
    progress: IntegerOrNone = Field(default=None, ge=0, le=100, description="Percent done.")
    notes: Body | None = Field(default=None, description="New notes.")
    plan: Body | None = Field(default=None, description="New plan.")
    milestone: WordOrNone | None = Field(default=None, description="New milestone; empty for none.")
    rank: StrictFloat | None = Field(
        default=None, description="Place among tasks of one priority; less is earlier."
    )
    parent_id: str | None = Field(default=None, max_length=40, description="New parent; empty for none.")


class TaskItems(Input):
    """What to add to lists, or to take away from them."""

    depends_on: Dependencies = Field(default=[], description="Tasks, as in taskpilot_add.")
    labels: Words = Field(default=[], description="Labels.")
    connected_files: Paths = Field(default=[], description="Files.")
    criteria: Words = Field(default=[], description="Criteria; to remove, also by number.")
    links: list[LinkIn] = Field(default=[], max_length=MOST_ITEMS, description="Links.")


class UpdateTask(InSession):
    """What to change about a task."""

    task_id: TaskId = Field(description="Which task, such as TP-12.")
    set: TaskFields | None = Field(default=None, description="New values.")
    field: SeedField | None = Field(
        default=None,
        description="One field, instead of `set`; its value in `value`.",
        json_schema_extra=ONLY_SPECIFIED,
    )
    value: Body | None = Field(
        default=None, description="The new value of `field`, as text.", json_schema_extra=ONLY_SPECIFIED
    )
    add: TaskItems | None = Field(default=None, description="What to add to lists.")
    remove: TaskItems | None = Field(default=None, description="What to take away from lists.")
    check: Criteria = Field(default=[], description="Criteria that are met, by number from 1 or by text.")
    evidence: list[EvidenceIn] = Field(default=[], max_length=20, description="What shows that it was done.")
    reason: Body | None = Field(default=None, description="Why; needed to block and to reopen.")
    if_version: IntegerOrNone = Field(default=None, ge=1, description="Change it only at this version.")
    token: Word | None = Field(default=None, description="Proof that the claim is yours.")


class TaskUpdated(Reported):
    """Receipt for a change."""

    task: TaskReceipt
    changed: dict[FieldName, list[UntrustedText]] = Field(description="Old and new value of each field.")
    unblocked: list[str] | None = Field(default=None, description="Tasks that became ready.")


def updated_words(result: Any) -> str:
    """Return what a change did."""
    if not result.changed:
        return f"{result.task.id} is like that already."
    fields = ", ".join(sorted(result.changed))
    freed = f" Ready now: {', '.join(result.unblocked)}." if result.unblocked else ""
    return f"Updated {result.task.id} ({result.task.status}, version {result.task.version}): {fields}.{freed}"


@tasks.operation(
    "taskpilot_update",
    title="Update a task",
    effect=Effect.WRITE,
    command="update",
    positional=("task_id",),
    example="holdfast tasks update TP-1 --field priority --value high",
    specified=True,
    text=updated_words,
    annotations=WRITING,
    expects_version="if_version",
    result_version="task.version",
    addresses=(
        Address("PUT", "workspaces/{workspace_path}/tasks/{task_id}"),
        Address("PATCH", "workspaces/{workspace_path}/tasks/{task_id}"),
        Address(
            "DELETE",
            "workspaces/{workspace_path}/tasks/{task_id}",
            {"field": "status", "value": "dropped"},
            takes=frozenset({"if_version"}),
        ),
    ),
)
def update(room: Tasks, arguments: UpdateTask) -> TaskUpdated:
    """Change a task: its text, state, lists, criteria and evidence.

    Done is refused until what the workspace asks for is there.
    """
    return _updated(room, arguments)


def _updated(room: Tasks, arguments: UpdateTask, agent: str | None = None) -> TaskUpdated:
    wanted = _change(arguments)
    refuse_missing(room, wanted.add.get("links", ()))
    wanted.evidence = _checked_evidence(room, arguments)
    wanted.approved = wanted.set.get("status") == "done" and _asked_for_approval(room, arguments)
    with writing(room, arguments, agent=agent, token=arguments.token) as transaction:
        done = change(transaction, arguments.task_id, wanted, if_version=arguments.if_version)
        ids = ids_of(transaction, _named(done))
    return TaskUpdated(
        operation="update",
        workspace=workspace_ref(transaction.workspace),
        task=receipt(done.task),
        changed=_shown(done, ids),
        unblocked=list(done.unblocked) or None,
    )


def _checked_evidence(room: Tasks, arguments: UpdateTask) -> list[dict[str, Any]]:
    """Return evidence as it is kept: commits by their full names, which exist and name the task."""
    kept = [item.model_dump() for item in arguments.evidence]
    commits = [item for item in kept if item["kind"] == "commit"]
    if commits:
        with reading(room, arguments) as transaction:
            number = find_task(transaction, arguments.task_id).n
        for item in commits:
            item["ref"] = commit_naming(room.repository, item["ref"], number)
    return kept


def _change(arguments: UpdateTask) -> Change:
    wanted = Change(reason=arguments.reason, check=list(arguments.check))
    if arguments.set is not None:
        wanted.set = _fields(arguments.set)
    if arguments.field is not None:
        if arguments.value is None:
            raise InvalidArguments("`field` needs `value`.", hint=f"Say what {arguments.field} is to be.")
        wanted.set |= _seed_field(arguments.field, arguments.value)
    elif arguments.value is not None:
        raise InvalidArguments("`value` needs `field`.", hint="Say which field it is for, or use `set`.")
    if arguments.add is not None:
        wanted.add |= _items(arguments.add)
    if arguments.remove is not None:
        wanted.remove = _removed(arguments.remove)
    if not (wanted.set or wanted.add or wanted.remove or wanted.check or arguments.evidence):
        raise InvalidArguments("There is nothing to change.", hint="Give `set`, `add`, `remove` or `check`.")
    return wanted


def _fields(given: TaskFields) -> dict[str, Any]:
    values = given.model_dump(exclude_unset=True)
    if "parent_id" in values:
        values["parent"] = values.pop("parent_id") or None
    emptied = {"milestone": None} if values.get("milestone") == "" else {}
    return {name: value for name, value in values.items() if value is not None or name == "parent"} | emptied


def _seed_field(field: SeedField, text: str) -> dict[str, Any]:
    """Understand the specification's way of naming one field and its value as text."""
    if field == "connected_files":
        return {"files": files_of(list_of(text))}
    if field == "blocked_by":
        return {"blockers": [(item, "blocks") for item in list_of(text)]}
    try:
        given = validated(TaskFields, {field: text})
    except InvalidArguments as failure:
        raise InvalidArguments(
            f"`value` cannot be the {field}. {failure.message}", hint="Correct `value`."
        ) from None
    assert isinstance(given, TaskFields)
    return _fields(given)


def _items(given: TaskItems) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {
        "depends_on": [dependency_of(text) for text in given.depends_on],
        "labels": list(given.labels),
        "files": files_of(given.connected_files),
        "criteria": list(given.criteria),
        "links": links_of(given.links),
    }
    return {name: items for name, items in found.items() if items}


def _removed(given: TaskItems) -> dict[str, list[Any]]:
    found = _items(given)
    found["depends_on"] = [text for text, _ in found.get("depends_on", [])]
    found["files"] = [item.path for item in found.get("files", [])]
    found["links"] = [item.ref for item in found.get("links", [])]
    return {name: items for name, items in found.items() if items}


def _named(done: Changed) -> set[str]:
    """Return the tasks that the values of a change name."""
    needs = {uid for value in done.changed.get("depends_on", ()) for uid, _ in value}
    return needs | {uid for uid in done.changed.get("parent", ()) if uid}


def _shown(done: Changed, ids: Mapping[str, str]) -> Any:
    return {
        _SHOWN_NAMES.get(name, name): [_text(name, value, ids) for value in values]
        for name, values in done.changed.items()
    }


def _text(name: str, value: Any, ids: Mapping[str, str]) -> str:
    if name == "parent":
        return ids.get(value, "")
    if name == "depends_on":
        return ", ".join(ids[uid] if kind == "blocks" else f"{kind}:{ids[uid]}" for uid, kind in value)
    if name == "criteria":
        return f"{sum(item['checked'] for item in value)} of {len(value)} checked"
    if name in ("files", "links", "evidence"):
        shown = {"files": 0, "links": 1, "evidence": "ref"}[name]
        value = [item[shown] for item in value]
    text = ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
    return shorten(text, _SHOWN_CHARACTERS)


class FinishTask(InSession):
    """Which task is done, and what shows it."""

    task_id: TaskId = Field(description="The task, such as TP-12.")
    check: Words = Field(default=[], description="Criteria that are met, by number from 1 or by text.")
    commit: Word | None = Field(default=None, description="The commit that did it, as evidence.")
    reason: Body | None = Field(default=None, description="Anything to say about it.")
    agent: Agent = Field(default=None, description="Your name, where you have no session.")


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
        check=list(arguments.check),
        evidence=[EvidenceIn(kind="commit", ref=arguments.commit)] if arguments.commit else [],
        reason=arguments.reason,
    )
    return _updated(room, wanted, arguments.agent)


class ApproveTask(Scoped):
    """Which task a person approves."""

    task_id: TaskId = Field(description="Which task, such as TP-12.")
    check: Words = Field(default=[], description="Criteria that are met, by number from 1 or by text.")
    reason: Body | None = Field(default=None, description="What you looked at.")


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
    """Say, as a person, that a task in review is done. No server offers this to a program."""
    check_workspace(room, arguments)
    wanted = Change(set={"status": "done"}, check=[*arguments.check], approved=True)
    wanted.reason = arguments.reason
    with room.writing(Who(actor())) as transaction:
        done = change(transaction, arguments.task_id, wanted)
    where = workspace_ref(transaction.workspace)
    return Approved(operation="approve", workspace=where, task=receipt(done.task))
