"""Converts between our tasks and items, which are tasks of another program (`ForeignTask`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from holdfast.kernel.text import shorten
from holdfast.tasks.models import MAX_SHORT_TEXT_CHARACTERS, MAX_TEXT_CHARACTERS, MAX_TITLE_CHARACTERS
from holdfast.tasks.store import items, rows
from holdfast.tasks.store.records import Draft, Task, TaskLink
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.trackers.foreign import ForeignCriterion, ForeignTask

_MAX_CRITERION_CHARACTERS = 1000
"""Longer than criteria from our own tools, as those of other programs may be paragraphs. A judgement."""
_NOT_STORABLE = {0: None, **dict.fromkeys(range(0xD800, 0xE000), "\ufffd")}
"""PostgreSQL stores no NUL, and UTF-8 cannot encode surrogates. The table is for `str.translate`."""


@dataclass(frozen=True)
class FittedTask:
    """An item within the limits of a task."""

    task: ForeignTask
    cut: tuple[str, ...] = ()
    """The names of the fields that were cut. They must not be sent back, as that would cut them there too."""


def fit_to_limits(task: ForeignTask) -> FittedTask:
    """Return an item with texts that a task can store."""
    title = " ".join(strip_unstorable(task.title).split()) or f"({task.foreign_id})"
    cut = []
    if len(title) > MAX_TITLE_CHARACTERS:
        cut.append("title")
        title = shorten(title, MAX_TITLE_CHARACTERS)
    description = strip_unstorable(task.description)
    if len(description) > MAX_TEXT_CHARACTERS:
        cut.append("description")
        description = shorten(description, MAX_TEXT_CHARACTERS)
    # The extra properties of an item with a uid are our own: it was created from one of our tasks.
    notes = task.notes if "uid" in task.extra else task.notes_with_extra()
    if "title" in cut:
        notes = "\n\n".join(filter(None, [f"Whole title: {strip_unstorable(task.title)}", notes]))
    labels = {single_line(text) for text in task.labels} - {""}
    criteria = [
        ForeignCriterion(single_line(item.text, _MAX_CRITERION_CHARACTERS), item.checked)
        for item in task.criteria
    ]
    fitted = replace(
        task,
        title=title,
        description=description,
        labels=tuple(sorted(labels)),
        criteria=tuple(item for item in criteria if item.text),
        notes=strip_unstorable(notes)[:MAX_TEXT_CHARACTERS],
        plan=strip_unstorable(task.plan)[:MAX_TEXT_CHARACTERS],
    )
    return FittedTask(fitted, tuple(cut))


def synced_values(task: ForeignTask) -> dict[str, Any]:
    """Return the fields of an item that are synchronised."""
    return {
        "title": task.title,
        "description": task.description,
        "status": task.status,
        "priority": task.priority,
        "labels": sorted(task.labels),
    }


def seen_values(fitted: FittedTask) -> dict[str, Any]:
    """Return what is stored of an item as last seen: its values, and what later runs compare besides."""
    task = fitted.task
    checked = [item.text for item in task.criteria if item.checked]
    return {
        **synced_values(task),
        "cut": list(fitted.cut),
        "checked": checked,
        "needs": list(task.depends_on),
    }


class OurTask(NamedTuple):
    """One of our tasks, as a record and as an item."""

    task: Task
    item: ForeignTask


def our_task(room: Tasks, uid: str, foreign_id: str = "") -> OurTask:
    """Return one of our tasks; `foreign_id` is empty while no tracker has an item for it."""
    with room.reading() as transaction:
        task = rows.task_by_uid(transaction, uid)
        labels = items.labels_of(transaction, uid)
    item = ForeignTask(
        foreign_id=foreign_id,
        title=task.title,
        description=task.description,
        status=task.status,
        priority=task.priority_name,
        labels=tuple(labels),
        criteria=tuple(
            ForeignCriterion(entry["text"], entry["checked"]) for entry in json.loads(task.criteria)
        ),
        extra={"uid": task.uid},
    )
    return OurTask(task, item)


def with_values(task: ForeignTask, values: Mapping[str, Any]) -> ForeignTask:
    """Return an item with other values of the synchronised fields, where labels are a list."""
    labels = tuple(values.get("labels", task.labels))
    return replace(task, **{**values, "labels": labels})


def draft_of(task: ForeignTask, link: TaskLink, key: str) -> Draft:
    """Return an item as a new task in the backlog; ordinary transitions then set its state."""
    return Draft(
        title=task.title,
        description=task.description,
        priority=task.priority,
        ref=task.foreign_id,
        labels=task.labels,
        criteria=[item.text for item in task.criteria],
        links=[link],
        milestone=single_line(task.milestone or "") or None,
        notes=task.notes or None,
        plan=task.plan or None,
        client_key=key,
    )


def strip_unstorable(text: str) -> str:
    """Return a text without characters that a database cannot store; U+FFFD replaces surrogates."""
    return text.translate(_NOT_STORABLE)


def single_line(text: str, maximum: int = MAX_SHORT_TEXT_CHARACTERS) -> str:
    """Return a text as one line of at most `maximum` printable characters."""
    line = " ".join(strip_unstorable(text).split())
    return "".join(character for character in line if character.isprintable())[:maximum].strip()
