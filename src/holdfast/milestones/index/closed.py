"""Which of the milestones that others speak of are closed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from holdfast.milestones.index.schema import TITLE_FOLDED
from holdfast.milestones.log.entry import is_uuid

_ADDRESSES = ("git-mile://entity/", "milestone:")
_SHORTEST_PREFIX = 4
_HEXADECIMAL = frozenset("0123456789abcdef-")


def closed_among(connection: sqlite3.Connection, names: Iterable[str]) -> frozenset[str]:
    """Return those of the names that mean a closed milestone.

    A name is an id, an address, a title or the beginning of an id, in this order. A title that several
    milestones have is that of a closed one when all of them are; what means nothing here is not closed.
    """
    return frozenset(name for name in names if _is_closed(connection, name))


def _is_closed(connection: sqlite3.Connection, name: str) -> bool:
    plain = name.strip()
    for address in _ADDRESSES:
        plain = plain.removeprefix(address)
    folded = plain.lower()
    if is_uuid(folded):
        return _statuses(connection, "entity.id = ?", folded) == ["closed"]
    titled = _statuses(connection, f"{TITLE_FOLDED} = ?", plain.casefold())
    if titled:
        return set(titled) == {"closed"}
    if len(folded) < _SHORTEST_PREFIX or not set(folded) <= _HEXADECIMAL:
        return False
    return _statuses(connection, "entity.id >= ? AND entity.id < ?", folded, f"{folded}g") == ["closed"]


def _statuses(connection: sqlite3.Connection, condition: str, *values: str) -> list[str]:
    query = f"SELECT entity.status FROM entity WHERE entity.kind = 'milestone' AND {condition}"  # noqa: S608 - ours
    return [row[0] for row in connection.execute(query, values)]
