"""What every operation of the room has in common: tasks as results show them, and receipts of writes.

A result omits what is null. Moments are RFC 3339 in UTC.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import ONLY_SPECIFIED, SIGNATURE, Input, Output
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.store.states import Kind, Priority, Status

TITLE_CHARACTERS = 200
TEXT_CHARACTERS = 50_000
WORD_CHARACTERS = 200
MOST_ITEMS = 200

ResponseFormat = Literal["concise", "detailed"]
LinkKind = Literal["comment", "issue", "milestone", "message", "finding", "commit", "file", "task", "url"]
EvidenceKind = Literal["commit", "test", "gate", "note"]


def _storable(text: str) -> str:
    """Refuse what no database keeps as text."""
    if "\x00" in text:
        raise ValueError("it must not contain a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("it must be text that can be written as UTF-8") from None
    return text


def _word(text: str) -> str:
    """Bring a name to one line of visible characters."""
    word = " ".join(_storable(text).split())
    if not word or not word.isprintable():
        raise ValueError("it must be one line of visible characters")
    return word


def _word_or_none(text: str) -> str:
    return _word(text) if text.strip() else ""


Stored = Annotated[str, AfterValidator(_storable)]
"""Text that a database can keep."""
Word = Annotated[str, AfterValidator(_word), Field(min_length=1, max_length=WORD_CHARACTERS)]
"""A name, label or the like: one line."""
Agent = Annotated[Word | None, SIGNATURE]
"""Who acts, where no session says it."""
WordOrNone = Annotated[str, AfterValidator(_word_or_none), Field(max_length=WORD_CHARACTERS)]
"""The same, where nothing stands for none."""
Title = Annotated[str, AfterValidator(_word), Field(min_length=1, max_length=TITLE_CHARACTERS)]
Body = Annotated[str, AfterValidator(_storable), Field(max_length=TEXT_CHARACTERS)]
FileName = Annotated[str, Field(min_length=1, max_length=LIMITS.path_characters)]
TaskId = Annotated[str, Field(min_length=1, max_length=40)]


class Scoped(Input):
    """What every operation on tasks takes."""

    workspace: str | None = Field(
        default=None,
        alias="workspace_path",
        max_length=4096,
        description="Path or id of the workspace; only to make sure, a server has one.",
        json_schema_extra=ONLY_SPECIFIED,
    )


class InSession(Scoped):
    """What operations take that an agent does as part of its work."""

    session: str | None = Field(default=None, max_length=40, description="From taskpilot_start.")


class Result(Output):
    """A result without its empty members."""

    omits_null: ClassVar[bool] = True


class WorkspaceRef(Result):
    """A workspace by its names."""

    id: str
    path: str = Field(description="From the root that the server serves.")
    name: UntrustedText
    created_at: str | None = None


class TaskRef(Result):
    """A task on one line."""

    id: str
    title: UntrustedText
    status: Status
    priority: Priority
    ready: bool | None = Field(default=None, description="Whether it may be taken now.")
    claimed_by: UntrustedText | None = None
    blocked_by: list[UntrustedText] | None = Field(
        default=None, description="Unfinished tasks it needs; milestone:… where its milestone is closed."
    )


class Criterion(Result):
    """Something that has to be true before a task is done."""

    text: UntrustedText
    checked: bool


class Proof(Result):
    """What shows that a task was done."""

    kind: EvidenceKind
    ref: UntrustedText
    exit_status: int | None = None
    criterion: UntrustedText | None = Field(default=None, description="The text of what it shows.")


class Needed(Result):
    """Another task, and how it matters."""

    id: str
    kind: Kind
    status: Status


class ConnectedFile(Result):
    """A file that a task is about."""

    path: UntrustedText
    role: UntrustedText | None = None
    line_start: int | None = None
    line_end: int | None = None


class LinkOut(Result):
    """Something elsewhere that a task has to do with."""

    kind: UntrustedText
    ref: UntrustedText
    uri: UntrustedText | None = None
    title: UntrustedText | None = None


class AttachmentOut(Result):
    """A file that was put on a task."""

    name: UntrustedText
    mime: UntrustedText
    size: int
    uri: str


class ClaimOut(Result):
    """Who is at a task, and until when."""

    agent: UntrustedText
    token: str | None = Field(default=None, description="Only for the holder: proof to send with writes.")
    since: str
    expires_at: str


class TaskDetail(TaskRef):
    """A task with everything that is known about it."""

    description: UntrustedText
    progress: int
    parent_id: str | None = None
    subtasks: list[TaskRef] | None = None
    depends_on: list[Needed] | None = None
    blocks: list[str] | None = None
    labels: list[UntrustedText] | None = None
    milestone: UntrustedText | None = None
    criteria: list[Criterion] | None = None
    evidence: list[Proof] | None = None
    connected_files: list[ConnectedFile] | None = None
    links: list[LinkOut] | None = None
    attachments: list[AttachmentOut] | None = None
    notes: UntrustedText | None = None
    plan: UntrustedText | None = None
    claim: ClaimOut | None = None
    version: int
    created_by: UntrustedText
    created_at: str
    updated_at: str
    started_at: str | None = None
    completed_at: str | None = None
    github_issue_number: int | None = None
    github_url: UntrustedText | None = None
    truncated: bool | None = Field(default=None, description="Set where a text or a list was cut.")


class Reported(Result):
    """What every result begins and ends with."""

    operation: str
    workspace: WorkspaceRef
    next_steps: list[str] | None = None


class TaskReceipt(Result):
    """A task after a write, as short as can be."""

    id: str
    title: UntrustedText
    status: Status
    version: int
    priority: Priority | None = None


class EventOut(Result):
    """Something that happened to a task."""

    seq: int
    at: str
    actor: UntrustedText
    type: str
    task_id: str | None = None
    title: UntrustedText | None = Field(default=None, description="What the task is called now.")
    version: int
    changed: list[str]
    status: Status | None = Field(default=None, description="The new state, where it changed.")
    reason: UntrustedText | None = None
