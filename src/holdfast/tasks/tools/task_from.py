"""`taskpilot_from`: a message, a comment or an issue becomes a task."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, StrictBool

from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line, shorten
from holdfast.tasks.inputs import AnyPriority, place_of
from holdfast.tasks.models import TITLE_CHARACTERS, InSession, LinkOut, Reported, TaskId, TaskReceipt, Title
from holdfast.tasks.neighbours import Remark
from holdfast.tasks.store.change import change
from holdfast.tasks.store.creation import create
from holdfast.tasks.store.records import Change, Draft, File, Link, Task
from holdfast.tasks.store.session import acting
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import Transaction
from holdfast.tasks.toolset import WRITING, tasks
from holdfast.tasks.trackers.adapter import single_line, storable
from holdfast.tasks.view.results import receipt, workspace_ref


def link_to(remark: Remark) -> Link:
    """Return the link of a task to what another room knows."""
    title = remark.title or " ".join(remark.text.split())[:100]
    return Link(remark.kind, remark.ref, remark.uri, title or None)


_TITLE = 80
_SENTENCE = re.compile(r"(.+?[.!?])(?:\s|$)", re.DOTALL)


def made_words(made: MadeFrom) -> str:
    """Return what became of a remark."""
    words = {"created": "is new", "linked": "has it now", "known": "was made of it before"}[made.outcome]
    return f"{made.task.id} {words}: {one_line(made.task.title)} ({made.link.kind} {one_line(made.link.ref)})"


class TaskFrom(InSession):
    """What becomes a task."""

    source: str = Field(
        min_length=1,
        max_length=1000,
        description="m_… for a message, FILE#c_… for a comment, git-mile://entity/… for an issue.",
    )
    task_id: TaskId | None = Field(
        default=None, description="A task to put it on, instead of making a new one."
    )
    title: Title | None = Field(default=None, description="Left out, the beginning of the text.")
    priority: AnyPriority = Field(default="medium", description="How urgent it is.")
    reply: StrictBool = Field(default=True, description="Answer the message or comment with the task's id.")


class MadeFrom(Reported):
    """The task that a remark became."""

    task: TaskReceipt
    created: bool = Field(description="False where it was a task already.")
    link: LinkOut
    answered: bool = Field(description="Whether the remark was answered with the task's id.")
    outcome: Literal["created", "linked", "known"]


@tasks.operation(
    "taskpilot_from",
    title="Make a task of a remark",
    effect=Effect.WRITE,
    listed=False,
    idempotent=True,
    command="from",
    positional=("source",),
    example="holdfast tasks from m_0123456789abcdef --priority high",
    text=made_words,
    annotations=WRITING,
    result_version="task.version",
)
def task_from(room: Tasks, arguments: TaskFrom) -> MadeFrom:
    """Make a task of a review message, a code comment or an issue, linked to where it came from.

    The same remark becomes one task, however often it is asked for. With `task_id` it is put on that task
    instead; a message on a task in review brings it back to work.
    """
    who = acting(room, arguments)
    place = place_of(arguments.source)
    remark = room.neighbours.find(place.kind, place.ref, place.file)
    link = link_to(remark)
    with room.writing(who) as transaction:
        if arguments.task_id is not None:
            task, created = _put_on(transaction, arguments.task_id, remark, link), False
            outcome: Literal["created", "linked", "known"] = "linked"
        else:
            task, created = create(transaction, [_draft(remark, link, arguments)])[0]
            outcome = "created" if created else "known"
    answered = False
    if arguments.reply and outcome != "known":
        answered = room.neighbours.answer(remark, f"This is task {task.id} now: {task.title}", who.actor)
    return MadeFrom(
        operation="from",
        workspace=workspace_ref(transaction.workspace),
        task=receipt(task),
        created=created,
        link=LinkOut(kind=link.kind, ref=link.ref, uri=link.uri, title=link.title),
        answered=answered,
        outcome=outcome,
        next_steps=[f"Begin with taskpilot_focus {task.id}."],
    )


def _draft(remark: Remark, link: Link, arguments: TaskFrom) -> Draft:
    return Draft(
        title=arguments.title or title_of(remark),
        description=storable(remark.text),
        priority=arguments.priority,
        labels=[label for text in remark.labels if (label := single_line(text))],
        files=_files(remark),
        links=[link],
        client_key=f"from:{remark.kind}:{remark.ref}",
    )


def _put_on(transaction: Transaction, task_id: str, remark: Remark, link: Link) -> Task:
    added = Change(
        add={"links": [link], "files": list(_files(remark))}, reason=f"From {remark.kind} {remark.ref}"
    )
    task = change(transaction, task_id, added).task
    if remark.kind == "message" and task.status == "review":
        back = Change(set={"status": "in-progress"}, reason=f"A message came in review: {remark.ref}")
        task = change(transaction, task_id, back).task
    return task


def _files(remark: Remark) -> list[File]:
    if remark.file is None:
        return []
    return [File(remark.file, "", remark.line, remark.end_line)]


def title_of(remark: Remark) -> str:
    """Return what a task made of a remark is called: its title, or its first sentence."""
    if remark.title:
        return single_line(remark.title, TITLE_CHARACTERS) or remark.ref
    text = " ".join(storable(remark.text).split())
    sentence = _SENTENCE.match(text)
    begin = sentence[1] if sentence and len(sentence[1]) <= _TITLE else text
    return single_line(shorten(begin, _TITLE).rstrip("."), TITLE_CHARACTERS) or f"{remark.kind} {remark.ref}"
