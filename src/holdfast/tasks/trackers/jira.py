"""Jira, in the cloud and self-hosted: version 2 of its REST interface, in which texts are plain."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar
from urllib.parse import quote

from holdfast.kernel.errors import Conflict
from holdfast.storage.git.credentials import UsersConfiguration
from holdfast.tasks.trackers.foreign import ForeignTask, priority_of, status_of
from holdfast.tasks.trackers.service import ServiceProfile, ServiceTracker
from holdfast.tasks.trackers.three_way_merge import FIELDS
from holdfast.tasks.trackers.tracker import (
    Account,
    Mark,
    TrackerKind,
    item_id,
    items,
    object_field,
    object_list,
    text_field,
    token_of,
)

_PAGE = 100
_ASKED = "summary,description,status,priority,labels,updated,resolution"
_PRIORITIES = {"high": "High", "medium": "Medium", "low": "Low"}
_CATEGORIES = {"new": "backlog", "indeterminate": "in-progress", "done": "done"}
_PROFILE = ServiceProfile("Jira", "Set JIRA_TOKEN; for the cloud also name your email in the config.")


def _authorization(settings: Mapping[str, Any], configuration: UsersConfiguration) -> dict[str, str]:
    """Return the authorization: email and token in the cloud, the token alone elsewhere."""
    token = token_of(configuration, _PROFILE, "JIRA_TOKEN", "JIRA_API_TOKEN")
    if email := settings.get("email"):
        return {"Authorization": f"Basic {base64.b64encode(f'{email}:{token}'.encode()).decode()}"}
    return {"Authorization": f"Bearer {token}"}


class Jira(ServiceTracker):
    """One project in Jira."""

    carries: ClassVar[frozenset[str]] = frozenset(FIELDS)

    def whoami(self) -> Account:
        """Return our account, after a request that shows that it works."""
        account = text_field(self.service.get("/rest/api/2/myself").json(), "displayName", "name")
        project = self.service.get(f"/rest/api/2/project/{quote(self._project, safe='')}").json()
        address = f"{self.service.client.base}/browse/{self._project}"
        return Account(account, text_field(project, "name") or self._project, address)

    def changed(self, mark: Mark) -> Iterator[ForeignTask]:
        """Return the issues that changed since the mark, oldest first."""
        asked = f'project = "{_quoted(self._project)}"'
        if mark.since is not None:
            asked += f' AND updated >= "{mark.since[:16].replace("T", " ")}"'
        return mark.passing(map(self._task, self._search(f"{asked} ORDER BY updated ASC")))

    def create(self, task: ForeignTask) -> ForeignTask:
        """Create an issue, and move it to the state of the task."""
        kind = self.settings.get("issue_type", "Task")
        fields = {"project": {"key": self._project}, "issuetype": {"name": kind}, **_fields(task, FIELDS)}
        made = self.service.send("POST", "/rest/api/2/issue", {"fields": fields})
        origin = item_id(made, "key")
        if task.status != "backlog":
            self._move(origin, task.status)
        return self._issue(origin)

    def change(self, origin: str, values: Mapping[str, Any], whole: ForeignTask) -> ForeignTask:
        """Change an issue; its state changes by the transitions of its workflow."""
        if fields := _fields(whole, values):
            self.service.send("PUT", f"/rest/api/2/issue/{quote(origin, safe='')}", {"fields": fields})
        if "status" in values:
            self._move(origin, whole.status)
        return self._issue(origin)

    def _search(self, asked: str) -> Iterator[dict[str, Any]]:
        """Yield issues page by page: the cloud pages by token, a server by offset."""
        cloud = "email" in self.settings
        address = "/rest/api/2/search/jql" if cloud else "/rest/api/2/search"
        query: dict[str, Any] = {"jql": asked, "fields": _ASKED, "maxResults": _PAGE}
        for _ in self.service.turns():
            page = self.service.get(address, query).json()
            issues = items(page, "issues")
            yield from issues
            if cloud:
                if not text_field(page, "nextPageToken"):
                    return
                query["nextPageToken"] = text_field(page, "nextPageToken")
            else:
                query["startAt"], total = query.get("startAt", 0) + len(issues), page.get("total")
                if not issues or not isinstance(total, int) or query["startAt"] >= total:
                    return

    def _move(self, origin: str, status: str) -> None:
        address = f"/rest/api/2/issue/{quote(origin, safe='')}/transitions"
        offered = object_list(self.service.get(address).json(), "transitions")
        for transition in offered:
            if _status(object_field(transition, "to")) == status:
                self.service.send("POST", address, {"transition": {"id": text_field(transition, "id")}})
                return
        names = ", ".join(text_field(transition, "name") for transition in offered) or "none"
        raise Conflict(
            f"Jira's workflow has no transition of '{origin}' to '{status}'.",
            hint=f"It offers: {names}.",
            origin=origin,
        )

    def _issue(self, origin: str) -> ForeignTask:
        found = self.service.get(f"/rest/api/2/issue/{quote(origin, safe='')}", {"fields": _ASKED})
        return self._task(found.json())

    def _task(self, issue: Mapping[str, Any]) -> ForeignTask:
        fields, key = object_field(issue, "fields"), item_id(issue, "key")
        labels = fields.get("labels")
        return ForeignTask(
            origin=key,
            title=text_field(fields, "summary"),
            description=text_field(fields, "description"),
            status=_status(object_field(fields, "status")),  # type: ignore[arg-type]
            priority=priority_of(text_field(object_field(fields, "priority"), "name")) or "medium",
            labels=tuple(map(str, labels)) if isinstance(labels, list) else (),
            url=f"{self.service.client.base}/browse/{key}",
            updated_at=text_field(fields, "updated") or None,
        )

    @property
    def _project(self) -> str:
        return str(self.settings["project"])


def _status(found: Mapping[str, Any]) -> str:
    """Return our state for a state of a workflow, by its name or else by its category."""
    named = status_of(text_field(found, "name"))
    return named or _CATEGORIES.get(text_field(object_field(found, "statusCategory"), "key"), "backlog")


def _fields(task: ForeignTask, names: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "title": ("summary", task.title),
        "description": ("description", task.description),
        "priority": ("priority", {"name": _PRIORITIES[task.priority]}),
        "labels": ("labels", [label.replace(" ", "-") for label in task.labels]),
    }
    return dict(given[name] for name in names if name in given)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


KIND = TrackerKind(
    "jira", _PROFILE, Jira, _authorization,
    needed=("base_url", "project"), optional=("email", "issue_type"), identifying=("base_url", "project"),
)  # fmt: skip
