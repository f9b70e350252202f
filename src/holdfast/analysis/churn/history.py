"""The commits of a repository and what each changed: read from git once, then cached by commit id.

Contract:
- The list of commits comes from git every time, so a rewritten history is reported as it is. What a commit
  changed is immutable, so the cache is append-only.
- Without the cache, or if it is damaged or cannot be written, the result is the same, only slower.
- A cancelled call caches what it has read, and the next one continues from there.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from holdfast.analysis.churn.churn_report import ChurnReport, Touched, measure, touched
from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.command import Git
from holdfast.storage.git.history.numstat import (
    CommitChanges,
    commits_since,
    names_by_mailmap,
    read_commits,
    tracked_files,
)
from holdfast.storage.git.ref_files import HeadFile
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.derived import DerivedDatabase, NotUsable

_NAME = "commits"
_APPLICATION_ID = 0x48464348  # "HFCH"
_VERSION = 2
"""To be raised whenever different data is requested from git."""
_TABLE = (
    "CREATE TABLE IF NOT EXISTS commits (id TEXT PRIMARY KEY, time INTEGER NOT NULL,"
    " is_merge INTEGER NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL, changes BLOB NOT NULL,"
    " subject TEXT NOT NULL,"
    " is_fix INTEGER NOT NULL) WITHOUT ROWID"
)
_KNOWN = "SELECT commits.* FROM json_each(?) AS wanted JOIN commits ON commits.id = wanted.value"
_INSERT = "INSERT OR IGNORE INTO commits VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_SIZE = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
_ESCAPED = "surrogateescape"
_CACHE = "PRAGMA cache_size = -32768"
"""32 MiB: commit ids are spread over the whole file, so lookups touch most of its pages."""
_AT_ONCE = 10_000
_BETWEEN_REPORTS = 100
"""Commits looked up in one query, and read between two progress reports: chosen bounds."""
_DAY = 86400


class History:
    """The history of one repository; its work trees share the cache."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._head = HeadFile(repository.git_dir or "", repository.common_dir or "")
        self._touched: VersionedCache[Touched] = VersionedCache(2)
        self._database = DerivedDatabase(
            repository.store_directory,
            _NAME,
            application_id=_APPLICATION_ID,
            version=_VERSION,
            prepare=_prepare,
        )

    def head(self) -> str | None:
        """Return the id of HEAD's commit; None if there is none."""
        if self._repository.git_dir is None:
            return None
        if commit := self._head.commit():
            return commit
        with Git(self._repository) as git:
            return git.head()

    def churn(self, project: str, since: int | None, *, counted: bool = True) -> ChurnReport:
        """Return the churn of a project, a folder or a file since a time.

        Counting lines needs file contents, which a partial clone may lack; `counted=False` does without.
        """
        with Git(self._repository) as git:
            if self.head() is None:
                return ChurnReport([], 0, 0, 0, has_history=False)
            read = self.commits if counted else _uncounted
            found = measure(read(git, since), tracked_files(git), project)
            found.names = names_by_mailmap(git, {person for file in found.files for person in file.authors})
            return found

    def touched(self, now: int, days: int) -> Touched | None:
        """Return which commits of the last days touched which files; None without git or commits.

        Computed again after a new commit and on another day.
        """
        sign = (self.head(), now // _DAY)
        known = self._touched.get(days, sign)
        if known is not None or sign[0] is None:
            return known
        with Git(self._repository) as git:
            commits = self.commits(git, max(0, now - days * _DAY))
            return self._touched.put(days, sign, touched(commits, tracked_files(git), ""))

    def commits(self, git: Git, since: int | None) -> Iterator[CommitChanges]:
        """Yield HEAD's commit and its ancestors, children first, back to a time."""
        ids = commits_since(git, since)
        for start in range(0, len(ids), _AT_ONCE):
            current_call().progress(start, len(ids), "commits read")
            wanted = ids[start : start + _AT_ONCE]
            known = self._known(wanted)
            if missing := [commit for commit in wanted if commit not in known]:
                known |= self._read(git, missing, start + len(known), len(ids))
            yield from (known[commit] for commit in wanted if commit in known)

    def close(self) -> None:
        """Close the connections."""
        self._database.close()

    def _read(self, git: Git, missing: list[str], done: int, total: int) -> dict[str, CommitChanges]:
        found: dict[str, CommitChanges] = {}
        commits = read_commits(git, missing)
        try:
            while some := {commit.id: commit for commit in islice(commits, _BETWEEN_REPORTS)}:
                found |= some
                current_call().progress(done + len(found), total, "commits read")
        finally:
            self._cache(found.values())
        return found

    def _known(self, ids: list[str]) -> dict[str, CommitChanges]:
        parameters = (json.dumps(sorted(ids)),)  # in the order in which they are stored
        rows: list[Any] = self._database.try_read(
            lambda connection: connection.execute(_KNOWN, parameters).fetchall(), []
        )
        return {
            row[0]: CommitChanges._make(
                (*row[:3], *(part.decode("utf-8", _ESCAPED) for part in row[3:7]), bool(row[7]))
            )
            for row in rows
        }

    def _cache(self, commits: Iterable[CommitChanges]) -> None:
        rows = [
            (*one[:3], *(text.encode("utf-8", _ESCAPED) for text in one[3:7]), one.is_fix) for one in commits
        ]

        def fill(connection: sqlite3.Connection) -> None:
            is_empty = connection.execute("SELECT 1 FROM commits").fetchone() is None
            if not is_empty and connection.execute(_SIZE).fetchone()[0] > LIMITS.commit_cache_bytes:
                raise NotUsable("it is full")
            connection.executemany(_INSERT, rows)

        with suppress(HoldfastError):  # the result does not depend on it
            self._repository.ensure_store()
            self._database.try_write(fill)


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute(_CACHE)
    connection.execute(_TABLE)


def _uncounted(git: Git, since: int | None) -> Iterator[CommitChanges]:
    return read_commits(git, commits_since(git, since), counted=False)
