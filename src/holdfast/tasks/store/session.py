"""The caller of an operation, and sessions: an agent at work, from `taskpilot_start` until its last call.

Every call that carries the session renews its claims, each for its original duration, so that agents need no
heartbeat. Renewals are throttled to one a minute, or to half the duration of a shorter claim. Any number of
sessions may be open at the same time.
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
from holdfast.tasks.store.records import Who, is_workspace_id, new_session_id
from holdfast.tasks.store.rows import find_task
from holdfast.tasks.store.states import FINISHED
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import TaskTransaction

RENEW_AFTER_SECONDS = 60.0
"""A chosen bound: one write a minute per session, and still thirty renewals within a default lease."""
_NOTE = re.compile(r"TP-\d+(?=:)")

_INSERT = (
    "INSERT INTO session (id, workspace, agent, started, seen) VALUES (:id, :workspace, :agent, :now, :now)"
)
_COLUMNS = "id, agent, started, seen"
_BEGAN = "CASE WHEN claim_since > session.seen THEN claim_since ELSE session.seen END"
"""When a claim was taken or last renewed; a session's claims are all renewed when it is seen."""
_HALF = (
    f"SELECT min((claim_expires + {_BEGAN}) / 2) FROM task WHERE task.workspace = session.workspace"
    " AND claim_agent IS NOT NULL AND claim_expires > session.seen AND claim_expires < :soon"
    " AND claim_session = session.id"
)
"""When the first claim shorter than two minutes is half over; for longer ones a minute is soon enough."""
_RENEW = (
    f"UPDATE task SET claim_expires = :now + claim_expires - (SELECT {_BEGAN} FROM session WHERE id = :id)"
    " WHERE workspace = :workspace AND claim_agent IS NOT NULL AND claim_session = :id"
)


class Session(NamedTuple):
    """A session of an agent."""

    id: str
    agent: str
    started: float
    seen: float


def open_session(room: Tasks, agent: str) -> tuple[Session, str | None]:
    """Open a session; return it with the latest handoff note, unless the note's task is finished."""
    with room.writing() as transaction:
        left = transaction.ask(
            "SELECT handoff FROM session WHERE workspace = :workspace AND handoff IS NOT NULL"
            " ORDER BY seen DESC, id LIMIT 1"
        ).fetchone()
        session = Session(new_session_id(), agent, transaction.now, transaction.now)
        transaction.ask(_INSERT, id=session.id, agent=agent)
        about = None if left is None else _NOTE.match(left[0])
        over = about is not None and find_task(transaction, about[0]).status in FINISHED
    return session, None if left is None or over else left[0]


def find_session(transaction: TaskTransaction, identity: str) -> Session:
    """Return a session by its id; raise unless the caller opened it or is the owner."""
    row = transaction.ask(
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
        (half,) = transaction.execute(
            f"SELECT ({_HALF}) FROM session WHERE id = :id",
            {"id": identity, "soon": now + 2 * RENEW_AFTER_SECONDS},
        ).fetchone()
    due = min(session.seen + RENEW_AFTER_SECONDS, half or math.inf)
    if now >= due:
        with room.writing(together=True) as transaction:
            transaction.ask(_RENEW, id=identity)
            transaction.ask("UPDATE session SET seen = :now WHERE id = :id", id=identity)
    pending = {name: at for name, at in room.renewals_due.items() if at > now}
    room.renewals_due = {**pending, identity: due}
    return session.agent


def leave_note(transaction: TaskTransaction, identity: str, note: str) -> None:
    """Store a note for the next session; it begins with the id of its task."""
    transaction.execute("UPDATE session SET handoff = :note WHERE id = :id", {"note": note, "id": identity})


def open_sessions(transaction: TaskTransaction, since: float) -> list[Session]:
    """Return the sessions that were active since a given time, the latest first."""
    rows = transaction.ask(
        f"SELECT {_COLUMNS} FROM session WHERE workspace = :workspace AND seen >= :since"
        " ORDER BY seen DESC, id LIMIT 100",
        since=since,
    )
    return [Session(*row) for row in rows]


def check_workspace(room: Tasks, arguments: Scoped) -> None:
    """Raise when the caller names another workspace than the one served here."""
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


def actor(agent: str | None = None) -> str:
    """Return the caller's name: that of their token, or the given name if the token is the owner's."""
    return current_call().signer or agent or OWNER


def identify_caller(room: Tasks, arguments: InSession) -> Who:
    """Return the caller, and renew the claims of their session if that is due."""
    check_workspace(room, arguments)
    if arguments.session is None:
        return Who(actor())
    return Who(keep_alive(room, arguments.session), arguments.session)


@contextmanager
def writing(
    room: Tasks,
    arguments: InSession,
    *,
    agent: str | None = None,
    token: str | None = None,
    together: bool = False,
) -> Iterator[TaskTransaction]:
    """Yield the one transaction of a writing operation, with the caller set.

    The claims of the session are renewed beforehand, even if the operation is then refused. That happens in a
    separate transaction, so that this one does not lock rows of other tasks.
    """
    check_workspace(room, arguments)
    if arguments.session is not None and room.now() >= room.renewals_due.get(arguments.session, 0.0):
        keep_alive(room, arguments.session)
    with room.writing(Who(actor(agent), None, token), together=together) as transaction:
        if arguments.session is not None:
            session = find_session(transaction, arguments.session)
            transaction.who = Who(session.agent, session.id, token)
        yield transaction


@contextmanager
def reading(room: Tasks, arguments: InSession) -> Iterator[TaskTransaction]:
    """Yield the one transaction of a reading operation, with the caller set."""
    who = identify_caller(room, arguments)
    with room.reading(who) as transaction:
        yield transaction
