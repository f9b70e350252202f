"""An entity as the rows of the index, and rows as what a list shows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

from holdfast.milestones.entity import STATUSES, Event, Summary
from holdfast.milestones.entry import Entry, parse
from holdfast.milestones.fold import State, fold
from holdfast.milestones.moments import first_second, moment_of, seconds_of

_INSERT_ENTITY = f"INSERT OR REPLACE INTO entity VALUES ({', '.join('?' * 18)})"  # noqa: S608 - marks
_RANKS: dict[str, int] = {status: rank for rank, status in enumerate(STATUSES)}
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
            _insert(connection, [state])


def fold_all(connection: sqlite3.Connection) -> None:
    """Write the rows of every entity into an index that has none yet."""
    rows = connection.cursor().execute("SELECT entity, body FROM operation ORDER BY entity, lamport, id")
    batch: list[State] = []
    for _, group in groupby(rows, key=lambda row: row[0]):
        state = fold(entry for _, body in group if (entry := parse(body)) is not None)
        if state is not None:
            batch.append(state)
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
            _members(labels),
            author,
            assignee,
            due,
            milestone,
            moment_of(created),
            moment_of(updated),
            comments,
            row[12],
        )


@lru_cache(maxsize=4096)
def _members(labels: str) -> tuple[str, ...]:
    return tuple(json.loads(labels))


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


def _insert(connection: sqlite3.Connection, states: list[State]) -> None:
    connection.executemany(_INSERT_ENTITY, map(_entity_row, states))
    labels = ((state.id, label) for state in states for label in state.members("labels"))
    connection.executemany(_INSERT_LABEL, ((name, label, label.casefold()) for name, label in labels))
    for statement, field in ((_INSERT_DEPENDENCY, "dependencies"), (_INSERT_LINK, "links")):
        pairs = [(state.id, target) for state in states for target in state.members(field)]
        connection.executemany(statement, pairs)
    claims = (
        (state.id, place, claim.actor, claim.until, claim.replica)
        for state in states
        for place, claim in enumerate(state.claims())
    )
    connection.executemany(_INSERT_CLAIM, claims)


def _entity_row(state: State) -> tuple[object, ...]:
    title, description = state.value("title") or "", state.value("description") or ""
    status, due = state.value("status") or "open", state.value("due")
    labels = state.members("labels")
    bodies = state.visible_bodies()
    created = seconds_of(state.first.time) or 0
    return (
        state.id,
        state.kind,
        title,
        description,
        status,
        _RANKS[status],
        state.author,
        state.value("assignee"),
        state.value("milestone"),
        due,
        first_second(due) if due else None,
        created,
        created if state.last is state.first else seconds_of(state.last.time) or 0,
        len(bodies),
        int(state.is_contested()),
        json.dumps(labels) if labels else "[]",
        title.casefold(),
        "\n".join([title, description, *bodies]).casefold(),
    )
