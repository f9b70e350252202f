"""Our side of a synchronisation or import: converts between tasks and items, and applies changes to tasks.

An item is a task of another program, a `ForeignTask`. Its changes pass the same done gate and the same checks
as every other change.
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
from holdfast.tasks.models import MAX_SHORT_TEXT_CHARACTERS, MAX_TEXT_CHARACTERS, MAX_TITLE_CHARACTERS
from holdfast.tasks.store import items, rows
from holdfast.tasks.store.records import CallerIdentity, Change, Draft, Task, TaskLink
from holdfast.tasks.store.states import STATUSES, TRANSITIONS
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


def our_task(room: Tasks, uid: str, foreign_id: str = "") -> tuple[Task, ForeignTask]:
    """Return one of our tasks as a record and as an item, whose id is empty while it has none."""
    with room.reading() as transaction:
        task = rows.task_by_uid(transaction, uid)
        labels = items.labels_of(transaction, uid)
    return task, ForeignTask(
        foreign_id=foreign_id,
        title=task.title,
        description=task.description,
        status=task.status,
        priority=task.priority_name,
        labels=tuple(labels),
        criteria=tuple(ForeignCriterion(item["text"], item["checked"]) for item in json.loads(task.criteria)),
        extra={"uid": task.uid},
    )


def with_values(task: ForeignTask, values: Mapping[str, Any]) -> ForeignTask:
    """Return an item with other values of the synchronised fields."""
    return replace(task, **{**values, "labels": tuple(values.get("labels", task.labels))})


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


def transition_path(before: str, after: str) -> list[str]:
    """Return the states on the shortest path from one state to another, by breadth-first search.

    The path does not include the state it starts from.
    """
    paths: dict[str, list[str]] = {before: []}
    queue = deque([before])
    while queue:
        state = queue.popleft()
        if state == after:
            break
        for following in (status for status in STATUSES if status in TRANSITIONS[state]):
            if following not in paths:
                paths[following] = [*paths[state], following]
                queue.append(following)
    return paths[after]


def apply_values(
    room: Tasks, task: str, values: Mapping[str, Any], who: CallerIdentity, reason: str
) -> dict[str, str]:
    """Set fields of a task; return each field whose change was refused, with the reason.

    The state changes by allowed transitions only. The done gate or a claim can refuse it.
    """
    refused: dict[str, str] = {}
    fields = {name: value for name, value in values.items() if name != "status"}
    if fields:
        try:
            room.update(task, Change(set=fields, reason=reason), who)
        except HoldfastError as error:
            refused.update(dict.fromkeys(fields, error.message))
    if "status" in values:
        refusal = move_to_status(room, task, values["status"], who, reason)
        if refusal is not None:
            refused["status"] = refusal
    return refused


def move_to_status(room: Tasks, task: str, status: str, who: CallerIdentity, reason: str) -> str | None:
    """Move a task to a state; return the reason if that was refused.

    A claimed task is not moved. One that does not meet the done gate waits in review.
    """
    current = room.get(task)
    holder = current.claimed_by(room.now())
    if holder is not None and current.status != status:
        return f"{current.id} is claimed by {holder}."
    try:
        for step in transition_path(current.status, status):
            room.update(task, Change(set={"status": step}, reason=reason), who)
    except DoneGate as error:
        return _leave_in_review(room, task, who, reason, error)
    except Conflict as error:
        return error.message
    return None


def _leave_in_review(room: Tasks, task: str, who: CallerIdentity, reason: str, error: DoneGate) -> str:
    """Move a task that the done gate refused to review; return the reason of the refusal."""
    if room.get(task).status == "in-progress":
        room.update(task, Change(set={"status": "review"}, reason=reason), who)
    return f"{error.message} It waits in review."
