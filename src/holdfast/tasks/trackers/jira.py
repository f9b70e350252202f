"""Jira, in the cloud and on one's own server: version 2 of its REST interface, whose texts are plain."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar
from urllib.parse import quote

from holdfast.kernel.errors import Conflict
from holdfast.storage.git.credentials import UsersConfiguration
from holdfast.tasks.trackers.foreign import ForeignTask, priority_of, status_of
from holdfast.tasks.trackers.service import OnService, ServiceProfile
from holdfast.tasks.trackers.three_way_merge import FIELDS
from holdfast.tasks.trackers.tracker import Account, Kind, Mark, identity, items, part, parts, token_of, words

_PAGE = 100
_ASKED = "summary,description,status,priority,labels,updated,resolution"
_PRIORITIES = {"high": "High", "medium": "Medium", "low": "Low"}
_CATEGORIES = {"new": "backlog", "indeterminate": "in-progress", "done": "done"}
_PROFILE = ServiceProfile("Jira", "Set JIRA_TOKEN; for the cloud also name your email in the config.")


def _authorization(settings: Mapping[str, Any], configuration: UsersConfiguration) -> dict[str, str]:
    """Return what says who we are: email and token in the cloud, the token alone elsewhere."""
    token = token_of(configuration, _PROFILE, "JIRA_TOKEN", "JIRA_API_TOKEN")
    if email := settings.get("email"):
        return {"Authorization": f"Basic {base64.b64encode(f'{email}:{token}'.encode()).decode()}"}
    return {"Authorization": f"Bearer {token}"}


class Jira(OnService):
    """One project in Jira."""

    carries: ClassVar[frozenset[str]] = frozenset(FIELDS)

    def whoami(self) -> Account:
        """Return who we are there, having asked."""
        account = words(self.service.get("/rest/api/2/myself").json(), "displayName", "name")
        project = self.service.get(f"/rest/api/2/project/{quote(self._project, safe='')}").json()
        address = f"{self.service.client.base}/browse/{self._project}"
        return Account(account, words(project, "name") or self._project, address)

    def changed(self, mark: Mark) -> Iterator[ForeignTask]:
        """Return the issues that changed since the mark, oldest first."""
        asked = f'project = "{_quoted(self._project)}"'
        if mark.since is not None:
            asked += f' AND updated >= "{mark.since[:16].replace("T", " ")}"'
        return mark.passing(map(self._task, self._search(f"{asked} ORDER BY updated ASC")))

    def create(self, task: ForeignTask) -> ForeignTask:
        """Make an issue, and bring it to the state of the task."""
        kind = self.settings.get("issue_type", "Task")
        fields = {"project": {"key": self._project}, "issuetype": {"name": kind}, **_fields(task, FIELDS)}
        made = self.service.send("POST", "/rest/api/2/issue", {"fields": fields})
        origin = identity(made, "key")
        if task.status != "backlog":
            self._move(origin, task.status)
        return self._issue(origin)

    def change(self, origin: str, values: Mapping[str, Any], whole: ForeignTask) -> ForeignTask:
        """Change an issue; its state moves by the transitions that its workflow has."""
        if fields := _fields(whole, values):
            self.service.send("PUT", f"/rest/api/2/issue/{quote(origin, safe='')}", {"fields": fields})
        if "status" in values:
            self._move(origin, whole.status)
        return self._issue(origin)

    def _search(self, asked: str) -> Iterator[dict[str, Any]]:
        """Yield issues page by page: the cloud gives a token for the next page, a server counts."""
        cloud = "email" in self.settings
        address = "/rest/api/2/search/jql" if cloud else "/rest/api/2/search"
        query: dict[str, Any] = {"jql": asked, "fields": _ASKED, "maxResults": _PAGE}
        for _ in self.service.turns():
            page = self.service.get(address, query).json()
            issues = items(page, "issues")
            yield from issues
            if cloud:
                if not words(page, "nextPageToken"):
                    return
                query["nextPageToken"] = words(page, "nextPageToken")
            else:
                query["startAt"], total = query.get("startAt", 0) + len(issues), page.get("total")
                if not issues or not isinstance(total, int) or query["startAt"] >= total:
                    return

    def _move(self, origin: str, status: str) -> None:
        address = f"/rest/api/2/issue/{quote(origin, safe='')}/transitions"
        offered = parts(self.service.get(address).json(), "transitions")
        for transition in offered:
            if _status(part(transition, "to")) == status:
                self.service.send("POST", address, {"transition": {"id": words(transition, "id")}})
                return
        names = ", ".join(words(transition, "name") for transition in offered) or "none"
        raise Conflict(
            f"Jira's workflow has no step of '{origin}' to '{status}'.",
            hint=f"It offers: {names}.",
            origin=origin,
        )

    def _issue(self, origin: str) -> ForeignTask:
        found = self.service.get(f"/rest/api/2/issue/{quote(origin, safe='')}", {"fields": _ASKED})
        return self._task(found.json())

    def _task(self, issue: Mapping[str, Any]) -> ForeignTask:
        fields, key = part(issue, "fields"), identity(issue, "key")
        labels = fields.get("labels")
        return ForeignTask(
            origin=key,
            title=words(fields, "summary"),
            description=words(fields, "description"),
            status=_status(part(fields, "status")),  # type: ignore[arg-type]
            priority=priority_of(words(part(fields, "priority"), "name")) or "medium",
            labels=tuple(map(str, labels)) if isinstance(labels, list) else (),
            url=f"{self.service.client.base}/browse/{key}",
            updated_at=words(fields, "updated") or None,
        )

    @property
    def _project(self) -> str:
        return str(self.settings["project"])


def _status(found: Mapping[str, Any]) -> str:
    """Return what a state of a workflow means: by its name, or else by the category it is in."""
    named = status_of(words(found, "name"))
    return named or _CATEGORIES.get(words(part(found, "statusCategory"), "key"), "backlog")


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


KIND = Kind(
    "jira", _PROFILE, Jira, _authorization,
    needed=("base_url", "project"), optional=("email", "issue_type"), identifying=("base_url", "project"),
)  # fmt: skip
