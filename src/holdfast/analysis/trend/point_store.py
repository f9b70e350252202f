"""Stores trend points: the numbers of projects at commits, by project, commit and version of the code.

Contract:
- Numbers added for the same commit are merged; a number added again replaces the old one. Several
  processes may add numbers at once without losing any.
- Numbers from other versions of the code are never returned, but counted, so that results can mention them.
- Damage or a full disk only loses points. Beyond the limit the oldest points are deleted first.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from holdfast.analysis.engine.code_version import analysis_version
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.derived import DerivedDatabase

NAME = "trend"
APPLICATION_ID = 0x48465452  # "HFTR"

_TABLE = """
CREATE TABLE IF NOT EXISTS point (
    project TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    kept INTEGER NOT NULL,  -- when numbers were last added, in epoch seconds
    numbers TEXT NOT NULL,  -- as a JSON object, by name
    PRIMARY KEY (project, commit_id, version)
) STRICT
"""
MERGE_POINT = """
INSERT INTO point VALUES (?, ?, ?, ?, ?) ON CONFLICT DO
UPDATE SET kept = excluded.kept, numbers = json_patch(numbers, excluded.numbers)
"""
_SELECT = """
SELECT commit_id, version, numbers FROM json_each(?) AS wanted
JOIN point ON project = ? AND commit_id = wanted.value
"""
_DELETE_OLDEST = "DELETE FROM point WHERE rowid IN (SELECT rowid FROM point ORDER BY kept, rowid LIMIT ?)"

Numbers = Mapping[str, float]


class PointStore:
    """The points of one repository, shared by its work trees. Safe for threads and processes."""

    def __init__(self, repository: Repository, max_points: int = LIMITS.trend_points) -> None:
        self._repository = repository
        self._max_points = max_points
        self._database = DerivedDatabase(
            repository.store_directory,
            NAME,
            application_id=APPLICATION_ID,
            version=1,
            prepare=lambda connection: connection.execute(_TABLE),
            authenticated=True,
        )

    def find(self, project: str, commits: Iterable[str]) -> tuple[dict[str, Numbers], int]:
        """Return the numbers of the commits that have any, and how many have only those of other versions."""
        parameters = (json.dumps(sorted(commits)), project)
        rows: list[Any] = self._database.try_read(
            lambda connection: connection.execute(_SELECT, parameters).fetchall(), []
        )
        try:
            numbers = {
                commit: json.loads(text) for commit, version, text in rows if version == analysis_version()
            }
        except ValueError:  # damage
            return {}, 0
        return numbers, len({commit for commit, *_ in rows} - numbers.keys())

    def add(self, project: str, commit: str, numbers: Numbers, seconds: int) -> bool:
        """Merge numbers, measured at a time in epoch seconds, into those of a commit; return success."""
        row = (project, commit, analysis_version(), seconds, json.dumps(dict(sorted(numbers.items()))))

        def add(connection: sqlite3.Connection) -> None:
            connection.execute(MERGE_POINT, row)
            self._evict(connection)

        with suppress(HoldfastError):
            self._repository.ensure_store()
            return self._database.try_write(add)
        return False

    def close(self) -> None:
        self._database.close()

    def _evict(self, connection: sqlite3.Connection) -> None:
        (count,) = connection.execute("SELECT COUNT(*) FROM point").fetchone()
        if count > self._max_points:
            # A quarter is deleted at once, so that this is seldom necessary.
            connection.execute(_DELETE_OLDEST, (count - self._max_points * 3 // 4,))
