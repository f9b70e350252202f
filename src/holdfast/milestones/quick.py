"""The first page of `git mile list` for quick commands, in about the time Python takes to start.

Contract: the connection shows exactly what `Milestones.reading` would, or none is given. Whatever is out of
the ordinary (no repository, an index that is missing, old, damaged or behind the logs) raises
`OutOfTheOrdinary`, and the whole program takes over. The items are those that `git_mile.list` would return.
"""

from __future__ import annotations

import os
from _sqlite3 import Connection, Error

from holdfast.milestones.index.schema import (
    APPLICATION_ID,
    INDEX_NAME,
    NAMESPACE,
    OPEN_ISSUES,
    SCHEMA_VERSION,
)
from holdfast.storage.git.ref_files import RefFiles, read_beginning
from holdfast.storage.sql.quick import OutOfTheOrdinary, enclosing_repository, open_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PATIENCE_SECONDS = 1.0
_SMALL_FILE_BYTES = 4096
_CONFIGURATION_BYTES = 100_000
_ORDINARY_CHARACTERS = 100_000
_LABELS = "SELECT value FROM json_each(?)"


def listed(
    start: str, kind: str, limit: int, filter_text: str = "", *, include_closed: bool
) -> tuple[list[dict[str, Any]], tuple[int, int, str] | None]:
    """Return the items of the first page, and the position after it when there are more."""
    wanted, values = _condition(filter_text, kind, include_closed=include_closed)
    connection = connect_fresh(start)
    if connection is None:
        return [], None
    try:
        if connection.execute("SELECT EXISTS (SELECT 1 FROM damage)").fetchone()[0]:
            raise OutOfTheOrdinary
        connection.create_function("holdfast_fold", 1, folded, deterministic=True)
        rows = connection.execute(_statement(kind, wanted), (kind, *values, limit + 1)).fetchall()
        if sum(len(row[1]) + len(row[3]) for row in rows) > _ORDINARY_CHARACTERS:
            raise OutOfTheOrdinary
        items = [_item(connection, row) for row in rows[:limit]]
    except Error as error:
        raise OutOfTheOrdinary from error
    finally:
        connection.close()
    return items, (*rows[limit - 1][-2:], rows[limit - 1][0]) if len(rows) > limit else None


def _condition(filter_text: str, kind: str, *, include_closed: bool) -> tuple[str, list[Any]]:
    """Return what rows must meet besides their kind."""
    hidden = "1" if include_closed else "entity.status <> 'closed'"
    if not filter_text.strip():
        return hidden, []
    from time import time

    from holdfast.kernel.errors import Invalid
    from holdfast.milestones.filter.expression import asks_for_closed
    from holdfast.milestones.filter.parser import parse_filter
    from holdfast.milestones.filter.sql import condition

    try:
        expression = parse_filter(filter_text, kind, time())
    except Invalid as error:
        raise OutOfTheOrdinary from error
    if expression is None or (asks_for_closed(expression) and not include_closed):
        raise OutOfTheOrdinary
    text, values = condition(expression)
    return f"{hidden} AND {text}", values


def folded(text: object) -> str | None:
    """Return a text without regard to case, as SQL asks for it."""
    return text.casefold() if isinstance(text, str) else None


def _statement(kind: str, wanted: str) -> str:
    open_issues = OPEN_ISSUES if kind == "milestone" else "NULL"
    return (
        f"SELECT entity.id, title, status, labels, comments, {open_issues}, updated, updated_place"
        f" FROM entity WHERE entity.kind = ? AND {wanted}"
        " ORDER BY updated DESC, updated_place DESC, id DESC LIMIT ?"
    )


def _item(connection: Connection, row: tuple[Any, ...]) -> dict[str, Any]:
    name, title, status, written, comments, open_issues, *_ = row
    stats = {"comment_count": comments}
    if open_issues is not None:
        stats["open_issues"] = open_issues
    labels = [] if written == "[]" else _labels(connection, written)
    return {"id": name, "title": title, "status": status, "labels": labels, "stats": stats}


def _labels(connection: Connection, written: str) -> list[str]:
    """Return the labels of a JSON array; where it has no escapes, no label has a quotation mark."""
    if "\\" not in written:
        return written[2:-2].split('", "')
    return [label for (label,) in connection.execute(_LABELS, (written,))]


def list_identity(kind: str, filter_text: str, sort: list[str], *, include_closed: bool) -> str:
    """Return everything that decides which items come in which order; a cursor of another list is refused."""
    return repr(("git_mile.list", kind, filter_text.strip(), [*sort], include_closed))


def connect_fresh(start: str) -> Connection | None:
    """Return a connection, for reading, to the index of the enclosing repository; None without any logs."""
    _, store = enclosing_repository(start)
    refs = RefFiles(os.path.dirname(store), NAMESPACE)
    try:
        if not refs.are_readable:
            raise OutOfTheOrdinary
        tips = refs.tips()
        settings = os.path.join(os.path.dirname(store), "config")
        if not tips and b"remote" in read_beginning(settings, _CONFIGURATION_BYTES):
            raise OutOfTheOrdinary  # a clone, which is told how to get what its remote has
        if not tips:
            return None
        connection = _connect(store)
        try:
            _check(connection, tips)
        except BaseException:
            connection.close()
            raise
    except (OSError, Error, ValueError) as error:
        raise OutOfTheOrdinary from error
    return connection


def _connect(store: str) -> Connection:
    name = _small_file(os.path.join(store, INDEX_NAME + ".index"))
    if not name.startswith(INDEX_NAME + "-") or not name.endswith(".sqlite") or "/" in name:
        raise OutOfTheOrdinary
    return open_file(os.path.join(store, name), "ro", _PATIENCE_SECONDS)


def _check(connection: Connection, tips: dict[str, str]) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if (application, version) != (APPLICATION_ID, SCHEMA_VERSION):
        raise OutOfTheOrdinary
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    # The comparison and what the caller asks next see the same moment.
    connection.execute("BEGIN")
    if dict(connection.execute("SELECT ref, id FROM tip").fetchall()) != tips:
        raise OutOfTheOrdinary


def _small_file(path: str) -> str:
    text = os.fsdecode(read_beginning(path, _SMALL_FILE_BYTES)).strip()
    if not text or len(text) >= _SMALL_FILE_BYTES - 1:
        raise OutOfTheOrdinary
    return text
