"""Milestones, issues and their parts as immutable values.

Their text was written by people and agents and is untrusted data. Times are RFC 3339 in UTC. People are named
as in git, `Name <mail>`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypedDict

Kind = Literal["milestone", "issue"]
Status = Literal["draft", "open", "closed"]
Scalar = Literal["title", "description", "status", "assignee", "due", "milestone"]
SetField = Literal["labels", "dependencies", "links"]

KINDS: tuple[Kind, ...] = ("milestone", "issue")
STATUSES: tuple[Status, ...] = ("draft", "open", "closed")
SCALARS: tuple[Scalar, ...] = ("title", "description", "status", "assignee", "due", "milestone")
SETS: tuple[SetField, ...] = ("labels", "dependencies", "links")


class Attribution(TypedDict, total=False):
    """The author of a write (None: the user in git's configuration), and its request id."""

    actor: str | None
    request: str | None


class Candidate(NamedTuple):
    """A value of a multi-value register that no later write has replaced."""

    value: str | None
    operation: str
    actor: str
    time: str


class Contested(NamedTuple):
    """A field that several people set concurrently."""

    field: str
    winner: Candidate
    losers: tuple[Candidate, ...]


class EntityComment(NamedTuple):
    """One comment. A deleted comment keeps its position and author but has no body."""

    id: str
    author: str
    body: str
    time: str
    edited: str | None = None
    deleted: bool = False
    reply_to: str | None = None
    contested: tuple[Candidate, ...] = ()


class Claim(NamedTuple):
    """A lease on an entity that somebody is working on; `replica` is the clone in which it was claimed."""

    actor: str
    until: str
    operation: str
    replica: str
    time: str

    def is_live(self, now: str) -> bool:
        """Return whether the lease is unexpired at a time in RFC 3339."""
        return self.until > now


class Entity(NamedTuple):
    """The state of a milestone or issue after all known operations.

    `claims` lists the claims that no later claim replaced, the winner first. `waiting` counts the operations
    whose type or field this version does not know: the log keeps them, but they have no effect here.
    """

    id: str
    kind: Kind
    title: str
    status: Status
    author: str
    created: str
    updated: str
    description: str = ""
    labels: tuple[str, ...] = ()
    assignee: str | None = None
    due: str | None = None
    milestone: str | None = None
    dependencies: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    comments: tuple[EntityComment, ...] = ()
    contested: tuple[Contested, ...] = ()
    claims: tuple[Claim, ...] = ()
    waiting: int = 0
    open_issues: int | None = None

    @property
    def comment_count(self) -> int:
        """Return the number of comments that are not deleted."""
        return sum(not comment.deleted for comment in self.comments)

    def holder(self, now: str) -> Claim | None:
        """Return the claim in force at a time in RFC 3339."""
        return next((claim for claim in self.claims if claim.is_live(now)), None)


class Summary(NamedTuple):
    """A milestone or an issue as a list shows it. `open_issues` is None for an issue."""

    id: str
    kind: Kind
    title: str
    status: Status
    labels: tuple[str, ...]
    author: str
    assignee: str | None
    due: str | None
    milestone: str | None
    created: str
    updated: str
    comment_count: int
    open_issues: int | None


class HistoryEvent(NamedTuple):
    """One operation as the history shows it: its author, action and time. `order` is its Lamport time.

    `action` is `create`, `set`, `add`, `remove`, `comment`, `edit`, `delete`, `claim`, `release`, or the
    type of an operation that this version does not know.
    """

    id: str
    entity: str
    kind: str
    order: int
    time: str
    actor: str
    action: str
    field: str | None
    value: object


class WriteReceipt(NamedTuple):
    """The result of a write.

    `changed` is false if there was nothing to do. `repeated` is true if the request had been carried out
    before; the identifiers are then those of the first time.
    """

    entity: str
    operations: tuple[str, ...]
    changed: bool
    repeated: bool = False

    @property
    def operation(self) -> str | None:
        """Return the id of the first operation; if that wrote a comment, it is the comment's id too."""
        return self.operations[0] if self.operations else None


class ImportedComment(NamedTuple):
    """An imported comment, with its author, its time and, if the source determines it, its id."""

    author: str
    time: str
    body: str
    id: str | None = None


class EntityDraft(NamedTuple):
    """A milestone or issue to be created, by a person or by an import.

    `author` and `time` default to the actor and to now. An import may derive `id` from its source. If an
    entity with that `id` or `request` exists, it is not created again.
    """

    kind: Kind
    title: str
    description: str = ""
    status: Status = "open"
    labels: tuple[str, ...] = ()
    assignee: str | None = None
    due: str | None = None
    milestone: str | None = None
    dependencies: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    comments: tuple[str | ImportedComment, ...] = ()
    author: str | None = None
    time: str | None = None
    request: str | None = None
    id: str | None = None
