"""The tracker `asana`: the tasks of a project in Asana, through its REST API.

A task there is either done or not. Sections and custom fields are neither read nor changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar
from urllib.parse import quote

from holdfast.tasks.trackers.foreign import ForeignTask
from holdfast.tasks.trackers.json_fields import item_id, object_field, object_list, required_list, text_field
from holdfast.tasks.trackers.service import ServiceProfile
from holdfast.tasks.trackers.tracker import (
    Account,
    ServiceTracker,
    SyncCursor,
    TrackerKind,
    token_authorization,
)

_API_ROOT = "/api/1.0"
_REQUESTED_FIELDS = "name,notes,completed,modified_at,permalink_url,tags.name"
_TASKS_PER_PAGE = 100
"""The maximum that Asana allows (https://developers.asana.com/docs/pagination)."""
_PROFILE = ServiceProfile("Asana", "Set ASANA_ACCESS_TOKEN.")


class Asana(ServiceTracker):
    """One project in Asana."""

    synced_fields: ClassVar[frozenset[str]] = frozenset({"title", "description", "status"})

    def whoami(self) -> Account:
        account = text_field(object_field(self.service.get(f"{_API_ROOT}/users/me").json(), "data"), "name")
        address = f"{_API_ROOT}/projects/{quote(str(self.settings['project']), safe='')}"
        project = object_field(self.service.get(address).json(), "data")
        return Account(account, text_field(project, "name"), text_field(project, "permalink_url") or None)

    def changed_since(self, cursor: SyncCursor) -> Iterator[ForeignTask]:
        query = {
            "project": self.settings["project"], "opt_fields": _REQUESTED_FIELDS, "limit": _TASKS_PER_PAGE,
            "modified_since": cursor.since, "offset": None,
        }  # fmt: skip
        for _ in self.service.page_numbers():
            page = self.service.get(f"{_API_ROOT}/tasks", query).json()
            yield from cursor.advance_over(map(task_of, required_list(page, "data")))
            query["offset"] = text_field(object_field(page, "next_page"), "offset") or None
            if query["offset"] is None:
                return

    def create(self, task: ForeignTask) -> ForeignTask:
        sent = {"projects": [self.settings["project"]], **_fields(task, self.synced_fields)}
        return self._send("POST", f"{_API_ROOT}/tasks", sent)

    def change(self, foreign_id: str, values: Mapping[str, Any], whole: ForeignTask) -> ForeignTask:
        return self._send("PUT", f"{_API_ROOT}/tasks/{quote(foreign_id, safe='')}", _fields(whole, values))

    def _send(self, method: str, address: str, fields: Mapping[str, Any]) -> ForeignTask:
        answer = self.service.send(method, f"{address}?opt_fields={_REQUESTED_FIELDS}", {"data": fields})
        return task_of(object_field(answer, "data"))


def task_of(task: Mapping[str, Any]) -> ForeignTask:
    """Return a task as Asana describes it."""
    return ForeignTask(
        foreign_id=item_id(task, "gid"),
        title=text_field(task, "name"),
        description=text_field(task, "notes"),
        status="done" if task.get("completed") is True else "backlog",
        labels=tuple(text_field(tag, "name") for tag in object_list(task, "tags")),
        url=text_field(task, "permalink_url") or None,
        updated_at=text_field(task, "modified_at") or None,
    )


def _fields(task: ForeignTask, names: Any) -> dict[str, Any]:
    """Return the named fields of a task by Asana's names."""
    fields = {
        "title": ("name", task.title),
        "description": ("notes", task.description),
        "status": ("completed", task.status == "done"),
    }
    return dict(fields[name] for name in names if name in fields)


KIND = TrackerKind(
    "asana", _PROFILE, Asana, token_authorization(_PROFILE, "ASANA_ACCESS_TOKEN", "ASANA_TOKEN"),
    required_settings=("project",), optional_settings=("base_url",), identifying_settings=("project",), default_address="https://app.asana.com",
)  # fmt: skip
