"""The tracker `github`: the part of GitHub's REST API that tasks need, and how issues map to tasks.

- Status and priority are labels of an issue, such as `status-review` and `priority-high`. These labels and
  the label `taskpilot`, which marks our issues, are not labels of the task.
- A closed issue is done, or dropped if it was closed as not planned or as a duplicate.
- Criteria are a check list below the description. An invisible HTML comment names the task, so that after an
  interruption the issue is found again instead of being created twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from holdfast.kernel.errors import InvalidArguments, NotFound, Unavailable
from holdfast.storage.git.credentials import UsersConfiguration
from holdfast.tasks.store.states import Priority, Status
from holdfast.tasks.trackers.foreign import ForeignCriterion, ForeignTask, priority_of, status_of
from holdfast.tasks.trackers.json_fields import item_id, object_field, object_list, required_list, text_field
from holdfast.tasks.trackers.service import Service, ServiceProfile
from holdfast.tasks.trackers.three_way_merge import FIELDS
from holdfast.tasks.trackers.tracker import Account, SyncCursor, TrackerKind, changed_pages

_PROJECT = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}")
_REMOTE_ADDRESS = re.compile(
    r"(?:https://|ssh://)?(?:[\w.-]+@)?github\.com[:/](?P<project>[^/\s]+/[^/\s]+?)(?:\.git)?/?"
)
_ISSUES_PER_PAGE = 100
"""The maximum that GitHub allows
(https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api)."""
_TOKEN_HINT = "Set GITHUB_TOKEN or GH_TOKEN, or log in with a git credential helper for github.com."  # noqa: S105 - words
_PROFILE = ServiceProfile(
    "GitHub", _TOKEN_HINT, {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
)


@dataclass(frozen=True)
class PullRequest:
    """A pull request, with the properties that tasks need."""

    number: int
    title: str
    body: str
    branch: str
    merged: bool
    open: bool
    url: str
    commit: str | None = None
    """The merge commit."""

    @property
    def origin(self) -> str:
        """Return its id on GitHub, such as `#12`."""
        return f"#{self.number}"


def validate_project(text: str) -> str:
    """Return a valid `owner/name`, or raise."""
    if not _PROJECT.fullmatch(text) or text.endswith(("/.", "/..")):
        raise InvalidArguments(f"{text!a} is not a repository on GitHub.", hint="Name it as OWNER/NAME.")
    return text


def project_of_remote(address: str) -> str | None:
    """Return the `owner/name` in a git remote's address, or None if it is not on GitHub."""
    found = _REMOTE_ADDRESS.fullmatch(address.strip())
    return found["project"] if found and _PROJECT.fullmatch(found["project"]) else None


def _authorization(_settings: Mapping[str, Any], configuration: UsersConfiguration) -> dict[str, str]:
    """Return the header with the user's token, from the environment or the git credential helper."""
    token = configuration.variable("GITHUB_TOKEN", "GH_TOKEN") or configuration.password("github.com")
    if token is None:
        raise Unavailable("There is no token for GitHub.", hint=_TOKEN_HINT)
    return {"Authorization": f"Bearer {token}"}


