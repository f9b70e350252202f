"""From a name to the entity it names, and from a query to a page."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from itertools import accumulate
from typing import Any

from holdfast.kernel.errors import Conflict, InvalidArguments, NotFound
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.text import one_line
from holdfast.milestones.entity import Entity, Kind
from holdfast.milestones.errors import AmbiguousEntity, UnknownEntity
from holdfast.milestones.index.query import Page, Position, Query, statement
from holdfast.milestones.index.rows import entries_of, state_of, summaries
from holdfast.milestones.index.schema import OPEN_ISSUES
from holdfast.milestones.log.entry import Entry, is_uuid, parse
from holdfast.milestones.log.fold import State

_SHORTEST_PREFIX = 4
_CANDIDATES = 10
_SUMMARY_WIDTH = 13
_TITLE, _LABELS = 2, 4


def identifier(connection: sqlite3.Connection, kind: Kind | None, name: str) -> str:
    """Return the full id of the entity that a name means."""
    found = _matches(connection, name.lower())
    of_kind = [(entity, its_kind) for entity, its_kind in found if kind in (None, its_kind)]
    if len(of_kind) == 1:
        return of_kind[0][0]
    if of_kind:
        names = ", ".join(entity for entity, _ in of_kind[:_CANDIDATES])
        raise AmbiguousEntity(f"Several begin with {name!a}.", hint=f"Name one of them: {names}.")
    if found:
        raise UnknownEntity(
            f"{name!a} is {_with_article(found[0][1])}, not {_with_article(kind)}.",
            hint=f"Ask for it as {found[0][1]}.",
            id=name,
        )
    raise UnknownEntity(
        f"There is no {kind or 'milestone or issue'} {name[:100]!a}.",
        hint="List them to see which there are; give the id or at least four characters of it.",
        id=name[:100],
    )


def state(connection: sqlite3.Connection, kind: Kind | None, name: str) -> State:
    """Return the state of the entity that a name means."""
    found = state_of(connection, identifier(connection, kind, name))
    assert found is not None
    return found


def entity(connection: sqlite3.Connection, kind: Kind | None, name: str) -> Entity:
    """Return the entity that a name means."""
    found = state(connection, kind, name).entity()
    if found.kind == "issue":
        return found
    query = f"SELECT {OPEN_ISSUES} FROM entity WHERE entity.id = ?"  # noqa: S608 - texts of ours
    return replace(found, open_issues=connection.execute(query, (found.id,)).fetchone()[0])


def entries(connection: sqlite3.Connection, name: str) -> list[Entry]:
    """Return the operations of the entity that a name means, in order and each once."""
    found = {
        entry.id: entry for entry in reversed(entries_of(connection, identifier(connection, None, name)))
    }
    return sorted(found.values(), key=lambda entry: entry.place)


def recent(connection: sqlite3.Connection, limit: int, before: tuple[int, str] | None) -> list[Entry]:
    """Return the newest operations of all entities, newest first."""
    where = "" if before is None else "WHERE (lamport, id) < (?, ?) "
    query = f"SELECT body FROM operation {where}ORDER BY lamport DESC, id DESC LIMIT ?"  # noqa: S608 - ours
    rows = connection.execute(query, (*(before or ()), limit))
    return [found for (body,) in rows if (found := parse(body)) is not None]


def page(connection: sqlite3.Connection, query: Query) -> Page:
    """Return one page of a query."""
    rows, position = page_rows(connection, query)
    return Page(tuple(summaries(rows)), position)


def page_rows(connection: sqlite3.Connection, query: Query) -> tuple[list[Any], Position | None]:
    """Return the rows of one page, of `schema.SUMMARY_COLUMNS`, and where the next one begins."""
    if query.limit < 1:
        raise InvalidArguments("A page holds at least one item.", hint="Give a limit of 1 or more.")
    rows = connection.execute(*statement(query)).fetchall()
    shown = within_budget(rows[: query.limit])
    return shown, tuple(shown[-1][_SUMMARY_WIDTH:]) if len(rows) > len(shown) else None


def within_budget(rows: list[Any]) -> list[Any]:
    """Return the rows that fit into one answer, one at least; the next page begins after them."""
    sizes = [len(row[_TITLE]) + len(row[_LABELS]) for row in rows]
    if sum(sizes) <= LIMITS.entity_page_characters:
        return rows
    fitting = sum(total <= LIMITS.entity_page_characters for total in accumulate(sizes))
    return rows[: max(1, fitting)]


def comment(found: State, name: str) -> str:
    """Return the full id of a comment that a name means."""
    matching = [full for full in found.comments if full == name]
    if not matching and len(name) >= _SHORTEST_PREFIX:
        matching = [full for full in found.comments if full.startswith(name.lower())]
    if len(matching) == 1:
        return matching[0]
    if matching:
        names = ", ".join(matching[:_CANDIDATES])
        raise AmbiguousEntity(f"Several comments begin with {name!a}.", hint=f"Name one of them: {names}.")
    raise NotFound(f"There is no comment {name[:100]!a} here.", hint="Show the entity to see its comments.")


def refuse_existing(connection: sqlite3.Connection, name: str | None) -> None:
    """Refuse to create what exists, or what has no proper id."""
    if name is None:
        return
    if not is_uuid(name):
        raise InvalidArguments(f"{name[:100]!a} is not an id.", hint="Ids are UUIDs in lower case.")
    if connection.execute("SELECT 1 FROM entity WHERE id = ?", (name,)).fetchone():
        raise Conflict(f"'{name}' exists already.", hint="Change it, or create another.", id=name)


def refuse_claimed(found: State, person: str, now: str) -> None:
    """Refuse a claim on what somebody else holds; whose it is was written by others, and is data."""
    holder = next((claim for claim in found.claims() if claim.is_live(now)), None)
    if holder is not None and holder.actor != person:
        raise Conflict(
            f"Somebody else has claimed this until {holder.until}.",
            hint="Take another one, or wait until the claim ends or is released; show it to see whose it is.",
            holder=one_line(holder.actor),
            until=holder.until,
        )


def _matches(connection: sqlite3.Connection, name: str) -> list[tuple[str, Kind]]:
    if is_uuid(name):
        return connection.execute("SELECT id, kind FROM entity WHERE id = ?", (name,)).fetchall()
    if len(name) < _SHORTEST_PREFIX or not set(name) <= set("0123456789abcdef-"):
        return []
    query = "SELECT id, kind FROM entity WHERE id >= ? AND id < ? ORDER BY id LIMIT ?"
    return connection.execute(query, (name, name + "g", 2 * _CANDIDATES)).fetchall()


def _with_article(kind: Kind | None) -> str:
    return "an issue" if kind == "issue" else "a milestone"
