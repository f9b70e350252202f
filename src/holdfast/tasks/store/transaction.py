"""A transaction on the task store, opened once per operation and passed down: connection, caller and time.

Contract:
- Its writes are durable when its `with` block ends. After an exception or `discard` they are rolled back.
- The workspace is read once, on first use. The time is when the transaction began, after it had acquired its
  initial locks.
- A task may be taken when its row allows it and its milestone is not closed. Milestones belong to another
  room, which is queried only if a task names one, and once per name.
- Events are appended last: see `append`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from holdfast.storage.sql.sql_store import Connection, Rows
from holdfast.tasks.store.records import Task, TaskWorkspace, Who
from holdfast.tasks.store.states import FINISHED

if TYPE_CHECKING:
    from holdfast.tasks.store.tasks import Tasks

NOBODY = Who("")

_NAMED = "workspace = :workspace AND milestone IS NOT NULL AND status NOT IN ('done', 'dropped')"
_NAMES = (
    f"WITH RECURSIVE named (milestone) AS (SELECT min(milestone) FROM task WHERE {_NAMED} UNION ALL"
    f" SELECT (SELECT min(task.milestone) FROM task WHERE {_NAMED} AND task.milestone > named.milestone)"
    " FROM named WHERE named.milestone IS NOT NULL)"
    " SELECT milestone FROM named WHERE milestone IS NOT NULL"
)
"""A loose index scan: each distinct name costs one index lookup, however many tasks have it."""


def named_milestones(connection: Connection, workspace: str) -> list[str]:
    """Return the distinct milestones that unfinished tasks name."""
    return [row[0] for row in connection.execute(_NAMES, {"workspace": workspace})]


class Discarded(Exception):
    """Makes the store roll back a dry run; never leaves this module."""


class TaskTransaction:
    """One transaction: a connection, the caller, the time, and what was read so far."""

    def __init__(self, room: Tasks, context: AbstractContextManager[Connection], who: Who) -> None:
        self.who = who
        self.store = room.store
        self.memory = room.memory
        self._room = room
        self._context = context
        self._workspace: TaskWorkspace | None = None
        self._closed: dict[str, bool] = {}
        self._discarded = False

    def __enter__(self) -> TaskTransaction:
        connection = self._context.__enter__()
        self.connection = connection
        self.execute = connection.execute
        self.executemany = connection.executemany
        self.time = self._room.clock()
        self.now = self.time.timestamp()
        return self

    def __exit__(self, kind: type[BaseException] | None, failure: BaseException | None, trace: Any) -> None:
        if self._discarded and failure is None:
            kind, failure = Discarded, Discarded()
        self._context.__exit__(kind, failure, trace)

    def discard(self) -> None:
        """Roll back when the `with` block ends."""
        self._discarded = True

    @property
    def workspace(self) -> TaskWorkspace:
        """Return the repository's workspace, or raise when there is none yet."""
        if self._workspace is None:
            self._workspace = self._room.workspace_in(self)
        return self._workspace

    @property
    def has_workspace(self) -> bool:
        """Return whether the repository has a workspace."""
        self._workspace = self._workspace or self._room.find_workspace(self)
        return self._workspace is not None

    @property
    def workspace_id(self) -> str:
        """Return the id of the workspace, without a query if this process knows it."""
        return self._room.workspace_id or self.workspace.id

    @property
    def for_update(self) -> str:
        """Return the clause that makes a SELECT lock its rows, where the engine needs one."""
        return " FOR UPDATE" if self.store.engine == "postgresql" else ""

    def ask(self, statement: str, **values: Any) -> Rows:
        """Run a statement about the workspace; `:workspace` and `:now` are filled in."""
        return self.execute(statement, {"workspace": self.workspace.id, "now": self.now, **values})

    def append(self, statement: str, events: Sequence[Mapping[str, Any]]) -> None:
        """Append events, numbered in commit order; no row may be locked after this."""
        self.store.append_in_order(self.connection, statement, events)

    # Milestones.

    def closed(self, names: Iterable[str | None]) -> frozenset[str]:
        """Return those of the names that refer to a closed milestone."""
        wanted = {name for name in names if name is not None}
        unknown = wanted - self._closed.keys()
        if unknown:
            found = self._room.closed_milestones(unknown)
            self._closed |= {name: name in found for name in unknown}
        return frozenset(name for name in wanted if self._closed[name])

    def closed_milestones(self) -> list[str]:
        """Return the closed milestones among those that unfinished tasks name, sorted."""
        return sorted(self.closed(named_milestones(self, self.workspace_id)))

    def has_closed_milestone(self, task: Task) -> bool:
        """Return whether a task is unfinished and its milestone is closed."""
        return (
            task.milestone is not None and task.status not in FINISHED and bool(self.closed([task.milestone]))
        )

    def is_ready(self, task: Task) -> bool:
        """Return whether a task may be taken."""
        return task.is_ready(self.now) and not self.has_closed_milestone(task)
