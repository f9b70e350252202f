"""How issues on GitHub map to tasks.

- Status and priority are labels of an issue, such as `status-review` and `priority-high`. These labels and
  the label `taskpilot`, which marks our issues, are not labels of the task.
- A closed issue is done, or dropped if it was closed as not planned or as a duplicate.
- Criteria are a check list below the description. An invisible HTML comment names the task, so that after an
  interruption the issue is found again instead of being created twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.tasks.store.states import Priority, Status
from holdfast.tasks.trackers.foreign import ForeignCriterion, ForeignTask, priority_of, status_of
from holdfast.tasks.trackers.json_fields import item_id, object_list, text_field

_OUR_LABEL = "taskpilot"
_STATUS_LABEL = "status-"
_PRIORITY_LABEL = "priority-"
_MARKER = re.compile(r"\s*<!-- holdfast task: (?P<uid>[0-9A-Za-z-]{1,40}) -->\s*\Z")
_CRITERIA = re.compile(
    r"(?:\A|\n)## Acceptance criteria[ \t]*\r?\n+"  # the heading
    r"(?P<list>(?:[-*] \[[ xX]\] [^\n]*(?:\n|\Z))+)\s*\Z"  # check boxes up to the end of the text
)
_CHECK_BOX = re.compile(r"[-*] \[(?P<mark>[ xX])\] (?P<text>[^\r\n]*)")
_NOT_PLANNED = frozenset({"not_planned", "duplicate"})


def task_of(issue: Mapping[str, Any]) -> ForeignTask:
    """Return an issue as a task; `extra` has the uid of our task if the issue names one."""
    labels = [text_field(label, "name") for label in object_list(issue, "labels")]
    body, criteria, uid = _parse_body(text_field(issue, "body"))
    return ForeignTask(
        foreign_id=item_id(issue, "number"),
        title=text_field(issue, "title"),
        description=body,
        status=_status(issue, labels),
        priority=next(filter(None, map(_priority_of_label, labels)), "medium"),
        labels=tuple(label for label in labels if label and not _is_our_label(label)),
        criteria=criteria,
        url=text_field(issue, "html_url") or None,
        updated_at=text_field(issue, "updated_at") or None,
        extra={"uid": uid} if uid else {},
    )


def fields_of(task: ForeignTask, changed: Iterable[str] | None = None) -> dict[str, Any]:
    """Return the fields of an issue to send: for a new one (None) all, else those that the changes affect.

    A new issue is always open; GitHub accepts its state only in a second request.
    """
    names = {"title", "description", "status", "labels"} if changed is None else set(changed)
    sent: dict[str, Any] = {}
    if "title" in names:
        sent["title"] = task.title
    if names & {"description", "criteria"}:
        sent["body"] = body_of(task)
    if names & {"labels", "status", "priority"}:
        sent["labels"] = labels_of(task)
    if "status" in names and changed is not None:
        sent["state"] = "closed" if task.status in ("done", "dropped") else "open"
        if sent["state"] == "closed":
            sent["state_reason"] = "completed" if task.status == "done" else "not_planned"
    return sent


def labels_of(task: ForeignTask) -> list[str]:
    """Return the labels of an issue: the task's own, and those for its status and priority."""
    labels = [*task.labels, _OUR_LABEL, f"{_PRIORITY_LABEL}{task.priority}"]
    # The other states follow from whether the issue is open or closed.
    if task.status in ("in-progress", "blocked", "review"):
        labels.append(f"{_STATUS_LABEL}{task.status}")
    return labels


def body_of(task: ForeignTask) -> str:
    """Return the text of an issue: the description, the criteria as a check list, and the comment for us."""
    uid = task.extra.get("uid")
    boxes = [f"- [{'x' if item.checked else ' '}] {' '.join(item.text.split())}" for item in task.criteria]
    criteria = "\n".join(["## Acceptance criteria", *boxes]) if boxes else ""
    marker = f"<!-- holdfast task: {uid} -->" if uid else ""
    return "\n\n".join(filter(None, [task.description.strip(), criteria, marker]))


def _parse_body(body: str) -> tuple[str, tuple[ForeignCriterion, ...], str | None]:
    """Return the description, the criteria and the uid of our task in the text of an issue."""
    uid = None
    if marker := _MARKER.search(body):
        uid = marker["uid"]
        body = body[: marker.start()]
    section = _CRITERIA.search(body)
    if not section:
        return body.strip(), (), uid
    boxes = tuple(
        ForeignCriterion(box["text"], box["mark"] != " ") for box in _CHECK_BOX.finditer(section["list"])
    )
    return body[: section.start()].strip(), boxes, uid


def _status(issue: Mapping[str, Any], labels: Iterable[str]) -> Status:
    if text_field(issue, "state") == "closed":
        return "dropped" if text_field(issue, "state_reason") in _NOT_PLANNED else "done"
    status: Status | None = next(filter(None, map(_status_of_label, labels)), None)
    # An open issue is not finished, whatever an old label says.
    return status if status in ("in-progress", "blocked", "review") else "backlog"


def _status_of_label(label: str) -> Status | None:
    return status_of(label.removeprefix(_STATUS_LABEL)) if label.startswith(_STATUS_LABEL) else None


def _priority_of_label(label: str) -> Priority | None:
    return priority_of(label.removeprefix(_PRIORITY_LABEL)) if label.startswith(_PRIORITY_LABEL) else None


def _is_our_label(label: str) -> bool:
    return label == _OUR_LABEL or bool(_status_of_label(label) or _priority_of_label(label))
