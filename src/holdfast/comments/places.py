"""Where comments were last found, so that a file that has not changed is not looked at again.

Contract: derived, and thrown away whenever in doubt. A place counts only for the very signature of the source
file and the very content of the sidecar; a file so young that another change could share its time is read.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from holdfast.comments.notes import Standing
from holdfast.comments.schema import CACHE_APPLICATION_ID, CACHE_NAME, CACHE_TABLES, CACHE_VERSION
from holdfast.comments.tracking.models import Candidate, Confidence
from holdfast.kernel.errors import HoldfastError
from holdfast.storage.derived_database import DerivedDatabase, NotUsable
from holdfast.storage.listing import Signature
from holdfast.storage.repository import Repository

_YOUNG_NANOSECONDS = 2_000_000_000

_GET = "SELECT source, sidecar, blob, standings FROM place WHERE work_tree = ? AND path = ?"
_PUT = (
    "INSERT INTO place (work_tree, path, source, sidecar, blob, standings) VALUES (?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (work_tree, path) DO UPDATE SET source = excluded.source, sidecar = excluded.sidecar,"
    " blob = excluded.blob, standings = excluded.standings"
)


class Places:
    """The cache of one work tree."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._work_tree = os.fsencode(repository.root).decode("utf-8", "replace")
        self._database = DerivedDatabase(
            repository.store_directory,
            CACHE_NAME,
            application_id=CACHE_APPLICATION_ID,
            version=CACHE_VERSION,
            prepare=_prepare,
        )

    def find(self, path: str, source: Signature, sidecar: str) -> list[Standing] | None:
        """Return the standings of a file's comments, if neither the file nor its sidecar has changed."""
        if not os.path.isdir(self._repository.store_directory):
            return None
        try:
            with self._database.read() as connection:
                row = connection.execute(_GET, (self._work_tree, path)).fetchone()
        except (NotUsable, HoldfastError):
            return None
        if row is None or row[0] != _text(source) or row[1] != sidecar:
            return None
        return _read(row[3])

    def find_all(self) -> dict[str, tuple[str, str]]:
        """Return the source's signature and the sidecar's content of everything that is known, by path."""
        if not os.path.isdir(self._repository.store_directory):
            return {}
        try:
            with self._database.read() as connection:
                query = "SELECT path, source, sidecar FROM place WHERE work_tree = ?"
                return {row[0]: (row[1], row[2]) for row in connection.execute(query, (self._work_tree,))}
        except (NotUsable, HoldfastError):
            return {}

    def keep(self, found: Sequence[tuple[str, Signature, str, str, Sequence[Standing]]]) -> None:
        """Keep standings: path, signature of the source, content of the sidecar, blob, one per comment."""
        newest = time.time_ns() - _YOUNG_NANOSECONDS
        rows = [
            (self._work_tree, path, _text(source), sidecar, blob, _written(standings))
            for path, source, sidecar, blob, standings in found
            if source[2] < newest
        ]
        if not rows or not os.path.isdir(self._repository.store_directory):
            return
        try:
            self._write(rows)
        except HoldfastError:
            return  # A cache that cannot be written costs time, nothing else.

    def _write(self, rows: list[tuple[object, ...]]) -> None:
        try:
            with self._database.write() as connection:
                connection.executemany(_PUT, rows)
        except NotUsable:
            self._database.rebuild(lambda connection: _fill(connection, rows))

    def close(self) -> None:
        """Close the connections."""
        self._database.close()


def signature_text(signature: Signature) -> str:
    """Return a signature as it is kept."""
    return _text(signature)


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute(CACHE_TABLES)


def _fill(connection: sqlite3.Connection, rows: list[tuple[object, ...]]) -> None:
    connection.executemany(_PUT, rows)


def _text(signature: Signature) -> str:
    return ":".join(map(str, signature))


def _written(standings: Sequence[Standing]) -> str:
    return json.dumps([asdict(standing) for standing in standings])


def _read(text: str) -> list[Standing]:
    return [_standing(item) for item in json.loads(text)]


def _standing(item: dict[str, Any]) -> Standing:
    candidates = tuple(Candidate(**candidate) for candidate in item.pop("candidates"))
    return Standing(**{**item, "confidence": Confidence(item["confidence"]), "candidates": candidates})
