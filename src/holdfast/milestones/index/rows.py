"""Maps entities to rows of the index, and rows to the summaries that lists show."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from holdfast.kernel.clock import day_start_seconds, rfc3339_of_seconds, seconds_of
from holdfast.milestones.entity import STATUSES, Summary
from holdfast.milestones.log.entry import Entry, parse
from holdfast.milestones.log.fold import EntityState, fold

_INSERT_ENTITY = f"INSERT OR REPLACE INTO entity VALUES ({', '.join('?' * 20)})"
_ENTITIES_PER_INSERT = 5000  # a judgement: some megabytes of rows in memory
_STATUS_RANKS: dict[str, int] = {status: rank for rank, status in enumerate(STATUSES)}
_INSERT_DEPENDENCY = "INSERT OR IGNORE INTO dependency VALUES (?, ?)"
_INSERT_LINK = "INSERT OR IGNORE INTO link VALUES (?, ?)"
_INSERT_CLAIM = "INSERT OR IGNORE INTO claim VALUES (?, ?, ?, ?, ?)"
_DELETE_RELATIONS = tuple(
    f"DELETE FROM {table} WHERE entity = ?" for table in ("dependency", "link", "claim")
)


class EntityRows:
    """Rows of several entities, by table."""

    __slots__ = ("claims", "dependencies", "entities", "links")

    def __init__(self) -> None:
        self.entities: list[tuple[object, ...]] = []
        self.dependencies: list[tuple[object, ...]] = []
        self.links: list[tuple[object, ...]] = []
        self.claims: list[tuple[object, ...]] = []

    def add(self, entries: list[Entry]) -> None:
        """Add the rows of one entity, given its operations; without a creation there are none."""
        state = fold(entries)
        if state is None:
            return
        self.entities.append(_entity_row(state))
        self.dependencies += [(state.id, target) for target in state.members("dependencies")]
        self.links += [(state.id, target) for target in state.members("links")]
        self.claims += [
            (state.id, place, claim.actor, claim.until, claim.replica)
            for place, claim in enumerate(state.claims())
        ]


def entries_of(connection: sqlite3.Connection, entity: str) -> list[Entry]:
    """Return the operations of one entity, unordered."""
    rows = connection.execute("SELECT body FROM operation WHERE entity = ?", (entity,))
    return [entry for (body,) in rows if (entry := parse(body)) is not None]


def state_of(connection: sqlite3.Connection, entity: str) -> EntityState | None:
    """Return the state of one entity, or None if its creation is missing."""
    return fold(entries_of(connection, entity))


def refold(connection: sqlite3.Connection, entities: Iterable[str]) -> None:
    """Recompute the rows of entities from their operations."""
    for name in entities:
        delete_relations(connection, [name])
        fold_all(connection, [(name, entries_of(connection, name))])


def delete_relations(connection: sqlite3.Connection, entities: Iterable[str]) -> None:
    """Delete the dependencies, links and claims of entities, but not their operations."""
    for name in entities:
        for statement in _DELETE_RELATIONS:
            connection.execute(statement, (name,))


def fold_all(connection: sqlite3.Connection, groups: Iterable[tuple[str, list[Entry]]]) -> None:
    """Insert the rows of entities, given their operations, into an index that has none of them yet."""
    batch = EntityRows()
    for _, entries in groups:
        batch.add(entries)
        if len(batch.entities) >= _ENTITIES_PER_INSERT:
            _insert(connection, batch)
            batch = EntityRows()
    _insert(connection, batch)


def summaries(rows: Iterable[Sequence[Any]]) -> Iterator[Summary]:
    """Yield the summaries for rows of `schema.SUMMARY_COLUMNS` and the number of open issues."""
    for row in rows:
        times = map(rfc3339_of_seconds, row[9:11])
        yield Summary._make((*row[:4], label_members(row[4]), *row[5:9], *times, *row[11:13]))


@lru_cache(maxsize=4096)
def label_array(labels: tuple[str, ...]) -> str:
    """Encode labels for a row: a JSON array with only the escapes that JSON requires."""
    return json.dumps(labels, ensure_ascii=False)


@lru_cache(maxsize=4096)
def label_members(labels: str) -> tuple[str, ...]:
    """Decode the labels of a row."""
    return tuple(json.loads(labels))


def _insert(connection: sqlite3.Connection, rows: EntityRows) -> None:
    connection.executemany(_INSERT_ENTITY, rows.entities)
    for statement, values in (
        (_INSERT_DEPENDENCY, rows.dependencies),
        (_INSERT_LINK, rows.links),
        (_INSERT_CLAIM, rows.claims),
    ):
        if values:
            connection.executemany(statement, values)


def _entity_row(state: EntityState) -> tuple[object, ...]:
    first, last, value, bodies = state.first, state.last, state.value, state.visible_bodies()
    title, description = value("title") or "", value("description") or ""
    status, due = value("status") or "open", value("due")
    created = seconds_of(first.time) or 0
    is_plain = title.isascii() and description.isascii() and not bodies
    return (
        first.entity,
        first.kind,
        title,
        description,
        status,
        _STATUS_RANKS[status],
        first.actor,
        value("assignee"),
        value("milestone"),
        due,
        day_start_seconds(due) if due else None,
        created,
        created if last is first else seconds_of(last.time) or 0,
        first.lamport,
        last.lamport,
        len(bodies),
        int(state.is_contested()),
        label_array(state.members("labels")),
        None if title.isascii() else title.casefold(),
        None if is_plain else "\n".join([title, description, *bodies]).casefold(),
    )
