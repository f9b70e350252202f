"""Making a workspace, or joining the one that a clone of this repository has."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from holdfast.storage.files.atomic import locked
from holdfast.storage.sql.sql_store import Connection
from holdfast.tasks.store.identity import new_workspace_id
from holdfast.tasks.store.marker import read_marker, write_marker
from holdfast.tasks.store.records import Workspace
from holdfast.tasks.store.states import Gate
from holdfast.tasks.store.tasks import Tasks

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
        with room.store.write() as connection:
            found = room.find_workspace(connection)
            made = found is None
            if found is None:
                found = _made(room, connection, name, stack, gate)
        if not room.repository.bare and read_marker(room.repository) != found.id:
            write_marker(room.repository, found.id)
    return found, made


def _made(room: Tasks, connection: Connection, name: str, stack: Sequence[str], gate: Gate) -> Workspace:
    identity = read_marker(room.repository) or new_workspace_id(name)
    values = {"id": identity, "name": name, "gate": gate, "stack": json.dumps(list(stack)), "now": room.now()}
    connection.execute(_INSERT, values)
    return room.workspace_called(connection, identity)


def set_gate(room: Tasks, gate: Gate) -> None:
    """Say what this workspace asks for before a task is done."""
    with room.store.write() as connection:
        workspace = room.workspace_in(connection)
        connection.execute(
            "UPDATE workspace SET gate = :gate WHERE id = :id", {"gate": gate, "id": workspace.id}
        )
