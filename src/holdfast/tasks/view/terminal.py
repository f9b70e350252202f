"""Tasks as a person at a terminal sees them: tables that fit.

Contract: stored text leaves here only through `one_line`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from holdfast.kernel.text import one_line, table
from holdfast.tasks.store.states import MILESTONE
from holdfast.tasks.view.text import held_up_words

if TYPE_CHECKING:
    from holdfast.tasks.looking import ShownTask
    from holdfast.tasks.models import TaskDetail, TaskRef


def listing_table(page: Any, width: int) -> str:
    """Return a page of tasks as a table, and how to see the rest."""
    shown: Sequence[TaskRef] = page.details or page.tasks
    if not shown:
        return "No tasks fit." if not page.total else f"No more tasks; {page.total} altogether."
    lines = [table([_row(task) for task in shown], width, flexible=(3, 4))]
    if page.next_cursor is not None:
        lines.append(f"\n{len(shown)} of {page.total}; the next page: --cursor {page.next_cursor}")
    return "\n".join(lines)


def _row(task: TaskRef) -> tuple[str, str, str, str, str]:
    state = f"{task.status}*" if task.ready else task.status
    held = f"held by {one_line(task.claimed_by)}" if task.claimed_by else ""
    waits = held_up_words(task.blocked_by) if task.blocked_by else ""
    return task.id, state, task.priority, one_line(task.title), held or waits


def task_table(shown: ShownTask, width: int) -> str:
    """Return one task, a line for each thing that is known about it."""
    task = shown.task
    facts = [(name, value) for name, value in _facts(task) if value]
    head = table([(task.id, one_line(task.title))], width, flexible=(1,))
    body = table([(f"  {name}", value) for name, value in facts], width, flexible=(1,))
    words = "\n".join(f"  {one_line(line)}" for line in task.description.splitlines())
    return "\n".join(part for part in (head, body, f"\n{words}" if words else "") if part)


def _milestone(task: TaskDetail) -> str:
    closed = any(name.startswith(MILESTONE) for name in task.blocked_by or [])
    return one_line(task.milestone or "") + (", closed" if closed else "")


def _facts(task: TaskDetail) -> list[tuple[str, str]]:
    state = f"{task.status}{', ready' if task.ready else ''}, {task.priority}, {task.progress} %"
    criteria = [f"[{'x' if item.checked else ' '}] {one_line(item.text)}" for item in task.criteria or []]
    return [
        ("state", f"{state}, version {task.version}"),
        ("held by", one_line(task.claimed_by or "")),
        ("needs", ", ".join(f"{item.id} ({item.status})" for item in task.depends_on or [])),
        ("needed by", ", ".join(task.blocks or [])),
        ("parent", task.parent_id or ""),
        ("milestone", _milestone(task)),
        ("labels", ", ".join(one_line(label) for label in task.labels or [])),
        ("files", ", ".join(one_line(item.path) for item in task.connected_files or [])),
        ("links", ", ".join(one_line(f"{item.kind} {item.ref}") for item in task.links or [])),
        ("attached", ", ".join(one_line(item.name) for item in task.attachments or [])),
        *(("criteria" if number == 0 else "", text) for number, text in enumerate(criteria)),
        ("notes", one_line(task.notes or "")),
    ]
