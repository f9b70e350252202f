"""The workspace of a repository: its creation, its marker in the work tree, and joining it from a clone.

Anyone can commit a workspace id. In a shared database, an id is therefore used only in a clone where a person
has created or joined that workspace. This is recorded in the user's state, outside any repository.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from holdfast.kernel.errors import HoldfastError
from holdfast.storage.files.foreign_document import parse_json
from holdfast.storage.files.locks import locked
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.sql_store import Connection
from holdfast.tasks.errors import NotJoined
from holdfast.tasks.store.records import TaskWorkspace, is_workspace_id, new_workspace_id
from holdfast.tasks.store.statements import insert
from holdfast.tasks.store.states import Gate

if TYPE_CHECKING:
    from holdfast.tasks.store.tasks import Tasks

_INSERT_WORKSPACE = insert("workspace", TaskWorkspace._fields, "(id) DO NOTHING")
MARKER = RepoPath.parse(".task/workspace.json")
_MAX_MARKER_BYTES = 4096
"""A larger file is not read. A judgement: the marker has one id, well below 100 bytes."""


def read_marker(repository: Repository) -> str | None:
    """Return the workspace id in the repository's marker file, or None if there is no valid one."""
    if repository.bare:
        return None
    try:
        marker = parse_json(Tree(repository).read_bytes(MARKER, _MAX_MARKER_BYTES))
    except (ValueError, HoldfastError):
        return None
    identity = marker.get("workspace") if isinstance(marker, dict) else None
    return identity if isinstance(identity, str) and is_workspace_id(identity) else None


def write_marker(repository: Repository, identity: str) -> None:
    """Write the marker file, which tells clones their workspace, unless it already has this id."""
    if repository.bare or read_marker(repository) == identity:
        return
    text = json.dumps({"workspace": identity}, indent=2) + "\n"
    tree = Tree(repository)
    tree.make_parents(MARKER)
    tree.write(MARKER, text.encode())


def has_joined(repository: Repository, identity: str) -> bool:
    """Return whether this clone has joined or created a workspace of a shared database."""
    return repository.has_consent_to(f"workspace {identity}")


def join(repository: Repository, identity: str) -> None:
    """Record that this clone may use a workspace of a shared database."""
    repository.record_consent_to(f"workspace {identity}")


def join_new_workspace(room: Tasks, connection: Connection, identity: str) -> None:
    """Join a workspace that is about to be created; raise if it exists and this clone has not joined it."""
    refuse_unjoined(room, connection, identity)
    if room.is_shared:
        join(room.repository, identity)


def refuse_unjoined(room: Tasks, connection: Connection, identity: str | None) -> None:
    """Raise when a shared database has this workspace but this clone has not joined it."""
    if identity is None or not room.is_shared or has_joined(room.repository, identity):
        return
    row = connection.execute("SELECT 1 FROM workspace WHERE id = :id", {"id": identity}).fetchone()
    if row is not None:
        raise NotJoined(
            f"This clone has not joined {identity}, a workspace of the shared database.",
            hint=f"If it is the right one, have a person run `holdfast tasks join {identity}` here.",
            workspace=identity,
        )


def ensure_workspace(room: Tasks, name: str, stack: Sequence[str], gate: Gate) -> tuple[TaskWorkspace, bool]:
    """Return the repository's workspace, created if necessary, and whether it was created.

    Concurrent callers get the same workspace. Its id is written to the marker file, which git carries to
    every clone.
    """
    directory = room.repository.ensure_store()
    # Other processes find the workspace by its marker, which is written only after the transaction.
    with locked(os.path.join(directory, "task-beginning")):
        with room.writing() as transaction:
            workspace = room.find_workspace(transaction)
            is_new = workspace is None
            if workspace is None:
                identity = read_marker(room.repository) or new_workspace_id(name)
                join_new_workspace(room, transaction, identity)
                row = TaskWorkspace(identity, name, gate, json.dumps(list(stack)), 1, transaction.now)
                transaction.execute(_INSERT_WORKSPACE, row._asdict())
                workspace = room.workspace_by_id(transaction, identity)
        write_marker(room.repository, workspace.id)
    return workspace, is_new


def set_gate(room: Tasks, gate: Gate) -> None:
    """Set the done gate of the workspace."""
    with room.writing() as transaction:
        transaction.run_in_workspace("UPDATE workspace SET gate = :gate WHERE id = :workspace", gate=gate)
