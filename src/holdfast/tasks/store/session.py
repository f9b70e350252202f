"""Sessions: an agent at work, from its start until it is not heard of any more.

Every call that carries the session renews its claims, at most once a minute, so that nobody has to send signs
of life. Any number of sessions are open at the same time.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.kernel.errors import NotFound
from holdfast.tasks.store.identity import new_session_id
from holdfast.tasks.store.lease import LEASE_SECONDS
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import Transaction

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
    with room.writing() as transaction:
        workspace, now = transaction.workspace.id, transaction.now
        left = transaction.execute(
            "SELECT handoff FROM session WHERE workspace = :workspace AND handoff IS NOT NULL"
            " ORDER BY seen DESC, id LIMIT 1",
            {"workspace": workspace},
        ).fetchone()
        session = Session(new_session_id(), workspace, agent, now, now, None)
        transaction.execute(_INSERT, {"id": session.id, "workspace": workspace, "agent": agent, "now": now})
    return session, None if left is None else left[0]


def find_session(transaction: Transaction, identity: str) -> Session:
    """Return a session by its handle."""
    row = transaction.execute(
        f"SELECT {_COLUMNS} FROM session WHERE id = :id AND workspace = :workspace",  # noqa: S608
        {"id": identity, "workspace": transaction.workspace.id},
    ).fetchone()
    if row is None:
        raise NotFound("There is no such session.", hint="Call `taskpilot_start` for a new one.")
    return Session(*row)


def is_due(transaction: Transaction, session: Session) -> bool:
    """Tell whether it is time to let the claims of a session last longer."""
    return transaction.now - session.seen >= RENEW_AFTER_SECONDS


def renew_claims(transaction: Transaction, session: Session) -> None:
    """Note that a session was heard of, and let its claims last longer."""
    now = transaction.now
    values = {"id": session.id, "now": now, "until": now + LEASE_SECONDS, "workspace": session.workspace}
    transaction.execute(_RENEW, values)
    transaction.execute("UPDATE session SET seen = :now WHERE id = :id", values)


def keep_alive(room: Tasks, identity: str) -> str:
    """Return who works in a session; its claims last longer, unless that was seen to just now."""
    with room.reading() as transaction:
        session = find_session(transaction, identity)
        due = is_due(transaction, session)
    if due:
        with room.writing(together=True) as transaction:
            renew_claims(transaction, session)
    return session.agent


def leave_note(transaction: Transaction, identity: str, note: str | None) -> None:
    """Leave a note for whoever works here next, or take it away."""
    transaction.execute("UPDATE session SET handoff = :note WHERE id = :id", {"note": note, "id": identity})


def open_sessions(transaction: Transaction, since: float) -> list[Session]:
    """Return the sessions that were heard of since a moment, the latest first."""
    rows = transaction.execute(
        f"SELECT {_COLUMNS} FROM session WHERE workspace = :workspace AND seen >= :since"  # noqa: S608
        " ORDER BY seen DESC, id LIMIT 100",
        {"workspace": transaction.workspace.id, "since": since},
    )
    return [Session(*row) for row in rows]
