"""`taskpilot_claim` and `taskpilot_next`: claim a task, renew or release the claim, hand the task over."""

from __future__ import annotations

from typing import Literal, NamedTuple

from pydantic import Field, StrictBool

from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.models import Integer, count_field
from holdfast.kernel.operation import Effect
from holdfast.kernel.route import Address
from holdfast.kernel.text import one_line, shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.caller import writing
from holdfast.tasks.connected_files import resolve_typed_paths
from holdfast.tasks.inputs import AnyPriority, normalise_path
from holdfast.tasks.models import (
    Agent,
    Body,
    ClaimOut,
    InSession,
    Reported,
    ResponseFormat,
    Result,
    ShortText,
    TakeOver,
    TaskDetail,
    TaskId,
    TaskReceipt,
)
from holdfast.tasks.store import lease
from holdfast.tasks.store.change import apply_change
from holdfast.tasks.store.lease import LEASE_SECONDS, Claimed, ClaimFilter
from holdfast.tasks.store.query import in_closed_milestones
from holdfast.tasks.store.records import CallerIdentity, Change, Task
from holdfast.tasks.store.rows import find_task
from holdfast.tasks.store.session import RENEW_AFTER_SECONDS, store_handoff_note
from holdfast.tasks.store.states import IS_UNFINISHED
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import TaskTransaction
from holdfast.tasks.toolset import WRITING, tasks
from holdfast.tasks.view.budget import MAX_BYTES, shorten_task
from holdfast.tasks.view.results import claim_out, receipt, task_detail, workspace_ref

_MAX_LEASE_SECONDS = 86_400
"""A judgement: an abandoned task is never blocked for more than a day."""
_MAX_NOTES_CHARACTERS = 1000
"""Notes of the previous holder in a result. A judgement: a few paragraphs; the task has all of them."""
_RESERVED_BYTES = 6000
"""Bytes of a detailed result for everything but the task: the claim, and the previous holder's notes with up
to four bytes per character."""
_MAX_HOLDERS_SHOWN = 10
"""A judgement: more than wait for each other in one team."""
_ACTIONS_ACCEPTING = {
    "task_id": ("take", "renew", "release", "handoff"), "resume": ("take",), "take_over": ("take",),
    "note": ("release", "handoff"), "priority": ("next",), "label": ("next",), "milestone": ("next",),
    "connected_file": ("next",),
}  # fmt: skip
"""The actions that accept each argument; all actions accept the others."""


class ClaimTask(InSession):
    """An action on a claim."""

    action: Literal["next", "take", "renew", "release", "handoff"] = Field(
        default="next",
        description="Take the next ready task or a named one; renew, release or hand over yours.",
    )
    task_id: TaskId | None = Field(default=None, description="Which task; not with `next`.")
    agent: Agent = Field(default=None, description="Your name, without a session.")
    token: ShortText | None = Field(default=None, description="Proof of the claim; send it with writes.")
    resume: StrictBool = Field(default=False, description="With take: what you held in a session that ended.")
    take_over: TakeOver = False
    priority: AnyPriority | None = Field(default=None, description="With next: this priority.")
    label: ShortText | None = Field(default=None, description="With next: this label.")
    milestone: ShortText | None = Field(default=None, description="With next: this milestone.")
    connected_file: ShortText | None = Field(default=None, description="With next: about this file.")
    lease_seconds: Integer = count_field(int(LEASE_SECONDS), _MAX_LEASE_SECONDS, "How long the claim lasts.")
    note: Body | None = Field(default=None, description="For your successor, with handoff or release.")
    response_format: ResponseFormat = Field(default="concise", description="Whether to show the whole task.")


class NoneReady(Result):
    """The reasons why no task is ready, as numbers of tasks."""

    blocked: int = Field(description="Tasks that wait for other tasks or for a person.")
    claimed: int = Field(description="Tasks that someone holds.")
    claimed_by: list[UntrustedText] | None = None
    milestone_closed: int | None = Field(
        default=None, description="How many of the blocked ones belong to a closed milestone."
    )


class PreviousHolder(Result):
    """The holder whose claim on the task expired or was taken over."""

    agent: UntrustedText
    notes: UntrustedText | None = None


