"""A page of tasks, as data, as text and as a table for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from holdfast.kernel.text import one_line, table
from holdfast.tasks.models import Reported, TaskDetail, TaskRef
from holdfast.tasks.view.text import blockers_text, task_line


class TaskPage(Reported):
    """A page of tasks."""

    tasks: list[TaskRef]
    details: list[TaskDetail] | None = Field(default=None, description="Instead of `tasks`, if requested.")
    total: int = Field(description="How many tasks match in all.")
    next_cursor: str | None = Field(default=None, description="Pass it as `cursor` for the next page.")
    truncated: bool | None = Field(
        default=None, description="Set if the page was cut to keep the result short."
    )


def page_text(page: TaskPage) -> str:
    """Return one line for each task, and how to read on."""
    shown = page.details or page.tasks
    if not shown:
        return "No tasks." if not page.total else f"No more tasks; {page.total} in all."
    lines = [task_line(task) for task in shown]
    if page.next_cursor is not None:
        lines.append(f"{page.total} in all; more with the cursor {page.next_cursor}")
    return "\n".join(lines)


def page_table(page: TaskPage, width: int) -> str:
    """Return one row for each task; only titles, holders and blockers are cut to the width."""
    shown: Sequence[TaskRef] = page.details or page.tasks
    if not shown:
        return "No tasks match." if not page.total else f"No more tasks; {page.total} in all."
    lines = [table([_table_row(task) for task in shown], width, flexible=(3, 4))]
    if any(task.ready for task in shown):
        lines.append("\n* ready: not blocked, and not claimed")
    if page.next_cursor is not None:
        lines.append(f"\n{len(shown)} of {page.total}; the next page: --cursor {page.next_cursor}")
    return "\n".join(lines)


def _table_row(task: TaskRef) -> tuple[str, str, str, str, str]:
    state = f"{task.status}*" if task.ready else task.status
    held = f"held by {one_line(task.claimed_by)}" if task.claimed_by else ""
    waits = blockers_text(task.blocked_by) if task.blocked_by else ""
    return task.id, state, task.priority, one_line(task.title), held or waits
