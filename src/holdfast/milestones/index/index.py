"""Opens the index, after comparing it with the refs and bringing it up to date.

Contract:
- `read` uses an index that contains every operation acknowledged before the call, by any process. The
  comparison reads a few small files; only new commits are folded.
- A deleted, damaged or outdated index changes no answer. If the logs cannot be read, or the index cannot be
  built, an error is raised rather than an empty answer returned.
- Reading a repository without logs creates no file.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, closing, nullcontext, suppress
from typing import TypeVar

from holdfast.kernel.errors import Busy, Corrupted, OutOfSpace, Unavailable
from holdfast.milestones.index.schema import APPLICATION_ID, INDEX_NAME, INDEXES, SCHEMA_VERSION, TABLES
from holdfast.milestones.index.update import (
    Flaw,
    Rewritten,
    add_own_commit,
    catch_up,
    damage_reasons,
    damaged_refs,
    folded_tips,
    read_flaws,
    run_script,
)
from holdfast.milestones.log.entry import Entry
from holdfast.storage.files.locks import locked
from holdfast.storage.git.command import Git
from holdfast.storage.git.commits.commit import Commit
from holdfast.storage.git.refs import Refs
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.connection_pool import ConnectionPool
from holdfast.storage.sql.derived import POINTER_SUFFIX, DerivedDatabase, NotUsable

_MAX_UNLOCKED_UPDATES = 4  # then a reader locks writers out: not at once, as that delays every writer
MAX_BUILDS = 3  # building again repairs a passing fault; one that recurs is a fault of the disk
_OTHER_CLONE = "Nothing was changed. A sync with a clone that has the logs restores them."

Answer = TypeVar("Answer")


class Index:
    """The index of one repository's logs."""

    def __init__(self, repository: Repository, git: Git, refs: Refs) -> None:
        self._repository = repository
        self._git = git
        self._refs = refs
        directory = repository.store_directory
        self._pointer = os.path.join(directory, INDEX_NAME + POINTER_SUFFIX)
        self.writing_lock = os.path.join(directory, "milestones.log")
        self._database = DerivedDatabase(
            directory, INDEX_NAME, application_id=APPLICATION_ID, version=SCHEMA_VERSION, prepare=_prepare
        )
        self._empty_index = ConnectionPool(_open_empty)

    def read(self, query: Callable[[sqlite3.Connection], Answer], *, is_writing: bool = False) -> Answer:
        """Return the result of a query on an up-to-date index.

        `is_writing` means that the caller holds `writing_lock`. A damaged index is rebuilt and queried again.
        """
        for _ in range(MAX_BUILDS):
            try:
                with ExitStack() as stack:
                    return query(self._connection(stack, is_writing=is_writing))
            except NotUsable:
                self._database.discard()
        raise Unavailable("The index is damaged each time it is built.", hint="Check the disk.")

    def add_own_commit(self, ref: str, old: str | None, commit: Commit, entries: list[Entry]) -> None:
        """Add a commit just written; if that fails, the next read adds it from the log."""
        try:
            with self._database.write() as connection:
                add_own_commit(connection, ref, old, commit, entries)
        except (NotUsable, Busy, OutOfSpace, Unavailable):
            pass

    def examine(self) -> tuple[dict[str, str], list[Flaw]]:
        """Read all logs from the beginning; return the unreadable refs with reasons, and what was skipped."""
        from holdfast.milestones.index.bulk_load import build

        with closing(sqlite3.connect("", isolation_level=None)) as connection:
            _prepare(connection)
            connection.execute("BEGIN")
            build(connection, self._git, self._refs.tips())
            return damage_reasons(connection), read_flaws(connection)

    def find_damage(self) -> set[str]:
        """Read all logs from the beginning; return the refs newly found damaged. Each read retries them."""
        damaged, _ = self.examine()
        with suppress(NotUsable), self._database.write() as connection:
            folded = folded_tips(connection)
            connection.executemany("DELETE FROM tip WHERE ref = ?", [(ref,) for ref in damaged])
            return damaged.keys() & folded.keys()
        return set()

    def verify(self) -> list[str]:
        """Return the problems that SQLite finds in the index, which is then rebuilt at its next use."""
        try:
            with self._database.read() as connection:
                found = [str(row[0]) for row in connection.execute("PRAGMA quick_check")]
        except NotUsable:
            return []
        if found != ["ok"]:
            self._database.discard()
        return [text for text in found if text != "ok"]

    def close(self) -> None:
        self._database.close()
        self._empty_index.retire()

    def _connection(self, stack: ExitStack, *, is_writing: bool) -> sqlite3.Connection:
        tips = self._refs.tips()
        if not tips and not os.path.lexists(self._pointer):
            return stack.enter_context(self._empty_index.lend())
        if (connection := self._open_if_fresh(stack, tips)) is not None:
            return connection
        for _ in range(_MAX_UNLOCKED_UPDATES):
            if (connection := self._update_and_open(stack)) is not None:
                return connection
        # Other processes write faster than this process reads: lock them out.
        with nullcontext() if is_writing else locked(self.writing_lock):
            connection = self._update_and_open(stack)
        if connection is None:
            raise Busy("The milestones change faster than they can be read.", hint="Try again in a moment.")
        return connection

    def _update_and_open(self, stack: ExitStack) -> sqlite3.Connection | None:
        self._update(self._refs.tips())
        return self._open_if_fresh(stack, self._refs.tips(), even_if_damaged=True)

    def _open_if_fresh(
        self, stack: ExitStack, tips: dict[str, str], *, even_if_damaged: bool = False
    ) -> sqlite3.Connection | None:
        """Return a connection to the index if it is up to date."""
        with ExitStack() as opening:
            try:
                connection = opening.enter_context(self._database.read())
                if not _is_fresh(connection, tips, even_if_damaged=even_if_damaged):
                    return None
            except NotUsable:
                return None
            stack.push(opening.pop_all())
            return connection

    def _update(self, tips: dict[str, str]) -> None:
        self._repository.ensure_store()
        try:
            with self._database.write() as connection:
                catch_up(connection, self._git, tips)
        except (NotUsable, Rewritten):
            from holdfast.milestones.index.bulk_load import build

            self._database.rebuild(lambda connection: build(connection, self._git, self._refs.tips()))


def _is_fresh(connection: sqlite3.Connection, tips: dict[str, str], *, even_if_damaged: bool) -> bool:
    """Return whether the index matches the refs.

    With `even_if_damaged`, an index that lacks the unreadable part of damaged logs is fresh too.
    """
    folded, damaged = folded_tips(connection), damaged_refs(connection)
    if folded == tips and not damaged:
        return True
    if not even_if_damaged or {**folded, **damaged} != tips:
        return False
    if not folded and connection.execute("SELECT 1 FROM operation").fetchone() is None:
        ref, text = next(iter(damage_reasons(connection).items()))
        raise Corrupted(f"No log can be read; {ref}: {text}.", hint=_OTHER_CLONE, ref=ref)
    return True


def _open_empty() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    _prepare(connection)
    run_script(connection, TABLES + INDEXES)
    return connection


def _fold_case(text: object) -> str | None:
    """Implement the SQL function `holdfast_fold`; NULL stays NULL."""
    return text.casefold() if isinstance(text, str) else None


def _prepare(connection: sqlite3.Connection) -> None:
    connection.create_function("holdfast_fold", 1, _fold_case, deterministic=True)
