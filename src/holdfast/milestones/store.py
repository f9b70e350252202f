"""The milestones and issues of one repository, kept as operations in git refs.

INTERFACE (for whoever builds on this room's core):

- `Milestones.open(repository)` costs nothing; git, the index and the log are touched at first use. `close()`
  ends processes and connections. `fingerprint()` is for the watcher.
- Every write takes `actor` (None: who git's configuration says) and `request` (None: not repeatable). The
  same request again changes nothing and returns the first receipt with `repeated=True`; the same request for
  something else is `Conflict`. Every write is one commit, durable when the method returns.
- Entities are named by their full id or a prefix of at least four characters. Unknown is `NotFound`,
  ambiguous `InvalidArguments` naming the candidates, of the other kind `NotFound` that says so.
- Reads look at the ref tips first, so that what plain git, another process or another worktree brought is
  there. A store that cannot be read raises; it never answers as if it were empty.
- `find(Query(...))` returns one page; `query.py` says what a filter may compile to.
- `notices()` are sentences a person should see beside an answer: what to run after a clone, which logs are
  damaged. `check()` is the doctor's.
- `express.py` is the same list for quick commands, without this module.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta

from holdfast.kernel.clock import Clock, utc_now
from holdfast.milestones.entity import (
    Draft,
    Entity,
    Event,
    Finding,
    Kind,
    Receipt,
    Scalar,
    SetField,
    Status,
    SyncReport,
)
from holdfast.milestones.query import Condition, Page, Query
from holdfast.storage.repository import Repository


class Milestones:
    """The milestones and issues of one repository, shared by its worktrees and clones."""

    def __init__(self, repository: Repository, *, clock: Clock = utc_now) -> None:
        """`clock` is turned by tests; ids begin with its milliseconds."""
        raise NotImplementedError

    @classmethod
    def open(cls, repository: Repository) -> Milestones:
        """Return the room of a repository; nothing is touched before the first use."""
        raise NotImplementedError

    def close(self) -> None:
        """End what was started."""
        raise NotImplementedError

    def fingerprint(self) -> tuple[object, ...]:
        """Return a value that changes when any process changed a log, or fetched one."""
        raise NotImplementedError

    # Reading.

    def get(self, kind: Kind | None, name: str) -> Entity:
        """Return the entity of that id or unmistakable prefix; `kind` None takes either kind."""
        raise NotImplementedError

    def find(self, query: Query) -> Page:
        """Return one page of entities."""
        raise NotImplementedError

    def count(self, kind: Kind, condition: Condition) -> int:
        """Return how many entities of a kind meet a condition."""
        raise NotImplementedError

    def history(self, name: str) -> list[Event]:
        """Return everything that was done to an entity, in logical order."""
        raise NotImplementedError

    def recent(self, limit: int, before: tuple[int, str] | None = None) -> list[Event]:
        """Return the newest events of all entities, newest first; `before` is (order, id) of an earlier one."""
        raise NotImplementedError

    def operations(self) -> Iterator[str]:
        """Yield every operation as the line of canonical JSON it is in the log: a lossless export."""
        raise NotImplementedError

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection to the index, fresh at this moment, that cannot write; see `schema.TABLES`."""
        raise NotImplementedError

    def notices(self) -> list[str]:
        """Return what a person should know beside an answer: what to run after a clone, what is damaged."""
        raise NotImplementedError

    def check(self) -> list[Finding]:
        """Return what is wrong with the logs and the index, for the doctor."""
        raise NotImplementedError

    # Writing. Each method is one commit; `actor` is written as `Name <mail>`.

    def create(self, draft: Draft, *, actor: str | None = None) -> Receipt:
        """Create a milestone or an issue, with what the draft says, in one step."""
        raise NotImplementedError

    def set(
        self,
        name: str,
        field: Scalar,
        value: str | None,
        *,
        actor: str | None = None,
        request: str | None = None,
    ) -> Receipt:
        """Set one field. A field that was contested is so no longer."""
        raise NotImplementedError

    def change(
        self,
        name: str,
        *,
        fields: Mapping[Scalar, str | None] | None = None,
        add: Mapping[SetField, Sequence[str]] | None = None,
        remove: Mapping[SetField, Sequence[str]] | None = None,
        comment: str | None = None,
        actor: str | None = None,
        request: str | None = None,
    ) -> Receipt:
        """Set fields, add to and remove from sets, and comment, in one step. The comment's operation is last."""
        raise NotImplementedError

    def add(
        self,
        name: str,
        field: SetField,
        values: Sequence[str],
        *,
        actor: str | None = None,
        request: str | None = None,
    ) -> Receipt:
        """Add to a set. An addition wins over a removal that did not see it."""
        raise NotImplementedError

    def remove(
        self,
        name: str,
        field: SetField,
        values: Sequence[str],
        *,
        actor: str | None = None,
        request: str | None = None,
    ) -> Receipt:
        """Remove from a set what is seen in it."""
        raise NotImplementedError

    def set_status(
        self,
        name: str,
        status: Status,
        *,
        comment: str | None = None,
        actor: str | None = None,
        request: str | None = None,
    ) -> Receipt:
        """Open, close or draft; without effect when it is so already."""
        raise NotImplementedError

    def comment(
        self,
        name: str,
        body: str,
        *,
        reply_to: str | None = None,
        actor: str | None = None,
        request: str | None = None,
    ) -> Receipt:
        """Add a comment; its id is the receipt's operation."""
        raise NotImplementedError

    def edit_comment(
        self, name: str, comment: str, body: str, *, actor: str | None = None, request: str | None = None
    ) -> Receipt:
        """Replace the body of a comment; the earlier one stays in history."""
        raise NotImplementedError

    def delete_comment(
        self, name: str, comment: str, *, actor: str | None = None, request: str | None = None
    ) -> Receipt:
        """Take a comment's body out of sight, for good; it stays in history."""
        raise NotImplementedError

    def claim(
        self,
        name: str,
        *,
        lease: timedelta = timedelta(hours=1),
        actor: str | None = None,
        request: str | None = None,
    ) -> Receipt:
        """Claim an entity until the lease ends, or prolong an own claim; `Conflict` names who has it."""
        raise NotImplementedError

    def release(self, name: str, *, actor: str | None = None, request: str | None = None) -> Receipt:
        """Give up an own claim before its lease ends."""
        raise NotImplementedError

    def bring_in(self, drafts: Iterable[Draft], *, actor: str | None = None) -> list[Receipt]:
        """Create many entities at once, for an import; those that exist by id or request are left alone."""
        raise NotImplementedError

    def bring_in_operations(self, lines: Iterable[str], *, actor: str | None = None) -> int:
        """Take over operations as `operations` yields them, and return how many were new."""
        raise NotImplementedError

    # Other clones.

    def sync(self, remote: str | None = None) -> SyncReport:
        """Fetch, unite and push the logs; without a name, with `origin` or the only remote there is."""
        raise NotImplementedError

    def track(self, remote: str) -> bool:
        """Let plain `git fetch` bring this remote's logs too, and return whether that is new."""
        raise NotImplementedError
