"""The workspace of a repository: made, or joined by a clone that finds its id in the work tree.

Anybody can commit the id of a workspace. In a database that is shared, it counts only for a clone in which a
person has joined that workspace, or made it. The user's state remembers that, outside of every repository.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from holdfast.kernel.errors import HoldfastError
from holdfast.storage.files.foreign_document import json_of
from holdfast.storage.files.locks import locked
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.sql_store import Connection
from holdfast.tasks.errors import NotJoined
from holdfast.tasks.store.records import Workspace, is_workspace_id, new_workspace_id
from holdfast.tasks.store.states import Gate

if TYPE_CHECKING:
    from holdfast.tasks.store.tasks import Tasks

MARKER = RepoPath.parse(".task/workspace.json")
_MARKER_BYTES = 4096


def read_marker(repository: Repository) -> str | None:
    """Return the id that the repository's marker names, or None where there is none that makes sense."""
    if repository.bare:
        return None
    try:
        named = json_of(Tree(repository).read_bytes(MARKER, _MARKER_BYTES))
    except (ValueError, HoldfastError):
        return None
    identity = named.get("workspace") if isinstance(named, dict) else None
    return identity if isinstance(identity, str) and is_workspace_id(identity) else None


def write_marker(repository: Repository, identity: str) -> None:
    """Leave the id where every clone finds it, unless it is there."""
    if repository.bare or read_marker(repository) == identity:
        return
    text = json.dumps({"workspace": identity}, indent=2) + "\n"
    tree = Tree(repository)
    tree.make_parents(MARKER)
    tree.write(MARKER, text.encode())


def has_joined(repository: Repository, identity: str) -> bool:
    """Return whether a clone has joined, or made, a workspace of a shared database."""
    return repository.agrees_to(f"workspace {identity}")


def join(repository: Repository, identity: str) -> None:
    """Let a clone use a workspace of a shared database from now on."""
    repository.agree_to(f"workspace {identity}")


def enter(room: Tasks, connection: Connection, identity: str) -> None:
    """Join a workspace that is about to be made; raise when it is there and somebody else's."""
    refuse_others(room, connection, identity)
    if room.is_shared:
        join(room.repository, identity)


def refuse_others(room: Tasks, connection: Connection, identity: str | None) -> None:
    """Raise when a shared database has this workspace, and nobody has joined it in this clone."""
    if identity is None or not room.is_shared or has_joined(room.repository, identity):
        return
    found = connection.execute("SELECT 1 FROM workspace WHERE id = :id", {"id": identity}).fetchone()
    if found is not None:
        raise NotJoined(
            f"This clone has not joined {identity}, a workspace of the shared database.",
            hint=f"If it is the one you mean, a person runs `holdfast tasks join {identity}` here.",
            workspace=identity,
        )


_INSERT = (
    "INSERT INTO workspace (id, name, gate, stack, next_number, created_at)"
    " VALUES (:id, :name, :gate, :stack, 1, :now) ON CONFLICT (id) DO NOTHING"
)


def begin(room: Tasks, name: str, stack: Sequence[str], gate: Gate) -> tuple[Workspace, bool]:
    """Return the workspace of a repository and whether it was made just now.

    Two callers that begin at the same moment end up in the same workspace. The id is left in the work tree,
    where git carries it to every clone.
    """
    place = room.repository.ensure_store()
    # The marker is written after the workspace, and whoever looks for one looks for the marker.
    with locked(os.path.join(place, "task-beginning")):
        with room.writing() as transaction:
            found = room.find_workspace(transaction)
            made = found is None
            if found is None:
                identity = read_marker(room.repository) or new_workspace_id(name)
                enter(room, transaction, identity)
                values = {"id": identity, "name": name, "gate": gate, "stack": json.dumps(list(stack))}
                transaction.execute(_INSERT, {**values, "now": transaction.now})
                found = room.workspace_called(transaction, identity)
        write_marker(room.repository, found.id)
    return found, made


def set_gate(room: Tasks, gate: Gate) -> None:
    """Say what this workspace asks for before a task is done."""
    with room.writing() as transaction:
        transaction.ask("UPDATE workspace SET gate = :gate WHERE id = :workspace", gate=gate)
