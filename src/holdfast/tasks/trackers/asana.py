"""Asana, through its REST interface. A task is done or not; sections and custom fields are left alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar
from urllib.parse import quote

from holdfast.tasks.trackers.foreign import ForeignTask
from holdfast.tasks.trackers.service import ServiceProfile, ServiceTracker
from holdfast.tasks.trackers.tracker import (
    Account,
    Mark,
    TrackerKind,
    by_token,
    item_id,
    items,
    object_field,
    object_list,
    text_field,
)

_ROOT = "/api/1.0"
_ASKED = "name,notes,completed,modified_at,permalink_url,tags.name"
_PAGE = 100
_PROFILE = ServiceProfile("Asana", "Set ASANA_ACCESS_TOKEN.")


class Asana(ServiceTracker):
    """One project in Asana."""

    carries: ClassVar[frozenset[str]] = frozenset({"title", "description", "status"})

    def whoami(self) -> Account:
        """Return our account, after a request that shows that it works."""
        account = text_field(object_field(self.service.get(f"{_ROOT}/users/me").json(), "data"), "name")
        address = f"{_ROOT}/projects/{quote(str(self.settings['project']), safe='')}"
        project = object_field(self.service.get(address).json(), "data")
        return Account(account, text_field(project, "name"), text_field(project, "permalink_url") or None)

    def changed(self, mark: Mark) -> Iterator[ForeignTask]:
        """Yield the tasks that changed since the mark."""
        query = {
            "project": self.settings["project"], "opt_fields": _ASKED, "limit": _PAGE,
            "modified_since": mark.since, "offset": None,
        }  # fmt: skip
        for _ in self.service.turns():
            page = self.service.get(f"{_ROOT}/tasks", query).json()
            yield from mark.passing(map(_task, items(page, "data")))
            query["offset"] = text_field(object_field(page, "next_page"), "offset") or None
            if query["offset"] is None:
                return

    def create(self, task: ForeignTask) -> ForeignTask:
        """Create a task in the project."""
        sent = {"projects": [self.settings["project"]], **_fields(task, self.carries)}
        return self._sent("POST", f"{_ROOT}/tasks", sent)

    def change(self, origin: str, values: Mapping[str, Any], whole: ForeignTask) -> ForeignTask:
        """Change a task."""
        return self._sent("PUT", f"{_ROOT}/tasks/{quote(origin, safe='')}", _fields(whole, values))

    def _sent(self, method: str, address: str, fields: Mapping[str, Any]) -> ForeignTask:
        made = self.service.send(method, f"{address}?opt_fields={_ASKED}", {"data": fields})
        return _task(object_field(made, "data"))


def _task(found: Mapping[str, Any]) -> ForeignTask:
    return ForeignTask(
        origin=item_id(found, "gid"),
        title=text_field(found, "name"),
        description=text_field(found, "notes"),
        status="done" if found.get("completed") is True else "backlog",
        labels=tuple(text_field(tag, "name") for tag in object_list(found, "tags")),
        url=text_field(found, "permalink_url") or None,
        updated_at=text_field(found, "modified_at") or None,
    )


def _fields(task: ForeignTask, names: Any) -> dict[str, Any]:
    given = {
        "title": ("name", task.title),
        "description": ("notes", task.description),
        "status": ("completed", task.status == "done"),
    }
    return dict(given[name] for name in names if name in given)


KIND = TrackerKind(
    "asana", _PROFILE, Asana, by_token(_PROFILE, "ASANA_ACCESS_TOKEN", "ASANA_TOKEN"),
    needed=("project",), optional=("base_url",), identifying=("project",), usual_address="https://app.asana.com",
)  # fmt: skip
