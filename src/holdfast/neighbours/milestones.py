"""Reads issues and milestones that a task or its files are linked to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from holdfast.kernel.cache import Value, VersionedCache
from holdfast.kernel.errors import InvalidArguments, NotFound
from holdfast.tasks.neighbours import RemarkQuery, TaskRemark

if TYPE_CHECKING:
    import sqlite3

    from holdfast.milestones.entity import Entity
    from holdfast.milestones.store import Milestones


class MilestonesNeighbour:
    """Reads issues and milestones as remarks, and the names of closed milestones."""

    def __init__(self, room: Milestones) -> None:
        self._room = room
        self._cache: VersionedCache[Any] = VersionedCache()

    def about(self, question: RemarkQuery) -> Iterable[TaskRemark]:
        """Return the issues and milestones that the task links to, and open issues linked to its files."""
        linked = tuple(ref for kind, ref in question.links if kind in ("issue", "milestone"))
        if not linked and not question.files:
            return ()
        key = (linked, tuple(question.files), question.limit)
        return self._cached(key, lambda connection: tuple(_remarks(connection, *key)))

    def find(self, ref: str) -> TaskRemark:
        return _remark(self._room.get(None, ref))

    def closed(self, names: Collection[str]) -> frozenset[str]:
        """Return the names that refer to a closed milestone."""
        from holdfast.milestones.index.lookup import closed_milestones

        key = tuple(sorted(names))
        return self._cached(key, lambda connection: closed_milestones(connection, key))

    def _cached(self, key: Hashable, query: Callable[[sqlite3.Connection], Value]) -> Value:
        """Return the result of a query to the index, cached until a log changes."""
        from holdfast.milestones.index.update import damaged_refs

        # Read before the query, so that a change in between invalidates the entry.
        version = self._room.fingerprint()
        cached: Value | None = self._cache.get(key, version)
        if cached is not None:
            return cached
        is_damaged, result = self._room.read(lambda connection: (damaged_refs(connection), query(connection)))
        # With a damaged log the result is not cached: the log can be repaired without a change of its tip.
        self._cache.put(key, None if is_damaged else version, result)
        return result


def _remarks(
    connection: sqlite3.Connection, linked: tuple[str, ...], files: tuple[str, ...], limit: int
) -> Iterator[TaskRemark]:
    """Yield the linked issues and milestones, and up to `limit` open issues for each file."""
    from holdfast.milestones.index import lookup

    refs = list(linked)
    for path in files:
        refs += lookup.open_linked_to(connection, path, limit)
    for ref in dict.fromkeys(refs):
        try:
            yield _remark(lookup.entity(connection, None, ref))
        except (NotFound, InvalidArguments):
            continue  # an issue of another tracker, such as GitHub


def _remark(entity: Entity) -> TaskRemark:
    return TaskRemark(
        kind=entity.kind,
        ref=entity.id,
        text=entity.description,
        uri=f"git-mile://entity/{entity.id}",
        title=entity.title,
        author=entity.author,
        at=entity.updated,
        state=entity.status,
        labels=tuple(entity.labels),
    )
