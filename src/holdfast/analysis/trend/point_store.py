"""The numbers of projects at commits, kept by the commit, the project and the version of the code.

Contract:
- What different analyses measured of the same commit adds up; of the same number the last one counts. Several
  processes may keep at once, and none takes away what another kept.
- Numbers of another version of the code are never mixed in: they are counted, so that one can tell.
- Nothing depends on it: damage and a full disk cost points that can be computed again. Of too many, those go
  first that were kept for longest.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from holdfast.analysis.records.core_version import analysis_version
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
    kept INTEGER NOT NULL,
    numbers TEXT NOT NULL,
    PRIMARY KEY (project, commit_id, version)
) STRICT
"""
_KEEP = """
INSERT INTO point VALUES (?, ?, ?, ?, ?) ON CONFLICT DO
UPDATE SET kept = excluded.kept, numbers = json_patch(numbers, excluded.numbers)
"""
_KNOWN = """
SELECT commit_id, version, numbers FROM json_each(?) AS wanted
JOIN point ON project = ? AND commit_id = wanted.value
"""
_OLDEST = "DELETE FROM point WHERE rowid IN (SELECT rowid FROM point ORDER BY kept, rowid LIMIT ?)"

Numbers = Mapping[str, float]


class PointStore:
    """The points of one repository; its work trees share them. Usable from many threads and processes."""

    def __init__(self, repository: Repository, most: int = LIMITS.trend_points) -> None:
        self._repository = repository
        self._most = most
        self._database = DerivedDatabase(
            repository.store_directory,
            NAME,
            application_id=APPLICATION_ID,
            version=1,
            prepare=lambda connection: connection.execute(_TABLE),
        )

    def known(self, project: str, commits: Iterable[str]) -> tuple[dict[str, Numbers], int]:
        """Return the numbers of some commits, and how many of these have numbers of another version only."""
        asked = (json.dumps(sorted(commits)), project)
        rows: list[Any] = self._database.try_read(
            lambda connection: connection.execute(_KNOWN, asked).fetchall(), []
        )
        try:
            ours = {
                commit: json.loads(text) for commit, version, text in rows if version == analysis_version()
            }
        except ValueError:
            return {}, 0
        return ours, len({commit for commit, *_ in rows} - ours.keys())

    def keep(self, project: str, commit: str, numbers: Numbers, seconds: int) -> bool:
        """Add numbers to those of a commit, and tell whether they are kept."""
        row = (project, commit, analysis_version(), seconds, json.dumps(dict(sorted(numbers.items()))))

        def add(connection: sqlite3.Connection) -> None:
            connection.execute(_KEEP, row)
            self._make_room(connection)

        with suppress(HoldfastError):
            self._repository.ensure_store()
            return self._database.try_write(add)
        return False

    def close(self) -> None:
        """Close the connections."""
        self._database.close()

    def _make_room(self, connection: sqlite3.Connection) -> None:
        (count,) = connection.execute("SELECT COUNT(*) FROM point").fetchone()
        if count > self._most:
            connection.execute(_OLDEST, (count - self._most * 3 // 4,))
