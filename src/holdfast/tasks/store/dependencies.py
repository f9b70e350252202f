"""Dependencies between tasks: refuses cycles, and maintains the counts from which readiness follows.

A task waits for the unfinished tasks that it or one of its ancestors depends on (kind `blocks`). A change
that would make a task wait for itself, directly or indirectly, is refused, and the error names the cycle.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from holdfast.storage.sql.sql_store import Connection
from holdfast.tasks.errors import DependencyCycle
from holdfast.tasks.store.records import Task, task_id
from holdfast.tasks.store.rows import ids_of, task_by_uid
from holdfast.tasks.store.statements import in_list_batches, select_by_uids
from holdfast.tasks.store.states import IS_UNFINISHED

_SELECT_EDGES = (
    "SELECT task, needs FROM dependency WHERE kind = 'blocks' AND task IN {0}"
    " UNION ALL SELECT uid, parent FROM task WHERE parent IS NOT NULL AND uid IN {0}"
)
_COUNT_WAITS = (
    "WITH RECURSIVE line (uid, ancestor) AS (SELECT uid, uid FROM task WHERE uid IN {} UNION"
    " SELECT line.uid, task.parent FROM line JOIN task ON task.uid = line.ancestor"
    " WHERE task.parent IS NOT NULL)"
    " SELECT line.uid, count(DISTINCT other.uid) FROM line"
    " LEFT JOIN dependency ON dependency.task = line.ancestor AND dependency.kind = 'blocks'"
    f" LEFT JOIN task other ON other.uid = dependency.needs AND other.{IS_UNFINISHED} GROUP BY line.uid"
)
"""Counts what each task waits for; `line` is each of the tasks with itself and each of its ancestors."""


def refuse_cycles(connection: Connection, uids: Iterable[str]) -> None:
    """Raise if one of these tasks is on a cycle; the error names the shortest through the first."""
    starts = list(dict.fromkeys(uids))
    edges = _cyclic_part(_reachable(connection, starts))
    for uid in starts:
        cycle = _shortest_cycle(edges, uid)
        if cycle:
            ids = ids_of(connection, cycle)
            names = [ids[item] for item in cycle]
            raise DependencyCycle(
                f"These tasks would form a dependency cycle: {' → '.join(names)}.",
                hint="Leave out one of these dependencies, or make it a `related` one.",
                cycle=names,
            )


def refuse_parent_cycle(connection: Connection, task: Task) -> None:
    """Raise if a task is its own ancestor; the error names the cycle."""
    path, current = [task.uid], task.parent
    while current is not None and current not in path:
        path.append(current)
        current = task_by_uid(connection, current).parent
    if current is not None:
        ids = ids_of(connection, path)
        names = [*(ids[item] for item in path), ids[current]]
        raise DependencyCycle(
            f"{task.id} would be a subtask of itself: {' → '.join(names)}.",
            hint="Choose another parent.",
            cycle=names,
        )


def _reachable(connection: Connection, starts: list[str]) -> dict[str, list[str]]:
    """Return the edges reachable from these tasks, by breadth-first search.

    An edge leads from a task to one it waits for: a task it depends on, or its parent.
    """
    edges: dict[str, list[str]] = {}
    frontier = starts
    while frontier:
        edges |= {uid: [] for uid in frontier}
        for task, needed in select_by_uids(connection, _SELECT_EDGES, frontier):
            edges[task].append(needed)
        following = (needed for task in frontier for needed in edges[task])
        frontier = list(dict.fromkeys(uid for uid in following if uid not in edges))
    return edges


def _cyclic_part(edges: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the part of a graph that a topological sort cannot order: tasks on a cycle or leading to one."""
    sorter, ordered = TopologicalSorter(edges), set[str]()
    with suppress(CycleError):  # the sorter still yields the tasks that do not lead to a cycle
        sorter.prepare()
    while ready := sorter.get_ready():
        ordered.update(ready)
        sorter.done(*ready)
    return {
        task: [uid for uid in needed if uid not in ordered]
        for task, needed in edges.items()
        if task not in ordered
    }


