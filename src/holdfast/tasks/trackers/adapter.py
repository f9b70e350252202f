"""A task of ours in the words of a tracker, a tracker's item as a task of ours, and what does not fit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from holdfast.kernel.text import shorten
from holdfast.storage.sql.sql_store import Connection
from holdfast.tasks.models import TEXT_CHARACTERS, TITLE_CHARACTERS, WORD_CHARACTERS
from holdfast.tasks.store import rows
from holdfast.tasks.store.records import Draft, Link, Task
from holdfast.tasks.trackers.foreign import ForeignCriterion, ForeignTask

_NOT_STORABLE = {0: None, **dict.fromkeys(range(0xD800, 0xE000), "\ufffd")}


@dataclass(frozen=True)
class Fitted:
    """An item as it fits into a task, and the fields of which a part had to stay outside."""

    task: ForeignTask
    cut: tuple[str, ...] = ()


def fitted(task: ForeignTask) -> Fitted:
    """Return an item with texts that a task can hold. What was cut is never sent back as if it were whole."""
    title = " ".join(storable(task.title).split()) or f"({task.origin})"
    cut = []
    if len(title) > TITLE_CHARACTERS:
        cut.append("title")
        title = shorten(title, TITLE_CHARACTERS)
    description = storable(task.description)
    if len(description) > TEXT_CHARACTERS:
        cut.append("description")
        description = shorten(description, TEXT_CHARACTERS)
    notes = task.notes_with_the_kept() if "uid" not in task.kept else task.notes
    if "title" in cut:
        notes = "\n\n".join(filter(None, [f"Whole title: {storable(task.title)}", notes]))
    labels = dict.fromkeys(label for text in task.labels if (label := word(text)))
    criteria = tuple(
        ForeignCriterion(text, item.checked) for item in task.criteria if (text := word(item.text, 1000))
    )
    whole = replace(
        task, title=title, description=description, labels=tuple(sorted(labels)), criteria=criteria,
        notes=storable(notes)[:TEXT_CHARACTERS], plan=storable(task.plan)[:TEXT_CHARACTERS],
    )  # fmt: skip
    return Fitted(whole, tuple(cut))


def values_of(task: ForeignTask) -> dict[str, Any]:
    """Return the fields of an item that are kept in step."""
    return {
        "title": task.title,
        "description": task.description,
        "status": task.status,
        "priority": task.priority,
        "labels": sorted(task.labels),
    }


def seen_of(found: Fitted) -> dict[str, Any]:
    """Return what is remembered of an item as it is over there."""
    task = found.task
    checked = [item.text for item in task.criteria if item.checked]
    return {**values_of(task), "cut": list(found.cut), "checked": checked, "needs": list(task.depends_on)}


def as_foreign(connection: Connection, task: Task, origin: str) -> ForeignTask:
    """Return a task of ours as a tracker takes it."""
    return ForeignTask(
        origin=origin,
        title=task.title,
        description=task.description,
        status=task.status,
        priority=task.priority_name,
        labels=tuple(rows.labels_of(connection, task.uid)),
        criteria=tuple(ForeignCriterion(item["text"], item["checked"]) for item in json.loads(task.criteria)),
        kept={"uid": task.uid},
    )


def with_values(task: ForeignTask, values: Mapping[str, Any]) -> ForeignTask:
    """Return an item with other values of the fields that are kept in step."""
    given: dict[str, Any] = {
        name: tuple(value) if name == "labels" else value for name, value in values.items()
    }
    return replace(task, **given)


def draft_of(task: ForeignTask, link: Link, key: str) -> Draft:
    """Return an item as a new task of ours; its state comes afterwards, through the same doors as
    everybody's."""
    return Draft(
        title=task.title,
        description=task.description,
        priority=task.priority,
        ref=task.origin,
        labels=task.labels,
        criteria=[item.text for item in task.criteria],
        links=[link],
        milestone=word(task.milestone or "") or None,
        notes=task.notes or None,
        plan=task.plan or None,
        client_key=key,
    )


def storable(text: str) -> str:
    """Return a text without what no database keeps."""
    return text.translate(_NOT_STORABLE)


def word(text: str, most: int = WORD_CHARACTERS) -> str:
    """Return a text as one line of visible characters, not longer than `most`."""
    line = " ".join(storable(text).split())
    return "".join(letter for letter in line if letter.isprintable())[:most].strip()
