"""What `taskpilot_focus` and `taskpilot_from` take and return."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.inputs import AnyPriority
from holdfast.tasks.models import (
    ClaimOut,
    InSession,
    LinkOut,
    Reported,
    ResponseFormat,
    Result,
    TaskDetail,
    TaskId,
    TaskReceipt,
    TaskRef,
    Title,
    Word,
)
from holdfast.tasks.neighbours import RemarkKind


class FocusTask(InSession):
    """Which task to work on."""

    task_id: TaskId = Field(description="The task, such as TP-12.")
    peek: bool = Field(default=False, description="Only look: do not claim it.")
    agent: Word | None = Field(default=None, description="Your name, where you have no session.")
    response_format: ResponseFormat = Field(default="concise", description="How much of long texts to show.")


class RemarkOut(Result):
    """What another room knows about the task or its files."""

    kind: RemarkKind
    ref: UntrustedText
    text: UntrustedText
    uri: UntrustedText | None = None
    title: UntrustedText | None = None
    file: UntrustedText | None = None
    line: int | None = None
    end_line: int | None = None
    author: UntrustedText | None = None
    at: UntrustedText | None = None
    state: UntrustedText | None = None


class FocusRule(Result):
    """A rule to keep to."""

    type: str
    text: UntrustedText


class More(Result):
    """What did not fit, and where it can be read."""

    what: str
    shown: int
    total: int
    uri: UntrustedText | None = None


class Unreadable(Result):
    """A room that could not be read."""

    room: str
    reason: UntrustedText


class Focus(Reported):
    """A task with all that is known around it."""

    task: TaskDetail
    claim: ClaimOut | None = Field(default=None, description="Yours, with its token.")
    left_by: UntrustedText | None = Field(default=None, description="Who held it before and did not finish.")
    parents: list[TaskRef] | None = Field(
        default=None, description="The whole it is a part of, nearest first."
    )
    blockers: list[TaskRef] | None = Field(default=None, description="Unfinished tasks it needs.")
    to_check: list[int] | None = Field(default=None, description="Numbers of criteria that are not met yet.")
    done_gate: str = Field(description="What this workspace asks for before a task is done.")
    rules: list[FocusRule] | None = None
    remarks: list[RemarkOut] | None = Field(
        default=None, description="Open comments and unread messages on its files, its issue, its commits."
    )
    absent: list[str] | None = Field(default=None, description="Rooms that are not here and say nothing.")
    unreadable: list[Unreadable] | None = None
    more: list[More] | None = None
    truncated: bool | None = Field(default=None, description="Set where a text was cut; read the task whole.")
    version: int


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
    reply: bool = Field(default=True, description="Answer the message or comment with the task's id.")


class MadeFrom(Reported):
    """The task that a remark became."""

    task: TaskReceipt
    created: bool = Field(description="False where it was a task already.")
    link: LinkOut
    answered: bool = Field(description="Whether the remark was answered with the task's id.")
    outcome: Literal["created", "linked", "known"]
