"""Text for tasks: short, with the same facts as the data.

Contract: stored text is output only through `one_line`, which also removes invisible characters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.kernel.text import one_line, shorten
from holdfast.tasks.store.states import MILESTONE

if TYPE_CHECKING:
    from holdfast.tasks.models import TaskRef

MAX_LINES = 20
_MAX_BLOCKERS = 8


def task_line(task: TaskRef) -> str:
    """Return a task on one line."""
    state = task.status if not task.ready else f"{task.status}, ready"
    more = f"  (held by {one_line(task.claimed_by)})" if task.claimed_by else ""
    if task.blocked_by:
        more += f"  ({blockers_text(task.blocked_by)})"
    return f"{task.id}  [{state}, {task.priority}]  {shorten(one_line(task.title), 100, tidy=True)}{more}"


def blockers_text(blocked_by: list[str]) -> str:
    """Return what blocks a task."""
    needs = [name for name in blocked_by if not name.startswith(MILESTONE)]
    closed = [one_line(name) for name in blocked_by if name.startswith(MILESTONE)]
    more = f" and {len(needs) - _MAX_BLOCKERS} more" if len(needs) > _MAX_BLOCKERS else ""
    open_tasks = [f"needs {', '.join(needs[:_MAX_BLOCKERS])}{more}"] if needs else []
    return "; ".join(open_tasks + [f"{name} is closed" for name in closed])
