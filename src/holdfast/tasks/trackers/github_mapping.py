"""An issue on GitHub and a task of ours, each in the other's words.

- `priority-high`, `status-review` and `taskpilot` are our labels over there; they are not labels of the task.
- A closed issue is done, or dropped when it was closed as not planned or as a duplicate.
- Criteria travel as a check list below the description. A line nobody sees names the task, so that an issue
  whose making was interrupted is found again instead of being made twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.tasks.trackers.foreign import (
    ForeignCriterion,
    ForeignPriority,
    ForeignStatus,
    ForeignTask,
    priority_of,
    status_of,
)
from holdfast.tasks.trackers.tracker import identity, parts, words

OUR_LABEL = "taskpilot"
_STATUS_LABEL, _PRIORITY_LABEL = "status-", "priority-"
_MARKER = re.compile(r"\s*<!-- holdfast task: (?P<uid>[0-9A-Za-z-]{1,40}) -->\s*\Z")
_CRITERIA = re.compile(
    r"(?:\A|\n)## Acceptance criteria[ \t]*\r?\n+(?P<list>(?:[-*] \[[ xX]\] [^\n]*(?:\n|\Z))+)\s*\Z"
)
_BOX = re.compile(r"[-*] \[(?P<mark>[ xX])\] (?P<text>[^\r\n]*)")
_NOT_PLANNED = frozenset({"not_planned", "duplicate"})


def task_of(issue: Mapping[str, Any]) -> ForeignTask:
    """Return an issue as a task."""
    labels = [words(label, "name") for label in parts(issue, "labels")]
    body, criteria, uid = _body_parts(words(issue, "body"))
    return ForeignTask(
        origin=identity(issue, "number"),
        title=words(issue, "title"),
        description=body,
        status=_status(issue, labels),
        priority=_priority(labels),
        labels=tuple(label for label in labels if label and not _is_ours(label)),
        criteria=criteria,
        url=words(issue, "html_url") or None,
        updated_at=words(issue, "updated_at") or None,
        kept={"uid": uid} if uid else {},
    )


def fields_of(task: ForeignTask, uid: str | None, changed: Iterable[str] | None = None) -> dict[str, Any]:
    """Return what to send for a task: everything, or what the changed fields touch."""
    names = set(changed) if changed is not None else {"title", "description", "status", "labels"}
    sent: dict[str, Any] = {}
    if "title" in names:
        sent["title"] = task.title
    if names & {"description", "criteria"}:
        sent["body"] = body_of(task, uid)
    if names & {"labels", "status", "priority"}:
        sent["labels"] = labels_of(task)
    if "status" in names and changed is not None:
        sent["state"] = "closed" if task.status in ("done", "dropped") else "open"
        if sent["state"] == "closed":
            sent["state_reason"] = "completed" if task.status == "done" else "not_planned"
    return sent


def labels_of(task: ForeignTask) -> list[str]:
    """Return the labels that an issue for this task has."""
    own = [*task.labels, OUR_LABEL, f"{_PRIORITY_LABEL}{task.priority}"]
    finished = task.status in ("done", "dropped", "backlog")
    return own if finished else [*own, f"{_STATUS_LABEL}{task.status}"]


def body_of(task: ForeignTask, uid: str | None) -> str:
    """Return the text of an issue for this task."""
    boxes = [f"- [{'x' if item.checked else ' '}] {' '.join(item.text.split())}" for item in task.criteria]
    criteria = "\n".join(["## Acceptance criteria", *boxes]) if boxes else ""
    marker = f"<!-- holdfast task: {uid} -->" if uid else ""
    return "\n\n".join(filter(None, [task.description.strip(), criteria, marker]))


def _body_parts(body: str) -> tuple[str, tuple[ForeignCriterion, ...], str | None]:
    marker = _MARKER.search(body)
    if marker:
        body = body[: marker.start()]
    found = _CRITERIA.search(body)
    if not found:
        return body.strip(), (), marker["uid"] if marker else None
    boxes = tuple(ForeignCriterion(box["text"], box["mark"] != " ") for box in _BOX.finditer(found["list"]))
    return body[: found.start()].strip(), boxes, marker["uid"] if marker else None


def _status(issue: Mapping[str, Any], labels: Iterable[str]) -> ForeignStatus:
    if words(issue, "state") == "closed":
        return "dropped" if words(issue, "state_reason") in _NOT_PLANNED else "done"
    named = (label.removeprefix(_STATUS_LABEL) for label in labels if label.startswith(_STATUS_LABEL))
    status = next((found for name in named if (found := status_of(name))), None)
    # Open is open, whatever a label that was left behind says.
    return status if status in ("in-progress", "blocked", "review") else "backlog"


def _priority(labels: Iterable[str]) -> ForeignPriority:
    named = (label.removeprefix(_PRIORITY_LABEL) for label in labels if label.startswith(_PRIORITY_LABEL))
    return next((found for name in named if (found := priority_of(name))), "medium")


def _is_ours(label: str) -> bool:
    if label == OUR_LABEL:
        return True
    status, priority = label.removeprefix(_STATUS_LABEL), label.removeprefix(_PRIORITY_LABEL)
    return (status != label and status_of(status) is not None) or (
        priority != label and priority_of(priority) is not None
    )
