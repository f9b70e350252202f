"""GitHub as its REST interface behaves: shapes, pages, tags, limits, refusals."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.tasks.trackers.web_server import Answer, Request, Server, serving

TOKEN = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"


class FakeGitHub:
    """One repository with issues and pull requests."""

    def __init__(self, project: str = "ada/kelp", page: int = 100) -> None:
        self.project = project
        self.page = page
        self.issues: dict[int, dict[str, Any]] = {}
        self.pulls: dict[int, dict[str, Any]] = {}
        self.refusals: list[Answer] = []
        """Answered first, one for each request."""
        self._seconds = 0
        self.server: Server

    @property
    def writes(self) -> list[Request]:
        return [request for request in self.server.requests if request.method != "GET"]

    def add(
        self, title: str, body: str | None = None, labels: tuple[str, ...] = (), **more: Any
    ) -> dict[str, Any]:
        number = len(self.issues) + len(self.pulls) + 1
        issue = {
            "id": 9000 + number,
            "number": number,
            "title": title,
            "body": body,
            "state": "open",
            "state_reason": None,
            "labels": [{"id": 1, "name": label, "color": "ededed", "default": False} for label in labels],
            "user": {"login": "ada", "id": 1, "type": "User"},
            "assignees": [],
            "comments": 0,
            "created_at": self._now(),
            "html_url": f"https://github.com/{self.project}/issues/{number}",
            "url": f"{self.server.url}/repos/{self.project}/issues/{number}",
            **more,
        }
        issue["updated_at"] = issue["created_at"]
        self.issues[number] = issue
        return issue

    def edit(self, number: int, **fields: Any) -> None:
        labels = fields.pop("labels", None)
        if labels is not None:
            fields["labels"] = [{"name": label} for label in labels]
        self.issues[number].update(fields, updated_at=self._now())

    def add_pull(self, title: str, body: str, branch: str, *, merged: bool = False) -> int:
        number = len(self.issues) + len(self.pulls) + 1
        self.pulls[number] = {
            "number": number, "title": title, "body": body, "state": "closed" if merged else "open",
            "merged": merged, "merged_at": self._now() if merged else None,
            "head": {"ref": branch}, "base": {"ref": "main"},
            "html_url": f"https://github.com/{self.project}/pull/{number}",
        }  # fmt: skip
        return number

    def respond(self, request: Request) -> Answer:
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return Answer(
                401, {"message": "Bad credentials", "documentation_url": "https://docs.github.com/rest"}
            )
        if self.refusals:
            return self.refusals.pop(0)
        if request.path == "/user":
            return Answer(200, {"login": "ada", "id": 1})
        root = f"/repos/{self.project}"
        if not request.path.startswith(root):
            return Answer(404, {"message": "Not Found"})
        rest = request.path.removeprefix(root)
        if rest == "":
            return Answer(200, {
                "full_name": self.project, "default_branch": "main", "html_url": f"https://github.com/{self.project}",
            })  # fmt: skip
        if rest == "/issues":
            return self._list(request) if request.method == "GET" else self._create(request)
        if found := re.fullmatch(r"/issues/(\d+)", rest):
            return self._one(request, int(found[1]))
        if rest == "/pulls" and request.method == "POST":
            sent = request.json()
            number = self.add_pull(sent["title"], sent["body"], sent["head"])
            return Answer(201, self.pulls[number])
        if (found := re.fullmatch(r"/pulls/(\d+)", rest)) and int(found[1]) in self.pulls:
            return Answer(200, self.pulls[int(found[1])])
        return Answer(404, {"message": "Not Found"})

    def _list(self, request: Request) -> Answer:
        since, number = request.query.get("since", ""), int(request.query.get("page", 1))
        size = min(self.page, int(request.query.get("per_page", 30)))
        found = sorted(
            (i for i in self.issues.values() if i["updated_at"] >= since), key=lambda i: i["updated_at"]
        )
        shown = found[(number - 1) * size : number * size]
        tag = '"' + hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:32] + '"'
        headers = {"ETag": tag, "X-RateLimit-Remaining": "4999"}
        if request.headers.get("if-none-match") == tag:
            return Answer(304, headers=headers)
        if number * size < len(found):
            query = "&".join(
                f"{name}={value}" for name, value in {**request.query, "page": number + 1}.items()
            )
            headers["Link"] = (
                f'<{self.server.url}{request.path}?{query}>; rel="next", <{self.server.url}/x>; rel="last"'
            )
        return Answer(200, shown, headers)

    def _create(self, request: Request) -> Answer:
        sent = request.json()
        if not sent.get("title"):
            return Answer(
                422, {"message": "Validation Failed", "errors": [{"code": "missing_field", "field": "title"}]}
            )
        return Answer(201, self.add(sent["title"], sent.get("body"), tuple(sent.get("labels", ()))))

    def _one(self, request: Request, number: int) -> Answer:
        if number not in self.issues:
            return Answer(404, {"message": "Not Found"})
        if request.method == "PATCH":
            self.edit(number, **request.json())
        return Answer(200, self.issues[number])

    def _now(self) -> str:
        self._seconds += 1
        return f"2026-01-01T{self._seconds // 3600:02}:{self._seconds // 60 % 60:02}:{self._seconds % 60:02}Z"


@contextmanager
def github(project: str = "ada/kelp", page: int = 100) -> Iterator[FakeGitHub]:
    fake = FakeGitHub(project, page)
    with serving(fake.respond) as server:
        fake.server = server
        yield fake
