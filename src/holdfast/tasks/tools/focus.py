"""`taskpilot_focus`: claim a task, and return it with all the context needed to begin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TypeVar

from pydantic import Field, StrictBool

from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import shorten
from holdfast.tasks.errors import AlreadyClaimed
from holdfast.tasks.models import Agent, Criterion, InSession, ResponseFormat, TaskDetail, TaskId
from holdfast.tasks.neighbours import RemarkQuery, TaskRemark
from holdfast.tasks.store import rows
from holdfast.tasks.store.lease import Claimed, take
from holdfast.tasks.store.records import CallerIdentity, Task
from holdfast.tasks.store.session import identify_caller, writing
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import TaskTransaction
from holdfast.tasks.texts import rules
from holdfast.tasks.toolset import WRITING, tasks
from holdfast.tasks.view.budget import DEFAULT_BYTES, MAX_BYTES
from holdfast.tasks.view.focus_result import (
    Focus,
    FocusRule,
    More,
    RemarkOut,
    Unreadable,
    focus_text,
    shorten_focus,
)
from holdfast.tasks.view.results import claim_out, task_detail_from, task_refs, workspace_ref, workspace_uri

_MAX_ANCESTORS = 10
"""Ancestors in a result. A judgement: deeper hierarchies are rare, and each ancestor names its own parent."""
Item = TypeVar("Item")


@dataclass
class FocusLimits:
    """The limits of a result, and a record of what they left out."""

    text_characters: int
    """For description, notes and plan."""
    line_characters: int
    """For rules, criteria and remarks."""
    remarks: int
    """Remarks of each kind."""
    rules: int
    list_items: int
    has_cut_text: bool = False
    omissions: list[More] = field(default_factory=list)

    def clip_text(self, text: str, maximum: int) -> str:
        """Return a text of at most `maximum` characters, and record whether it was cut."""
        if len(text) <= maximum:
            return text
        self.has_cut_text = True
        return shorten(text, maximum)

    def clip_list(self, items: list[Item], maximum: int, what: str, uri: str | None = None) -> list[Item]:
        """Return the first `maximum` items, and record how many there are."""
        if len(items) > maximum:
            self.omissions.append(More(what=what, shown=maximum, total=len(items), uri=uri))
        return items[:maximum]


def _limits_for(response_format: ResponseFormat) -> FocusLimits:
    """Return limits with which most results fit their budget (`view/budget.py`); others are cut further."""
    if response_format == "detailed":
        return FocusLimits(text_characters=3000, line_characters=300, remarks=8, rules=20, list_items=20)
    return FocusLimits(text_characters=800, line_characters=160, remarks=3, rules=6, list_items=8)


class FocusTask(InSession):
    """The task to work on, and how much of it to show."""

    task_id: TaskId = Field(description="The task, such as TP-12.")
    peek: StrictBool = Field(default=False, description="Read it without claiming it.")
    resume: StrictBool = Field(default=False, description="Take over from your ended session.")
    agent: Agent = Field(default=None, description="Your name, if you have no session.")
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
    limits = _limits_for(arguments.response_format)
    with room.reading(who) as transaction:
        workspace = transaction.workspace
        task = rows.find_task(transaction, arguments.task_id)
        relations = rows.relations_of(transaction, task.uid)
        detail = task_detail_from(transaction, task, relations)
        parents = task_refs(transaction, _ancestors(transaction, task))
        blockers = task_refs(transaction, limits.clip_list(relations.blockers, limits.list_items, "blockers"))
    query = _remark_query(task, relations, limits)
    found = room.neighbours.find_remarks(query)
    clipped = _clip_task(detail, limits)
    base = workspace_uri(workspace.id)
    active_rules = limits.clip_list(rules.active_rules(room), limits.rules, "rules", f"{base}/rules")
    _record_omissions(limits, found.totals, query.limit, f"{base}/tasks/{task.id}")
    whole = Focus(
        operation="focus",
        workspace=workspace_ref(workspace),
        task=clipped,
        claim=None if arguments.peek else claim_out(task, transaction.now, who),
        left_by=None if claimed is None or claimed.previous is None else claimed.previous.claim_agent,
        parents=parents or None,
        blockers=blockers or None,
        to_check=[number for number, item in enumerate(detail.criteria or (), 1) if not item.checked] or None,
        done_gate=workspace.gate,
        rules=[_rule_out(rule, limits) for rule in active_rules] or None,
        remarks=[_remark_out(remark, limits) for remark in found.remarks] or None,
        absent=found.absent or None,
        unreadable=[Unreadable(room=name, reason=why) for name, why in found.failures.items()] or None,
        more=limits.omissions or None,
        truncated=limits.has_cut_text or None,
        version=task.version,
        next_steps=_next_steps(task, workspace.gate, peek=arguments.peek),
    )
    maximum = MAX_BYTES if arguments.response_format == "detailed" else DEFAULT_BYTES
    return shorten_focus(whole, maximum, f"{base}/tasks/{task.id}")


def _record_omissions(limits: FocusLimits, totals: Mapping[str, int], maximum: int, uri: str) -> None:
    """Record the remarks beyond the limit, and where to read a task with cut texts."""
    for kind, total in totals.items():
        if total > maximum:
            limits.omissions.append(More(what=f"{kind}s", shown=maximum, total=total))
    if limits.has_cut_text:
        limits.omissions.append(More(what="task", shown=0, total=1, uri=uri))


def _claim(room: Tasks, arguments: FocusTask) -> tuple[Claimed, CallerIdentity]:
    try:
        with writing(room, arguments, agent=arguments.agent, together=True) as transaction:
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


def _remark_query(task: Task, relations: rows.TaskRelations, limits: FocusLimits) -> RemarkQuery:
    links = [(link.kind, link.ref) for link in relations.links]
    if task.milestone is not None:
        links.append(("milestone", task.milestone))
    files = [file.path for file in relations.files]
    return RemarkQuery(files=files, links=links, name=task.id, limit=limits.remarks)


def _clip_task(detail: TaskDetail, limits: FocusLimits) -> TaskDetail:
    """Return a task with its texts and lists cut to the limits."""
    changes: dict[str, object] = {}
    for name in ("description", "notes", "plan"):
        text = getattr(detail, name) or ""
        if len(text) > limits.text_characters:
            changes[name] = limits.clip_text(text, limits.text_characters)
    for name in ("subtasks", "depends_on", "blocks", "links", "connected_files", "attachments", "evidence"):
        items = getattr(detail, name)
        if items is not None and len(items) > limits.list_items:
            changes[name] = limits.clip_list(items, limits.list_items, name)
    criteria = detail.criteria or []
    # Criteria decide whether the task is done, so more of them are shown than of other lists.
    max_criteria = 2 * limits.list_items
    if len(criteria) > max_criteria or any(len(item.text) > limits.line_characters for item in criteria):
        shown = [_clip_criterion(item, limits) for item in criteria]
        changes["criteria"] = limits.clip_list(shown, max_criteria, "criteria")
    return detail.model_copy(update=changes) if changes else detail


def _clip_criterion(item: Criterion, limits: FocusLimits) -> Criterion:
    text = limits.clip_text(item.text, limits.line_characters)
    return item if text == item.text else item.model_copy(update={"text": text})


def _rule_out(rule: rules.Rule, limits: FocusLimits) -> FocusRule:
    return FocusRule(type=rule.type, text=limits.clip_text(rule.text, limits.line_characters))


def _remark_out(remark: TaskRemark, limits: FocusLimits) -> RemarkOut:
    text = limits.clip_text(remark.text, limits.line_characters)
    title = None if remark.title is None else limits.clip_text(remark.title, limits.line_characters)
    return RemarkOut(**asdict(replace(remark, text=text, title=title)))


def _next_steps(task: Task, gate: str, *, peek: bool) -> list[str]:
    if peek:
        return [f"To begin, call taskpilot_focus {task.id} without `peek`."]
    proof = {"evidence": " and evidence", "human": "; a person approves it"}.get(gate, "")
    return [f"When done: taskpilot_update {task.id} with `check` for each criterion{proof}, status done."]
