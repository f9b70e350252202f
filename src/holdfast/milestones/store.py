"""The milestones and issues of one repository, stored as operations in git refs.

Contract:
- Every write takes `actor` (None: the user in git's configuration) and `request` (None: not idempotent).
  Repeating a request changes nothing and returns the first receipt with `repeated=True`; reusing its id for
  another write is a `Conflict`. Every write is one commit, durable when the method returns.
- An entity is named by its full id or a prefix of at least four characters. An unknown name, or the name of
  an entity of the other kind, is `NotFound`; an ambiguous name is `InvalidArguments` and lists the
  candidates.
- Reads compare the ref tips first, and so see what plain git, another process or another worktree
  wrote. A store that cannot be read raises; it never looks empty.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Unpack

from holdfast.kernel.call import current_call
from holdfast.kernel.clock import Clock, rfc3339, utc_now
from holdfast.kernel.limits import LIMITS
from holdfast.milestones.entity import (
    Attribution,
    Entity,
    EntityDraft,
    HistoryEvent,
    Kind,
    Scalar,
    SetField,
    Status,
    WriteReceipt,
)
from holdfast.milestones.index import lookup
from holdfast.milestones.index.index import Answer, Index
from holdfast.milestones.index.schema import LOGS, NAMESPACE, TRACKED, TRACKED_BRANCHES
from holdfast.milestones.index.update import damage_reasons
from holdfast.milestones.log.actor import default_actor, validate_actor
from holdfast.milestones.log.clone_log import CloneLog
from holdfast.milestones.log.entry import parse
from holdfast.milestones.log.operation_builder import OperationBuilder
from holdfast.storage.git.command import Git
from holdfast.storage.git.refs import Refs
from holdfast.storage.git.repository import Repository
from holdfast.storage.watching.topic_source import TopicSource, WatchedPlace, any_folder, file_place

if TYPE_CHECKING:
    import sqlite3

    from holdfast.milestones.index.query import Condition, EntityPage, EntityQuery
    from holdfast.milestones.log.fold import EntityState
    from holdfast.milestones.replication import Sync, SyncReport

    BuildOperations = Callable[[OperationBuilder, EntityState], None]

_RUN_SYNC = (
    "This clone has no milestones or issues yet. `git clone` does not fetch them: if the remote has some,"
    " `git mile sync` does."
)
_DAMAGE = (
    "The log {ref} cannot be read completely: {reason}. Its earlier operations are missing here;"
    " a sync with a clone that has them restores them."
)
_FLAW = "The log {log} {problem}. It was skipped; everything else is shown."


class StoreFinding(NamedTuple):
    """A problem with the store that the doctor reports."""

    is_damage: bool
    text: str


class Milestones:
    """The milestones and issues of one repository, shared by its worktrees and clones.

    The tools get it as `room`: the object through which a toolset uses one repository.
    """

    def __init__(self, repository: Repository, *, clock: Clock = utc_now) -> None:
        """Tests pass `clock`; the ids of operations start with its milliseconds."""
        self.repository = repository
        self._clock = clock
        self._git = Git(repository)
        self._refs = Refs(repository, self._git, NAMESPACE)
        self._index = Index(repository, self._git, self._refs)
        self._log = CloneLog(repository, self._git, self._refs, self._index, clock)
        self._default_actor: str | None = None

    @classmethod
    def open(cls, repository: Repository) -> Milestones:
        """Return the store of a repository, without touching the disk yet."""
        return cls(repository)

    def close(self) -> None:
        self._index.close()
        self._git.close()

    def fingerprint(self) -> tuple[object, ...]:
        """Return a value that changes when any process writes or fetches a log."""
        return tuple(sorted(self._refs.tips().items()))

    def topic(self, part: str) -> TopicSource:
        """Return the files to watch for changes: the refs of the logs, in each way that git stores them."""
        del part  # milestones and issues are only watched as a whole
        assert self.repository.common_dir is not None
        common = self.repository.common_dir
        loose = WatchedPlace(os.path.join(common, NAMESPACE.rstrip("/")), enters=any_folder)
        packed = file_place(os.path.join(common, "packed-refs"))
        tables = file_place(os.path.join(common, "reftable", "tables.list"))
        return TopicSource(self.fingerprint, (loose, packed, tables))

    # Reading.

    def read(self, query: Callable[[sqlite3.Connection], Answer]) -> Answer:
        """Return the result of a query on an up-to-date index, whose tables are `schema.TABLES`."""
        return self._index.read(query)

    def get(self, kind: Kind | None, name: str) -> Entity:
        """Return the entity with this id or unambiguous prefix; `kind` None accepts either kind."""
        return self._index.read(lambda connection: lookup.entity(connection, kind, name))

    def find(self, query: EntityQuery) -> EntityPage:
        from holdfast.milestones.index.query import page

        return self._index.read(lambda connection: page(connection, query))

    def count(self, kind: Kind, condition: Condition) -> int:
        sql = f"SELECT count(*) FROM entity WHERE entity.kind = ? AND {condition.sql}"
        values = (kind, *condition.values)
        return self._index.read(lambda connection: int(connection.execute(sql, values).fetchone()[0]))

    def history(self, name: str) -> list[HistoryEvent]:
        """Return the history of an entity, in Lamport order."""
        return self._index.read(lambda connection: lookup.history(connection, name))

    def recent(self, limit: int, before: tuple[int, str] | None = None) -> list[HistoryEvent]:
        """Return the latest events of all entities, newest first, before the event with this order and id."""
        return self._index.read(lambda connection: lookup.recent(connection, limit, before))

    def operations(self) -> Iterator[str]:
        """Yield every operation as its line of canonical JSON in the log: a lossless export."""
        query = "SELECT body FROM operation ORDER BY entity, lamport, id"
        yield from (body for (body,) in self.read(lambda connection: connection.execute(query).fetchall()))

    def notices(self) -> list[str]:
        """Return notices to show with a result: that a new clone needs a sync, or which logs are damaged."""
        if not self._refs.tips():
            return [_RUN_SYNC] if self._sync.remotes.names() else []
        return _damage_notices(self._index.read(damage_reasons))

    def check(self) -> list[StoreFinding]:
        """Read all logs; return the problems with them and with the index, for `holdfast doctor`."""
        damage, flaws = self._index.examine() if self._refs.tips() else ({}, [])
        findings = [StoreFinding(is_damage=True, text=text) for text in _damage_notices(damage)]
        findings += [
            StoreFinding(bool(flaw.is_damage), _FLAW.format(log=flaw.log, problem=flaw.text))
            for flaw in flaws
        ]
        replica, tips = self._log.replica, self._refs.tips()
        tracked = [ref for ref in tips if ref.startswith((TRACKED, TRACKED_BRANCHES))]
        if any(ref.endswith(f"/{replica}") for ref in tracked) and f"{LOGS}{replica}" not in tips:
            text = (
                f"The log of this clone, {LOGS}{replica}, is gone; operations in other logs are still shown."
            )
            findings.append(StoreFinding(is_damage=False, text=text))
        rebuilt = "The index is damaged and will be rebuilt"
        return [
            *findings,
            *(StoreFinding(is_damage=False, text=f"{rebuilt}: {text}") for text in self._index.verify()),
        ]

    def counts(self) -> dict[str, int]:
        """Return the number of milestones and issues by status, and of operations and clones in the logs."""
        if not self._refs.tips():
            return {}

        def query(connection: sqlite3.Connection) -> dict[str, int]:
            states = connection.execute(
                "SELECT kind || 's ' || status, count(*) FROM entity GROUP BY kind, status ORDER BY 1"
            )
            logged = "SELECT count(*), count(DISTINCT log) FROM operation"
            operations, replicas = connection.execute(logged).fetchone()
            return dict(states) | {"operations": operations, "replicas": replicas}

        return self._index.read(query)

    # Writing. Each method is one commit; `actor` is written as `Name <mail>`.

    def create(self, draft: EntityDraft, *, actor: str | None = None) -> WriteReceipt:
        """Create a milestone or issue from a draft, in one commit."""

        def compose(connection: sqlite3.Connection, builder: OperationBuilder) -> str:
            if draft.id is not None:
                lookup.require_unused_id(connection, draft.id)
            return builder.create(draft)

        return self._log.write(compose, self._actor(actor), draft.request, "create", repr(draft))

    def change(
        self,
        name: str,
        *,
        fields: Mapping[Scalar, str | None] | None = None,
        add: Mapping[SetField, Sequence[str]] | None = None,
        remove: Mapping[SetField, Sequence[str]] | None = None,
        comment: str | None = None,
        **by: Unpack[Attribution],
    ) -> WriteReceipt:
        """Set fields, change sets and comment, in one commit; the comment is the last operation."""

        def act(builder: OperationBuilder, state: EntityState) -> None:
            for field, value in (fields or {}).items():
                builder.set(state, field, value)
            for group, values in (remove or {}).items():
                builder.remove(state, group, values)
            for group, values in (add or {}).items():
                builder.add(state, group, values)
            if comment is not None:
                builder.comment(state, comment)

        return self._write(act, by, "change", name, fields, add, remove, comment)

    def set(self, name: str, field: Scalar, value: str | None, **by: Unpack[Attribution]) -> WriteReceipt:
        """Set one field, which is then no longer contested."""
        return self.change(name, fields={field: value}, **by)

    def set_status(
        self, name: str, status: Status, *, comment: str | None = None, **by: Unpack[Attribution]
    ) -> WriteReceipt:
        """Set the status, unless the entity has it already."""
        return self.change(name, fields={"status": status}, comment=comment, **by)

    def comment(
        self, name: str, body: str, *, reply_to: str | None = None, **by: Unpack[Attribution]
    ) -> WriteReceipt:
        """Add a comment; its id is the operation in the receipt."""

        def act(builder: OperationBuilder, state: EntityState) -> None:
            builder.comment(state, body, None if reply_to is None else lookup.comment_id(state, reply_to))

        return self._write(act, by, "comment", name, body, reply_to)

    def edit_comment(
        self, name: str, comment: str, body: str | None, **by: Unpack[Attribution]
    ) -> WriteReceipt:
        """Replace the body of a comment, or delete it if None; the old body stays in history."""

        def act(builder: OperationBuilder, state: EntityState) -> None:
            builder.edit(state, lookup.comment_id(state, comment), body)

        return self._write(act, by, "edit", name, comment, body)

    def delete_comment(self, name: str, comment: str, **by: Unpack[Attribution]) -> WriteReceipt:
        """Delete a comment, leaving a tombstone; its body stays in history."""
        return self.edit_comment(name, comment, None, **by)

    def claim(
        self,
        name: str,
        *,
        lease: timedelta = timedelta(seconds=LIMITS.claim_seconds),
        **by: Unpack[Attribution],
    ) -> WriteReceipt:
        """Claim an entity until the lease ends, or extend the actor's claim.

        If somebody else has claimed it, raise `Conflict` with the holder.
        """

        def act(builder: OperationBuilder, state: EntityState) -> None:
            lookup.refuse_claimed(state, builder.actor, builder.timestamp)
            builder.claim(state, lease)

        return self._write(act, by, "claim", name, lease.total_seconds())

    def release(self, name: str, **by: Unpack[Attribution]) -> WriteReceipt:
        """Release the actor's claim before its lease ends."""

        def act(builder: OperationBuilder, state: EntityState) -> None:
            if own := [claim.operation for claim in state.claims() if claim.actor == builder.actor]:
                builder.release(state, own)

        return self._write(act, by, "release", name)

    def import_drafts(self, drafts: Iterable[EntityDraft], *, actor: str | None = None) -> list[WriteReceipt]:
        """Create many entities at once, except those whose id or request exists."""
        from holdfast.milestones.creation import create_new

        receipts: list[WriteReceipt] = []

        def compose(connection: sqlite3.Connection, builder: OperationBuilder) -> str:
            receipts[:] = create_new(connection, builder, drafts)
            return ""

        self._log.write_many(compose, self._actor(actor))
        return receipts

    def import_operations(self, lines: Iterable[str]) -> int:
        """Import operations as `operations` yields them, and return the number of new ones."""
        from holdfast.milestones.creation import new_entries

        entries = [entry for line in lines if (entry := parse(line)) is not None]

        def compose(connection: sqlite3.Connection, builder: OperationBuilder) -> str:
            builder.entries.extend(new_entries(connection, entries))
            return ""

        return len(self._log.write_many(compose, self._actor(None)))

    # Other clones.

    def sync(self, remote: str | None = None) -> SyncReport:
        """Fetch, merge and push the logs; without a name, with `origin` or the only remote."""
        return self._sync.run(remote)

    def track(self, remote: str) -> bool:
        """Make plain `git fetch` fetch this remote's logs too; return whether it did not do so before."""
        return self._sync.track(remote)

    def default_remote(self) -> str:
        """Return the remote that `sync` uses by default; `NotFound` if there is none."""
        return self._sync.remotes.resolve_name(None)

    def identity(self) -> str:
        return self._actor(None)

    def now(self) -> str:
        """Return the current time, against which claims expire."""
        return rfc3339(self._clock())

    def _write(
        self, act: BuildOperations, by: Attribution, verb: str, name: str, *arguments: object
    ) -> WriteReceipt:
        def compose(connection: sqlite3.Connection, builder: OperationBuilder) -> str:
            state = lookup.state(connection, None, name)
            act(builder, state)
            return state.id

        return self._log.write(
            compose, self._actor(by.get("actor")), by.get("request"), verb, name, *arguments
        )

    @cached_property
    def _sync(self) -> Sync:
        from holdfast.milestones.replication import Sync  # most commands never sync

        return Sync(self.repository, self._git, self._refs, self._index, self._log, self._clock)

    def _actor(self, argument: str | None) -> str:
        """Return who writes: the call's signer if it has one, or else the argument, or else git's user."""
        name = current_call().signer or argument
        if name is not None:
            return validate_actor(name)
        if self._default_actor is None:
            self._default_actor = default_actor(self._git.identity())
        return self._default_actor


def _damage_notices(reasons: Mapping[str, str]) -> list[str]:
    return [_DAMAGE.format(ref=ref, reason=reason) for ref, reason in reasons.items()]
