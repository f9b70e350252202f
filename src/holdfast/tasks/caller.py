"""The caller of an operation: identified by session, access token, given name, program or git's user name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError, NotFound
from holdfast.storage.git.repository import Repository
from holdfast.tasks.models import InSession, Scoped
from holdfast.tasks.store.records import CallerIdentity, is_workspace_id
from holdfast.tasks.store.session import find_session, keep_alive
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import NO_CALLER, TaskTransaction

_SERVED_WORKSPACE = ("", ".", "current")
"""The names under which every server knows its own workspace."""


def check_workspace(room: Tasks, arguments: Scoped) -> None:
    """Raise if the caller names a workspace, by path or id, that is not the one served here."""
    path_or_id = arguments.workspace
    if path_or_id is None or path_or_id in _SERVED_WORKSPACE:
        return
    if is_workspace_id(path_or_id) and room.exists and path_or_id in [item.id for item in room.workspaces()]:
        if path_or_id == room.workspace().id:
            return
        raise _other_workspace_error()
    try:
        repository = Repository.discover(path_or_id)
    except (HoldfastError, OSError):
        raise _other_workspace_error() from None  # the cause would say what is at other paths
    if repository.store_directory != room.repository.store_directory:
        raise _other_workspace_error()


def _other_workspace_error() -> NotFound:
    return NotFound(
        "That is not the workspace served here.",
        hint='Pass "." as `workspace_path` for this one, or start a server in the other repository.',
    )


def caller_name(room: Tasks, agent: str | None = None) -> str:
    """Return the caller's name: of their token, as given, of their program, or of this computer's user."""
    call = current_call()
    return call.signer or agent or call.author or room.person


def identify_caller(room: Tasks, arguments: InSession) -> CallerIdentity:
    """Return the caller, and renew the claims of their session if that is due."""
    check_workspace(room, arguments)
    if arguments.session is None:
        return CallerIdentity(caller_name(room))
    return CallerIdentity(keep_alive(room, arguments.session), arguments.session)


@contextmanager
def writing(
    room: Tasks,
    arguments: InSession,
    *,
    agent: str | None = None,
    token: str | None = None,
    concurrent: bool = False,
) -> Iterator[TaskTransaction]:
    """Open the one transaction of a writing operation, with the caller set.

    `concurrent` means the same as for `Tasks.writing`. If due, the session's claims are renewed before, in a
    transaction of their own: this one then locks no rows of other tasks, and they are renewed even if the
    operation is refused.
    """
    check_workspace(room, arguments)
    if arguments.session is not None and room.now() >= room.renewals_due.get(arguments.session, 0.0):
        keep_alive(room, arguments.session)
    who = NO_CALLER
    if arguments.session is None:
        who = CallerIdentity(caller_name(room, agent), None, token)
    with room.writing(who, concurrent=concurrent) as transaction:
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
