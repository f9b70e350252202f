"""Where comments were last found, so that a file that has not changed is not looked at again.

Contract: derived, and thrown away whenever in doubt. A place counts only for the very signature of the source
file and the very content of the sidecar; a file so young that another change could share its time is read.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any, NamedTuple

from holdfast.comments.sidecar.note import Location
from holdfast.comments.tracking.placement import Candidate, Confidence
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.derived import DerivedDatabase
from holdfast.storage.watching.listing import Signature

CACHE_NAME = "comment-places"
CACHE_APPLICATION_ID = 0x48464350  # "HFCP"
CACHE_VERSION = 2
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

_YOUNG_NANOSECONDS = 2_000_000_000
_LOCATION = tuple(field.name for field in fields(Location))

_GET = "SELECT source, content, standings FROM place WHERE work_tree = ? AND path = ?"
_SETTLED = "SELECT path, source, sidecar FROM place WHERE work_tree = ? AND settled"
_PUT = "INSERT OR REPLACE INTO place VALUES (?, ?, ?, ?, ?, ?, ?)"


class CachedLocations(NamedTuple):
    """Where the comments of one file are, and for what files that was found."""

    path: str
    source: Signature
    sidecar: Signature
    content: str
    """What tells the content of the sidecar."""
    locations: Sequence[Location]
    written: bool
    """Whether the sidecar says so too. Reading finds places without writing them; a scan has yet to."""


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

    def find(self, path: str, source: Signature, content: str) -> list[Location] | None:
        """Return the standings of a file's comments, if neither the file nor its sidecar has changed."""
        rows = self._rows(_GET, (self._work_tree, path))
        if not rows or rows[0][0] != signature_text(source) or rows[0][1] != content:
            return None
        return [_location(item) for item in json.loads(rows[0][2])]

    def settled(self) -> dict[str, tuple[str, str]]:
        """Return the signatures of each source and sidecar whose comments all have their line, by path."""
        return {row[0]: (row[1], row[2]) for row in self._rows(_SETTLED, (self._work_tree,))}

    def keep(self, found: Sequence[CachedLocations]) -> None:
        """Keep where comments are."""
        newest = time.time_ns() - _YOUNG_NANOSECONDS
        rows = [self._row(one) for one in found if max(one.source[2], one.sidecar[2]) < newest]
        if not rows or not os.path.isdir(self._repository.store_directory):
            return
        self._database.try_write(lambda connection: connection.executemany(_PUT, rows))

    def _row(self, one: CachedLocations) -> tuple[object, ...]:
        settled = one.written and all(location.confidence is Confidence.HIGH for location in one.locations)
        signatures = (signature_text(one.source), signature_text(one.sidecar))
        locations = json.dumps([_fields(location) for location in one.locations])
        return (self._work_tree, one.path, *signatures, one.content, settled, locations)

    def _rows(self, query: str, values: tuple[object, ...]) -> list[Any]:
        return self._database.try_read(lambda connection: connection.execute(query, values).fetchall(), [])

    def close(self) -> None:
        """Close the connections."""
        self._database.close()


def signature_text(signature: Signature) -> str:
    """Return a signature as it is kept."""
    return ":".join(map(str, signature))


def _fields(location: Location) -> dict[str, Any]:
    # By hand: `asdict` copies everything deeply, which took longer than finding the places.
    return {name: getattr(location, name) for name in _LOCATION} | {
        "candidates": [asdict(candidate) for candidate in location.candidates]
    }


def _location(item: dict[str, Any]) -> Location:
    candidates = tuple(Candidate(**candidate) for candidate in item.pop("candidates"))
    return Location(**{**item, "confidence": Confidence(item["confidence"]), "candidates": candidates})
