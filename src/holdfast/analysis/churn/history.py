"""The commits of a repository and the files that each changed: read from git once, then cached by commit id.

Contract:
- The list of commits comes from git every time, so a rewritten history is reported as it is. What a commit
  changed is immutable, so the cache is append-only.
- A period ends with HEAD's newest commit, so its figures do not change while no one works on the project.
- Without the cache, or if it is damaged or cannot be written, the result is the same, only slower.
- A cancelled call caches what it has read, and the next one continues from there.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from holdfast.analysis.churn.churn_report import ChurnReport, TouchHistory, churn_report, touch_history
from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.call import current_call
from holdfast.kernel.clock import DAY_SECONDS
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.command import Git
from holdfast.storage.git.history.committed_files import first_parents
from holdfast.storage.git.history.mailmap import names_by_mailmap
from holdfast.storage.git.history.numstat import CommitChanges, commits_since, read_commits
from holdfast.storage.git.project_files import tracked_files
from holdfast.storage.git.ref_files import HeadFile
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.derived import DerivedDatabase, NotUsable

_NAME = "commits"
_APPLICATION_ID = 0x48464348  # "HFCH"
_VERSION = 2
"""The version of the cached data: raise it whenever different data is requested from git."""
_TABLE = """
CREATE TABLE IF NOT EXISTS commits (
    id TEXT PRIMARY KEY, time INTEGER NOT NULL, is_merge INTEGER NOT NULL, name TEXT NOT NULL,
    email TEXT NOT NULL, changes BLOB NOT NULL, subject TEXT NOT NULL, is_fix INTEGER NOT NULL
) WITHOUT ROWID
"""
"""The fields of `CommitChanges`, in the same order; the four texts as bytes."""
_SELECT_COMMITS = "SELECT commits.* FROM json_each(?) AS wanted JOIN commits ON commits.id = wanted.value"
_INSERT = "INSERT OR IGNORE INTO commits VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_SIZE = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
_ENCODING_ERRORS = "surrogateescape"
"""Names and paths may contain bytes that are not UTF-8, which must be the same after reading them back."""
_PAGE_CACHE = "PRAGMA cache_size = -32768"
"""32 MiB: commit ids are spread over the whole file, so lookups touch most of its pages."""
_COMMITS_PER_QUERY = 10_000
"""Commits looked up in the cache at once: a judgement, as they take some megabytes of memory."""
COMMITS_PER_PROGRESS_REPORT = 100
"""Commits read from git between two progress reports: a judgement, as 100 take a fraction of a second."""


class History:
    """The history of one repository; its work trees share the cache."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._head = HeadFile(repository.git_dir or "", repository.common_dir or "")
        self._touches: VersionedCache[TouchHistory] = VersionedCache(max_values=2)
        """By period in days; one period is in use, and an entry takes many megabytes."""
        self._head_times: VersionedCache[int] = VersionedCache(max_values=1)
        self._database = DerivedDatabase(
            repository.store_directory,
            _NAME,
            application_id=_APPLICATION_ID,
            version=_VERSION,
            prepare=_prepare,
            authenticated=True,
        )

    def head(self) -> str | None:
        """Return the id of HEAD's commit; None if there is none."""
        if self._repository.git_dir is None:
            return None
        if commit := self._head.commit():
            return commit
        with Git(self._repository) as git:
            return git.head()

    def head_time(self) -> int | None:
        """Return the time of HEAD's newest commit in epoch seconds; None if there is none."""
        head = self.head()
        if head is None:
            return None
        cached = self._head_times.get("HEAD", head)
        if cached is not None:
            return cached
        with Git(self._repository) as git:
            [(_, time)] = first_parents(git, 1)
            return self._head_times.put("HEAD", head, time)

    def period_start(self, days: float) -> int | None:
        """Return when a period of some days starts that ends with HEAD's newest commit, in epoch seconds.

        It is None if there is no commit, or if the period starts before 1970.
        """
        start = int((self.head_time() or 0) - days * DAY_SECONDS)
        return start if start > 0 else None

    def churn(self, project: str, days: float | None, *, count_lines: bool = True) -> ChurnReport:
        """Return the churn of a project, a folder or a file in a period, or over all time.

        Counting lines needs file contents; if a partial clone lacks some, `NotFetched` is raised.
        """
        with Git(self._repository) as git:
            if self.head() is None:
                return ChurnReport([], deleted_files=0, commits=0, merges=0)
            since = None if days is None else self.period_start(days)
            commits = self.commits(git, since) if count_lines else _commits_without_lines(git, since)
            report = churn_report(commits, tracked_files(git), project)
            report.until = self.head_time()
            report.names = names_by_mailmap(git, {person for file in report.files for person in file.authors})
            return report

    def touches(self, days: float) -> TouchHistory | None:
        """Return which commits of a period touched which files; None without commits.

        The result is cached until the next commit.
        """
        head = self.head()
        if head is None:
            return None
        cached = self._touches.get(days, head)
        if cached is not None:
            return cached
        with Git(self._repository) as git:
            commits = self.commits(git, self.period_start(days))
            return self._touches.put(days, head, touch_history(commits, tracked_files(git), ""))

    def commits(self, git: Git, since: int | None) -> Iterator[CommitChanges]:
        """Yield HEAD's commit and its ancestors, children first, back to a time."""
        ids = commits_since(git, since)
        for start in range(0, len(ids), _COMMITS_PER_QUERY):
            current_call().progress(start, len(ids), "commits read")
            batch = ids[start : start + _COMMITS_PER_QUERY]
            commits = self._cached_commits(batch)
            if missing := [commit for commit in batch if commit not in commits]:
                commits |= self._read_missing(git, missing, start + len(commits), len(ids))
            yield from (commits[commit] for commit in batch if commit in commits)

    def close(self) -> None:
        self._database.close()

    def _read_missing(self, git: Git, missing: list[str], done: int, total: int) -> dict[str, CommitChanges]:
        """Read commits from git, and cache those that were read even if the call is cancelled meanwhile."""
        commits: dict[str, CommitChanges] = {}
        try:
            for number, commit in enumerate(read_commits(git, missing), 1):
                commits[commit.id] = commit
                if number % COMMITS_PER_PROGRESS_REPORT == 0:
                    current_call().progress(done + number, total, "commits read")
        finally:
            self._store(commits.values())
        return commits

    def _cached_commits(self, ids: list[str]) -> dict[str, CommitChanges]:
        parameters = (json.dumps(sorted(ids)),)  # in the order of the table, so that pages are read once
        rows: list[Any] = self._database.try_read(
            lambda connection: connection.execute(_SELECT_COMMITS, parameters).fetchall(), []
        )
        return {commit.id: commit for commit in map(_decode_row, rows)}

    def _store(self, commits: Iterable[CommitChanges]) -> None:
        rows = list(map(_encode_row, commits))

        def fill(connection: sqlite3.Connection) -> None:
            is_empty = connection.execute("SELECT 1 FROM commits").fetchone() is None
            if not is_empty and connection.execute(_SIZE).fetchone()[0] > LIMITS.commit_cache_bytes:
                raise NotUsable("it is full")
            connection.executemany(_INSERT, rows)

        with suppress(HoldfastError):  # a cache that cannot be written only costs time
            self._repository.ensure_store()
            self._database.try_write(fill)


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute(_PAGE_CACHE)
    connection.execute(_TABLE)


def _encode_row(commit: CommitChanges) -> tuple[Any, ...]:
    commit_id, time, is_merge, *texts, is_fix = commit
    return commit_id, time, is_merge, *(text.encode("utf-8", _ENCODING_ERRORS) for text in texts), is_fix


def _decode_row(row: tuple[Any, ...]) -> CommitChanges:
    commit_id, time, is_merge, *texts, is_fix = row
    decoded = (text.decode("utf-8", _ENCODING_ERRORS) for text in texts)
    return CommitChanges._make((commit_id, time, is_merge, *decoded, bool(is_fix)))


def _commits_without_lines(git: Git, since: int | None) -> Iterator[CommitChanges]:
    return read_commits(git, commits_since(git, since), count_lines=False)
