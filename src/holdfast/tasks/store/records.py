"""The records of the task store as named tuples, and the ids of tasks, workspaces, sessions and claims.

A task has a short id for people, `TP-12`, and a permanent uid, a ULID, which sorts by creation time.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from holdfast.kernel.errors import InvalidArguments
from holdfast.tasks.store.states import PRIORITIES, Gate, Kind, Priority, Status

PREFIX = "TP-"

_BASE32_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_SHORT_ID = re.compile(r"(?:tp-?)?0*([1-9][0-9]{0,8})", re.IGNORECASE)
_UID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")
_NOT_IN_SLUG = re.compile(r"[^a-z0-9]+")
WORKSPACE_PATTERN = r"[a-z0-9][a-z0-9-]{0,62}"
_WORKSPACE_ID = re.compile(WORKSPACE_PATTERN)


def new_uid(time: datetime) -> str:
    """Return a ULID (https://github.com/ulid/spec): 48 bits of time and 80 random bits, in Base32."""
    number = int(time.timestamp() * 1000) << 80 | secrets.randbits(80)
    return "".join(_BASE32_DIGITS[number >> shift & 31] for shift in range(125, -1, -5))


def is_uid(text: str) -> bool:
    """Return whether a text has the form of a uid."""
    return _UID.fullmatch(text) is not None


def task_id(number: int) -> str:
    """Return the short id of the task with this number."""
    return f"{PREFIX}{number}"


def task_number(text: str) -> int:
    """Return the number in a short id: `TP-12`, `tp-012` and `12` are all 12."""
    match = _SHORT_ID.fullmatch(text.strip())
    if match is None:
        raise InvalidArguments(f'"{text[:40]}" is not the id of a task.', hint="Ids look like TP-12.")
    return int(match[1])


def new_workspace_id(name: str) -> str:
    """Return a new workspace id: its name as a slug, and a random suffix."""
    slug = _NOT_IN_SLUG.sub("-", name.lower()).strip("-")[:40].strip("-")
    return f"{slug or 'workspace'}-{secrets.token_hex(3)}"


def is_workspace_id(text: str) -> bool:
    """Return whether a text has the form of a workspace id."""
    return _WORKSPACE_ID.fullmatch(text) is not None


def new_session_id() -> str:
    """Return a new session id with 80 random bits: clients name sessions by it, so no two may be equal."""
    return f"s_{secrets.token_hex(10)}"


def new_token() -> str:
    """Return a new fencing token with 64 random bits: it must differ from those of other claims."""
    return secrets.token_hex(8)


class CallerIdentity(NamedTuple):
    """The caller of an operation: their name, their session, and the claim token they sent."""

    actor: str
    session: str | None = None
    token: str | None = None


class TaskWorkspace(NamedTuple):
    """The workspace that holds a repository's tasks: one row of the `workspace` table."""

    id: str
    name: str
    gate: Gate
    stack: str
    """A JSON list of the names of its technology stacks."""
    next_number: int
    created_at: float


class Task(NamedTuple):
    """One row of the `task` table, in the order of `COLUMNS`."""

    uid: str
    workspace: str
    n: int
    title: str
    description: str
    status: Status
    priority: int
    """The index in `PRIORITIES`, so 0 is high."""
    progress: int
    """In percent."""
    parent: str | None
    """The uid of the task that this is a subtask of."""
    milestone: str | None
    criteria: str
    """A JSON list of objects with `text` and `checked`."""
    evidence: str
    """A JSON list of objects, as `gate.acceptable_evidence` returns them."""
    notes: str | None
    plan: str | None
    rank: float
    """The order among ready tasks that are otherwise equal; lower comes first."""
    version: int
    waits: int
    """See `schema` for this and the next column."""
    unblocks: int
    created_by: str
    created_at: float
    updated_at: float
    started_at: float | None = None
    completed_at: float | None = None
    issue_number: int | None = None
    issue_url: str | None = None
    claim_agent: str | None = None
    claim_session: str | None = None
    claim_token: str | None = None
    claim_since: float | None = None
    claim_expires: float | None = None

    @property
    def id(self) -> str:
        """The short id, such as TP-12."""
        return task_id(self.n)

    @property
    def priority_name(self) -> Priority:
        return PRIORITIES[self.priority]

    def claimed_by(self, now: float) -> str | None:
        """Return the name of the holder, or None if no claim is live at this time."""
        is_held = self.claim_agent is not None and (self.claim_expires or 0.0) > now
        return self.claim_agent if is_held else None

    def is_ready(self, now: float) -> bool:
        """Return whether the task may be taken, if its milestone is open: see `TaskTransaction.is_ready`."""
        if self.waits or self.claimed_by(now) is not None:
            return False
        return self.status == "backlog" or (self.status == "in-progress" and self.claim_agent is not None)


COLUMNS = ", ".join(Task._fields)
"""The columns of the `task` table, in the order of the record's fields."""
CLAIM_COLUMNS = tuple(name for name in Task._fields if name.startswith("claim_"))
"""The columns that are NULL while the task is unclaimed."""


class File(NamedTuple):
    """A file, or a range of its lines, that a task is about."""

    path: str
    role: str = ""
    line_start: int | None = None
    line_end: int | None = None


class TaskLink(NamedTuple):
    """A link from a task to something else: a comment, an issue, a commit, a web page."""

    kind: str
    ref: str
    uri: str | None = None
    title: str | None = None


class Attachment(NamedTuple):
    """A file attached to a task."""

    name: str
    mime: str
    sha256: str
    size: int


class Dependency(NamedTuple):
    """The task at the other end of a dependency, and the kind of dependency."""

    uid: str
    n: int
    kind: Kind
    status: Status

    @property
    def id(self) -> str:
        return task_id(self.n)


class Event(NamedTuple):
    """An entry of the event log."""

    seq: int
    at: float
    actor: str
    session: str | None
    task: str | None
    """The uid of the task; None for an event of the workspace."""
    version: int
    """The task's new version; 0 for an event of the workspace."""
    type: str
    before: Mapping[str, Any]
    """The old values of the fields that changed."""
    after: Mapping[str, Any]
    reason: str | None


class Draft(NamedTuple):
    """A task to create."""

    title: str
    description: str = ""
    priority: Priority = "medium"
    parent: str | None = None
    depends_on: Sequence[tuple[str, Kind]] = ()
    """Pairs of a task and the kind of dependency; `#ref` names a task of the same batch."""
    ref: str | None = None
    """The name by which other drafts of the batch refer to this one."""
    labels: Sequence[str] = ()
    criteria: Sequence[str] = ()
    files: Sequence[File] = ()
    links: Sequence[TaskLink] = ()
    milestone: str | None = None
    notes: str | None = None
    plan: str | None = None
    client_key: str | None = None
    issue_number: int | None = None
    issue_url: str | None = None


@dataclass(slots=True)
class Change:
    """A change to a task. Fields that it does not name stay as they are."""

    set: dict[str, Any] = field(default_factory=dict)
    """New values by field: `change.SCALAR_FIELDS`, where parent is an id or None, and the whole lists
    `change.LIST_FIELDS`. `blockers` replaces only the dependencies of kind `blocks`."""
    add: dict[str, list[Any]] = field(default_factory=dict)
    """Items to add to labels, depends_on (pairs of id and kind), files, criteria (texts) or links."""
    remove: dict[str, list[Any]] = field(default_factory=dict)
    """Items to remove: labels, depends_on (ids), files (paths), criteria (numbers or texts), links (refs)."""
    check: list[int | str] = field(default_factory=list)
    """Criteria that are met, by number from 1 or by text."""
    evidence: list[dict[str, Any]] = field(default_factory=list)
    """Evidence to store: `kind` commit, test, gate or note, `ref`, and the `exit_status` of a command."""
    reason: str | None = None
    approved: bool = False
    """Whether a person approved the task as done."""
    take_over: bool = False
    """Whether the caller takes the task from its holder, if someone else holds it."""


class Changed(NamedTuple):
    """The result of a change."""

    task: Task
    changed: Mapping[str, tuple[Any, Any]]
    """The old and the new value of each field that changed."""
    unblocked: tuple[str, ...] = ()
    """The ids of the tasks that became ready."""


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def encoded(value: Any) -> str:
    """Return a value as canonical JSON, as columns store it."""
    return _ENCODER.encode(value)
