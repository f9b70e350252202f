"""When somebody looks at the tasks: the time, and which milestones are closed then.

A task may be taken when its row says so and its milestone is not closed. Milestones are kept elsewhere, and
asked for only where a task names one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from holdfast.storage.sql.sql_store import Connection
from holdfast.tasks.store.records import Task
from holdfast.tasks.store.states import FINISHED

ClosedAmong = Callable[[Collection[str]], frozenset[str]]
"""Returns those of the names that mean a closed milestone."""

_NAMED = "workspace = :workspace AND milestone IS NOT NULL AND status NOT IN ('done', 'dropped')"
_NAMES = (
    f"WITH RECURSIVE named (milestone) AS (SELECT min(milestone) FROM task WHERE {_NAMED} UNION ALL"  # noqa: S608
    f" SELECT (SELECT min(task.milestone) FROM task WHERE {_NAMED} AND task.milestone > named.milestone)"
    " FROM named WHERE named.milestone IS NOT NULL)"
    " SELECT milestone FROM named WHERE milestone IS NOT NULL"
)
"""Each name once, by as many looks into the index as there are names."""


def named_milestones(connection: Connection, workspace: str) -> list[str]:
    """Return the milestones that unfinished tasks name."""
    return [row[0] for row in connection.execute(_NAMES, {"workspace": workspace})]


@dataclass(frozen=True, slots=True)
class Watched:
    """What else than a write changes which tasks are ready: closing milestones, and claims that run out."""

    version: object = None
    milestones: Sequence[str] = ()
    leases: Sequence[float] = ()
    """When the claims end, in order."""

    def ended(self, at: float) -> int:
        """Return how many of the claims have ended at a moment."""
        return bisect_right(self.leases, at)


def watched(connection: Connection, workspace: str, version: object) -> Watched:
    """Return what to look out for while the store is as it is."""
    leases = connection.execute(
        "SELECT claim_expires FROM task WHERE workspace = :workspace AND claim_agent IS NOT NULL"
        " AND status = 'in-progress' ORDER BY claim_expires",
        {"workspace": workspace},
    )
    return Watched(version, named_milestones(connection, workspace), [row[0] for row in leases])


class Instant:
    """One moment, at which a milestone is either open or closed."""

    def __init__(self, at: float, closed_among: ClosedAmong) -> None:
        self.at = at
        self._closed_among = closed_among
        self._known: dict[str, bool] = {}

    def closed(self, names: Iterable[str | None]) -> frozenset[str]:
        """Return those of the names that mean a closed milestone."""
        wanted = {name for name in names if name is not None}
        unknown = wanted - self._known.keys()
        if unknown:
            found = self._closed_among(unknown)
            self._known |= {name: name in found for name in unknown}
        return frozenset(name for name in wanted if self._known[name])

    def closed_in(self, connection: Connection, workspace: str) -> frozenset[str]:
        """Return the closed ones of the milestones that unfinished tasks of a workspace name."""
        return self.closed(named_milestones(connection, workspace))

    def is_held_up(self, task: Task) -> bool:
        """Tell whether the milestone of an unfinished task is closed."""
        return task.status not in FINISHED and bool(self.closed([task.milestone]))

    def is_ready(self, task: Task) -> bool:
        """Tell whether somebody may take a task."""
        return task.is_ready(self.at) and not self.is_held_up(task)
