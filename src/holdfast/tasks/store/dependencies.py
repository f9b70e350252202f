"""What waits for what: no circles, and numbers that say at once who is ready.

A task waits for the unfinished tasks that it needs, and for those that its ancestors need. A task that would
wait for itself, whichever way, is refused with the way named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter

from holdfast.storage.sql.sql_store import Connection
from holdfast.tasks.errors import DependencyCycle
from holdfast.tasks.store.records import Task, task_id
from holdfast.tasks.store.rows import ids_of, in_portions, rows_of, task_by_uid

_OPEN = "status NOT IN ('done', 'dropped')"
_EDGES = (
    "SELECT task, needs FROM dependency WHERE kind = 'blocks' AND task IN {0}"
    " UNION ALL SELECT uid, parent FROM task WHERE parent IS NOT NULL AND uid IN {0}"
)


def refuse_cycles(connection: Connection, uids: Iterable[str]) -> None:
    """Raise when one of these tasks waits for itself, naming the way round."""
    starts = list(dict.fromkeys(uids))
    edges = _endless(_reached(connection, starts))
    for uid in starts:
        way = _way_back(edges, uid)
        if way:
            names = ids_of(connection, way)
            told = " → ".join(names[item] for item in way)
            raise DependencyCycle(
                f"These tasks would wait for each other for ever: {told}.",
                hint="Leave out one of these dependencies, or make it a `related` one.",
                cycle=[names[item] for item in way],
            )


def refuse_own_part(connection: Connection, task: Task) -> None:
    """Raise when a task would be a part of itself, naming the way round."""
    way, current = [task.uid], task.parent
    while current is not None and current not in way:
        way.append(current)
        current = task_by_uid(connection, current).parent
    if current is not None:
        names = ids_of(connection, way)
        told = [*(names[item] for item in way), names[current]]
        raise DependencyCycle(
            f"{task.id} would be a part of itself: {' → '.join(told)}.",
            hint="Choose another parent.",
            cycle=told,
        )


def _reached(connection: Connection, starts: list[str]) -> dict[str, list[str]]:
    """Return what each of these tasks waits for, and each of those, and so on."""
    found: dict[str, list[str]] = {}
    frontier = starts
    while frontier:
        found |= {uid: [] for uid in frontier}
        for task, needed in rows_of(connection, _EDGES, frontier):
            found[task].append(needed)
        following = (needed for task in frontier for needed in found[task])
        frontier = list(dict.fromkeys(uid for uid in following if uid not in found))
    return found


def _endless(edges: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return of a graph what is left when everything is taken away that comes to an end."""
    sorter, ended = TopologicalSorter(edges), set[str]()
    with suppress(CycleError):  # what is before a cycle can be had all the same
        sorter.prepare()
    while ready := sorter.get_ready():
        ended.update(ready)
        sorter.done(*ready)
    return {
        task: [other for other in needed if other not in ended]
        for task, needed in edges.items()
        if task not in ended
    }


def _way_back(edges: dict[str, list[str]], start: str) -> list[str]:
    """Return the shortest way from a task over what it waits for back to itself, or nothing."""
    came_from: dict[str, str] = {}
    frontier = [start] if start in edges else []
    while frontier:
        following: list[str] = []
        for task in frontier:
            for needed in edges[task]:
                if needed == start:
                    way = [start, task]
                    while way[-1] != start:
                        way.append(came_from[way[-1]])
                    return way[::-1]
                if needed not in came_from:
                    came_from[needed] = task
                    following.append(needed)
        frontier = following
    return []


def refresh(
    connection: Connection, *, waiting: Iterable[str] = (), needed: Iterable[str] = ()
) -> tuple[str, ...]:
    """Bring the numbers up to date of tasks whose waiting, or whose being needed, may have changed.

    Those below the waiting ones are looked at too. The ids of tasks that became ready are returned.
    """
    freed = _refresh_waits(connection, list(dict.fromkeys(waiting)))
    for listed, values in in_portions(needed):
        connection.execute(
            "UPDATE task SET unblocks = (SELECT count(*) FROM dependency JOIN task other"
            " ON other.uid = dependency.task WHERE dependency.needs = task.uid AND dependency.kind = 'blocks'"
            f" AND other.{_OPEN}) WHERE uid IN {listed}",
            values,
        )
    return freed