def _shortest_cycle(edges: dict[str, list[str]], start: str) -> list[str]:
    """Return the shortest cycle through a task, by breadth-first search; empty if there is none."""
    came_from: dict[str, str] = {}
    frontier = [start] if start in edges else []
    while frontier:
        following: list[str] = []
        for task in frontier:
            for needed in edges[task]:
                if needed == start:
                    path = [start, task]
                    while path[-1] != start:
                        path.append(came_from[path[-1]])
                    return path[::-1]
                if needed not in came_from:
                    came_from[needed] = task
                    following.append(needed)
        frontier = following
    return []


def refresh_counts(
    connection: Connection, *, waiting: Iterable[str] = (), needed: Iterable[str] = ()
) -> tuple[str, ...]:
    """Recompute `waits` of the `waiting` tasks and their subtasks, and `unblocks` of the `needed` tasks.

    Returns the ids of the tasks that became ready.
    """
    unblocked = _refresh_waits(connection, list(dict.fromkeys(waiting)))
    for listed, values in in_list_batches(needed):
        connection.execute(
            "UPDATE task SET unblocks = (SELECT count(*) FROM dependency JOIN task other"
            " ON other.uid = dependency.task WHERE dependency.needs = task.uid AND dependency.kind = 'blocks'"
            f" AND other.{IS_UNFINISHED}) WHERE uid IN {listed}",
            values,
        )
    return unblocked


def _refresh_waits(connection: Connection, roots: list[str]) -> tuple[str, ...]:
    affected = _with_descendants(connection, roots)
    waits = dict(select_by_uids(connection, _COUNT_WAITS, affected))
    query = "SELECT uid, n, waits, status FROM task WHERE uid IN {} ORDER BY n"
    unblocked = []
    for uid, number, before, status in list(select_by_uids(connection, query, affected)):
        if waits[uid] != before:
            values = {"waits": waits[uid], "uid": uid}
            connection.execute("UPDATE task SET waits = :waits WHERE uid = :uid", values)
        if before and not waits[uid] and status == "backlog":
            unblocked.append(task_id(number))
    return tuple(unblocked)


class WrongCount(NamedTuple):
    """The uid of a task, and the correct and the stored value of its `waits`."""

    uid: str
    correct: int
    stored: int


def wrong_waits(connection: Connection, workspace: str) -> list[WrongCount]:
    """Return the tasks with a wrong `waits`.

    Only tasks that can be wrong are examined: those with a stored count above zero, and those that have open
    dependencies, themselves or through an ancestor.
    """
    by_workspace = {"id": workspace}
    query = "SELECT uid, waits FROM task WHERE workspace = :id AND waits <> 0 ORDER BY n"
    stored = dict(connection.execute(query, by_workspace).fetchall())
    dependents = connection.execute(
        "SELECT DISTINCT dependency.task FROM dependency JOIN task other ON other.uid = dependency.needs"
        f" WHERE dependency.kind = 'blocks' AND other.workspace = :id AND other.{IS_UNFINISHED}",
        by_workspace,
    )
    candidates = dict.fromkeys([*stored, *_with_descendants(connection, [uid for (uid,) in dependents])])
    waits = dict(select_by_uids(connection, _COUNT_WAITS, candidates))
    counts = (WrongCount(uid, waits[uid], stored.get(uid, 0)) for uid in candidates)
    return [count for count in counts if count.correct != count.stored]


def wrong_unblocks(connection: Connection, workspace: str) -> list[str]:
    """Return the uids of the tasks with a wrong `unblocks`."""
    rows = connection.execute(
        "SELECT task.uid FROM task LEFT JOIN (SELECT dependency.needs AS needed, count(*) AS number"
        " FROM dependency JOIN task other ON other.uid = dependency.task WHERE dependency.kind = 'blocks'"
        f" AND other.{IS_UNFINISHED} GROUP BY dependency.needs) AS found ON found.needed = task.uid"
        " WHERE task.workspace = :id AND task.unblocks <> coalesce(found.number, 0)",
        {"id": workspace},
    )
    return [row[0] for row in rows]


def _with_descendants(connection: Connection, roots: list[str]) -> list[str]:
    """Return tasks and all their subtasks, at any depth."""
    tasks, frontier = dict.fromkeys(roots), roots
    while frontier:
        subtasks = select_by_uids(connection, "SELECT uid FROM task WHERE parent IN {}", frontier)
        frontier = [uid for (uid,) in subtasks if uid not in tasks]
        tasks |= dict.fromkeys(frontier)
    return list(tasks)
