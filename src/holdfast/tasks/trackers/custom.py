"""The tracker `custom`: any service that offers its items as JSON at one address.

What the service must offer: `GET base_url?since=…` returns a list of objects, or an object with such a list;
`POST base_url` creates an object; `PATCH base_url/ID` changes fields of one. `POST` and `PATCH` return the
object. The `Link` header leads to further pages.

Without settings, the service is expected to use our names. Otherwise `fields` gives its name for each of our
fields, `statuses` our status for each of its own, and `items` the name of the list in the object that `GET`
returns: `{"fields": {"title": "summary"}, "statuses": {"Shipped": "done"}, "items": "issues"}`. An unknown
status reads as backlog, an unknown priority as medium.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, ClassVar
from urllib.parse import quote, urlsplit

from holdfast.storage.git.credentials import UsersConfiguration
from holdfast.tasks.trackers.foreign import ForeignTask, priority_of, status_of
from holdfast.tasks.trackers.json_fields import item_id, required_list, text_field
from holdfast.tasks.trackers.service import ServiceProfile
from holdfast.tasks.trackers.settings import text_table
from holdfast.tasks.trackers.three_way_merge import FIELDS
from holdfast.tasks.trackers.tracker import Account, ServiceTracker, SyncCursor, TrackerKind, changed_pages

_FIELD_NAMES = (*FIELDS, "id", "url", "updated_at")
"""Our names of the fields that are read."""
_PROFILE = ServiceProfile("Custom", "Set HOLDFAST_REMOTE_TOKEN.")


def _authorization(_settings: Mapping[str, Any], configuration: UsersConfiguration) -> dict[str, str]:
    """Return the header with the token, or no header without one: some services need no token."""
    token = configuration.variable("HOLDFAST_REMOTE_TOKEN")
    return {} if token is None else {"Authorization": f"Bearer {token}"}


class CustomTracker(ServiceTracker):
    """The items at one address of a service that we do not know."""

    synced_fields: ClassVar[frozenset[str]] = frozenset(FIELDS)

    def whoami(self) -> Account:
        """Request the items to test the connection, and return the address in place of an account."""
        self.service.get("", {"limit": 1}).json()
        host = self.service.client.origin.name
        project = urlsplit(self.service.client.base).path.strip("/") or host
        return Account("", project, self.service.client.base)

    def changed_since(self, cursor: SyncCursor) -> Iterator[ForeignTask]:
        for page in changed_pages(self.service, cursor, "", {"since": cursor.since}):
            yield from cursor.advance_over(map(self._task, required_list(page, self.settings.get("items"))))

    def create(self, task: ForeignTask) -> ForeignTask:
        return self._task(self.service.send("POST", "", self._fields(task, FIELDS)))

    def change(self, foreign_id: str, values: Mapping[str, Any], whole: ForeignTask) -> ForeignTask:
        return self._task(
            self.service.send("PATCH", f"/{quote(foreign_id, safe='')}", self._fields(whole, values))
        )

    def _fields(self, task: ForeignTask, names: Collection[str]) -> dict[str, Any]:
        """Return the named fields of a task by the service's names."""
        # If several of its statuses have the same meaning for us, the last one is sent.
        foreign_statuses = {ours: theirs for theirs, ours in text_table(self.settings, "statuses").items()}
        fields: dict[str, Any] = {
            "title": task.title,
            "description": task.description,
            "status": foreign_statuses.get(task.status, task.status),
            "priority": task.priority,
            "labels": list(task.labels),
        }
        return {self._foreign_name(name): fields[name] for name in names if name in fields}

    def _task(self, item: object) -> ForeignTask:
        """Return an item as a task; only its id is required."""
        foreign_fields = item if isinstance(item, dict) else {}
        fields = {name: foreign_fields.get(self._foreign_name(name)) for name in _FIELD_NAMES}
        status = str(fields["status"] or "")
        labels = fields["labels"]
        return ForeignTask(
            foreign_id=item_id(fields, "id"),
            title=text_field(fields, "title"),
            description=text_field(fields, "description"),
            status=status_of(text_table(self.settings, "statuses").get(status, status)) or "backlog",
            priority=priority_of(str(fields["priority"] or "")) or "medium",
            labels=tuple(map(str, labels)) if isinstance(labels, list) else (),
            url=text_field(fields, "url") or None,
            updated_at=text_field(fields, "updated_at") or None,
        )

    def _foreign_name(self, ours: str) -> str:
        return text_table(self.settings, "fields").get(ours, ours)


KIND = TrackerKind(
    "custom", _PROFILE, CustomTracker, _authorization,
    required_settings=("base_url",), optional_settings=("items", "fields", "statuses"),
    identifying_settings=("base_url",),
)  # fmt: skip
