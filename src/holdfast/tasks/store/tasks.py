"""The tasks of one repository, shared by its worktrees and by every process and person that works on it.

Contract:
- A write that returned is durable; any number of writers lose nothing of each other's.
- Every change is an event, numbered in the order in which readers see them; nothing is ever removed.
- Reading where nothing was written leaves no trace on disk.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.clock import Clock, utc_now
from holdfast.storage.git.repository import Repository
from holdfast.storage.lazy import Lazy
from holdfast.storage.sql.sql_store import Connection, SqlStore
from holdfast.storage.sql.sqlite import Database
from holdfast.storage.sql.store_file import StoreFile
from holdfast.tasks.errors import NotInitialized
from holdfast.tasks.store import change as changing
from holdfast.tasks.store import creation, query, rows
from holdfast.tasks.store.records import Change, Changed, Draft, Task, Who, Workspace
from holdfast.tasks.store.schema import APPLICATION_ID, DATABASE_NAME, MIGRATIONS
from holdfast.tasks.store.transaction import NOBODY, Transaction, named_milestones
from holdfast.tasks.store.workspace import has_joined, read_marker, refuse_others

if TYPE_CHECKING:
    from holdfast.tasks.neighbours import Neighbours

_WORKSPACE_COLUMNS = "id, name, gate, stack, next_number, created_at"


class Finding(NamedTuple):
    """Something to know about the store."""

    is_damage: bool
    text: str


class Watched(NamedTuple):
    """What else than a write changes which tasks are ready: closing milestones, and claims that run out."""

    version: object = None
    milestones: Sequence[str] = ()
    leases: Sequence[float] = ()
    """When the claims end, in order."""

    def ended(self, at: float) -> int:
        """Return how many of the claims have ended at a moment."""
        return bisect_right(self.leases, at)


def _alone() -> Neighbours:
    from holdfast.tasks.neighbours import Neighbours

    return Neighbours()


def _watched(transaction: Transaction, version: object) -> Watched:
    """Return what to look out for while the store is as it is."""
    if not transaction.has_workspace:
        return Watched(version)
    leases = transaction.ask(
        "SELECT claim_expires FROM task WHERE workspace = :workspace AND claim_agent IS NOT NULL"
        " AND status = 'in-progress' ORDER BY claim_expires"
    )
    milestones = named_milestones(transaction, transaction.workspace.id)
    return Watched(version, milestones, [row[0] for row in leases])


class Tasks:
    """The tasks of one repository."""

    def __init__(
        self, repository: Repository, *, database: str | None = None, clock: Clock = utc_now
    ) -> None:
        self.repository = repository
        self.clock = clock
        self.memory: VersionedCache[Any] = VersionedCache()
        """What was made of files that had not changed since."""
        self.due: dict[str, float] = {}
        """When the claims of a session are to last longer, as far as is known here. Replaced, not changed."""
        self._address = database
        self._file = StoreFile(os.path.join(repository.store_directory, DATABASE_NAME))
        self._store = Lazy(self._open, lambda: database is not None or self._file.was_created)
        self.known: str | None = None
        """The id of the workspace, once it was found."""
        self._watched = Watched()
        self._neighbours: Lazy[Neighbours] = Lazy(_alone)

    @classmethod
    def open(cls, repository: Repository, database: str | None = None) -> Tasks:
        """Return the tasks of a repository; the database is opened at first use."""
        return cls(repository, database=database)

    def close(self) -> None:
        """Close the database, if it was needed."""
        self._store.close()
        self._neighbours.close()

    def introduce(self, neighbours: Callable[[], Neighbours]) -> None:
        """Say who knows the other rooms; asked for when somebody wants to hear them."""
        self._neighbours = Lazy(neighbours)

    @property
    def neighbours(self) -> Neighbours:
        """Return who knows the other rooms."""
        return self._neighbours.get()

    # The workspace.

    def workspace(self) -> Workspace:
        """Return the workspace of this repository, or raise when there is none yet."""
        with self.reading() as transaction:
            return transaction.workspace

    def workspace_in(self, connection: Connection) -> Workspace:
        """Return the workspace of this repository as a transaction sees it."""
        found = self.find_workspace(connection)
        if found is None:
            refuse_others(self, connection, read_marker(self.repository))
            raise self._not_initialized()
        self.known = found.id
        return found

    def workspaces(self) -> list[Workspace]:
        """Return every workspace of the database."""
        if not self.exists:
            return []
        with self.reading() as connection:
            found = connection.execute(f"SELECT {_WORKSPACE_COLUMNS} FROM workspace ORDER BY id")
            return [Workspace(*row) for row in found]

    def workspace_called(self, connection: Connection, identity: str) -> Workspace:
        """Return the workspace with this id."""
        row = connection.execute(
            f"SELECT {_WORKSPACE_COLUMNS} FROM workspace WHERE id = :id", {"id": identity}
        ).fetchone()
        return Workspace(*row)

    def find_workspace(self, connection: Connection) -> Workspace | None:
        """Return the workspace of this repository, or None when there is none yet."""
        marked = self.known or read_marker(self.repository)
        select = f"SELECT {_WORKSPACE_COLUMNS} FROM workspace"
        if marked is not None:
            row = connection.execute(f"{select} WHERE id = :id", {"id": marked}).fetchone()
            if row is not None and (not self.is_shared or has_joined(self.repository, marked)):
                return Workspace(*row)
        if self.is_shared:
            return None  # Only the marker, and who joined, says which workspace is ours.
        row = connection.execute(f"{select} ORDER BY created_at, id LIMIT 1").fetchone()
        return None if row is None else Workspace(*row)

    # Transactions.

    def reading(self, who: Who = NOBODY) -> Transaction:
        """Return a transaction that sees one moment; raise when nothing was ever stored."""
        if not self.exists:
            raise self._not_initialized()
        return Transaction(self, self.store.read(), who)

    def writing(self, who: Who = NOBODY, *, together: bool = False) -> Transaction:
        """Return a transaction that writes, after or `together` with others that lock the rows they take."""
        return Transaction(self, self.store.write(together=together), who)

    # Whole operations of one transaction each.

    def create(self, drafts: Sequence[Draft], who: Who) -> list[tuple[Task, bool]]:
        """Add tasks, all or none, and return each with whether it is new."""
        with self.writing(who) as transaction:
            return creation.create(transaction, drafts)

    def get(self, task: str) -> Task:
        """Return a task by `TP-12`, by its number, or by its name for ever."""
        with self.reading() as transaction:
            return rows.find_task(transaction, task)

    def find(self, wanted: query.Query) -> query.Page:
        """Return a page of the tasks that fit."""
        with self.reading() as transaction:
            return query.find(transaction, wanted)

    def update(self, task: str, change: Change, who: Who, *, if_version: int | None = None) -> Changed:
        """Change a task, unless it has another version than the caller saw or is no longer the caller's."""
        with self.writing(who) as transaction:
            return changing.change(transaction, task, change, if_version=if_version)

    # The store.

    @property
    def is_shared(self) -> bool:
        """Whether the database holds workspaces of others, too."""
        return self.store.engine == "postgresql"

    def _not_initialized(self) -> NotInitialized:
        """Return the failure of asking for tasks where there is no workspace, or only its name."""
        if read_marker(self.repository) is not None:
            place = "clone" if self._address is None else "database"
            return NotInitialized(
                f"The tasks of this workspace are not in this {place}.",
                hint=f"Run `holdfast tasks export FILE` with the {place} that has them, `holdfast tasks"
                " restore FILE` here, or begin without them with `taskpilot_init`.",
            )
        if self.repository.git_dir is not None:
            return NotInitialized("This repository has no tasks yet.", hint="Begin with `taskpilot_init`.")
        return NotInitialized(
            "This is no git repository, and has no tasks.",
            hint="Change into the repository, or keep tasks in this folder with `taskpilot_init`.",
        )

    def now(self) -> float:
        """Return the present moment in seconds."""
        return self.clock().timestamp()

    def closed_milestones(self, names: Collection[str]) -> frozenset[str]:
        """Return those of the names that mean a closed milestone now."""
        return self.neighbours.closed_milestones(names) if names else frozenset()

    @property
    def exists(self) -> bool:
        """Whether anything was ever stored."""
        return self._store.exists

    @property
    def store(self) -> SqlStore:
        """Return the database, opened at first use."""
        return self._store.get()

    def _open(self) -> SqlStore:
        if self._address is not None:
            from holdfast.storage.sql.postgres import PostgresStore

            return PostgresStore(self._address, migrations=MIGRATIONS)
        self.repository.ensure_store()
        return Database(self._file.path, application_id=APPLICATION_ID, migrations=MIGRATIONS)

    def font_cache(self) -> Path:
        """Return the folder where whoever draws letters may keep what it knows of fonts."""
        return Path(self.repository.store_directory, "fonts")

    def fingerprint(self) -> object:
        """Return a value that changes when anything about the tasks does, or a milestone or a lease ends."""
        if not self.exists:
            return None
        version = self.store.data_version()
        if self._watched.version != version:
            with self.reading() as transaction:
                self._watched = _watched(transaction, version)
        return version, self.closed_milestones(self._watched.milestones), self._watched.ended(self.now())

    def probe(self, part: str) -> Callable[[], object]:
        """Return what looks at one task, or, for `*`, at which tasks lists show."""
        # Here, as it brings rules and documents, and commands wait for nothing.
        from holdfast.tasks.store import fingerprints

        return fingerprints.probe(self, part)

    def counts(self) -> dict[str, int]:
        """Return how many tasks of this workspace are in each state, and how many are claimed."""
        if not self.exists:
            return {}
        with self.reading() as transaction:
            if not transaction.has_workspace:
                return {}
            states = transaction.ask(
                "SELECT status, count(*), count(claim_agent) FROM task WHERE workspace = :workspace"
                " GROUP BY status ORDER BY status"
            ).fetchall()
        claimed = sum(row[2] for row in states)
        return {row[0]: row[1] for row in states} | {"claimed": claimed}

    def check(self) -> list[Finding]:
        """Return what is wrong with the store, and which claims ran out."""
        if not self.exists:
            return []
        damage = self.store.verify()
        if damage:
            return [Finding(is_damage=True, text=text) for text in damage]
        with self.reading() as transaction:
            statement = f"SELECT count(*) FROM task WHERE {query.LEFT_BEHIND}"
            left = transaction.execute(statement, {"now": transaction.now}).fetchone()[0]
        text = f"Tasks whose claim ran out: {left}. The next one who asks gets them."
        return [Finding(is_damage=False, text=text)] if left else []
