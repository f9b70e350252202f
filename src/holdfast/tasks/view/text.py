"""Results in words: short, and the same facts as the data.

Contract: stored text leaves here only through `one_line`, which also takes away what nobody can see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.kernel.text import one_line, shorten
from holdfast.tasks.store.states import MILESTONE

if TYPE_CHECKING:
    from holdfast.tasks.models import TaskRef

_LINES = 20
_NEEDS = 8


def task_words(task: TaskRef) -> str:
    """Return a task on one line."""
    state = task.status if not task.ready else f"{task.status}, ready"
    more = f"  (held by {one_line(task.claimed_by)})" if task.claimed_by else ""
    if task.blocked_by:
        more += f"  ({held_up_words(task.blocked_by)})"
    return f"{task.id}  [{state}, {task.priority}]  {shorten(one_line(task.title), 100, tidy=True)}{more}"


def held_up_words(blocked_by: list[str]) -> str:
    """Return what holds a task up."""
    needs = [name for name in blocked_by if not name.startswith(MILESTONE)]
    closed = [one_line(name) for name in blocked_by if name.startswith(MILESTONE)]
    more = f" and {len(needs) - _NEEDS} more" if len(needs) > _NEEDS else ""
    told = [f"needs {', '.join(needs[:_NEEDS])}{more}"] if needs else []
    return "; ".join(told + [f"{name} is closed" for name in closed])
