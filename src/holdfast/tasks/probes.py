"""Looking out for changes of one task, or of which tasks there are, at the price of one look at the store.

What was found is remembered until the store changes, so that any number of listeners cost nothing while
nobody writes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from holdfast.kernel.errors import HoldfastError
from holdfast.tasks import rows

if TYPE_CHECKING:
    from holdfast.tasks.store import Tasks

EVERY_TASK = "*"


def probe(room: Tasks, part: str) -> Callable[[], object]:
    """Return what looks at one task, or, for `*`, at which tasks lists show."""
    look = _listed if part == EVERY_TASK else _version_of
    seen: tuple[object, object] | None = None

    def looked() -> object:
        nonlocal seen
        store_version = room.fingerprint()
        if seen is None or seen[0] != store_version:
            seen = (store_version, look(room, part))
        return seen[1]

    return looked


def _listed(room: Tasks, part: str) -> object:
    del part
    if not room.exists:
        return None
    with room.reading() as connection:
        return connection.execute(
            "SELECT (SELECT count(*) FROM workspace), count(*), max(n),"
            " count(*) FILTER (WHERE status NOT IN ('done', 'dropped')) FROM task"
        ).fetchone()


def _version_of(room: Tasks, task: str) -> object:
    if not room.exists:
        return None
    with room.reading() as connection:
        workspace = room.find_workspace(connection)
        if workspace is None:
            return None
        try:
            found = rows.find_task(connection, workspace.id, task)
        except HoldfastError:
            return None
        return found.version, found.waits, found.claim_expires, room.instant().is_held_up(found)
