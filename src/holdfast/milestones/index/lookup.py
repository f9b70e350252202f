"""Finds entities by name, and refuses names that are unknown, ambiguous or taken."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from holdfast.kernel.errors import Conflict, Invalid, InvalidArguments, NotFound
from holdfast.kernel.text import one_line
from holdfast.milestones.entity import Entity, HistoryEvent, Kind
from holdfast.milestones.index.rows import entries_of, state_of
from holdfast.milestones.index.schema import OPEN_ISSUES, TITLE_FOLDED
from holdfast.milestones.log.entry import Entry, is_uuid, parse
from holdfast.milestones.log.fold import EntityState

_URI_PREFIXES = ("git-mile://entity/", "milestone:")
_HEXADECIMAL = frozenset("0123456789abcdef-")
_HAS_PREFIX = "entity.id >= ? AND entity.id < ? || 'g'"  # a range of the index; `g` follows every digit
_MIN_PREFIX_CHARACTERS = 4  # as for abbreviated hashes in git (`core.abbrev`)
_MAX_CANDIDATES_SHOWN = 10  # enough to choose from, in a message that is still short
_MAX_QUOTED_CHARACTERS = 100  # of a name in an error message: any id in full (36), but no arbitrary text


class UnknownEntity(NotFound, Invalid, kind="unknown_entity", number=4042):
    """No milestone or issue has that name; the git-mile specification makes this an invalid parameter."""


class AmbiguousEntity(Invalid, kind="ambiguous_entity", number=4007):
    """A prefix matches several milestones or issues."""


def entity_id(connection: sqlite3.Connection, kind: Kind | None, name: str) -> str:
    """Return the id of the entity with a name, which is its id or an unambiguous prefix.

    `kind` None accepts either kind. An entity of the other kind is an unknown one.
    """
    matches = _matches(connection, name.lower())
    ids = [entity for entity, entity_kind in matches if kind in (None, entity_kind)]
    if len(ids) == 1:
        return ids[0]
    if ids:
        names = ", ".join(ids[:_MAX_CANDIDATES_SHOWN])
        raise AmbiguousEntity(f"Several ids start with {name!a}.", hint=f"Give one of them in full: {names}.")
    if matches:
        actual_kind = matches[0][1]
        raise UnknownEntity(
            f"{name!a} is {_with_article(actual_kind)}, not {_with_article(kind)}.",
            hint=f"Ask for it as {actual_kind}.",
            id=name,
        )
    raise UnknownEntity(
        f"There is no {kind or 'milestone or issue'} {name[:_MAX_QUOTED_CHARACTERS]!a}.",
        hint="git_mile_list lists them; give the id or at least its first four characters.",
        id=name[:_MAX_QUOTED_CHARACTERS],
    )


def open_linked_to(connection: sqlite3.Connection, target: str, limit: int) -> list[str]:
    """Return the ids of open entities linked to a target, such as a file path."""
    query = (
        "SELECT entity.id FROM link JOIN entity ON entity.id = link.entity"
        " WHERE link.target = ? AND entity.status = 'open' ORDER BY entity.id LIMIT ?"
    )
    return [row[0] for row in connection.execute(query, (target, limit))]


def state(connection: sqlite3.Connection, kind: Kind | None, name: str) -> EntityState:
    """Return the state of the entity with a name."""
    found = state_of(connection, entity_id(connection, kind, name))
    assert found is not None  # only entities with a creation have a row, and so a name
    return found


def entity(connection: sqlite3.Connection, kind: Kind | None, name: str) -> Entity:
    """Return the entity with a name."""
    found = state(connection, kind, name).entity()
    if found.kind == "issue":
        return found
    query = f"SELECT {OPEN_ISSUES} FROM entity WHERE entity.id = ?"
    return found._replace(open_issues=connection.execute(query, (found.id,)).fetchone()[0])


def history(connection: sqlite3.Connection, name: str) -> list[HistoryEvent]:
    """Return the history of the entity with a name, in the order of its operations."""
    entries = entries_of(connection, entity_id(connection, None, name))
    return [_history_event(entry) for entry in sorted(entries, key=lambda entry: entry.place)]


def recent(connection: sqlite3.Connection, limit: int, before: tuple[int, str] | None) -> list[HistoryEvent]:
    """Return the latest events of all entities, newest first, before the Lamport time and id in `before`."""
    where = "" if before is None else "WHERE (lamport, id) < (?, ?) "
    query = f"SELECT body FROM operation {where}ORDER BY lamport DESC, id DESC LIMIT ?"
    rows = connection.execute(query, (*(before or ()), limit))
    return [_history_event(entry) for (body,) in rows if (entry := parse(body)) is not None]


def comment_id(state: EntityState, name: str) -> str:
    """Return the full id of the comment with this id or unambiguous prefix."""
    matching = [name] if name in state.comments else []
    if not matching and len(name) >= _MIN_PREFIX_CHARACTERS:
        matching = [full_id for full_id in state.comments if full_id.startswith(name.lower())]
    if len(matching) == 1:
        return matching[0]
    if matching:
        names = ", ".join(matching[:_MAX_CANDIDATES_SHOWN])
        raise AmbiguousEntity(f"Several comments start with {name!a}.", hint=f"Give one id in full: {names}.")
    raise NotFound(
        f"There is no comment {name[:_MAX_QUOTED_CHARACTERS]!a} here.",
        hint="git_mile_show shows its comments.",
    )


def require_uuid(text: str) -> None:
    """Raise `InvalidArguments` unless the id of a new entity is a UUID."""
    if not is_uuid(text):
        raise InvalidArguments(
            f"{text[:_MAX_QUOTED_CHARACTERS]!a} is not an id.", hint="Ids are UUIDs in lower case."
        )


def is_taken(connection: sqlite3.Connection, entity_id: str) -> bool:
    """Return whether an entity has this id."""
    return connection.execute("SELECT 1 FROM entity WHERE id = ?", (entity_id,)).fetchone() is not None


def require_unused_id(connection: sqlite3.Connection, text: str) -> None:
    """Refuse an id that is taken or not a UUID."""
    require_uuid(text)
    if is_taken(connection, text):
        raise Conflict(f"'{text}' exists already.", hint="Change it, or create another.", id=text)


def refuse_claimed(state: EntityState, person: str, now: str) -> None:
    """Refuse a claim on an entity that is closed, or claimed by somebody else at the time `now`."""
    if state.value("status") == "closed":
        raise Conflict(f"This {state.kind} is closed.", hint="Take another one, or open it again first.")
    holder = next((claim for claim in state.claims() if claim.is_live(now)), None)
    if holder is not None and holder.actor != person:
        raise Conflict(
            f"Somebody else has claimed this until {holder.until}.",
            hint="Take another one, or wait until it ends or is released; git_mile_show shows whose it is.",
            holder=one_line(holder.actor),
            until=holder.until,
        )


def closed_milestones(connection: sqlite3.Connection, names: Iterable[str]) -> frozenset[str]:
    """Return those of the names that refer to a closed milestone.

    A name is an id, a URI, a title or a prefix of an id, tried in this order. If several milestones have the
    same title, all of them must be closed. An unknown name is not closed.
    """
    return frozenset(name for name in names if _is_closed(connection, name))


def _history_event(entry: Entry) -> HistoryEvent:
    action = entry.type
    if entry.value is None and action in ("edit", "claim"):
        action = {"edit": "delete", "claim": "release"}[action]
    order, time, actor = entry.lamport, entry.time, entry.actor
    return HistoryEvent(
        entry.id, entry.entity, entry.kind, order, time, actor, action, entry.field, entry.value
    )


def _matches(connection: sqlite3.Connection, name: str) -> list[tuple[str, Kind]]:
    if is_uuid(name):
        return connection.execute("SELECT id, kind FROM entity WHERE id = ?", (name,)).fetchall()
    if not _is_prefix(name):
        return []
    # Both kinds are found, so twice as many as are shown; the caller wants only one kind.
    query = f"SELECT id, kind FROM entity WHERE {_HAS_PREFIX} ORDER BY id LIMIT ?"
    return connection.execute(query, (name, name, 2 * _MAX_CANDIDATES_SHOWN)).fetchall()


def _is_prefix(name: str) -> bool:
    return len(name) >= _MIN_PREFIX_CHARACTERS and set(name) <= _HEXADECIMAL


def _with_article(kind: Kind | None) -> str:
    return "an issue" if kind == "issue" else "a milestone"


def _is_closed(connection: sqlite3.Connection, name: str) -> bool:
    plain = name.strip()
    for prefix in _URI_PREFIXES:
        plain = plain.removeprefix(prefix)
    folded = plain.lower()
    if is_uuid(folded):
        return _statuses(connection, "entity.id = ?", folded) == ["closed"]
    titled = _statuses(connection, f"{TITLE_FOLDED} = ?", plain.casefold())
    if titled:
        return set(titled) == {"closed"}
    return _is_prefix(folded) and _statuses(connection, _HAS_PREFIX, folded, folded) == ["closed"]


def _statuses(connection: sqlite3.Connection, condition: str, *values: str) -> list[str]:
    query = f"SELECT entity.status FROM entity WHERE entity.kind = 'milestone' AND {condition}"
    return [row[0] for row in connection.execute(query, values)]
