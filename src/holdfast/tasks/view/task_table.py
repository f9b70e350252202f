"""One task as a table for the terminal."""

from __future__ import annotations

from holdfast.kernel.text import one_line, table
from holdfast.tasks.models import TaskDetail
from holdfast.tasks.store.states import MILESTONE_PREFIX


def task_table(task: TaskDetail, width: int) -> str:
    """Return one task as a table, one line per field."""
    fields = [(name, value) for name, value in _fields(task) if value]
    head = table([(task.id, one_line(task.title))], width, flexible=(1,))
    body = table([(f"  {name}", value) for name, value in fields], width, flexible=(1,))
    text = "\n".join(f"  {one_line(line)}" for line in task.description.splitlines())
    return "\n".join(part for part in (head, body, f"\n{text}" if text else "") if part)


def _milestone(task: TaskDetail) -> str:
    is_closed = any(name.startswith(MILESTONE_PREFIX) for name in task.blocked_by or [])
    return one_line(task.milestone or "") + (", closed" if is_closed else "")


def _fields(task: TaskDetail) -> list[tuple[str, str]]:
    """Return the names and values of all lines, including empty ones."""
    state = f"{task.status}{', ready' if task.ready else ''}, {task.priority}, {task.progress} %"
    criteria = [f"[{'x' if item.checked else ' '}] {one_line(item.text)}" for item in task.criteria or []]
    dependencies = task.depends_on or []
    return [
        ("state", f"{state}, version {task.version}"),
        ("held by", one_line(task.claimed_by or "")),
        ("needs", ", ".join(f"{item.id} ({item.status})" for item in dependencies if item.kind == "blocks")),
        ("related", ", ".join(f"{item.kind} {item.id}" for item in dependencies if item.kind != "blocks")),
        ("needed by", ", ".join(task.blocks or [])),
        ("parent", task.parent_id or ""),
        ("subtasks", ", ".join(f"{item.id} ({item.status})" for item in task.subtasks or [])),
        ("milestone", _milestone(task)),
        ("labels", ", ".join(one_line(label) for label in task.labels or [])),
        ("files", ", ".join(one_line(item.path) for item in task.connected_files or [])),
        ("links", ", ".join(one_line(f"{item.kind} {item.ref}") for item in task.links or [])),
        ("attached", ", ".join(one_line(item.name) for item in task.attachments or [])),
        *(("criteria" if number == 0 else "", text) for number, text in enumerate(criteria)),
        ("evidence", ", ".join(one_line(f"{item.kind} {item.ref}") for item in task.evidence or [])),
        ("plan", one_line(task.plan or "")),
        ("notes", one_line(task.notes or "")),
    ]
