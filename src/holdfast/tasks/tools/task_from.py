"""`taskpilot_from`: creates a task from a message, a comment or an issue, here called its source."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, StrictBool

from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line, shorten
from holdfast.tasks.caller import identify_caller
from holdfast.tasks.inputs import AnyPriority
from holdfast.tasks.link_targets import parse_target
from holdfast.tasks.models import (
    MAX_TITLE_CHARACTERS,
    InSession,
    LinkOut,
    Reported,
    TaskId,
    TaskReceipt,
    Title,
)
from holdfast.tasks.neighbours import TaskRemark
from holdfast.tasks.store.change import apply_change
from holdfast.tasks.store.creation import create
from holdfast.tasks.store.records import Change, Draft, File, Task, TaskLink
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import TaskTransaction
from holdfast.tasks.toolset import WRITING, tasks
from holdfast.tasks.trackers.adapter import single_line, strip_unstorable
from holdfast.tasks.view.results import receipt, workspace_ref

_MAX_LINK_TITLE_CHARACTERS = 100
"""The text of a source without a title is cut to this in a link. A judgement: one line."""
_FIRST_SENTENCE = re.compile(r"(.+?[.!?])(?:\s|$)", re.DOTALL)


def result_text(result: TaskFromResult) -> str:
    """Return as one sentence what was done with the source."""
    verb = {"created": "was created", "linked": "is now linked", "known": "exists already"}[result.outcome]
    source = f"{result.link.kind} {one_line(result.link.ref)}"
    return f"{result.task.id} {verb}: {one_line(result.task.title)} ({source})"


class TaskFrom(InSession):
    """The source to create a task from."""

    source: str = Field(
        min_length=1,
        max_length=1000,
        description="m_… for a message, FILE#c_… for a comment, git-mile://entity/… for an issue.",
    )
    task_id: TaskId | None = Field(
        default=None, description="An existing task to link it to, instead of creating one."
    )
    title: Title | None = Field(default=None, description="Default: the beginning of the text.")
    priority: AnyPriority = Field(default="medium", description="Priority.")
    reply: StrictBool = Field(default=True, description="Reply to the message or comment with the task's id.")


class TaskFromResult(Reported):
    """The task created from a source, or linked to it."""

    task: TaskReceipt
    created: bool = Field(description="Whether the task is new.")
    link: LinkOut
    answered: bool = Field(description="Whether the source was answered with the task's id.")
    outcome: Literal["created", "linked", "known"]


@tasks.operation(
    "taskpilot_from",
    title="Create a task from a remark",
    effect=Effect.WRITE,
    listed=False,
    idempotent=True,
    command="from",
    positional=("source",),
    example="holdfast tasks from m_0123456789abcdef --priority high",
    text=result_text,
    annotations=WRITING,
    result_version="task.version",
)
def task_from(room: Tasks, arguments: TaskFrom) -> TaskFromResult:
    """Create a task from a review message, a code comment or an issue, linked to its source.

    Repeated calls for the same source return the same task. With `task_id` the source is linked to that task
    instead; a message linked to a task in review moves it back to in-progress.
    """
    who = identify_caller(room, arguments)
    target = parse_target(arguments.source)
    remark = room.neighbours.find(target.kind, target.ref, target.file)
    link_title = remark.title or " ".join(remark.text.split())[:_MAX_LINK_TITLE_CHARACTERS]
    link = TaskLink(remark.kind, remark.ref, remark.uri, link_title or None)
    with room.writing(who) as transaction:
        if arguments.task_id is not None:
            task, created = _link(transaction, arguments.task_id, remark, link), False
            outcome: Literal["created", "linked", "known"] = "linked"
        else:
            task, created = create(transaction, [_draft(remark, link, arguments)])[0]
            outcome = "created" if created else "known"
    answered = False
    if arguments.reply and outcome != "known":  # a known task was announced when it was created
        answered = room.neighbours.reply(remark, f"This is now task {task.id}: {task.title}", who.actor)
    return TaskFromResult(
        operation="from",
        workspace=workspace_ref(transaction.workspace),
        task=receipt(task),
        created=created,
        link=LinkOut(kind=link.kind, ref=link.ref, uri=link.uri, title=link.title),
        answered=answered,
        outcome=outcome,
        next_steps=[f"Begin with taskpilot_focus {task.id}."],
    )


def _draft(remark: TaskRemark, link: TaskLink, arguments: TaskFrom) -> Draft:
    return Draft(
        title=arguments.title or title_of(remark),
        description=strip_unstorable(remark.text),
        priority=arguments.priority,
        labels=[label for text in remark.labels if (label := single_line(text))],
        files=_files(remark),
        links=[link],
        client_key=f"from:{remark.kind}:{remark.ref}",  # makes repeated calls return the same task
    )


def _link(transaction: TaskTransaction, task_id: str, remark: TaskRemark, link: TaskLink) -> Task:
    """Link a task to its source; a message returns a task in review to in-progress."""
    addition = Change(
        add={"links": [link], "files": list(_files(remark))}, reason=f"From {remark.kind} {remark.ref}"
    )
    task = apply_change(transaction, task_id, addition).task
    if remark.kind == "message" and task.status == "review":
        reopening = Change(set={"status": "in-progress"}, reason=f"New message during review: {remark.ref}")
        task = apply_change(transaction, task_id, reopening).task
    return task


def _files(remark: TaskRemark) -> list[File]:
    if remark.file is None:
        return []
    return [File(remark.file, "", remark.line, remark.end_line)]


def title_of(remark: TaskRemark) -> str:
    """Return the title of a source, or else its first sentence or the start of its text."""
    if remark.title:
        return single_line(remark.title, MAX_TITLE_CHARACTERS) or remark.ref
    text = " ".join(strip_unstorable(remark.text).split())
    sentence = _FIRST_SENTENCE.match(text)
    title = sentence[1] if sentence and len(sentence[1]) <= MAX_TITLE_CHARACTERS else text
    return (
        single_line(shorten(title, MAX_TITLE_CHARACTERS).rstrip("."), MAX_TITLE_CHARACTERS)
        or f"{remark.kind} {remark.ref}"
    )
