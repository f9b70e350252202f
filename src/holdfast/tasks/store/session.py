"""Sessions: each is one agent at work, from `taskpilot_start` on.

Every call with a session renews the session's claims, each for its original duration, so that agents need no
heartbeat. Renewals are throttled to one a minute, or to one per half the duration of a shorter claim. Any
number of sessions may be open at the same time.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from holdfast.kernel.call import current_call
from holdfast.kernel.errors import NotFound
from holdfast.tasks.store.records import new_session_id
from holdfast.tasks.store.rows import find_task
from holdfast.tasks.store.states import FINISHED
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import TaskTransaction

RENEW_AFTER_SECONDS = 60.0
"""A judgement: one write a minute per session costs little, and a default lease has thirty renewals."""
_MAX_SESSIONS_LISTED = 100
"""A judgement: bounds one result, at more agents than work on one repository in a week."""
_NOTE_TASK_ID = re.compile(r"TP-\d+(?=:)")

_INSERT_SESSION = (
    "INSERT INTO session (id, workspace, agent, started, seen) VALUES (:id, :workspace, :agent, :now, :now)"
)
_COLUMNS = "id, agent, started, seen"
_LEASE_START = "CASE WHEN claim_since > session.seen THEN claim_since ELSE session.seen END"
"""When a claim was taken or last renewed. All claims of a session are renewed when it is seen."""
_EARLIEST_HALFWAY_TIME = (
    f"SELECT min((claim_expires + {_LEASE_START}) / 2) FROM task WHERE task.workspace = session.workspace"
    " AND claim_agent IS NOT NULL AND claim_expires > session.seen AND claim_expires < :soon"
    " AND claim_session = session.id"
)
"""When half of the first lease shorter than two minutes is over. For longer ones, a minute is soon enough."""
_RENEW_CLAIMS = (
    "UPDATE task SET claim_expires ="
    f" :now + claim_expires - (SELECT {_LEASE_START} FROM session WHERE id = :id)"
    " WHERE workspace = :workspace AND claim_agent IS NOT NULL AND claim_session = :id"
)


class Session(NamedTuple):
    """A session of an agent."""

    id: str
    agent: str
    started: float
    seen: float
    """When its claims were last renewed: at most a minute before its last call."""


def open_session(room: Tasks, agent: str) -> tuple[Session, str | None]:
    """Open a session; return it with the latest handoff note, unless the note's task is finished."""
    with room.writing() as transaction:
        row = transaction.run_in_workspace(
            "SELECT handoff FROM session WHERE workspace = :workspace AND handoff IS NOT NULL"
            " ORDER BY seen DESC, id LIMIT 1"
        ).fetchone()
        session = Session(new_session_id(), agent, transaction.now, transaction.now)
        transaction.run_in_workspace(_INSERT_SESSION, id=session.id, agent=agent)
        note: str | None = None if row is None else row[0]
        match = _NOTE_TASK_ID.match(note or "")
        if match is not None and find_task(transaction, match[0]).status in FINISHED:
            note = None
    return session, note


def find_session(transaction: TaskTransaction, session_id: str) -> Session:
    """Return a session by its id; raise unless the caller opened it or is the owner."""
    row = transaction.run_in_workspace(
        f"SELECT {_COLUMNS} FROM session WHERE id = :id AND workspace = :workspace", id=session_id
    ).fetchone()
    session = None if row is None else Session(*row)
    if session is None or current_call().signer not in (None, session.agent):
        raise NotFound("There is no such session.", hint="Call `taskpilot_start` for a new one.")
    return session


def keep_alive(room: Tasks, session_id: str) -> str:
    """Return the agent of a session, and renew the session's claims if that is due."""
    with room.reading() as transaction:
        session = find_session(transaction, session_id)
        now = transaction.now
        (halfway_time,) = transaction.execute(
            f"SELECT ({_EARLIEST_HALFWAY_TIME}) FROM session WHERE id = :id",
            {"id": session_id, "soon": now + 2 * RENEW_AFTER_SECONDS},
        ).fetchone()
    due = min(session.seen + RENEW_AFTER_SECONDS, halfway_time or math.inf)
    if now >= due:
        with room.writing(concurrent=True) as transaction:
            transaction.run_in_workspace(_RENEW_CLAIMS, id=session_id)
            transaction.run_in_workspace("UPDATE session SET seen = :now WHERE id = :id", id=session_id)
    pending = {name: at for name, at in room.renewals_due.items() if at > now}
    room.renewals_due = {**pending, session_id: due}
    return session.agent


def store_handoff_note(transaction: TaskTransaction, session_id: str, note: str) -> None:
    """Store a note for the next session; it starts with the id of its task, as in `TP-12: …`."""
    transaction.execute("UPDATE session SET handoff = :note WHERE id = :id", {"note": note, "id": session_id})


def recent_sessions(transaction: TaskTransaction, since: float) -> list[Session]:
    """Return the sessions seen since a given time, the latest first and at most `_MAX_SESSIONS_LISTED`."""
    rows = transaction.run_in_workspace(
        f"SELECT {_COLUMNS} FROM session WHERE workspace = :workspace AND seen >= :since"
        " ORDER BY seen DESC, id LIMIT :maximum",
        since=since,
        maximum=_MAX_SESSIONS_LISTED,
    )
    return [Session(*row) for row in rows]
