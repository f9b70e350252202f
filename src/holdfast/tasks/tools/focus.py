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
from holdfast.tasks.neighbours import Question, TaskRemark
from holdfast.tasks.store import rows
from holdfast.tasks.store.lease import Claimed, take
from holdfast.tasks.store.records import Task, Who
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
from holdfast.tasks.view.results import claim_out, detail_of, quoted, task_refs, workspace_ref

_MAX_ANCESTORS = 10
"""A chosen bound on the result; deeper hierarchies are rare, and the task names its parent anyway."""
Item = TypeVar("Item")


@dataclass
class Space:
    """The limits of a result (characters per text, items per list), and a record of what was left out."""

    text: int
    remark: int
    remarks: int
    rules: int
    listed: int
    cut: bool = False
    more: list[More] = field(default_factory=list)

    def fit(self, text: str, maximum: int | None = None) -> str:
        """Return a text, cut to its limit."""
        maximum = maximum or self.text
        if len(text) <= maximum:
            return text
        self.cut = True
        return shorten(text, maximum)

    def some(self, items: list[Item], maximum: int, what: str, uri: str | None) -> list[Item]:
        """Return the first `maximum` items, and record how many were left out."""
        if len(items) > maximum:
            self.more.append(More(what=what, shown=maximum, total=len(items), uri=uri))
        return items[:maximum]


def _space_for(response_format: ResponseFormat) -> Space:
    if response_format == "detailed":
        return Space(text=3000, remark=300, remarks=8, rules=20, listed=20)
    return Space(text=800, remark=160, remarks=3, rules=6, listed=8)


class FocusTask(InSession):
    """Which task to work on."""

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
    taken, who = (None, identify_caller(room, arguments)) if arguments.peek else _claimed(room, arguments)
    space = _space_for(arguments.response_format)
    with room.reading(who) as transaction:
        workspace = transaction.workspace
        task = rows.find_task(transaction, arguments.task_id)
        parts = rows.parts_of(transaction, task.uid)
        detail = detail_of(transaction, task, parts)
        parents = task_refs(transaction, _parents(transaction, task))
        blockers = task_refs(transaction, space.some(parts.blockers, space.listed, "blockers", None))
    question = _question(task, parts, space)
    found = room.neighbours.around(question)
    fitted = _fitted(detail, space)
    base = f"taskpilot://workspace/{quoted(workspace.id)}"
    shown_rules = space.some(rules.active(room), space.rules, "rules", f"{base}/rules")
    _record_omissions(space, found.totals, question.limit, f"{base}/tasks/{task.id}")
    whole = Focus(
        operation="focus",
        workspace=workspace_ref(workspace),
        task=fitted,
        claim=None if arguments.peek else claim_out(task, transaction.now, who),
        left_by=None if taken is None or taken.previous is None else taken.previous.claim_agent,
        parents=parents or None,
        blockers=blockers or None,
        to_check=[number for number, item in enumerate(detail.criteria or (), 1) if not item.checked] or None,
        done_gate=workspace.gate,
        rules=[FocusRule(type=rule.type, text=space.fit(rule.text, space.remark)) for rule in shown_rules]
        or None,
        remarks=[_remark_out(remark, space) for remark in found.remarks] or None,
        absent=found.absent or None,
        unreadable=[Unreadable(room=name, reason=why) for name, why in found.failures.items()] or None,
        more=space.more or None,
        truncated=space.cut or None,
        version=task.version,
        next_steps=_next_steps(task, workspace.gate, peek=arguments.peek),
    )
    maximum = MAX_BYTES if arguments.response_format == "detailed" else DEFAULT_BYTES
    return shorten_focus(whole, maximum, f"{base}/tasks/{task.id}")


def _record_omissions(space: Space, totals: Mapping[str, int], limit: int, uri: str) -> None:
    for kind, total in totals.items():
        if total > limit:
            space.more.append(More(what=f"{kind}s", shown=limit, total=total))
    if space.cut:
        space.more.append(More(what="task", shown=0, total=1, uri=uri))


def _claimed(room: Tasks, arguments: FocusTask) -> tuple[Claimed, Who]:
    try:
        with writing(room, arguments, agent=arguments.agent, together=True) as transaction:
            return take(transaction, arguments.task_id, resume=arguments.resume), transaction.who
    except AlreadyClaimed as error:
        hint = f"{error.hint or ''} To read it without claiming it, pass `peek`.".strip()
        raise AlreadyClaimed(error.message, hint=hint, **error.data) from None


def _parents(transaction: TaskTransaction, task: Task) -> list[Task]:
    found: list[Task] = []
    current = task.parent
    while current is not None and len(found) < _MAX_ANCESTORS:
        found.append(rows.task_by_uid(transaction, current))
        current = found[-1].parent
    return found


def _question(task: Task, parts: rows.Parts, space: Space) -> Question:
    links = [(link.kind, link.ref) for link in parts.links]
    if task.milestone is not None:
        links.append(("milestone", task.milestone))
    return Question(files=[file.path for file in parts.files], links=links, name=task.id, limit=space.remarks)


def _fitted(detail: TaskDetail, space: Space) -> TaskDetail:
    """Return a task with its texts and lists cut to their limits."""
    changes: dict[str, object] = {
        name: space.fit(text)
        for name in ("description", "notes", "plan")
        if len(text := getattr(detail, name) or "") > space.text
    }
    for name in ("subtasks", "depends_on", "blocks", "links", "connected_files", "attachments", "evidence"):
        items = getattr(detail, name)
        if items is not None and len(items) > space.listed:
            changes[name] = space.some(items, space.listed, name, None)
    criteria = detail.criteria or []
    if len(criteria) > 2 * space.listed or any(len(item.text) > space.remark for item in criteria):
        shown = [_fitted_criterion(item, space) for item in criteria]
        changes["criteria"] = space.some(shown, 2 * space.listed, "criteria", None)
    return detail.model_copy(update=changes) if changes else detail


def _fitted_criterion(item: Criterion, space: Space) -> Criterion:
    text = space.fit(item.text, space.remark)
    return item if text == item.text else item.model_copy(update={"text": text})


def _remark_out(remark: TaskRemark, space: Space) -> RemarkOut:
    text = space.fit(remark.text, space.remark)
    title = None if remark.title is None else space.fit(remark.title, space.remark)
    return RemarkOut(**asdict(replace(remark, text=text, title=title)))


def _next_steps(task: Task, gate: str, *, peek: bool) -> list[str]:
    if peek:
        return [f"To begin, call taskpilot_focus {task.id} without `peek`."]
    proof = {"evidence": " and evidence", "human": "; a person approves it"}.get(gate, "")
    return [f"When done: taskpilot_update {task.id} with `check` for each criterion{proof}, status done."]
