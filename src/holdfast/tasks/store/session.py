"""Identifies the caller of an operation, and keeps sessions: an agent at work, from `taskpilot_start` on.

Every call with a session renews the session's claims, each for its original duration, so that agents need no
heartbeat. Renewals are throttled to one a minute, or to one per half the duration of a shorter claim. Any
number of sessions may be open at the same time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError, NotFound
from holdfast.kernel.role import OWNER
from holdfast.storage.git.repository import Repository
from holdfast.tasks.models import InSession, Scoped
from holdfast.tasks.store.records import CallerIdentity, is_workspace_id, new_session_id
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


def find_session(transaction: TaskTransaction, identity: str) -> Session:
    """Return a session by its id; raise unless the caller opened it or is the owner."""
    row = transaction.run_in_workspace(
        f"SELECT {_COLUMNS} FROM session WHERE id = :id AND workspace = :workspace", id=identity
    ).fetchone()
    session = None if row is None else Session(*row)
    if session is None or current_call().signer not in (None, session.agent):
        raise NotFound("There is no such session.", hint="Call `taskpilot_start` for a new one.")
    return session


def keep_alive(room: Tasks, identity: str) -> str:
    """Return the agent of a session, and renew the session's claims if that is due."""
    with room.reading() as transaction:
        session = find_session(transaction, identity)
        now = transaction.now
        (halfway_time,) = transaction.execute(
            f"SELECT ({_EARLIEST_HALFWAY_TIME}) FROM session WHERE id = :id",
            {"id": identity, "soon": now + 2 * RENEW_AFTER_SECONDS},
        ).fetchone()
    due = min(session.seen + RENEW_AFTER_SECONDS, halfway_time or math.inf)
    if now >= due:
        with room.writing(together=True) as transaction:
            transaction.run_in_workspace(_RENEW_CLAIMS, id=identity)
            transaction.run_in_workspace("UPDATE session SET seen = :now WHERE id = :id", id=identity)
    pending = {name: at for name, at in room.renewals_due.items() if at > now}
    room.renewals_due = {**pending, identity: due}
    return session.agent


def store_handoff_note(transaction: TaskTransaction, identity: str, note: str) -> None:
    """Store a note for the next session; it starts with the id of its task, as in `TP-12: …`."""
    transaction.execute("UPDATE session SET handoff = :note WHERE id = :id", {"note": note, "id": identity})


def recent_sessions(transaction: TaskTransaction, since: float) -> list[Session]:
    """Return the sessions seen since a given time, the latest first and at most `_MAX_SESSIONS_LISTED`."""
    rows = transaction.run_in_workspace(
        f"SELECT {_COLUMNS} FROM session WHERE workspace = :workspace AND seen >= :since"
        " ORDER BY seen DESC, id LIMIT :maximum",
        since=since,
        maximum=_MAX_SESSIONS_LISTED,
    )
    return [Session(*row) for row in rows]


def check_workspace(room: Tasks, arguments: Scoped) -> None:
    """Raise if the caller names a workspace, by path or id, that is not the one served here."""
    named = arguments.workspace
    if named is None or named in ("", ".", "current"):
        return
    if is_workspace_id(named) and room.exists and named in [item.id for item in room.workspaces()]:
        if named == room.workspace().id:
            return
        raise _other_workspace()
    try:
        repository = Repository.discover(named)
    except (HoldfastError, OSError):
        raise _other_workspace() from None
    if repository.store_directory != room.repository.store_directory:
        raise _other_workspace()


def _other_workspace() -> NotFound:
    return NotFound(
        "That is not the workspace served here.",
        hint='Pass "." as `workspace_path` for this one, or start a server in the other repository.',
    )


def caller_name(agent: str | None = None) -> str:
    """Return the caller's name: that of their access token or, for the owner's token, the given one."""
    return current_call().signer or agent or OWNER


def identify_caller(room: Tasks, arguments: InSession) -> CallerIdentity:
    """Return the caller, and renew the claims of their session if that is due."""
    check_workspace(room, arguments)
    if arguments.session is None:
        return CallerIdentity(caller_name())
    return CallerIdentity(keep_alive(room, arguments.session), arguments.session)


@contextmanager
def writing(
    room: Tasks,
    arguments: InSession,
    *,
    agent: str | None = None,
    token: str | None = None,
    together: bool = False,
) -> Iterator[TaskTransaction]:
    """Open the one transaction of a writing operation, with the caller set.

    The claims of the session are renewed before, even if the operation is then refused, in a transaction of
    their own, so that this one does not lock rows of other tasks.
    """
    check_workspace(room, arguments)
    if arguments.session is not None and room.now() >= room.renewals_due.get(arguments.session, 0.0):
        keep_alive(room, arguments.session)
    with room.writing(CallerIdentity(caller_name(agent), None, token), together=together) as transaction:
        if arguments.session is not None:
            session = find_session(transaction, arguments.session)
            transaction.who = CallerIdentity(session.agent, session.id, token)
        yield transaction


@contextmanager
def reading(room: Tasks, arguments: InSession) -> Iterator[TaskTransaction]:
    """Open the one transaction of a reading operation, with the caller set."""
    who = identify_caller(room, arguments)
    with room.reading(who) as transaction:
        yield transaction