@dataclass
class GitHub:
    """One repository on GitHub."""

    service: Service
    project: str
    synced_fields: ClassVar[frozenset[str]] = frozenset(FIELDS)

    def whoami(self) -> Account:
        found = self.service.get(self._path("")).json()
        account = text_field(self.service.get("/user").json(), "login")
        return Account(
            account, text_field(found, "full_name") or self.project, text_field(found, "html_url") or None
        )

    def changed_since(self, cursor: SyncCursor) -> Iterator[ForeignTask]:
        """Yield the issues that changed since the cursor, oldest first, without pull requests."""
        query = {
            "state": "all", "sort": "updated", "direction": "asc", "per_page": _ISSUES_PER_PAGE,
            "since": cursor.since,
        }  # fmt: skip
        for page in changed_pages(self.service, cursor, self._path("/issues"), query):
            issues = required_list(page)
            for issue, task in zip(issues, cursor.advance_over(map(task_of, issues)), strict=True):
                if "pull_request" not in issue:
                    yield task

    def create(self, task: ForeignTask) -> ForeignTask:
        uid = task.extra.get("uid")
        made = self.service.send("POST", self._path("/issues"), fields_of(task, uid))
        created = task_of(made)
        if task.status in ("done", "dropped"):
            return self.change(created.origin, {"status": task.status}, task)
        return created

    def change(self, origin: str, values: Mapping[str, Any], whole: ForeignTask) -> ForeignTask:
        sent = fields_of(whole, whole.extra.get("uid"), values)
        return task_of(self.service.send("PATCH", self._path(f"/issues/{int(origin)}"), sent))

    def issue(self, number: int) -> ForeignTask:
        """Return one issue."""
        return task_of(self.service.get(self._path(f"/issues/{number}")).json())

    def pull_request(self, number: int) -> PullRequest:
        """Return one pull request."""
        return _pull_request(self.service.get(self._path(f"/pulls/{number}")).json())

    def create_pull_request(self, title: str, body: str, branch: str) -> PullRequest:
        """Open a pull request from a branch into the default branch."""
        main = text_field(self.service.get(self._path("")).json(), "default_branch")
        if not main:
            raise NotFound(f"'{self.project}' has no main branch yet.", hint="Push a first commit to it.")
        sent = {"title": title, "body": body, "head": branch, "base": main}
        return _pull_request(self.service.send("POST", self._path("/pulls"), sent))

    def _path(self, rest: str) -> str:
        return f"/repos/{self.project}{rest}"


def _pull_request(found: Any) -> PullRequest:
    return PullRequest(
        number=int(item_id(found, "number")),
        title=text_field(found, "title"),
        body=text_field(found, "body"),
        branch=text_field(object_field(found, "head"), "ref"),
        merged=found.get("merged") is True or bool(text_field(found, "merged_at")),
        open=text_field(found, "state") == "open",
        url=text_field(found, "html_url"),
        commit=text_field(found, "merge_commit_sha") or None,
    )


OUR_LABEL = "taskpilot"
_STATUS_LABEL = "status-"
_PRIORITY_LABEL = "priority-"
_MARKER = re.compile(r"\s*<!-- holdfast task: (?P<uid>[0-9A-Za-z-]{1,40}) -->\s*\Z")
_CRITERIA = re.compile(
    r"(?:\A|\n)## Acceptance criteria[ \t]*\r?\n+(?P<list>(?:[-*] \[[ xX]\] [^\n]*(?:\n|\Z))+)\s*\Z"
)
_CHECK_BOX = re.compile(r"[-*] \[(?P<mark>[ xX])\] (?P<text>[^\r\n]*)")
_NOT_PLANNED = frozenset({"not_planned", "duplicate"})


def task_of(issue: Mapping[str, Any]) -> ForeignTask:
    """Return an issue as a task."""
    labels = [text_field(label, "name") for label in object_list(issue, "labels")]
    body, criteria, uid = _parse_body(text_field(issue, "body"))
    return ForeignTask(
        origin=item_id(issue, "number"),
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


def fields_of(task: ForeignTask, uid: str | None, changed: Iterable[str] | None = None) -> dict[str, Any]:
    """Return the fields of an issue to send: all for a new one, otherwise those that the changes affect."""
    names = {"title", "description", "status", "labels"} if changed is None else set(changed)
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
    """Return the labels of an issue for this task."""
    labels = [*task.labels, OUR_LABEL, f"{_PRIORITY_LABEL}{task.priority}"]
    # The other states follow from whether the issue is open or closed.
    if task.status in ("in-progress", "blocked", "review"):
        labels.append(f"{_STATUS_LABEL}{task.status}")
    return labels


def body_of(task: ForeignTask, uid: str | None) -> str:
    """Return the text of an issue for this task."""
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
    found = _CRITERIA.search(body)
    if not found:
        return body.strip(), (), uid
    boxes = tuple(
        ForeignCriterion(box["text"], box["mark"] != " ") for box in _CHECK_BOX.finditer(found["list"])
    )
    return body[: found.start()].strip(), boxes, uid


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
    return label == OUR_LABEL or bool(_status_of_label(label) or _priority_of_label(label))


KIND = TrackerKind(
    "github", _PROFILE, lambda service, settings: GitHub(service, validate_project(settings["repository"])),
    _authorization,
    required_settings=("repository",), identifying_settings=("repository",), default_address="https://api.github.com",
    address_variable="GITHUB_API_URL",
)  # fmt: skip
