"""Caches the locations of comments, so that unchanged files are not tracked again.

Each row holds the locations of one file's comments, keyed by the stat signature of the source and a digest of
the sidecar. Example: 1,000 annotated files and one edit: 999 rows still match their files' signatures, and
one file is tracked again.

Contract: the cache is derived and is discarded when in doubt. A location is valid only for exactly this
source signature and this sidecar content. A file that changed so recently that another change could have the
same timestamp is not cached.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any, NamedTuple

from holdfast.comments.sidecar.note import NoteLocation
from holdfast.comments.tracking.placement import CandidateLine, Confidence
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.derived import DerivedDatabase
from holdfast.storage.watching.file_signature import RECENT_NANOSECONDS
from holdfast.storage.watching.listing import Signature

CACHE_NAME = "comment-places"
CACHE_APPLICATION_ID = 0x48464350  # "HFCP"
CACHE_VERSION = 2
"""The version of the tables and of the JSON in `standings`; a cache of another version is discarded."""

CACHE_TABLES = """
CREATE TABLE IF NOT EXISTS place (
    work_tree TEXT NOT NULL,
    path TEXT NOT NULL,
    source TEXT NOT NULL,
    sidecar TEXT NOT NULL,
    content TEXT NOT NULL,
    settled INTEGER NOT NULL,
    standings TEXT NOT NULL,
    PRIMARY KEY (work_tree, path)
) STRICT, WITHOUT ROWID
"""

_LOCATION_FIELDS = tuple(field.name for field in fields(NoteLocation))

_SELECT_LOCATIONS = "SELECT source, content, standings FROM place WHERE work_tree = ? AND path = ?"
_SELECT_FULLY_PLACED = "SELECT path, source, sidecar FROM place WHERE work_tree = ? AND settled"
_INSERT_LOCATIONS = "INSERT OR REPLACE INTO place VALUES (?, ?, ?, ?, ?, ?, ?)"


class CachedLocations(NamedTuple):
    """The locations of one file's comments, and the file states they were found for."""

    path: str
    source: Signature
    sidecar: Signature
    content: str
    """The digest of the sidecar's content with the number of its comments, some of which may be restored."""
    locations: Sequence[NoteLocation]
    written: bool
    """Whether the sidecar contains these locations. Reading finds locations without writing them."""


class LocationCache:
    """The cache of one work tree."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._work_tree = os.fsencode(repository.root).decode("utf-8", "replace")
        self._database = DerivedDatabase(
            repository.store_directory,
            CACHE_NAME,
            application_id=CACHE_APPLICATION_ID,
            version=CACHE_VERSION,
            prepare=lambda connection: connection.execute(CACHE_TABLES),
        )

    def find(self, path: str, source: Signature, content: str) -> list[NoteLocation] | None:
        """Return the locations of a file's comments if neither the file nor its sidecar has changed."""
        rows = self._rows(_SELECT_LOCATIONS, (self._work_tree, path))
        if not rows or rows[0][0] != signature_text(source) or rows[0][1] != content:
            return None
        return [location_from_json(item) for item in json.loads(rows[0][2])]

    def fully_placed(self) -> dict[str, tuple[str, str]]:
        """Return the signatures of source and sidecar by path, for files with only certain locations."""
        return {row[0]: (row[1], row[2]) for row in self._rows(_SELECT_FULLY_PLACED, (self._work_tree,))}

    def put(self, entry: CachedLocations) -> None:
        """Store the locations of one file, unless another change of it could have the same timestamp."""
        *_, source_modified = entry.source
        *_, sidecar_modified = entry.sidecar
        is_reliable = max(source_modified, sidecar_modified) < time.time_ns() - RECENT_NANOSECONDS
        if not is_reliable or not os.path.isdir(self._repository.store_directory):
            return
        are_certain = all(location.confidence is Confidence.HIGH for location in entry.locations)
        row = (
            self._work_tree,
            entry.path,
            signature_text(entry.source),
            signature_text(entry.sidecar),
            entry.content,
            entry.written and are_certain,
            json.dumps([location_to_json(location) for location in entry.locations]),
        )
        self._database.try_write(lambda connection: connection.execute(_INSERT_LOCATIONS, row))

    def _rows(self, query: str, values: tuple[object, ...]) -> list[Any]:
        if not os.path.isdir(self._repository.store_directory):
            return []
        return self._database.try_read(lambda connection: connection.execute(query, values).fetchall(), [])

    def close(self) -> None:
        self._database.close()


def signature_text(signature: Signature) -> str:
    """Return a signature in the form in which it is stored."""
    return ":".join(map(str, signature))


def location_to_json(location: NoteLocation) -> dict[str, Any]:
    """Return a location in the form in which it is stored."""
    # `asdict` would be shorter, but its deep copy took longer than the tracking.
    return {name: getattr(location, name) for name in _LOCATION_FIELDS} | {
        "candidates": [asdict(candidate) for candidate in location.candidates]
    }


def location_from_json(item: dict[str, Any]) -> NoteLocation:
    """Return a stored location."""
    candidates = tuple(CandidateLine(**candidate) for candidate in item.pop("candidates"))
    return NoteLocation(**{**item, "confidence": Confidence(item["confidence"]), "candidates": candidates})
