"""Who acts, and where: what an operation settles before it does anything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError, NotFound
from holdfast.storage.git.repository import Repository
from holdfast.tasks.models import InSession, Scoped
from holdfast.tasks.store.identity import is_workspace_id
from holdfast.tasks.store.records import Who
from holdfast.tasks.store.session import find_session, is_due, keep_alive, renew_claims
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import Transaction

OWNER = "owner"
"""Who calls where nobody is known: whoever owns the machine, as the first token is called over HTTP."""


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
    known = current_call().actor or OWNER
    return agent if agent is not None and known == OWNER else known


def acting(room: Tasks, arguments: InSession, token: str | None = None) -> Who:
    """Return who acts, and let the claims of their session last longer."""
    check_workspace(room, arguments)
    if arguments.session is None:
        return Who(actor(), None, token)
    return Who(keep_alive(room, arguments.session), arguments.session, token)


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

    The claims of their session last longer by it, also where the operation itself is refused.
    """
    check_workspace(room, arguments)
    due = False
    try:
        with room.writing(Who(actor(agent), None, token), together=together) as transaction:
            if arguments.session is not None:
                session = find_session(transaction, arguments.session)
                transaction.who = Who(session.agent, session.id, token)
                if due := is_due(transaction, session):
                    renew_claims(transaction, session)
            yield transaction
    except HoldfastError:
        if due and arguments.session is not None:
            keep_alive(room, arguments.session)
        raise


@contextmanager
def reading(room: Tasks, arguments: InSession) -> Iterator[Transaction]:
    """Yield the one transaction of an operation that reads, with who acts."""
    who = acting(room, arguments)
    with room.reading(who) as transaction:
        yield transaction
