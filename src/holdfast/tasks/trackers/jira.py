"""The tracker `jira`: the issues of a Jira project, in the cloud or self-hosted.

It uses version 2 of the REST API, in which texts are plain; version 3 has a document format of its own.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar
from urllib.parse import quote

from holdfast.kernel.errors import Conflict
from holdfast.storage.git.credentials import UsersConfiguration
from holdfast.tasks.store.states import Status
from holdfast.tasks.trackers.foreign import ForeignTask, priority_of, status_of
from holdfast.tasks.trackers.json_fields import item_id, object_field, object_list, required_list, text_field
from holdfast.tasks.trackers.service import ServiceProfile
from holdfast.tasks.trackers.three_way_merge import FIELDS
from holdfast.tasks.trackers.tracker import Account, ServiceTracker, SyncCursor, TrackerKind, read_token

_ISSUES_PER_PAGE = 100
"""A page size that Jira in the cloud and self-hosted Jira both accept; either may return fewer."""
_REQUESTED_FIELDS = "summary,description,status,priority,labels,updated,resolution"
_PRIORITY_NAMES = {"high": "High", "medium": "Medium", "low": "Low"}
_PROFILE = ServiceProfile("Jira", "Set JIRA_TOKEN; for the cloud also name your email in the config.")


def _authorization(settings: Mapping[str, Any], configuration: UsersConfiguration) -> dict[str, str]:
    """Return the header for authorization: email and token in the cloud, a token alone elsewhere."""
    token = read_token(configuration, _PROFILE, "JIRA_TOKEN", "JIRA_API_TOKEN")
    if email := settings.get("email"):
        return {"Authorization": f"Basic {base64.b64encode(f'{email}:{token}'.encode()).decode()}"}
    return {"Authorization": f"Bearer {token}"}


class Jira(ServiceTracker):
    """One project in Jira."""

    synced_fields: ClassVar[frozenset[str]] = frozenset(FIELDS)

    def whoami(self) -> Account:
        account = text_field(self.service.get("/rest/api/2/myself").json(), "displayName", "name")
        project = self.service.get(f"/rest/api/2/project/{quote(self._project, safe='')}").json()
        address = f"{self.service.client.base}/browse/{self._project}"
        return Account(account, text_field(project, "name") or self._project, address)

    def changed_since(self, cursor: SyncCursor) -> Iterator[ForeignTask]:
        jql = f'project = "{_escape_jql(self._project)}"'
        if cursor.since is not None:
            jql += f' AND updated >= "{cursor.since[:16].replace("T", " ")}"'  # JQL compares minutes
        return cursor.advance_over(map(self._task, self._search(f"{jql} ORDER BY updated ASC")))

    def create(self, task: ForeignTask) -> ForeignTask:
        """Create an issue, and move it to the state of the task."""
        kind = self.settings.get("issue_type", "Task")
        fields = {"project": {"key": self._project}, "issuetype": {"name": kind}, **_fields(task, FIELDS)}
        made = self.service.send("POST", "/rest/api/2/issue", {"fields": fields})
        foreign_id = item_id(made, "key")
        if task.status != "backlog":
            self._move(foreign_id, task.status)
        return self._issue(foreign_id)

    def change(self, foreign_id: str, values: Mapping[str, Any], whole: ForeignTask) -> ForeignTask:
        """Change an issue; its state changes by the transitions of its workflow."""
        if fields := _fields(whole, values):
            self.service.send("PUT", f"/rest/api/2/issue/{quote(foreign_id, safe='')}", {"fields": fields})
        if "status" in values:
            self._move(foreign_id, whole.status)
        return self._issue(foreign_id)

    def _search(self, jql: str) -> Iterator[dict[str, Any]]:
        """Yield the issues that a JQL query finds; Jira in the cloud pages by token, others by offset."""
        is_cloud = "email" in self.settings
        address = "/rest/api/2/search/jql" if is_cloud else "/rest/api/2/search"
        query: dict[str, Any] = {"jql": jql, "fields": _REQUESTED_FIELDS, "maxResults": _ISSUES_PER_PAGE}
        for _ in self.service.page_numbers():
            page = self.service.get(address, query).json()
            issues = required_list(page, "issues")
            yield from issues
            if is_cloud:
                if not text_field(page, "nextPageToken"):
                    return
                query["nextPageToken"] = text_field(page, "nextPageToken")
            else:
                query["startAt"] = query.get("startAt", 0) + len(issues)
                total = page.get("total")
                if not issues or not isinstance(total, int) or query["startAt"] >= total:
                    return

    def _move(self, foreign_id: str, status: str) -> None:
        """Move an issue to a state by a transition of its workflow; raise if the workflow has none."""
        address = f"/rest/api/2/issue/{quote(foreign_id, safe='')}/transitions"
        offered = object_list(self.service.get(address).json(), "transitions")
        for transition in offered:
            if _status(object_field(transition, "to")) == status:
                self.service.send("POST", address, {"transition": {"id": text_field(transition, "id")}})
                return
        names = ", ".join(text_field(transition, "name") for transition in offered) or "none"
        raise Conflict(
            f"Jira's workflow has no transition of '{foreign_id}' to '{status}'.",
            hint=f"It offers: {names}.",
            origin=foreign_id,
        )

    def _issue(self, foreign_id: str) -> ForeignTask:
        address = f"/rest/api/2/issue/{quote(foreign_id, safe='')}"
        return self._task(self.service.get(address, {"fields": _REQUESTED_FIELDS}).json())

    def _task(self, issue: Mapping[str, Any]) -> ForeignTask:
        fields, key = object_field(issue, "fields"), item_id(issue, "key")
        labels = fields.get("labels")
        return ForeignTask(
            foreign_id=key,
            title=text_field(fields, "summary"),
            description=text_field(fields, "description"),
            status=_status(object_field(fields, "status")),
            priority=priority_of(text_field(object_field(fields, "priority"), "name")) or "medium",
            labels=tuple(map(str, labels)) if isinstance(labels, list) else (),
            url=f"{self.service.client.base}/browse/{key}",
            updated_at=text_field(fields, "updated") or None,
        )

    @property
    def _project(self) -> str:
        return str(self.settings["project"])


def _status(state: Mapping[str, Any]) -> Status:
    """Return our state for a state of a Jira workflow, by its name or else by its category."""
    category = text_field(object_field(state, "statusCategory"), "key")
    return status_of(text_field(state, "name"), category) or "backlog"


def _fields(task: ForeignTask, names: Any) -> dict[str, Any]:
    """Return the named fields of a task as fields of an issue; the state is changed by a transition."""
    fields: dict[str, Any] = {
        "title": ("summary", task.title),
        "description": ("description", task.description),
        "priority": ("priority", {"name": _PRIORITY_NAMES[task.priority]}),
        "labels": ("labels", [label.replace(" ", "-") for label in task.labels]),
    }
    return dict(fields[name] for name in names if name in fields)


def _escape_jql(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


KIND = TrackerKind(
    "jira", _PROFILE, Jira, _authorization,
    required_settings=("base_url", "project"), optional_settings=("email", "issue_type"),
    identifying_settings=("base_url", "project"),
)  # fmt: skip
