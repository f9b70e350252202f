"""What a task has several of: labels, files, links and dependencies, added and taken away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from holdfast.kernel.errors import InvalidArguments
from holdfast.storage.sql.sql_store import Connection
from holdfast.tasks.store.records import File, Link

_ADD_LABEL = "INSERT INTO label (task, label) VALUES (:task, :label) ON CONFLICT DO NOTHING"
_ADD_FILE = (
    "INSERT INTO file (task, path, role, line_start, line_end) VALUES (:task, :path, :role, :first, :last)"
    " ON CONFLICT (task, path) DO UPDATE SET role = excluded.role, line_start = excluded.line_start,"
    " line_end = excluded.line_end"
)
_ADD_LINK = (
    "INSERT INTO link (task, kind, ref, uri, title) VALUES (:task, :kind, :ref, :uri, :title)"
    " ON CONFLICT (task, kind, ref) DO UPDATE SET uri = excluded.uri, title = excluded.title"
)
_ADD_DEPENDENCY = (
    "INSERT INTO dependency (task, needs, kind) VALUES (:task, :needs, :kind) ON CONFLICT DO NOTHING"
)


def add_labels(connection: Connection, uid: str, labels: Iterable[str]) -> None:
    """Give a task labels that it may have already."""
    rows = [{"task": uid, "label": label} for label in labels]
    if rows:
        connection.executemany(_ADD_LABEL, rows)


def remove_labels(connection: Connection, uid: str, labels: Iterable[str]) -> None:
    """Take labels from a task that it may not have."""
    for label in labels:
        connection.execute(
            "DELETE FROM label WHERE task = :task AND label = :label", {"task": uid, "label": label}
        )


def add_files(connection: Connection, uid: str, files: Iterable[File]) -> None:
    """Connect files with a task; one that is connected already gets the new role and lines."""
    rows = [
        {"task": uid, "path": item.path, "role": item.role, "first": item.line_start, "last": item.line_end}
        for item in files
    ]
    if rows:
        connection.executemany(_ADD_FILE, rows)


def remove_files(connection: Connection, uid: str, paths: Iterable[str]) -> None:
    """Take files from a task."""
    for path in paths:
        connection.execute(
            "DELETE FROM file WHERE task = :task AND path = :path", {"task": uid, "path": path}
        )


def add_links(connection: Connection, uid: str, links: Iterable[Link]) -> None:
    """Link a task with things elsewhere; a link that is there already gets the new address and title."""
    rows = [
        {"task": uid, "kind": item.kind, "ref": item.ref, "uri": item.uri, "title": item.title}
        for item in links
    ]
    if rows:
        connection.executemany(_ADD_LINK, rows)


def remove_links(connection: Connection, uid: str, refs: Iterable[str]) -> None:
    """Take links from a task."""
    for ref in refs:
        connection.execute("DELETE FROM link WHERE task = :task AND ref = :ref", {"task": uid, "ref": ref})


def add_dependencies(connection: Connection, uid: str, needs: Sequence[tuple[str, str]]) -> None:
    """Say that a task has to do with others."""
    if any(needed == uid for needed, _ in needs):
        raise InvalidArguments("A task cannot depend on itself.", hint="Name another task.")
    rows = [{"task": uid, "needs": needed, "kind": kind} for needed, kind in needs]
    if rows:
        connection.executemany(_ADD_DEPENDENCY, rows)


def remove_dependencies(connection: Connection, uid: str, needs: Iterable[str]) -> None:
    """Say that a task has nothing to do with others any more."""
    for needed in needs:
        values = {"task": uid, "needs": needed}
        connection.execute("DELETE FROM dependency WHERE task = :task AND needs = :needs", values)


def clear(connection: Connection, uid: str, table: str) -> None:
    """Take everything of one sort from a task."""
    statements = {
        "labels": "DELETE FROM label WHERE task = :task",
        "files": "DELETE FROM file WHERE task = :task",
        "links": "DELETE FROM link WHERE task = :task",
        "depends_on": "DELETE FROM dependency WHERE task = :task",
        "blockers": "DELETE FROM dependency WHERE task = :task AND kind = 'blocks'",
    }
    connection.execute(statements[table], {"task": uid})
