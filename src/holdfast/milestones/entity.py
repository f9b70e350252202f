"""What the store hands out: milestones, issues and their parts as plain values that never change.

Texts in here were written by people and agents; they are data. Times are RFC 3339 in UTC. People are written
as git writes them, `Name <mail>`.
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
    """Who asks for a write (None: who git's configuration says), and under which request id."""

    actor: str | None
    request: str | None


class FieldCandidate(NamedTuple):
    """A value that somebody wrote and nobody who saw it has replaced."""

    value: str | None
    operation: str
    actor: str
    time: str


class Contested(NamedTuple):
    """A field that several people set without having seen each other's value."""

    field: str
    winner: FieldCandidate
    losers: tuple[FieldCandidate, ...]


class EntityComment(NamedTuple):
    """One comment. A deleted one keeps its place and its author, and loses its body."""

    id: str
    author: str
    body: str
    time: str
    edited: str | None = None
    deleted: bool = False
    reply_to: str | None = None
    contested: tuple[FieldCandidate, ...] = ()


class Claim(NamedTuple):
    """A lease: somebody's word to work on something for a while; `replica` is the clone it was given in."""

    actor: str
    until: str
    operation: str
    replica: str
    time: str

    def is_live(self, now: str) -> bool:
        """Tell whether the lease still runs at a moment, written as RFC 3339."""
        return self.until > now


class Entity(NamedTuple):
    """A milestone or an issue as all known operations make it.

    `claims` are those that no later one replaced, the one that wins first. `waiting` counts operations of
    unknown type or field: they are kept, and skipped here.
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
        """Return how many comments are there to be read."""
        return sum(not comment.deleted for comment in self.comments)

    def holder(self, now: str) -> Claim | None:
        """Return the claim that holds at a moment, written as RFC 3339."""
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
    """One operation as history shows it: who did what, when, in logical order.

    `action` is `create`, `set`, `add`, `remove`, `comment`, `edit`, `delete`, `claim`, `release`, or the
    name that an operation unknown to this version carries.
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
    """What a write did. `changed` is false when everything was so already; `repeated` when the request was
    carried out before, in which case the identifiers are those of that time."""

    entity: str
    operations: tuple[str, ...]
    changed: bool
    repeated: bool = False

    @property
    def operation(self) -> str | None:
        """Return the first operation: the id of the comment, where one was written."""
        return self.operations[0] if self.operations else None


class ImportedComment(NamedTuple):
    """A comment as an import brings it: with its own author and time, and an id where the source fixes it."""

    author: str
    time: str
    body: str
    id: str | None = None


class EntityDraft(NamedTuple):
    """A milestone or issue to be created, by a person or by an import.

    `author` and `time` default to the actor and to now. `id` may be fixed by an import that derives it from
    its source; what exists under that id, or was created under the same `request`, is not created again.
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
