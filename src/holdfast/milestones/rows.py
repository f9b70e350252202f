"""An entity as the rows of the index, and rows as what a list shows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from holdfast.milestones.entity import STATUSES, Entity, Event, Summary
from holdfast.milestones.entry import Entry, parse
from holdfast.milestones.fold import State, fold
from holdfast.milestones.moments import first_second, moment_of, seconds_of

_INSERT_ENTITY = f"INSERT OR REPLACE INTO entity VALUES ({', '.join('?' * 18)})"  # noqa: S608 - marks
_INSERT_LABEL = "INSERT OR IGNORE INTO label VALUES (?, ?, ?)"
_INSERT_DEPENDENCY = "INSERT OR IGNORE INTO dependency VALUES (?, ?)"
_INSERT_LINK = "INSERT OR IGNORE INTO link VALUES (?, ?)"
_INSERT_CLAIM = "INSERT OR IGNORE INTO claim VALUES (?, ?, ?, ?, ?)"
_FORGET = tuple(
    f"DELETE FROM {table} WHERE entity = ?"  # noqa: S608 - names of ours
    for table in ("label", "dependency", "link", "claim")
)


def entries_of(connection: sqlite3.Connection, entity: str) -> list[Entry]:
    """Return the operations of one entity, in order."""
    rows = connection.execute("SELECT body FROM operation WHERE entity = ? ORDER BY lamport, id", (entity,))
    return [entry for (body,) in rows if (entry := parse(body)) is not None]


def state_of(connection: sqlite3.Connection, entity: str) -> State | None:
    """Return the state of one entity, or None while nobody created it."""
    return fold(entries_of(connection, entity))


def refold(connection: sqlite3.Connection, entities: Iterable[str]) -> None:
    """Bring the rows of some entities up to date with their operations."""
    for name in entities:
        for statement in _FORGET:
            connection.execute(statement, (name,))
        state = state_of(connection, name)
        if state is not None:
            _insert(connection, [state.entity()])


def fold_all(connection: sqlite3.Connection) -> None:
    """Write the rows of every entity into an index that has none yet."""
    rows = connection.cursor().execute("SELECT entity, body FROM operation ORDER BY entity, lamport, id")
    batch: list[Entity] = []
    for _, group in groupby(rows, key=lambda row: row[0]):
        state = fold(entry for _, body in group if (entry := parse(body)) is not None)
        if state is not None:
            batch.append(state.entity())
        if len(batch) >= 1000:
            _insert(connection, batch)
            batch.clear()
    _insert(connection, batch)


def summaries(rows: Iterable[Sequence[Any]]) -> Iterator[Summary]:
    """Yield what a list shows for rows of `schema.SUMMARY_COLUMNS` and the number of open issues."""
    for row in rows:
        name, kind, title, status, labels, author, assignee, due, milestone, created, updated, comments = row[
            :12
        ]
        yield Summary(
            name,
            kind,
            title,
            status,
            tuple(json.loads(labels)) if labels != "[]" else (),
            author,
            assignee,
            due,
            milestone,
            moment_of(created),
            moment_of(updated),
            comments,
            row[12],
        )


def event_of(entry: Entry) -> Event:
    """Return an operation as history shows it."""
    action = entry.type
    if entry.value is None and action in ("edit", "claim"):
        action = {"edit": "delete", "claim": "release"}[action]
    return Event(
        entry.id,
        entry.entity,
        entry.kind,
        entry.lamport,
        entry.time,
        entry.actor,
        action,
        entry.field,
        entry.value,
    )


def _insert(connection: sqlite3.Connection, entities: list[Entity]) -> None:
    connection.executemany(_INSERT_ENTITY, map(_entity_row, entities))
    pairs = ((entity, label) for entity in entities for label in entity.labels)
    connection.executemany(_INSERT_LABEL, ((entity.id, label, label.casefold()) for entity, label in pairs))
    connection.executemany(
        _INSERT_DEPENDENCY, ((e.id, target) for e in entities for target in e.dependencies)
    )
    connection.executemany(_INSERT_LINK, ((e.id, target) for e in entities for target in e.links))
    connection.executemany(
        _INSERT_CLAIM,
        (
            (entity.id, place, claim.actor, claim.until, claim.replica)
            for entity in entities
            for place, claim in enumerate(entity.claims)
        ),
    )


def _entity_row(entity: Entity) -> tuple[object, ...]:
    bodies = [comment.body for comment in entity.comments if not comment.deleted]
    return (
        entity.id,
        entity.kind,
        entity.title,
        entity.description,
        entity.status,
        STATUSES.index(entity.status),
        entity.author,
        entity.assignee,
        entity.milestone,
        entity.due,
        first_second(entity.due) if entity.due else None,
        seconds_of(entity.created),
        seconds_of(entity.updated),
        len(bodies),
        int(bool(entity.contested)),
        json.dumps(entity.labels) if entity.labels else "[]",
        entity.title.casefold(),
        "\n".join([entity.title, entity.description, *bodies]).casefold(),
    )
