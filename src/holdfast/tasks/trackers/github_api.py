"""GitHub's REST interface, as far as tasks need it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from holdfast.kernel.errors import InvalidArguments, NotFound, Unavailable
from holdfast.storage.git.credentials import UsersConfiguration
from holdfast.storage.network.client import WebClient
from holdfast.tasks.trackers import github_mapping
from holdfast.tasks.trackers.foreign import ForeignTask
from holdfast.tasks.trackers.service import Manners, Pause, Service, pause
from holdfast.tasks.trackers.three_way_merge import FIELDS
from holdfast.tasks.trackers.tracker import Mark, Standing, identity, items, part, words

USUAL_ADDRESS = "https://api.github.com"
_PROJECT = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}")
_REMOTE = re.compile(
    r"(?:https://|ssh://)?(?:[\w.-]+@)?github\.com[:/](?P<project>[^/\s]+/[^/\s]+?)(?:\.git)?/?"
)
_PAGE = 100
_TOKEN_HINT = "Set GITHUB_TOKEN or GH_TOKEN, or log in with a git credential helper for github.com."  # noqa: S105 - words
_MANNERS = Manners(
    "GitHub",
    _TOKEN_HINT,
    {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"},
)


@dataclass(frozen=True)
class PullRequest:
    """A pull request, as far as it matters to tasks."""

    number: int
    title: str
    body: str
    branch: str
    merged: bool
    open: bool
    url: str
    commit: str | None = None
    """The commit that it became."""


def checked_project(text: str) -> str:
    """Return `owner/name`, or say that it is none."""
    if not _PROJECT.fullmatch(text) or text.endswith(("/.", "/..")):
        raise InvalidArguments(f"{text!a} is not a repository on GitHub.", hint="Name it as OWNER/NAME.")
    return text


def project_of_remote(address: str) -> str | None:
    """Return the `owner/name` that a git remote's address stands for, or None when it is not on GitHub."""
    found = _REMOTE.fullmatch(address.strip())
    return found["project"] if found and _PROJECT.fullmatch(found["project"]) else None


def address_of(configuration: UsersConfiguration) -> str:
    """Return where the interface is: what the environment says, as GitHub's own programs read it, or the
    usual."""
    return configuration.variable("GITHUB_API_URL") or USUAL_ADDRESS


def connected(project: str, configuration: UsersConfiguration, *, pause: Pause = pause) -> GitHub:
    """Return a project on GitHub, with the token of the person at the keyboard."""

    def secrets() -> Mapping[str, str]:
        token = configuration.variable("GITHUB_TOKEN", "GH_TOKEN") or configuration.password("github.com")
        if token is None:
            raise Unavailable("There is no token for GitHub.", hint=_TOKEN_HINT)
        return {"Authorization": f"Bearer {token}"}

    allowed = configuration.allowed_hosts()
    client = WebClient(address_of(configuration), allowed, secrets=secrets)
    allowed.check(client.origin)
    return GitHub(Service(client, _MANNERS, pause=pause), checked_project(project))


@dataclass
class GitHub:
    """One repository on GitHub."""

    service: Service
    project: str
    kind: str = "github"
    carries: frozenset[str] = field(default_factory=lambda: frozenset(FIELDS))

    def standing(self) -> Standing:
        """Return who we are there, having asked."""
        found = self.service.get(self._path("")).json()
        account = words(self.service.get("/user").json(), "login")
        return Standing(account, words(found, "full_name") or self.project, words(found, "html_url") or None)

    def changed(self, mark: Mark) -> Iterator[ForeignTask]:
        """Yield the issues that changed since the mark, oldest first; pull requests are none."""
        query = {
            "state": "all", "sort": "updated", "direction": "asc", "per_page": _PAGE, "since": mark.since,
        }  # fmt: skip
        first = self.service.get(self._path("/issues"), query, etag=mark.etag)
        if first.status == 304:
            return
        before = mark.since
        for page in self.service.pages(first):
            for issue in items(page):
                task = github_mapping.task_of(issue)
                mark.moved_past(task.updated_at)
                if "pull_request" not in issue:
                    yield task
        # The tag stands for this very page: it says nothing about another address, or about further pages.
        alone = mark.since == before and "link" not in first.headers
        mark.etag = first.headers.get("etag") if alone else None

    def create(self, task: ForeignTask) -> ForeignTask:
        """Make an issue."""
        uid = task.kept.get("uid")
        made = self.service.send("POST", self._path("/issues"), github_mapping.fields_of(task, uid))
        created = github_mapping.task_of(made)
        if task.status in ("done", "dropped"):
            return self.change(created.origin, {"status": task.status}, task)
        return created

    def change(self, origin: str, values: Mapping[str, Any], whole: ForeignTask) -> ForeignTask:
        """Change an issue."""
        sent = github_mapping.fields_of(whole, whole.kept.get("uid"), values)
        return github_mapping.task_of(self.service.send("PATCH", self._path(f"/issues/{int(origin)}"), sent))

    def issue(self, number: int) -> ForeignTask:
        """Return one issue."""
        return github_mapping.task_of(self.service.get(self._path(f"/issues/{number}")).json())

    def pull_request(self, number: int) -> PullRequest:
        """Return one pull request."""
        return _pull_request(self.service.get(self._path(f"/pulls/{number}")).json())

    def create_pull_request(self, title: str, body: str, branch: str) -> PullRequest:
        """Ask for a branch to be merged into the project's main one."""
        main = words(self.service.get(self._path("")).json(), "default_branch")
        if not main:
            raise NotFound(f"'{self.project}' has no main branch yet.", hint="Push a first commit to it.")
        sent = {"title": title, "body": body, "head": branch, "base": main}
        return _pull_request(self.service.send("POST", self._path("/pulls"), sent))

    def _path(self, rest: str) -> str:
        return f"/repos/{self.project}{rest}"


def _pull_request(found: Any) -> PullRequest:
    return PullRequest(
        number=int(identity(found, "number")),
        title=words(found, "title"),
        body=words(found, "body"),
        branch=words(part(found, "head"), "ref"),
        merged=found.get("merged") is True or bool(words(found, "merged_at")),
        open=words(found, "state") == "open",
        url=words(found, "html_url"),
        commit=words(found, "merge_commit_sha") or None,
    )
