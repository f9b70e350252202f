"""Sessions: an agent at work, from its start until it is not heard of any more.

Every call that carries the session renews its claims, at most once a minute, so that nobody has to send signs
of life. Any number of sessions are open at the same time.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.kernel.errors import NotFound
from holdfast.storage.sql.sql_store import Connection
from holdfast.tasks.store.identity import new_session_id
from holdfast.tasks.store.tasks import LEASE_SECONDS, Tasks

RENEW_AFTER_SECONDS = 60.0

_INSERT = (
    "INSERT INTO session (id, workspace, agent, started, seen) VALUES (:id, :workspace, :agent, :now, :now)"
)
_COLUMNS = "id, workspace, agent, started, seen, handoff"
_RENEW = (
    "UPDATE task SET claim_expires = :until WHERE workspace = :workspace AND claim_agent IS NOT NULL"
    " AND claim_session = :id AND claim_expires < :until"
)


@dataclass(frozen=True, slots=True)
class Session:
    """An agent at work."""

    id: str
    workspace: str
    agent: str
    started: float
    seen: float
    handoff: str | None


def open_session(room: Tasks, agent: str) -> tuple[Session, str | None]:
    """Open a session, and return it with the note that the agent's last one left behind."""
    with room.store.write() as connection:
        workspace = room.workspace_in(connection).id
        left = connection.execute(
            "SELECT handoff FROM session WHERE workspace = :workspace AND handoff IS NOT NULL"
            " ORDER BY seen DESC, id LIMIT 1",
            {"workspace": workspace},
        ).fetchone()
        session = Session(new_session_id(), workspace, agent, room.now(), room.now(), None)
        values = {"id": session.id, "workspace": workspace, "agent": agent, "now": session.started}
        connection.execute(_INSERT, values)
    return session, None if left is None else left[0]


def find_session(room: Tasks, connection: Connection, identity: str) -> Session:
    """Return a session by its handle."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM session WHERE id = :id AND workspace = :workspace",  # noqa: S608
        {"id": identity, "workspace": room.workspace_in(connection).id},
    ).fetchone()
    if row is None:
        raise NotFound("There is no such session.", hint="Call `taskpilot_start` for a new one.")
    return Session(*row)


def agent_of(room: Tasks, identity: str) -> str:
    """Return who works in a session."""
    with room.reading() as connection:
        return find_session(room, connection, identity).agent


def keep_alive(room: Tasks, identity: str, seconds: float = LEASE_SECONDS) -> None:
    """Note that a session was heard of, and let its claims last longer, if that was not done just now."""
    now = room.now()
    with room.reading() as connection:
        session = find_session(room, connection, identity)
    if now - session.seen < RENEW_AFTER_SECONDS:
        return
    with room.store.write(together=True) as connection:
        values = {"id": identity, "now": now, "until": now + seconds, "workspace": session.workspace}
        connection.execute(_RENEW, values)
        connection.execute("UPDATE session SET seen = :now WHERE id = :id", values)


def leave_note(room: Tasks, identity: str, note: str | None) -> None:
    """Leave a note for whoever works here next, or take it away."""
    with room.store.write() as connection:
        connection.execute(
            "UPDATE session SET handoff = :note WHERE id = :id", {"note": note, "id": identity}
        )


def open_sessions(connection: Connection, workspace: str, since: float) -> list[Session]:
    """Return the sessions that were heard of since a moment, the latest first."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM session WHERE workspace = :workspace AND seen >= :since"  # noqa: S608
        " ORDER BY seen DESC, id LIMIT 100",
        {"workspace": workspace, "since": since},
    )
    return [Session(*row) for row in rows]
