"""What the store holds, as it is handed around inside the room, and how it is called.

A task is `TP-12` for people, and has a name for ever, a ULID, that sorts by the time it was made.
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
UID_CHARACTERS = 26

_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_SPELLED = re.compile(r"(?:tp-?)?0*([1-9][0-9]{0,8})", re.IGNORECASE)
_UID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")
_SLUG = re.compile(r"[^a-z0-9]+")
WORKSPACE_PATTERN = r"[a-z0-9][a-z0-9-]{0,62}"
_WORKSPACE = re.compile(WORKSPACE_PATTERN)


def new_uid(moment: datetime) -> str:
    """Return a ULID: 48 bits of time, 80 of chance, in letters that cannot be misread."""
    number = int(moment.timestamp() * 1000) << 80 | secrets.randbits(80)
    return "".join(_LETTERS[number >> shift & 31] for shift in range(125, -1, -5))


def is_uid(text: str) -> bool:
    """Tell whether a text has the form of a name for ever."""
    return _UID.fullmatch(text) is not None


def task_id(number: int) -> str:
    """Return what people call the task of that number."""
    return f"{PREFIX}{number}"


def task_number(text: str) -> int:
    """Return the number of a task, however it is spelled: `TP-12`, `tp-012`, `12`."""
    found = _SPELLED.fullmatch(text.strip())
    if found is None:
        raise InvalidArguments(f'"{text[:40]}" is not the id of a task.', hint="Ids look like TP-12.")
    return int(found[1])


def new_workspace_id(name: str) -> str:
    """Return a new id for a workspace that begins with its name."""
    slug = _SLUG.sub("-", name.lower()).strip("-")[:40].strip("-")
    return f"{slug or 'workspace'}-{secrets.token_hex(3)}"


def is_workspace_id(text: str) -> bool:
    """Tell whether a text has the form of a workspace's id."""
    return _WORKSPACE.fullmatch(text) is not None


def new_session_id() -> str:
    """Return a handle for a session."""
    return f"s_{secrets.token_hex(10)}"


def new_token() -> str:
    """Return the proof that a claim is held."""
    return secrets.token_hex(8)


class Who(NamedTuple):
    """Who does something, and in which session."""

    actor: str
    session: str | None = None
    token: str | None = None


class Workspace(NamedTuple):
    """A repository's tasks, under one roof."""

    id: str
    name: str
    gate: Gate
    stack: str
    next_number: int
    created_at: float


class Task(NamedTuple):
    """One row of the table of tasks, in the order of `COLUMNS`."""

    uid: str
    workspace: str
    n: int
    title: str
    description: str
    status: Status
    priority: int
    progress: int
    parent: str | None
    milestone: str | None
    criteria: str
    evidence: str
    notes: str | None
    plan: str | None
    rank: float
    version: int
    waits: int
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
        """Return what people call it."""
        return task_id(self.n)

    @property
    def priority_name(self) -> Priority:
        """Return its priority as people say it."""
        return PRIORITIES[self.priority]

    def claimed_by(self, now: float) -> str | None:
        """Return who holds it at a moment."""
        held = self.claim_agent is not None and (self.claim_expires or 0.0) > now
        return self.claim_agent if held else None

    def is_ready(self, now: float) -> bool:
        """Tell whether nothing it needs is open and nobody is at it; its milestone is looked at elsewhere."""
        if self.waits or self.claimed_by(now) is not None:
            return False
        return self.status == "backlog" or (self.status == "in-progress" and self.claim_agent is not None)


COLUMNS = ", ".join(Task._fields)
"""The columns of a task in the order of its fields."""
CLAIM = tuple(name for name in Task._fields if name.startswith("claim_"))
"""Those that are empty while nobody holds it."""


class File(NamedTuple):
    """A file that a task is about."""

    path: str
    role: str = ""
    line_start: int | None = None
    line_end: int | None = None


class Link(NamedTuple):
    """Something elsewhere that a task has to do with."""

    kind: str
    ref: str
    uri: str | None = None
    title: str | None = None


class Attachment(NamedTuple):
    """A file that was put on a task."""

    name: str
    mime: str
    sha256: str
    size: int


class Dependency(NamedTuple):
    """That a task has to do with another, and how."""

    uid: str
    n: int
    kind: Kind
    status: Status

    @property
    def id(self) -> str:
        """Return what people call the other task."""
        return task_id(self.n)


class Event(NamedTuple):
    """Something that happened to a task."""

    seq: int
    at: float
    actor: str
    session: str | None
    task: str | None
    version: int
    type: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    reason: str | None


class Draft(NamedTuple):
    """A task that does not exist yet."""

    title: str
    description: str = ""
    priority: Priority = "medium"
    status: Status = "backlog"
    parent: str | None = None
    depends_on: Sequence[tuple[str, Kind]] = ()
    """Other tasks by id, or `#name` for one of the same batch, each with how it matters."""
    ref: str | None = None
    """The name by which others of the batch mean this one."""
    labels: Sequence[str] = ()
    criteria: Sequence[str] = ()
    files: Sequence[File] = ()
    links: Sequence[Link] = ()
    milestone: str | None = None
    notes: str | None = None
    plan: str | None = None
    client_key: str | None = None
    issue_number: int | None = None
    issue_url: str | None = None


@dataclass(slots=True)
class Change:
    """What to change about a task. What is not named stays as it is."""

    set: dict[str, Any] = field(default_factory=dict)
    """New values of title, description, status, priority, progress, notes, plan, milestone, rank, parent (an
    id or None), issue_number, issue_url, and of labels, depends_on, files, criteria, links as whole lists;
    `blockers` are those of depends_on that it waits for."""
    add: dict[str, list[Any]] = field(default_factory=dict)
    """What to add to labels, depends_on (pairs of id and kind), files, criteria (texts), links."""
    remove: dict[str, list[Any]] = field(default_factory=dict)
    """What to take away: labels, depends_on (ids), files (paths), criteria (numbers, texts), links (refs)."""
    check: list[int | str] = field(default_factory=list)
    """Criteria that are met, by number from 1 or by text."""
    evidence: list[dict[str, Any]] = field(default_factory=list)
    """Proof to keep: `kind` commit, test, gate or note, `ref`, and the `exit_status` of a command."""
    reason: str | None = None
    approved: bool = False
    """Whether a person has said that the task is done."""


class Changed(NamedTuple):
    """What a change did."""

    task: Task
    changed: Mapping[str, tuple[Any, Any]]
    unblocked: tuple[str, ...] = ()


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def encoded(value: Any) -> str:
    """Return a value as it is kept in a column."""
    return _ENCODER.encode(value)
