"""Keeping results within what a model can read: long texts are cut, long pages end early, and both say so."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.tasks.models import TaskDetail
from holdfast.tasks.words import cut

MOST_BYTES = 30_000
"""What the tasks of one result may take as JSON: about 8,000 tokens, with room for what is around them."""
MOST_CHARACTERS = 3_000
MOST_ITEMS = 20

_TEXTS = ("description", "notes", "plan")
_LISTS = (
    "subtasks",
    "depends_on",
    "blocks",
    "labels",
    "criteria",
    "evidence",
    "connected_files",
    "links",
    "attachments",
)


def shortened(task: TaskDetail) -> TaskDetail:
    """Return a task whose texts and lists are not too long; `truncated` says whether something is missing."""
    changes: dict[str, object] = {}
    for name in _TEXTS:
        text = getattr(task, name)
        if text is not None and len(text) > MOST_CHARACTERS:
            changes[name] = cut(text, MOST_CHARACTERS)
    for name in _LISTS:
        items = getattr(task, name)
        if items is not None and len(items) > MOST_ITEMS:
            changes[name] = items[:MOST_ITEMS]
    return task.model_copy(update={**changes, "truncated": True}) if changes else task


def fitting(tasks: Iterable[TaskDetail]) -> list[TaskDetail]:
    """Return as many of the tasks as one result may hold, in their order, and at least one."""
    shown: list[TaskDetail] = []
    left = MOST_BYTES
    for task in map(shortened, tasks):
        left -= len(task.model_dump_json(exclude_none=True).encode())
        if left < 0 and shown:
            break
        shown.append(task)
    return shown