class ClaimResult(Reported):
    """A task and its claim, or why no task is ready."""

    task: TaskReceipt | None = None
    detail: TaskDetail | None = None
    claim: ClaimOut | None = None
    previous_holder: PreviousHolder | None = None
    none_ready: NoneReady | None = None


def _text(result: ClaimResult) -> str:
    task, none = result.task, result.none_ready
    if none is not None:
        closed = f" ({none.milestone_closed} by a closed milestone)" if none.milestone_closed else ""
        return f"No task is ready: {none.blocked} blocked{closed}, {none.claimed} claimed."
    assert task is not None  # only a result that says why no task is ready has none
    if result.claim is None:
        return f"{task.id} is released."
    previous = result.previous_holder
    before = f" The holder before you was {one_line(previous.agent)}." if previous else ""
    return f"{task.id} is yours until {result.claim.expires_at}: {one_line(task.title)}.{before}"


class _Outcome(NamedTuple):
    """The task of an action; if `next` found no ready task, there is none."""

    claimed: Claimed | None = None
    """For `next`, `take` and `renew`."""
    released: Task | None = None
    """For `release` and `handoff`."""


@tasks.operation(
    "taskpilot_claim",
    title="Claim a task",
    effect=Effect.WRITE,
    command="claim",
    positional=("action", "task_id"),
    example="holdfast tasks claim next --agent ada",
    text=_text,
    fill_in=resolve_typed_paths,
    annotations=WRITING,
    result_version="task.version",
    addresses=(
        Address("POST", "workspaces/{workspace_path}/tasks/{task_id}/claim", {"action": "take"}),
        Address("POST", "workspaces/{workspace_path}/claim", {"action": "next"}),
    ),
)
def claim(room: Tasks, arguments: ClaimTask) -> ClaimResult:
    """Claim a task so that no one else takes it, renew or release the claim, or hand the task over.

    A claim lasts for `lease_seconds` and is renewed by every call with your `session`. Once it expires,
    others can take the task.
    """
    _check_arguments(arguments)
    with writing(
        room, arguments, agent=arguments.agent, token=arguments.token, concurrent=True
    ) as transaction:
        workspace = transaction.workspace
        outcome = _execute(transaction, arguments)
    if arguments.session is not None and arguments.lease_seconds < 2 * RENEW_AFTER_SECONDS:
        # The next call must look, as the time cached for this session may be too late for so short a claim.
        room.renewals_due = {**room.renewals_due, arguments.session: 0.0}
    if outcome.released is not None:
        task = receipt(outcome.released)
        return ClaimResult(operation="claim", workspace=workspace_ref(workspace), task=task)
    if outcome.claimed is not None:
        return _claim_result(room, arguments, transaction, outcome.claimed)
    with room.reading() as transaction:
        none_ready = _none_ready(transaction)
    return ClaimResult(
        operation="claim",
        workspace=workspace_ref(workspace),
        none_ready=none_ready,
        next_steps=["List blocked tasks with taskpilot_list and `blocked`, or add tasks with taskpilot_add."],
    )


def _execute(transaction: TaskTransaction, arguments: ClaimTask) -> _Outcome:
    """Carry out the action, whose arguments were checked."""
    task_id, seconds = arguments.task_id or "", arguments.lease_seconds  # only `next` has no id
    if arguments.action == "next":
        file = arguments.connected_file and normalise_path(arguments.connected_file)
        wanted = ClaimFilter(arguments.priority, arguments.label, arguments.milestone, file)
        return _Outcome(lease.take_next(transaction, wanted, seconds))
    if arguments.action == "take":
        return _Outcome(
            lease.take(transaction, task_id, seconds, resume=arguments.resume, take_over=arguments.take_over)
        )
    if arguments.action == "renew":
        return _Outcome(Claimed(lease.renew(transaction, task_id, seconds)))
    return _Outcome(released=_release(transaction, arguments, task_id))


def _check_arguments(arguments: ClaimTask) -> None:
    """Raise if the action does not accept one of the arguments, or lacks a required one."""
    action = arguments.action
    for name, actions in _ACTIONS_ACCEPTING.items():
        if action not in actions and getattr(arguments, name) not in (None, False):
            hint = f"Leave it out; only {' and '.join(f'`{other}`' for other in actions)} can have it."
            raise InvalidArguments(f"`{action}` takes no `{name}`.", hint=hint)
    if arguments.task_id is None and action != "next":
        raise InvalidArguments(f"`{action}` needs `task_id`.", hint="Give the task, such as TP-12.")


