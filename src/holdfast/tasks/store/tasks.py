"""The task store of a repository, shared by its worktrees and by all processes that work on it.

`Tasks` is the room: the object through which operations on tasks get transactions, and the interface to other
rooms.

Contract:
- A write is durable once it returns, and concurrent writers lose no updates.
- Every change is recorded as an event, numbered in commit order. No task or event is ever deleted.
- Reading creates no files.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.clock import Clock, utc_now
from holdfast.storage.git.person import person_name
from holdfast.storage.git.repository import Repository
from holdfast.storage.lazy import Lazy
from holdfast.storage.sql.sql_store import Connection, SqlStore
from holdfast.storage.sql.sqlite import Database
from holdfast.storage.sql.store_file import StoreFile
from holdfast.storage.watching.topic_source import TopicSource, WatchedPlace, file_place
from holdfast.tasks.errors import NotInitialized
from holdfast.tasks.store import creation, query, rows
from holdfast.tasks.store.change import apply_change
from holdfast.tasks.store.records import CallerIdentity, Change, Changed, Draft, Task, TaskWorkspace
from holdfast.tasks.store.schema import APPLICATION_ID, DATABASE_NAME, MIGRATIONS
from holdfast.tasks.store.transaction import NO_CALLER, TaskTransaction, named_milestones
from holdfast.tasks.store.workspace import has_joined, read_marker, refuse_unjoined

if TYPE_CHECKING:
    from holdfast.tasks.neighbours import Neighbours

_WORKSPACE_COLUMNS = ", ".join(TaskWorkspace._fields)


class TaskStoreFinding(NamedTuple):
    """A result of `Tasks.check`: damage to the store, or a remark on its contents."""

    is_damage: bool
    text: str


class ReadinessTriggers(NamedTuple):
    """Causes by which tasks become ready without a write to the store: closed milestones, expired leases."""

    version: object = None
    """The version of the store from which the other fields were read."""
    milestones: Sequence[str] = ()
    """The milestones that unfinished tasks name."""
    leases: Sequence[float] = ()
    """When the claims expire, in ascending order."""

    def count_expired(self, at: float) -> int:
        """Return how many of the claims have expired by a given time."""
        return bisect_right(self.leases, at)


def _no_neighbours() -> Neighbours:
    from holdfast.tasks.neighbours import Neighbours

    return Neighbours()


def _read_triggers(transaction: TaskTransaction, version: object) -> ReadinessTriggers:
    if not transaction.has_workspace:
        return ReadinessTriggers(version)
    leases = transaction.run_in_workspace(
        "SELECT claim_expires FROM task WHERE workspace = :workspace AND claim_agent IS NOT NULL"
        " AND status = 'in-progress' ORDER BY claim_expires"
    )
    milestones = named_milestones(transaction, transaction.workspace.id)
    return ReadinessTriggers(version, milestones, [row[0] for row in leases])


class Tasks:
    """The task store of one repository."""

    def __init__(
        self, repository: Repository, *, database: str | None = None, clock: Clock = utc_now
    ) -> None:
        self.repository = repository
        self.clock = clock
        self.cache: VersionedCache[Any] = VersionedCache()
        """Cached results, each valid while its source is unchanged."""
        self.renewals_due: dict[str, float] = {}
        """When the claims of a session are due for renewal, if known. Replaced as a whole, never modified."""
        self._address = database
        self._file = StoreFile(os.path.join(repository.store_directory, DATABASE_NAME))
        self._store = Lazy(self._open, lambda: database is not None or self._file.was_created)
        self.workspace_id: str | None = None
        """The id of the workspace, once it has been found."""
        self._triggers = ReadinessTriggers()
        self._neighbours: Lazy[Neighbours] = Lazy(_no_neighbours)

    @classmethod
    def open(cls, repository: Repository, database: str | None = None) -> Tasks:
        """Return the task store of a repository; the database is opened at first use."""
        return cls(repository, database=database)

    def close(self) -> None:
        self._store.close()
        self._neighbours.close()

    def set_neighbours(self, make_neighbours: Callable[[], Neighbours]) -> None:
        """Set the function that creates the interface to the other rooms; it is called at first use."""
        self._neighbours = Lazy(make_neighbours)

    @property
    def neighbours(self) -> Neighbours:
        return self._neighbours.get()

    @cached_property
    def person(self) -> str:
        """The name of the user of this computer, read once: it is needed for almost every call."""
        return person_name(self.repository)

    # The workspace.

    def workspace(self) -> TaskWorkspace:
        """Return the workspace of this repository; raise if there is none yet."""
        with self.reading() as transaction:
            return transaction.workspace

    def workspace_in(self, connection: Connection) -> TaskWorkspace:
        """Return the workspace of this repository, read in a transaction; raise if there is none yet."""
        workspace = self.find_workspace(connection)
        if workspace is None:
            refuse_unjoined(self, connection, read_marker(self.repository))
            raise self._not_initialized()
        self.workspace_id = workspace.id
        return workspace

    def workspaces(self) -> list[TaskWorkspace]:
        """Return every workspace of the database, by id."""
        if not self.exists:
            return []
        with self.reading() as connection:
            rows = connection.execute(f"SELECT {_WORKSPACE_COLUMNS} FROM workspace ORDER BY id")
            return [TaskWorkspace(*row) for row in rows]

    def workspace_by_id(self, connection: Connection, identity: str) -> TaskWorkspace:
        """Return the workspace with this id, which must exist."""
        row = connection.execute(
            f"SELECT {_WORKSPACE_COLUMNS} FROM workspace WHERE id = :id", {"id": identity}
        ).fetchone()
        return TaskWorkspace(*row)

    def find_workspace(self, connection: Connection) -> TaskWorkspace | None:
        """Return the workspace of this repository, or None when there is none yet."""
        marked = self.workspace_id or read_marker(self.repository)
        select = f"SELECT {_WORKSPACE_COLUMNS} FROM workspace"
        if marked is not None:
            row = connection.execute(f"{select} WHERE id = :id", {"id": marked}).fetchone()
            if row is not None and (not self.is_shared or has_joined(self.repository, marked)):
                return TaskWorkspace(*row)
        if self.is_shared:
            return None  # only a joined workspace may be used; all others belong to other repositories
        row = connection.execute(f"{select} ORDER BY created_at, id LIMIT 1").fetchone()
        return None if row is None else TaskWorkspace(*row)

    # Transactions.

    def reading(self, who: CallerIdentity = NO_CALLER) -> TaskTransaction:
        """Return a transaction that reads a consistent snapshot; raise if nothing was ever stored."""
        if not self.exists:
            raise self._not_initialized()
        return TaskTransaction(self, self.store.read(), who)

    def writing(self, who: CallerIdentity = NO_CALLER, *, concurrent: bool = False) -> TaskTransaction:
        """Return a transaction that writes; a `concurrent` one must lock the rows that it reads itself."""
        return TaskTransaction(self, self.store.write(concurrent=concurrent), who)

    # Operations that are one transaction each.

    def create(self, drafts: Sequence[Draft], who: CallerIdentity) -> list[tuple[Task, bool]]:
        """Create tasks, all or none, and return each with whether it is new."""
        with self.writing(who) as transaction:
            return creation.create(transaction, drafts)

    def get(self, task: str) -> Task:
        """Return the task that `task` names, as `rows.find_task` finds it."""
        with self.reading() as transaction:
            return rows.find_task(transaction, task)

    def find(self, wanted: query.Query) -> query.Page:
        with self.reading() as transaction:
            return query.find(transaction, wanted)

    def update(
        self, task: str, change: Change, who: CallerIdentity, *, if_version: int | None = None
    ) -> Changed:
        """Change a task; raise if its version is not `if_version`, or the caller's claim has ended."""
        with self.writing(who) as transaction:
            return apply_change(transaction, task, change, if_version=if_version)

    # The store.

    @property
    def is_shared(self) -> bool:
        """Whether the database may hold other workspaces."""
        return self.store.engine == "postgresql"

    def _not_initialized(self) -> NotInitialized:
        """Return the error for a repository without a workspace, or with no more than its marker."""
        if read_marker(self.repository) is not None:
            place = "clone" if self._address is None else "database"
            return NotInitialized(
                f"The tasks of this workspace are not in this {place}.",
                hint=f"Run `holdfast tasks export FILE` with the {place} that has them and `holdfast tasks"
                " restore FILE` here, or start without them with `taskpilot_init`.",
            )
        if self.repository.git_dir is not None:
            return NotInitialized("This repository has no tasks yet.", hint="Start with `taskpilot_init`.")
        return NotInitialized(
            "This is not a git repository, and it has no tasks.",
            hint="Change into the repository, or create tasks in this folder with `taskpilot_init`.",
        )

    def now(self) -> float:
        """Return the current Unix time in seconds."""
        return self.clock().timestamp()

    def closed_milestones(self, names: Collection[str]) -> frozenset[str]:
        """Return the names that currently refer to a closed milestone."""
        return self.neighbours.closed_milestones(names) if names else frozenset()

    @property
    def exists(self) -> bool:
        """Whether anything was ever stored."""
        return self._store.exists

    @property
    def store(self) -> SqlStore:
        """The database, opened at first use."""
        return self._store.get()

    def _open(self) -> SqlStore:
        if self._address is not None:
            from holdfast.storage.sql.postgres import PostgresStore

            return PostgresStore(self._address, migrations=MIGRATIONS)
        self.repository.ensure_store()
        return Database(self._file.path, application_id=APPLICATION_ID, migrations=MIGRATIONS)

    def font_cache(self) -> Path:
        """The directory for matplotlib's font cache."""
        return Path(self.repository.store_directory, "fonts")

    def fingerprint(self) -> object:
        """Return a value that changes when the store changes, a milestone closes, or a lease expires."""
        if not self.exists:
            return None
        version = self.store.data_version()
        if self._triggers.version != version:
            with self.reading() as transaction:
                self._triggers = _read_triggers(transaction, version)
        return (
            version,
            self.closed_milestones(self._triggers.milestones),
            self._triggers.count_expired(self.now()),
        )

    def topic(self, part: str) -> TopicSource:
        """Return how to detect changes of a part (see `fingerprints`); an empty part is the whole store."""
        from holdfast.tasks.store import fingerprints  # imported here, as it loads rules and documents

        probe = fingerprints.make_probe(self, part) if part else self.fingerprint
        places = fingerprints.places(self, part)
        if self._address is not None:
            return TopicSource(probe, (*places, WatchedPlace("", "postgresql")), is_polled=True)
        database = file_place(self._file.path, is_database=True)
        return TopicSource(probe, (*places, database), seconds_left=self._seconds_to_expiry)

    def _seconds_to_expiry(self) -> float | None:
        now = self.now()
        live_leases = self._triggers.leases[self._triggers.count_expired(now) :]
        return live_leases[0] - now if live_leases else None

    def counts(self) -> dict[str, int]:
        """Return the number of tasks by state, and of claimed ones as `claimed`; empty if there are none."""
        if not self.exists:
            return {}
        with self.reading() as transaction:
            if not transaction.has_workspace:
                return {}
            rows = transaction.run_in_workspace(
                "SELECT status, count(*), count(claim_agent) FROM task WHERE workspace = :workspace"
                " GROUP BY status ORDER BY status"
            ).fetchall()
        counts = {status: count for status, count, _ in rows}
        return counts | {"claimed": sum(claimed for _, _, claimed in rows)}

    def check(self) -> list[TaskStoreFinding]:
        """Return damage to the store or, if there is none, the number of tasks with expired claims."""
        if not self.exists:
            return []
        damage = self.store.verify()
        if damage:
            return [TaskStoreFinding(is_damage=True, text=text) for text in damage]
        with self.reading() as transaction:
            statement = f"SELECT count(*) FROM task WHERE {query.ABANDONED}"
            expired = transaction.execute(statement, {"now": transaction.now}).fetchone()[0]
        if not expired:
            return []
        text = f"Tasks whose claim has expired: {expired}. They are assigned before all other tasks."
        return [TaskStoreFinding(is_damage=False, text=text)]
