"""Our side of a synchronisation: a task as an item, an item as a task, and changes applied here.

A tracker's changes pass the same gates and checks as every other change.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from holdfast.kernel.errors import Conflict, HoldfastError
from holdfast.kernel.text import shorten
from holdfast.tasks.errors import DoneGate
from holdfast.tasks.models import SHORT_TEXT_CHARACTERS, TEXT_CHARACTERS, TITLE_CHARACTERS
from holdfast.tasks.store import items, rows
from holdfast.tasks.store.records import Change, Draft, Task, TaskLink, Who
from holdfast.tasks.store.states import STATUSES, TRANSITIONS
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.trackers.foreign import ForeignCriterion, ForeignTask

_NOT_STORABLE = {0: None, **dict.fromkeys(range(0xD800, 0xE000), "\ufffd")}


@dataclass(frozen=True)
class FittedTask:
    """An item that fits into a task, and the fields that had to be truncated."""

    task: ForeignTask
    cut: tuple[str, ...] = ()


def fit(task: ForeignTask) -> FittedTask:
    """Return an item with texts that a task can store. A truncated field is never sent back."""
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
    labels = dict.fromkeys(label for text in task.labels if (label := single_line(text)))
    criteria = tuple(
        ForeignCriterion(text, item.checked)
        for item in task.criteria
        if (text := single_line(item.text, 1000))
    )
    whole = replace(
        task, title=title, description=description, labels=tuple(sorted(labels)), criteria=criteria,
        notes=storable(notes)[:TEXT_CHARACTERS], plan=storable(task.plan)[:TEXT_CHARACTERS],
    )  # fmt: skip
    return FittedTask(whole, tuple(cut))


def values_of(task: ForeignTask) -> dict[str, Any]:
    """Return the fields of an item that are synchronised."""
    return {
        "title": task.title,
        "description": task.description,
        "status": task.status,
        "priority": task.priority,
        "labels": sorted(task.labels),
    }


def seen_of(found: FittedTask) -> dict[str, Any]:
    """Return what is stored of an item as it is over there."""
    task = found.task
    checked = [item.text for item in task.criteria if item.checked]
    return {**values_of(task), "cut": list(found.cut), "checked": checked, "needs": list(task.depends_on)}


def ours(room: Tasks, uid: str, origin: str = "") -> tuple[Task, ForeignTask]:
    """Return a task of ours, and the same task as an item."""
    with room.reading() as transaction:
        task = rows.task_by_uid(transaction, uid)
        labels = items.labels_of(transaction, uid)
    return task, ForeignTask(
        origin=origin,
        title=task.title,
        description=task.description,
        status=task.status,
        priority=task.priority_name,
        labels=tuple(labels),
        criteria=tuple(ForeignCriterion(item["text"], item["checked"]) for item in json.loads(task.criteria)),
        kept={"uid": task.uid},
    )


def with_values(task: ForeignTask, values: Mapping[str, Any]) -> ForeignTask:
    """Return an item with other values of the synchronised fields."""
    given: dict[str, Any] = {
        name: tuple(value) if name == "labels" else value for name, value in values.items()
    }
    return replace(task, **given)


def draft_of(task: ForeignTask, link: TaskLink, key: str) -> Draft:
    """Return an item as a new task of ours; its state follows by ordinary transitions."""
    return Draft(
        title=task.title,
        description=task.description,
        priority=task.priority,
        ref=task.origin,
        labels=task.labels,
        criteria=[item.text for item in task.criteria],
        links=[link],
        milestone=single_line(task.milestone or "") or None,
        notes=task.notes or None,
        plan=task.plan or None,
        client_key=key,
    )


def storable(text: str) -> str:
    """Return a text without characters that a database cannot store."""
    return text.translate(_NOT_STORABLE)


def single_line(text: str, most: int = SHORT_TEXT_CHARACTERS) -> str:
    """Return a text as one line of at most `most` printable characters."""
    line = " ".join(storable(text).split())
    return "".join(letter for letter in line if letter.isprintable())[:most].strip()


def transitions(before: str, after: str) -> list[str]:
    """Return the shortest way from one state to another (breadth-first search), without the first."""
    ways: dict[str, list[str]] = {before: []}
    waiting = deque([before])
    while waiting:
        state = waiting.popleft()
        if state == after:
            break
        for following in (status for status in STATUSES if status in TRANSITIONS[state]):
            if following not in ways:
                ways[following] = [*ways[state], following]
                waiting.append(following)
    return ways[after]


def apply(room: Tasks, task: str, values: Mapping[str, Any], who: Who, reason: str) -> dict[str, str]:
    """Change a task, and return the reason for each field whose change was refused.

    A state is reached step by step, by the allowed transitions. What the gate or a claim refuses is not
    changed.
    """
    refused: dict[str, str] = {}
    plain = {name: value for name, value in values.items() if name not in ("status", "labels")}
    if "labels" in values:
        plain["labels"] = list(values["labels"])
    if plain:
        try:
            room.update(task, Change(set=plain, reason=reason), who)
        except HoldfastError as error:
            refused.update(dict.fromkeys(plain, error.message))
    if "status" in values and (why := move(room, task, values["status"], who, reason)):
        refused["status"] = why
    return refused


def move(room: Tasks, task: str, status: str, who: Who, reason: str) -> str | None:
    """Move a task to a state, and return why that was refused, if it was.

    A claimed task is left to its holder. A task that does not pass the gate waits in review.
    """
    found = room.get(task)
    holder = found.claimed_by(room.now())
    if holder is not None and found.status != status:
        return f"{found.id} is claimed by {holder}."
    try:
        for step in transitions(found.status, status):
            room.update(task, Change(set={"status": step}, reason=reason), who)
    except DoneGate as error:
        return _left_in_review(room, task, who, reason, error)
    except Conflict as error:
        return error.message
    return None


def _left_in_review(room: Tasks, task: str, who: Who, reason: str, error: DoneGate) -> str:
    if room.get(task).status == "in-progress":
        room.update(task, Change(set={"status": "review"}, reason=reason), who)
    return f"{error.message} It waits in review."