def _none_ready(transaction: TaskTransaction) -> NoneReady:
    closed = transaction.closed_milestones()
    in_closed, values = in_closed_milestones(closed)

    def count(condition: str) -> int:
        # Separate queries, because each can be answered from an index alone.
        query = f"SELECT count(*) FROM task WHERE workspace = :workspace AND {condition}"
        return int(transaction.run_in_workspace(query, **values).fetchone()[0])

    blocked = count("status IN ('blocked', 'backlog') AND (status = 'blocked' OR waits > 0)")
    if closed:
        blocked += count(f"status = 'backlog' AND waits = 0 AND {in_closed}")
    claimed = count(f"claim_agent IS NOT NULL AND claim_expires > :now AND {IS_UNFINISHED}")
    milestone_closed = count(f"status = 'backlog' AND {in_closed}") if closed else 0
    holders = transaction.run_in_workspace(
        "SELECT DISTINCT claim_agent FROM task WHERE workspace = :workspace AND claim_agent IS NOT NULL"
        f" AND claim_expires > :now ORDER BY claim_agent LIMIT {_MAX_HOLDERS_SHOWN}"
    )
    return NoneReady(
        blocked=blocked,
        claimed=claimed,
        claimed_by=[row[0] for row in holders] or None,
        milestone_closed=milestone_closed or None,
    )


def _claim_result(room: Tasks, arguments: ClaimTask, ended: TaskTransaction, claimed: Claimed) -> ClaimResult:
    """Return the result for a claimed or renewed task; `ended` is the transaction that claimed it."""
    task, previous = claimed.task, claimed.previous
    holder = CallerIdentity(ended.who.actor, ended.who.session, task.claim_token)
    detail = None
    if arguments.response_format == "detailed":
        with room.reading() as transaction:
            detail = shorten_task(task_detail(transaction, task), MAX_BYTES - _RESERVED_BYTES)
    previous_holder = None
    if previous is not None and previous.claim_agent is not None:
        notes = previous.notes and shorten(previous.notes, _MAX_NOTES_CHARACTERS, tidy=True)
        previous_holder = PreviousHolder(agent=previous.claim_agent, notes=notes)
    return ClaimResult(
        operation="claim",
        workspace=workspace_ref(ended.workspace),
        task=receipt(task),
        detail=detail,
        claim=claim_out(task, ended.now, holder),
        previous_holder=previous_holder,
        next_steps=["Read its context with taskpilot_focus; report progress with taskpilot_update."],
    )


def _release(transaction: TaskTransaction, arguments: ClaimTask, task_id: str) -> Task:
    """Release a task; a note is added to the task and, for a handoff, shown to the next session."""
    kind = "handed-over" if arguments.action == "handoff" else "released"
    note = arguments.note
    if note is not None and kind == "handed-over" and arguments.session is not None:
        store_handoff_note(transaction, arguments.session, f"{find_task(transaction, task_id).id}: {note}")
    released = lease.release(transaction, task_id, kind=kind, reason=note)
    if note is None:
        return released
    # The claim has ended, so its token would now be refused.
    transaction.who = CallerIdentity(transaction.who.actor, transaction.who.session)
    notes = f"{released.notes}\n\n{note}" if released.notes else note
    return apply_change(
        transaction, released.id, Change(set={"notes": notes}, reason=kind.replace("-", " "))
    ).task


class NextTask(InSession):
    """Restricts which task comes next."""

    agent: Agent = Field(default=None, description="Your name.")
    label: ShortText | None = Field(default=None, description="Only with this label.")


@tasks.operation(
    "taskpilot_next",
    title="Take the next task",
    effect=Effect.WRITE,
    command="next",
    example="holdfast tasks next",
    text=_text,
    command_only=True,
)
def next_task(room: Tasks, arguments: NextTask) -> ClaimResult:
    """Claim the task that should be done next, as `claim next` does."""
    return claim(room, ClaimTask(action="next", **arguments.model_dump(by_alias=True)))  # type: ignore[no-any-return]
