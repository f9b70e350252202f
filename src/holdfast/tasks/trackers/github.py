"""The tracker `github`: the part of GitHub's REST API that tasks need."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from holdfast.kernel.errors import InvalidArguments, NotFound, Unavailable
from holdfast.storage.git.credentials import UsersConfiguration
from holdfast.tasks.trackers.foreign import ForeignTask
from holdfast.tasks.trackers.github_issues import fields_of, task_of
from holdfast.tasks.trackers.json_fields import item_id, object_field, required_list, text_field
from holdfast.tasks.trackers.service import Service, ServiceProfile
from holdfast.tasks.trackers.three_way_merge import FIELDS
from holdfast.tasks.trackers.tracker import Account, SyncCursor, TrackerKind, changed_pages

_PROJECT = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}")
"""`owner/name`, with the characters and lengths that GitHub allows."""
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
    is_merged: bool
    is_open: bool
    url: str
    merge_commit: str | None = None

    @property
    def foreign_id(self) -> str:
        return f"#{self.number}"


def validate_project(text: str) -> str:
    """Return a valid `owner/name`, or raise."""
    if not _PROJECT.fullmatch(text) or text.endswith(("/.", "/..")):
        raise InvalidArguments(f"{text!a} is not a repository on GitHub.", hint="Name it as OWNER/NAME.")
    return text


def project_of_remote(address: str) -> str | None:
    """Return the `owner/name` in a git remote's address, or None if it is not on GitHub."""
    match = _REMOTE_ADDRESS.fullmatch(address.strip())
    return match["project"] if match and _PROJECT.fullmatch(match["project"]) else None


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
        project = self.service.get(self._path("")).json()
        account = text_field(self.service.get("/user").json(), "login")
        name = text_field(project, "full_name") or self.project
        return Account(account, name, text_field(project, "html_url") or None)

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
        created = task_of(self.service.send("POST", self._path("/issues"), fields_of(task)))
        if task.status in ("done", "dropped"):
            return self.change(created.foreign_id, {"status": task.status}, task)
        return created

    def change(self, foreign_id: str, values: Mapping[str, Any], whole: ForeignTask) -> ForeignTask:
        sent = fields_of(whole, values)
        return task_of(self.service.send("PATCH", self._path(f"/issues/{int(foreign_id)}"), sent))

    def issue(self, number: int) -> ForeignTask:
        return task_of(self.service.get(self._path(f"/issues/{number}")).json())

    def pull_request(self, number: int) -> PullRequest:
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


def _pull_request(answer: Any) -> PullRequest:
    return PullRequest(
        number=int(item_id(answer, "number")),
        title=text_field(answer, "title"),
        body=text_field(answer, "body"),
        branch=text_field(object_field(answer, "head"), "ref"),
        is_merged=answer.get("merged") is True or bool(text_field(answer, "merged_at")),
        is_open=text_field(answer, "state") == "open",
        url=text_field(answer, "html_url"),
        merge_commit=text_field(answer, "merge_commit_sha") or None,
    )


KIND = TrackerKind(
    "github", _PROFILE, lambda service, settings: GitHub(service, validate_project(settings["repository"])),
    _authorization,
    required_settings=("repository",), identifying_settings=("repository",), default_address="https://api.github.com",
    address_variable="GITHUB_API_URL",
)  # fmt: skip
