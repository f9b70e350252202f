"""`taskpilot_focus`: claim a task, and return it with all the context needed to begin."""

from __future__ import annotations

from pydantic import Field, StrictBool

from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.operation import Effect
from holdfast.tasks.caller import identify_caller, writing
from holdfast.tasks.errors import AlreadyClaimed
from holdfast.tasks.models import Agent, InSession, ResponseFormat, TaskId
from holdfast.tasks.neighbours import RemarkQuery
from holdfast.tasks.store import rows
from holdfast.tasks.store.lease import Claimed, take
from holdfast.tasks.store.records import CallerIdentity, Task
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import TaskTransaction
from holdfast.tasks.texts import rules
from holdfast.tasks.toolset import WRITING, tasks
from holdfast.tasks.view.focus_limits import CONCISE, DETAILED, shorten_focus
from holdfast.tasks.view.focus_result import Focus, FocusRule, More, RemarkOut, Unreadable, focus_text
from holdfast.tasks.view.results import claim_out, task_detail_from, task_refs, workspace_ref

_MAX_ANCESTORS = 10
"""Ancestors in a result. A judgement: deeper hierarchies are rare, and each ancestor names its own parent."""


class FocusTask(InSession):
    """The task to work on, and how much of it to show."""

    task_id: TaskId = Field(description="The task, such as TP-12.")
    peek: StrictBool = Field(default=False, description="Read it without claiming it.")
    resume: StrictBool = Field(default=False, description="Take over from your ended session.")
    agent: Agent = Field(default=None, description="Your name, without a session.")
    response_format: ResponseFormat = Field(default="concise", description="How much of long texts to show.")


@tasks.operation(
    "taskpilot_focus",
    title="Focus on a task",
    effect=Effect.WRITE,
    idempotent=True,
    command="focus",
    positional=("task_id",),
    example="holdfast tasks focus TP-1 --peek",
    specified=True,
    text=focus_text,
    annotations=WRITING,
    result_version="task.version",
)
def focus(room: Tasks, arguments: FocusTask) -> Focus:
    """Begin a task: claim it, and get everything known about it and its files in one result.

    Includes parents, blockers, criteria, rules, open comments, unread messages, linked issues, commits. With
    `peek` nothing is claimed. Long texts are cut; `more` and `truncated` say where.
    """
    if arguments.peek and arguments.resume:
        raise InvalidArguments("`peek` and `resume` exclude each other.", hint="Leave out one of them.")
    if arguments.peek:
        claimed, who = None, identify_caller(room, arguments)
    else:
        claimed, who = _claim(room, arguments)
    limits = DETAILED if arguments.response_format == "detailed" else CONCISE
    with room.reading(who) as transaction:
        workspace = transaction.workspace
        task = rows.find_task(transaction, arguments.task_id)
        relations = rows.relations_of(transaction, task.uid)
        detail = task_detail_from(transaction, task, relations)
        parents = task_refs(transaction, _ancestors(transaction, task))
        blockers = task_refs(transaction, relations.blockers)
    found = room.neighbours.find_remarks(_remark_query(task, relations, limits.remarks))
    remarks = [RemarkOut.model_validate(remark, from_attributes=True) for remark in found.remarks]
    whole = Focus(
        operation="focus",
        workspace=workspace_ref(workspace),
        task=detail,
        claim=None if arguments.peek else claim_out(task, transaction.now, who),
        left_by=None if claimed is None or claimed.previous is None else claimed.previous.claim_agent,
        parents=parents or None,
        blockers=blockers or None,
        to_check=[number for number, item in enumerate(detail.criteria or (), 1) if not item.checked] or None,
        done_gate=workspace.gate,
        rules=[FocusRule(type=rule.type, text=rule.text) for rule in rules.active_rules(room)] or None,
        remarks=remarks or None,
        absent=found.absent or None,
        unreadable=[Unreadable(room=name, reason=why) for name, why in found.failures.items()] or None,
        more=[
            More(what=f"{kind}s", shown=limits.remarks, total=total)
            for kind, total in found.totals.items()
            if total > limits.remarks
        ],
        version=task.version,
        next_steps=_next_steps(task, workspace.gate, peek=arguments.peek),
    )
    return shorten_focus(whole, limits)


def _claim(room: Tasks, arguments: FocusTask) -> tuple[Claimed, CallerIdentity]:
    try:
        with writing(room, arguments, agent=arguments.agent, concurrent=True) as transaction:
            return take(transaction, arguments.task_id, resume=arguments.resume), transaction.who
    except AlreadyClaimed as error:
        hint = f"{error.hint or ''} To read it without claiming it, pass `peek`.".strip()
        raise AlreadyClaimed(error.message, hint=hint, **error.data) from None


def _ancestors(transaction: TaskTransaction, task: Task) -> list[Task]:
    """Return the ancestors of a task, nearest first."""
    found: list[Task] = []
    current = task.parent
    while current is not None and len(found) < _MAX_ANCESTORS:
        found.append(rows.task_by_uid(transaction, current))
        current = found[-1].parent
    return found


def _remark_query(task: Task, relations: rows.TaskRelations, limit: int) -> RemarkQuery:
    links = [(link.kind, link.ref) for link in relations.links]
    if task.milestone is not None:
        links.append(("milestone", task.milestone))
    files = [file.path for file in relations.files]
    return RemarkQuery(files=files, links=links, task_id=task.id, limit=limit)


def _next_steps(task: Task, gate: str, *, peek: bool) -> list[str]:
    if peek:
        return [f"To begin, call taskpilot_focus {task.id} without `peek`."]
    proof = {"evidence": " and evidence", "human": "; a person approves it"}.get(gate, "")
    return [f"When done: taskpilot_update {task.id} with `check` for each criterion{proof}, status done."]
