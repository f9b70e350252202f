"""Folds the operations of entities, and writes the rows of their states into the index.

An entity has one row in `entity`, and one for each of its relations: dependencies, links and claims.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from holdfast.kernel.clock import day_start_seconds, seconds_of
from holdfast.milestones.entity import STATUSES
from holdfast.milestones.log.entry import Entry, parse
from holdfast.milestones.log.fold import EntityState, fold

_ENTITIES_PER_INSERT = 5000  # bounds memory to some megabytes of rows; larger batches are hardly faster
_STATUS_RANKS: dict[str, int] = {status: rank for rank, status in enumerate(STATUSES)}
_ENTITY_COLUMNS = (
    *("id", "kind", "title", "description", "status", "status_rank", "author", "assignee", "milestone"),
    *("due", "due_at", "created", "updated", "created_place", "updated_place", "comments", "contested"),
    *("labels", "title_folded", "text_folded"),
)
_INSERT_ENTITY = (
    f"INSERT OR REPLACE INTO entity ({', '.join(_ENTITY_COLUMNS)})"
    f" VALUES ({', '.join(f':{column}' for column in _ENTITY_COLUMNS)})"
)
_INSERT_DEPENDENCY = "INSERT OR IGNORE INTO dependency (entity, target) VALUES (?, ?)"
_INSERT_LINK = "INSERT OR IGNORE INTO link (entity, target) VALUES (?, ?)"
_INSERT_CLAIM = "INSERT OR IGNORE INTO claim (entity, place, actor, until, replica) VALUES (?, ?, ?, ?, ?)"
_DELETE_RELATIONS = tuple(
    f"DELETE FROM {table} WHERE entity = ?" for table in ("dependency", "link", "claim")
)


@dataclass
class EntityRows:
    """Rows of several entities, by table."""

    entities: list[dict[str, object]] = field(default_factory=list)
    """The values by column."""
    dependencies: list[tuple[str, str]] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    claims: list[tuple[str, int, str, str, str]] = field(default_factory=list)

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


def entries_of(connection: sqlite3.Connection, entity_id: str) -> list[Entry]:
    """Return the operations of one entity, unordered."""
    rows = connection.execute("SELECT body FROM operation WHERE entity = ?", (entity_id,))
    return [entry for (body,) in rows if (entry := parse(body)) is not None]


def state_of(connection: sqlite3.Connection, entity_id: str) -> EntityState | None:
    """Return the state of one entity, or None if its creation is missing."""
    return fold(entries_of(connection, entity_id))


def rewrite_entities(connection: sqlite3.Connection, entity_ids: Iterable[str]) -> None:
    """Replace the rows of entities with those that their stored operations yield."""
    for entity_id in entity_ids:
        delete_relations(connection, [entity_id])
        write_entities(connection, [entries_of(connection, entity_id)])


def delete_relations(connection: sqlite3.Connection, entity_ids: Iterable[str]) -> None:
    """Delete the dependencies, links and claims of entities, but not their operations."""
    for entity_id in entity_ids:
        for statement in _DELETE_RELATIONS:
            connection.execute(statement, (entity_id,))


def write_entities(connection: sqlite3.Connection, groups: Iterable[list[Entry]]) -> None:
    """Write the rows of entities, each given by all of its operations.

    A row in `entity` is replaced. Relations are only added; `delete_relations` deletes outdated ones first.
    """
    batch = EntityRows()
    for entries in groups:
        batch.add(entries)
        if len(batch.entities) >= _ENTITIES_PER_INSERT:
            _insert(connection, batch)
            batch = EntityRows()
    _insert(connection, batch)


@lru_cache(maxsize=4096)
def encode_labels(labels: tuple[str, ...]) -> str:
    """Encode labels for a row: a JSON array with only the escapes that JSON requires."""
    return json.dumps(labels, ensure_ascii=False)


@lru_cache(maxsize=4096)
def decode_labels(encoded: str) -> tuple[str, ...]:
    """Decode the labels of a row."""
    return tuple(json.loads(encoded))


def _insert(connection: sqlite3.Connection, rows: EntityRows) -> None:
    connection.executemany(_INSERT_ENTITY, rows.entities)
    connection.executemany(_INSERT_DEPENDENCY, rows.dependencies)
    connection.executemany(_INSERT_LINK, rows.links)
    connection.executemany(_INSERT_CLAIM, rows.claims)


def _entity_row(state: EntityState) -> dict[str, object]:
    first, last, value, bodies = state.first, state.last, state.value, state.visible_bodies()
    title, description = value("title") or "", value("description") or ""
    status, due = value("status") or "open", value("due")
    created = seconds_of(first.time) or 0
    is_plain = title.isascii() and description.isascii() and not bodies
    return {
        "id": first.entity,
        "kind": first.kind,
        "title": title,
        "description": description,
        "status": status,
        "status_rank": _STATUS_RANKS[status],
        "author": first.actor,
        "assignee": value("assignee"),
        "milestone": value("milestone"),
        "due": due,
        "due_at": day_start_seconds(due) if due else None,
        "created": created,
        "updated": created if last is first else seconds_of(last.time) or 0,
        "created_place": first.lamport,
        "updated_place": last.lamport,
        "comments": len(bodies),
        "contested": int(state.is_contested()),
        "labels": encode_labels(state.members("labels")),
        "title_folded": None if title.isascii() else title.casefold(),
        "text_folded": None if is_plain else "\n".join([title, description, *bodies]).casefold(),
    }
