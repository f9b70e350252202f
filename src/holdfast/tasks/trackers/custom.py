"""Any other service with items at one address.

Its interface: `GET base_url?since=…` returns a list of objects, or an object with such a list; `POST
base_url` creates one; `PATCH base_url/ID` changes fields of one. The last two return the object. Further
pages follow from the `Link` header. The settings map the names of fields: `{"fields": {"title": "summary"}}`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar
from urllib.parse import quote, urlsplit

from holdfast.storage.git.credentials import UsersConfiguration
from holdfast.tasks.trackers.foreign import ForeignTask, priority_of, status_of
from holdfast.tasks.trackers.service import ServiceProfile, ServiceTracker
from holdfast.tasks.trackers.three_way_merge import FIELDS
from holdfast.tasks.trackers.tracker import (
    Account,
    Mark,
    TrackerKind,
    changed_pages,
    item_id,
    items,
    text_field,
    text_table,
)

_NAMES = (*FIELDS, "id", "url", "updated_at")
_PROFILE = ServiceProfile("Custom", "Set HOLDFAST_REMOTE_TOKEN.")


def _authorization(settings: Mapping[str, Any], configuration: UsersConfiguration) -> dict[str, str]:
    """Return the authorization if a token is set; some services need none."""
    del settings
    token = configuration.variable("HOLDFAST_REMOTE_TOKEN")
    return {} if token is None else {"Authorization": f"Bearer {token}"}


class Custom(ServiceTracker):
    """The items at one address."""

    carries: ClassVar[frozenset[str]] = frozenset(FIELDS)

    def whoami(self) -> Account:
        """Return the address, after a request for the items."""
        self.service.get("", {"limit": 1}).json()
        host = self.service.client.origin.name
        return Account(
            "", urlsplit(self.service.client.base).path.strip("/") or host, self.service.client.base
        )

    def changed(self, mark: Mark) -> Iterator[ForeignTask]:
        """Yield the items that changed since the mark."""
        for page in changed_pages(self.service, mark, "", {"since": mark.since}):
            yield from mark.passing(map(self._task, items(page, self.settings.get("items"))))

    def create(self, task: ForeignTask) -> ForeignTask:
        """Create an item."""
        return self._task(self.service.send("POST", "", self._fields(task, FIELDS)))

    def change(self, origin: str, values: Mapping[str, Any], whole: ForeignTask) -> ForeignTask:
        """Change an item."""
        return self._task(
            self.service.send("PATCH", f"/{quote(origin, safe='')}", self._fields(whole, values))
        )

    def _fields(self, task: ForeignTask, names: Any) -> dict[str, Any]:
        names_for = {ours: theirs for theirs, ours in text_table(self.settings, "statuses").items()}
        given: dict[str, Any] = {
            "title": task.title,
            "description": task.description,
            "status": names_for.get(task.status, task.status),
            "priority": task.priority,
            "labels": list(task.labels),
        }
        return {self._name(name): given[name] for name in names if name in given}

    def _task(self, item: Mapping[str, Any]) -> ForeignTask:
        given = item if isinstance(item, dict) else {}
        found = {name: given.get(self._name(name)) for name in _NAMES}
        status = str(found["status"] or "")
        labels = found["labels"]
        return ForeignTask(
            origin=item_id(found, "id"),
            title=text_field(found, "title"),
            description=text_field(found, "description"),
            status=status_of(text_table(self.settings, "statuses").get(status, status)) or "backlog",
            priority=priority_of(str(found["priority"] or "")) or "medium",
            labels=tuple(map(str, labels)) if isinstance(labels, list) else (),
            url=text_field(found, "url") or None,
            updated_at=text_field(found, "updated_at") or None,
        )

    def _name(self, ours: str) -> str:
        return text_table(self.settings, "fields").get(ours, ours)


KIND = TrackerKind(
    "custom", _PROFILE, Custom, _authorization,
    needed=("base_url",), optional=("items", "fields", "statuses"), identifying=("base_url",),
)  # fmt: skip
