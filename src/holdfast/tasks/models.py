"""The models that several operations share: common arguments, tasks in results, receipts of writes.

Results omit null fields. Times are in RFC 3339 format, in UTC.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, StrictBool

from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import ONLY_SPECIFIED, SIGNATURE, Input, Output
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.store.states import Kind, Priority, Status

MAX_TITLE_CHARACTERS = 200
"""A judgement: a title is one line; longer text belongs in the description."""
MAX_TEXT_CHARACTERS = 50_000
"""A judgement: far more than people write about a task, and well below the request limit of 1 MiB."""
MAX_SHORT_TEXT_CHARACTERS = 200
"""For names, labels, criteria and references. A judgement: one line each, like a title."""
MAX_ITEMS = 200
"""Items of one list in a request. A judgement: far more than a task has; it bounds the work of a call."""

ResponseFormat = Literal["concise", "detailed"]
LinkKind = Literal["comment", "issue", "milestone", "message", "finding", "commit", "file", "task", "url"]
EvidenceKind = Literal["commit", "test", "gate", "note"]


def _storable(text: str) -> str:
    """Return the text; reject it if the databases cannot store it."""
    if "\x00" in text:
        raise ValueError("it must not contain a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("it must be text that can be written as UTF-8") from None
    return text


def _short_text(text: str) -> str:
    """Return the text with single spaces; reject it unless it is one line of visible characters."""
    line = " ".join(_storable(text).split())
    if not line or not line.isprintable():
        raise ValueError("it must be one line of visible characters")
    return line


def _short_text_or_empty(text: str) -> str:
    return _short_text(text) if text.strip() else ""


Stored = Annotated[str, AfterValidator(_storable)]
"""Text that SQLite and PostgreSQL can both store."""
ShortText = Annotated[
    str, AfterValidator(_short_text), Field(min_length=1, max_length=MAX_SHORT_TEXT_CHARACTERS)
]
"""One line of text, such as a name or a label."""
Agent = Annotated[ShortText | None, SIGNATURE]
"""The caller's name, for callers without a session."""
TakeOver = Annotated[StrictBool, Field(description="Take it from its holder, if a person says so.")]
ShortTextOrEmpty = Annotated[
    str, AfterValidator(_short_text_or_empty), Field(max_length=MAX_SHORT_TEXT_CHARACTERS)
]
"""One line of text, or empty text for none."""
Title = Annotated[str, AfterValidator(_short_text), Field(min_length=1, max_length=MAX_TITLE_CHARACTERS)]
Body = Annotated[str, AfterValidator(_storable), Field(max_length=MAX_TEXT_CHARACTERS)]
FileName = Annotated[str, Field(min_length=1, max_length=LIMITS.path_characters)]
TaskId = Annotated[str, Field(min_length=1, max_length=40)]


class Scoped(Input):
    """The arguments of every operation on tasks."""

    workspace: str | None = Field(
        default=None,
        alias="workspace_path",
        max_length=4096,
        description="Path or id of the workspace; only a safeguard, as a server has one.",
        json_schema_extra=ONLY_SPECIFIED,
    )


class InSession(Scoped):
    """The arguments of operations that are part of a session."""

    session: str | None = Field(default=None, max_length=40, description="From taskpilot_start.")


class LinkIn(Input):
    """A link from a task to something else, the target."""

    kind: LinkKind | None = Field(default=None, description="Kind of the target.")
    ref: ShortText | None = Field(default=None, description="Id of the target.")
    uri: ShortText | None = None
    title: ShortText | None = None


class Result(Output):
    """A result that omits null fields."""

    omits_null: ClassVar[bool] = True


class WorkspaceRef(Result):
    """A reference to a workspace."""

    id: str
    path: str = Field(description="Relative to the root that the server serves.")
    name: UntrustedText
    created_at: str | None = None


class TaskRef(Result):
    """A task, reduced to what a list shows of it."""

    id: str
    title: UntrustedText
    status: Status
    priority: Priority
    ready: bool | None = Field(default=None, description="Whether it may be taken now.")
    claimed_by: UntrustedText | None = None
    blocked_by: list[UntrustedText] | None = Field(
        default=None, description="Unfinished tasks it needs; milestone:… if its milestone is closed."
    )


class Criterion(Result):
    """Something that must be true before a task is done."""

    text: UntrustedText
    checked: bool


class Proof(Result):
    """Evidence that a task was done."""

    kind: EvidenceKind
    ref: UntrustedText
    exit_status: int | None = None
    criterion: UntrustedText | None = Field(default=None, description="Text of the criterion it proves.")


class Needed(Result):
    """Another task, and the kind of dependency on it."""

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
    """A link from a task to something else."""

    kind: UntrustedText
    ref: UntrustedText
    uri: UntrustedText | None = None
    title: UntrustedText | None = None


class AttachmentOut(Result):
    """A file attached to a task."""

    name: UntrustedText
    mime: UntrustedText
    size: int
    uri: str


class ClaimOut(Result):
    """A claim on a task."""

    agent: UntrustedText
    token: str | None = Field(default=None, description="Only for the holder: proof to send with writes.")
    since: str
    expires_at: str


class TaskDetail(TaskRef):
    """A task with all its details."""

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
    truncated: bool | None = Field(default=None, description="Set if a text or a list was cut.")


class Reported(Result):
    """The fields of every result."""

    operation: str
    workspace: WorkspaceRef
    next_steps: list[str] | None = None


MissingFiles = Annotated[
    list[UntrustedText] | None, Field(description="Files named in this call that do not exist.")
]


class TaskReceipt(Result):
    """A task after a write, reduced to what the caller may not know."""

    id: str
    title: UntrustedText
    status: Status
    version: int
    priority: Priority | None = None


class EventOut(Result):
    """An event of a task."""

    seq: int
    at: str
    actor: UntrustedText
    type: str
    task_id: str | None = None
    title: UntrustedText | None = Field(default=None, description="Current title of the task.")
    version: int
    changed: list[str]
    status: Status | None = Field(default=None, description="The new state, if it changed.")
    reason: UntrustedText | None = None