def _refresh_waits(connection: Connection, roots: list[str]) -> tuple[str, ...]:
    if not roots:
        return ()
    affected = _with_descendants(connection, roots)
    ancestors = _ancestors(connection, affected)
    of_these = ((f"dependency.task IN {listed}", values) for listed, values in in_portions(ancestors))
    open_needs = _open_needs(connection, of_these)
    freed = []
    for listed, values in in_portions(affected):
        rows = connection.execute(
            f"SELECT uid, n, waits, status FROM task WHERE uid IN {listed} ORDER BY n", values
        ).fetchall()
        for uid, number, before, status in rows:
            after = _waits(uid, ancestors, open_needs)
            if after != before:
                connection.execute(
                    "UPDATE task SET waits = :waits WHERE uid = :uid", {"waits": after, "uid": uid}
                )
            if before and not after and status == "backlog":
                freed.append(task_id(number))
    return tuple(freed)


def wrong_counts(connection: Connection, workspace: str) -> list[tuple[str, int, int]]:
    """Return tasks whose kept number of waited-for tasks is wrong, each with the right one and that one.

    Only what may wait is looked at: what has a number, and what is or is part of something that needs others.
    """
    kept = dict(
        connection.execute(
            "SELECT uid, waits FROM task WHERE workspace = :id AND waits <> 0 ORDER BY n", {"id": workspace}
        ).fetchall()
    )
    open_needs = _open_needs(connection, [("other.workspace = :id", {"id": workspace})])
    waiting = list(dict.fromkeys([*kept, *_with_descendants(connection, list(open_needs))]))
    ancestors = _ancestors(connection, waiting)
    counted = ((uid, _waits(uid, ancestors, open_needs), kept.get(uid, 0)) for uid in waiting)
    return [(uid, found, number) for uid, found, number in counted if found != number]


def wrongly_needed(connection: Connection, workspace: str) -> list[str]:
    """Return tasks whose kept number of open tasks that need them is wrong."""
    rows = connection.execute(
        "SELECT task.uid FROM task LEFT JOIN (SELECT dependency.needs AS needed, count(*) AS number"
        " FROM dependency JOIN task other ON other.uid = dependency.task WHERE dependency.kind = 'blocks'"
        f" AND other.{_OPEN} GROUP BY dependency.needs) AS found ON found.needed = task.uid"
        " WHERE task.workspace = :id AND task.unblocks <> coalesce(found.number, 0)",
        {"id": workspace},
    )
    return [row[0] for row in rows]


def _waits(uid: str, ancestors: dict[str, str | None], open_needs: dict[str, list[str]]) -> int:
    return len({item for ancestor in _chain(uid, ancestors) for item in open_needs.get(ancestor, ())})


def _with_descendants(connection: Connection, roots: list[str]) -> list[str]:
    found, frontier = dict.fromkeys(roots), roots
    while frontier:
        below = rows_of(connection, "SELECT uid FROM task WHERE parent IN {}", frontier)
        frontier = [uid for (uid,) in below if uid not in found]
        found |= dict.fromkeys(frontier)
    return list(found)


def _ancestors(connection: Connection, uids: list[str]) -> dict[str, str | None]:
    """Return the parent of each task and of everything above it."""
    parents: dict[str, str | None] = {}
    frontier = uids
    while frontier:
        parents.update(rows_of(connection, "SELECT uid, parent FROM task WHERE uid IN {}", frontier))
        frontier = [parent for parent in parents.values() if parent is not None and parent not in parents]
    return parents


def _chain(uid: str, parents: dict[str, str | None]) -> Iterable[str]:
    current: str | None = uid
    while current is not None:
        yield current
        current = parents[current]


def _open_needs(
    connection: Connection, conditions: Iterable[tuple[str, Mapping[str, str]]]
) -> dict[str, list[str]]:
    """Return for tasks the unfinished ones that they need, found by one condition after the other."""
    found: dict[str, list[str]] = defaultdict(list)
    for condition, values in conditions:
        rows = connection.execute(
            "SELECT dependency.task, dependency.needs FROM dependency JOIN task other"
            f" ON other.uid = dependency.needs WHERE dependency.kind = 'blocks' AND other.{_OPEN}"
            f" AND {condition}",
            values,
        )
        for task, needed in rows:
            found[task].append(needed)
    return found
