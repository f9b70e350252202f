"""A transaction on the task store, opened once per operation and passed to every function that it calls.

Contract:
- Its writes are durable when its `with` block ends. After an exception or `discard` they are rolled back.
- The workspace is read once, on first use. The time is when the transaction started, after it acquired its
  first locks.
- A task may be taken if its row allows it and its milestone is not closed. Milestones belong to another room,
  which is queried only if a task names a milestone, and once per name.
- Events are stored last, when the `with` block ends: numbering them locks the log, and whoever has locked it
  must not wait for a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from holdfast.storage.sql.sql_store import Connection, Rows
from holdfast.tasks.store.records import CallerIdentity, Task, TaskWorkspace
from holdfast.tasks.store.states import FINISHED, IS_UNFINISHED

if TYPE_CHECKING:
    from holdfast.tasks.store.tasks import Tasks

NO_CALLER = CallerIdentity("")

_NAMES_MILESTONE = f"workspace = :workspace AND milestone IS NOT NULL AND {IS_UNFINISHED}"
_SELECT_DISTINCT_MILESTONES = (
    f"WITH RECURSIVE named (milestone) AS (SELECT min(milestone) FROM task WHERE {_NAMES_MILESTONE} UNION ALL"
    f" SELECT (SELECT min(task.milestone) FROM task WHERE {_NAMES_MILESTONE}"
    " AND task.milestone > named.milestone) FROM named WHERE named.milestone IS NOT NULL)"
    " SELECT milestone FROM named WHERE milestone IS NOT NULL"
)
"""A loose index scan: one index lookup per distinct name, no matter how many tasks have it."""


def named_milestones(connection: Connection, workspace: str) -> list[str]:
    """Return the distinct milestones that unfinished tasks name."""
    return [row[0] for row in connection.execute(_SELECT_DISTINCT_MILESTONES, {"workspace": workspace})]


class Discarded(Exception):
    """Raised inside the store's transaction to roll back a dry run; callers never see it."""


class TaskTransaction:
    """A connection, the caller and the time; caches the workspace and the states of milestones."""

    def __init__(self, room: Tasks, context: AbstractContextManager[Connection], who: CallerIdentity) -> None:
        self.who = who
        self.store = room.store
        self.cache = room.cache
        self._room = room
        self._context = context
        self._workspace: TaskWorkspace | None = None
        self._closed: dict[str, bool] = {}
        """Whether each milestone that was asked for is closed."""
        self._events: list[tuple[str, Sequence[Mapping[str, Any]]]] = []
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
        if failure is None:
            try:
                for statement, events in self._events:
                    self.store.append_in_order(self.connection, statement, events)
            except BaseException as raised:
                self._context.__exit__(type(raised), raised, raised.__traceback__)
                raise
        self._context.__exit__(kind, failure, trace)

    def discard(self) -> None:
        """Make the end of the `with` block roll back, for a dry run."""
        self._discarded = True

    @property
    def workspace(self) -> TaskWorkspace:
        """The repository's workspace; raises when there is none yet."""
        if self._workspace is None:
            self._workspace = self._room.workspace_in(self)
        return self._workspace

    @property
    def has_workspace(self) -> bool:
        self._workspace = self._workspace or self._room.find_workspace(self)
        return self._workspace is not None

    @property
    def workspace_id(self) -> str:
        """The id of the workspace, without a query if this process knows it already."""
        return self._room.workspace_id or self.workspace.id

    @property
    def for_update(self) -> str:
        """The clause that makes a SELECT lock its rows; empty if the engine needs none."""
        return " FOR UPDATE" if self.store.engine == "postgresql" else ""

    def run_in_workspace(self, statement: str, **values: Any) -> Rows:
        """Execute a statement with the parameters `:workspace` and `:now`, and those in `values`."""
        return self.execute(statement, {"workspace": self.workspace.id, "now": self.now, **values})

    def append(self, statement: str, events: Sequence[Mapping[str, Any]]) -> None:
        """Append events, numbered in commit order, when the transaction ends."""
        self._events.append((statement, events))

    # Milestones.

    def closed_milestones_among(self, names: Iterable[str | None]) -> frozenset[str]:
        wanted = {name for name in names if name is not None}
        unread = wanted - self._closed.keys()
        if unread:
            closed = self._room.closed_milestones(unread)
            self._closed |= {name: name in closed for name in unread}
        return frozenset(name for name in wanted if self._closed[name])

    def closed_milestones(self) -> list[str]:
        """Return the closed milestones that unfinished tasks name, sorted."""
        return sorted(self.closed_milestones_among(named_milestones(self, self.workspace_id)))

    def has_closed_milestone(self, task: Task) -> bool:
        """Return whether a task is unfinished and its milestone is closed."""
        return (
            task.milestone is not None
            and task.status not in FINISHED
            and bool(self.closed_milestones_among([task.milestone]))
        )

    def is_ready(self, task: Task) -> bool:
        return task.is_ready(self.now) and not self.has_closed_milestone(task)
