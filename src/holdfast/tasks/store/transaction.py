"""A transaction of the tasks, opened once by an operation and handed down: where, who, when.

Contract:
- What was written in it is durable when its `with` ends. After an exception, or when it was told to
  `discard`, nothing inside it happened.
- The workspace is read once, when somebody asks for it; the time is that of its beginning, after it has got
  the locks it begins with.
- A task may be taken when its row says so and its milestone is not closed. Milestones are kept by another
  room, which is asked only where a task names one, and once for each name.
- Events are appended last: see `append`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from holdfast.storage.sql.sql_store import Connection, Rows
from holdfast.tasks.store.records import Task, Who, Workspace
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
"""Each name once, by as many looks into the index as there are names."""


def named_milestones(connection: Connection, workspace: str) -> list[str]:
    """Return the milestones that unfinished tasks name."""
    return [row[0] for row in connection.execute(_NAMES, {"workspace": workspace})]


class Discarded(Exception):
    """Tells the store to undo a transaction that was only tried; nobody sees it."""


class Transaction:
    """A connection to the store for as long as a `with` lasts, and what is true in it."""

    def __init__(self, room: Tasks, context: AbstractContextManager[Connection], who: Who) -> None:
        self.who = who
        self.store = room.store
        self.memory = room.memory
        self._room = room
        self._context = context
        self._workspace: Workspace | None = None
        self._closed: dict[str, bool] = {}
        self._discarded = False

    def __enter__(self) -> Transaction:
        connection = self._context.__enter__()
        self.connection = connection
        self.execute = connection.execute
        self.executemany = connection.executemany
        self.moment = self._room.clock()
        self.now = self.moment.timestamp()
        return self

    def __exit__(self, kind: type[BaseException] | None, failure: BaseException | None, trace: Any) -> None:
        if self._discarded and failure is None:
            kind, failure = Discarded, Discarded()
        self._context.__exit__(kind, failure, trace)

    def discard(self) -> None:
        """Let nothing of this have happened when it ends."""
        self._discarded = True

    @property
    def workspace(self) -> Workspace:
        """Return the workspace of the repository, or raise when there is none yet."""
        if self._workspace is None:
            self._workspace = self._room.workspace_in(self)
        return self._workspace

    @property
    def has_workspace(self) -> bool:
        """Tell whether the repository has a workspace at all."""
        self._workspace = self._workspace or self._room.find_workspace(self)
        return self._workspace is not None

    @property
    def workspace_id(self) -> str:
        """Return the id of the workspace, which this process may know already."""
        return self._room.known or self.workspace.id

    @property
    def for_update(self) -> str:
        """Return what a SELECT ends with that keeps others from changing the rows meanwhile."""
        return " FOR UPDATE" if self.store.engine == "postgresql" else ""

    def ask(self, statement: str, **values: Any) -> Rows:
        """Run a statement about the workspace: `:workspace` and `:now` need not be given."""
        return self.execute(statement, {"workspace": self.workspace.id, "now": self.now, **values})

    def append(self, statement: str, events: Sequence[Mapping[str, Any]]) -> None:
        """Append events, numbered in the order in which readers see them; no row is locked afterwards."""
        self.store.append_in_order(self.connection, statement, events)

    # Milestones.

    def closed(self, names: Iterable[str | None]) -> frozenset[str]:
        """Return those of the names that mean a closed milestone."""
        wanted = {name for name in names if name is not None}
        unknown = wanted - self._closed.keys()
        if unknown:
            found = self._room.closed_milestones(unknown)
            self._closed |= {name: name in found for name in unknown}
        return frozenset(name for name in wanted if self._closed[name])

    def closed_milestones(self) -> list[str]:
        """Return the closed ones of the milestones that unfinished tasks name, in order."""
        return sorted(self.closed(named_milestones(self, self.workspace_id)))

    def is_held_up(self, task: Task) -> bool:
        """Tell whether the milestone of an unfinished task is closed."""
        return (
            task.milestone is not None and task.status not in FINISHED and bool(self.closed([task.milestone]))
        )

    def is_ready(self, task: Task) -> bool:
        """Tell whether somebody may take a task."""
        return task.is_ready(self.now) and not self.is_held_up(task)
