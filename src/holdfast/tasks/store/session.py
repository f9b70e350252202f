"""Who acts, and in which session: an agent at work, from its start until it is not heard of any more.

Every call that carries the session renews its claims for as long as each was taken for, so that nobody has to
send signs of life: once a minute, and sooner once half of a shorter claim is gone. Any number of sessions are
open at the same time.
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
from holdfast.tasks.store.transaction import Transaction

RENEW_AFTER_SECONDS = 60.0
_NOTE = re.compile(r"TP-\d+(?=:)")

_INSERT = (
    "INSERT INTO session (id, workspace, agent, started, seen) VALUES (:id, :workspace, :agent, :now, :now)"
)
_COLUMNS = "id, agent, started, seen"
_BEGAN = "CASE WHEN claim_since > session.seen THEN claim_since ELSE session.seen END"
"""When a claim was taken or last renewed: all of a session are renewed together, when it is seen."""
_HALF = (
    f"SELECT min((claim_expires + {_BEGAN}) / 2) FROM task WHERE task.workspace = session.workspace"
    " AND claim_agent IS NOT NULL AND claim_expires > session.seen AND claim_expires < :soon"
    " AND claim_session = session.id"
)
"""When the first of the short claims is half gone; of all others a minute is less than half."""
_RENEW = (
    f"UPDATE task SET claim_expires = :now + claim_expires - (SELECT {_BEGAN} FROM session WHERE id = :id)"
    " WHERE workspace = :workspace AND claim_agent IS NOT NULL AND claim_session = :id"
)


class Session(NamedTuple):
    """An agent at work."""

    id: str
    agent: str
    started: float
    seen: float


def open_session(room: Tasks, agent: str) -> tuple[Session, str | None]:
    """Open a session, and return it with the last note that was left, unless its task is finished."""
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


def find_session(transaction: Transaction, identity: str) -> Session:
    """Return a session by its handle, to whoever may act in it: who opened it, or the owner."""
    row = transaction.ask(
        f"SELECT {_COLUMNS} FROM session WHERE id = :id AND workspace = :workspace", id=identity
    ).fetchone()
    session = None if row is None else Session(*row)
    if session is None or current_call().signer not in (None, session.agent):
        raise NotFound("There is no such session.", hint="Call `taskpilot_start` for a new one.")
    return session


def keep_alive(room: Tasks, identity: str) -> str:
    """Return who works in a session; its claims last longer, unless that was seen to just now."""
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
    room.due = {**{name: at for name, at in room.due.items() if at > now}, identity: due}
    return session.agent


def leave_note(transaction: Transaction, identity: str, note: str) -> None:
    """Leave a note for whoever works here next; it begins with the task that it is about."""
    transaction.execute("UPDATE session SET handoff = :note WHERE id = :id", {"note": note, "id": identity})


def open_sessions(transaction: Transaction, since: float) -> list[Session]:
    """Return the sessions that were heard of since a moment, the latest first."""
    rows = transaction.ask(
        f"SELECT {_COLUMNS} FROM session WHERE workspace = :workspace AND seen >= :since"
        " ORDER BY seen DESC, id LIMIT 100",
        since=since,
    )
    return [Session(*row) for row in rows]


def check_workspace(room: Tasks, arguments: Scoped) -> None:
    """Raise when the caller means another workspace than the one that is served here."""
    named = arguments.workspace
    if named is None or named in ("", ".", "current"):
        return
    if is_workspace_id(named) and room.exists and named in [item.id for item in room.workspaces()]:
        if named == room.workspace().id:
            return
        raise _elsewhere()
    try:
        meant = Repository.discover(named)
    except (HoldfastError, OSError):
        raise _elsewhere() from None
    if meant.store_directory != room.repository.store_directory:
        raise _elsewhere()


def _elsewhere() -> NotFound:
    return NotFound(
        "That is not the workspace that is served here.",
        hint='Pass "." as `workspace_path` for this one, or start a server in the other repository.',
    )


def actor(agent: str | None = None) -> str:
    """Return who calls: by the name of their token, or where that is the owner's, by the name they give."""
    return current_call().signer or agent or OWNER


def acting(room: Tasks, arguments: InSession) -> Who:
    """Return who acts, and let the claims of their session last longer."""
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
) -> Iterator[Transaction]:
    """Yield the one transaction of an operation that writes, with who acts.

    The claims of their session last longer already, also where the operation itself is refused. That is a
    transaction of its own: rows of other tasks are not locked beside those of the operation.
    """
    check_workspace(room, arguments)
    if arguments.session is not None and room.now() >= room.due.get(arguments.session, 0.0):
        keep_alive(room, arguments.session)
    with room.writing(Who(actor(agent), None, token), together=together) as transaction:
        if arguments.session is not None:
            session = find_session(transaction, arguments.session)
            transaction.who = Who(session.agent, session.id, token)
        yield transaction


@contextmanager
def reading(room: Tasks, arguments: InSession) -> Iterator[Transaction]:
    """Yield the one transaction of an operation that reads, with who acts."""
    who = acting(room, arguments)
    with room.reading(who) as transaction:
        yield transaction
