"""Results in words: short, and the same facts as the data.

Contract: stored text leaves here only through `one_line`, which also takes away what nobody can see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.kernel.columns import one_line

if TYPE_CHECKING:
    from holdfast.tasks.models import TaskRef


def task_words(task: TaskRef) -> str:
    """Return a task on one line."""
    state = task.status if not task.ready else f"{task.status}, ready"
    more = f"  (held by {one_line(task.claimed_by)})" if task.claimed_by else ""
    if task.blocked_by:
        more += f"  (needs {', '.join(task.blocked_by)})"
    return f"{task.id}  [{state}, {task.priority}]  {one_line(task.title)}{more}"


def listing_words(page: Any) -> str:
    """Return a page of tasks, one on each line."""
    shown = page.details or page.tasks
    if not shown:
        return "No tasks." if not page.total else f"No more tasks; {page.total} altogether."
    lines = [task_words(task) for task in shown]
    if page.next_cursor is not None:
        lines.append(f"{page.total} altogether; more with the cursor {page.next_cursor}")
    return "\n".join(lines)
