"""Jira, Linear, Asana, Trello and a plain service, as far as they are asked, in their own shapes."""

from __future__ import annotations

import json
import re
from typing import Any, ClassVar

from tests.tasks.trackers.web_server import Answer, Request


class Clock:
    """Moments that move on, one second each."""

    def __init__(self) -> None:
        self.seconds = 0

    def now(self) -> str:
        self.seconds += 1
        return f"2026-02-01T00:{self.seconds // 60:02}:{self.seconds % 60:02}.000Z"


class FakeJira:
    """A project with a workflow."""

    kind, config, token = (
        "jira",
        {"project": "KELP", "email": "ada@example.org"},
        {"JIRA_TOKEN": "jira-secret"},
    )
    states: ClassVar[dict[str, tuple[str, str]]] = {
        "11": ("To Do", "new"),
        "21": ("In Progress", "indeterminate"),
        "31": ("Done", "done"),
    }

    def __init__(self) -> None:
        self.items: dict[str, dict[str, Any]] = {}
        self.clock = Clock()

    def add(self, title: str, description: str = "") -> str:
        key = f"KELP-{len(self.items) + 1}"
        fields = {
            "summary": title, "description": description, "labels": [], "priority": {"name": "Medium"},
            "status": self._state("11"), "updated": self.clock.now(),
        }  # fmt: skip
        self.items[key] = {"id": key, "key": key, "fields": fields}
        return key

    def rename(self, key: str, title: str) -> None:
        self.items[key]["fields"].update(summary=title, updated=self.clock.now())

    def title(self, key: str) -> str:
        return str(self.items[key]["fields"]["summary"])

    def is_done(self, key: str) -> bool:
        return bool(self.items[key]["fields"]["status"]["name"] == "Done")

    def _state(self, number: str) -> dict[str, Any]:
        name, category = self.states[number]
        return {"name": name, "statusCategory": {"key": category}}

    def respond(self, request: Request) -> Answer:
        if request.headers.get("authorization") != "Basic YWRhQGV4YW1wbGUub3JnOmppcmEtc2VjcmV0":
            return Answer(401, {"errorMessages": ["You are not authenticated."]})
        path = request.path.removeprefix("/rest/api/2")
        if path == "/myself":
            return Answer(200, {"displayName": "Ada"})
        if path == "/project/KELP":
            return Answer(200, {"key": "KELP", "name": "Kelp"})
        if path == "/search/jql":
            return self._search(request)
        if path == "/issue" and request.method == "POST":
            sent = request.json()["fields"]
            key = self.add(sent["summary"], sent["description"])
            self.items[key]["fields"].update(labels=sent["labels"], priority=sent["priority"])
            return Answer(201, {"id": key, "key": key})
        if found := re.fullmatch(r"/issue/(KELP-\d+)(/transitions)?", path):
            return self._one(request, found[1], transitions=bool(found[2]))
        return Answer(404, {"errorMessages": ["Not found"]})

    def _search(self, request: Request) -> Answer:
        since = re.search(r'updated >= "([\d: -]+)"', request.query["jql"])
        begin = since[1].replace(" ", "T") if since else ""
        found = [item for item in self.items.values() if item["fields"]["updated"][:16] >= begin]
        start = int(request.query.get("nextPageToken", 0))
        page: dict[str, Any] = {"issues": found[start : start + 1]}
        if start + 1 < len(found):
            page["nextPageToken"] = str(start + 1)
        return Answer(200, page)

    def _one(self, request: Request, key: str, *, transitions: bool) -> Answer:
        if transitions and request.method == "GET":
            offered = [
                {"id": number, "name": name, "to": self._state(number)}
                for number, (name, _) in self.states.items()
            ]
            return Answer(200, {"transitions": offered})
        fields = self.items[key]["fields"]
        if transitions:
            fields.update(status=self._state(request.json()["transition"]["id"]), updated=self.clock.now())
            return Answer(204)
        if request.method == "PUT":
            fields.update(request.json()["fields"], updated=self.clock.now())
            return Answer(204)
        return Answer(200, self.items[key])


class FakeLinear:
    """A team with states."""

    kind, config, token = "linear", {"team": "KEL"}, {"LINEAR_API_KEY": "lin-secret"}
    states: ClassVar[list[dict[str, str]]] = [
        {"id": "s1", "name": "Todo", "type": "unstarted"},
        {"id": "s2", "name": "Doing it", "type": "started"},
        {"id": "s3", "name": "Done", "type": "completed"},
    ]

    def __init__(self) -> None:
        self.items: dict[str, dict[str, Any]] = {}
        self.clock = Clock()

    def add(self, title: str, description: str = "") -> str:
        key = f"KEL-{len(self.items) + 1}"
        self.items[key] = {
            "id": f"uuid-{key}", "identifier": key, "title": title, "description": description, "priority": 3,
            "url": f"https://linear.app/kelp/issue/{key}", "updatedAt": self.clock.now(),
            "state": self.states[0], "labels": {"nodes": [{"name": "bug"}]},
        }  # fmt: skip
        return key

    def rename(self, key: str, title: str) -> None:
        self.items[key].update(title=title, updatedAt=self.clock.now())

    def title(self, key: str) -> str:
        return str(self.items[key]["title"])

    def is_done(self, key: str) -> bool:
        return bool(self.items[key]["state"]["id"] == "s3")

    def respond(self, request: Request) -> Answer:
        if request.headers.get("authorization") != "lin-secret":
            return Answer(401, {"errors": [{"message": "Authentication required"}]})
        sent = request.json()
        given = sent["variables"]
        if "teams(" in sent["query"]:
            team = {"id": "t1", "name": "Kelp", "states": {"nodes": self.states}}
            nodes = [team] if given["key"] == "KEL" else []
            return Answer(200, {"data": {"viewer": {"name": "Ada"}, "teams": {"nodes": nodes}}})
        if "issueCreate" in sent["query"]:
            key = self.add(given["input"]["title"])
            self._change(key, given["input"])
            return Answer(200, {"data": {"issueCreate": {"success": True, "issue": self.items[key]}}})
        if "issueUpdate" in sent["query"]:
            self._change(given["id"], given["input"])
            return Answer(200, {"data": {"issueUpdate": {"success": True, "issue": self.items[given["id"]]}}})
        found = [item for item in self.items.values() if item["updatedAt"] >= given["since"]]
        start = int(given["after"] or 0)
        info = {"hasNextPage": start + 1 < len(found), "endCursor": str(start + 1)}
        return Answer(200, {"data": {"issues": {"nodes": found[start : start + 1], "pageInfo": info}}})

    def _change(self, key: str, sent: dict[str, Any]) -> None:
        state = next((state for state in self.states if state["id"] == sent.get("stateId")), None)
        kept = {name: value for name, value in sent.items() if name in ("title", "description", "priority")}
        self.items[key].update(kept, updatedAt=self.clock.now(), **({"state": state} if state else {}))


class FakeAsana:
    """A project of tasks that are done or not."""

    kind, config, token = "asana", {"project": "77"}, {"ASANA_ACCESS_TOKEN": "asana-secret"}

    def __init__(self) -> None:
        self.items: dict[str, dict[str, Any]] = {}
        self.clock = Clock()

    def add(self, title: str, description: str = "") -> str:
        key = str(1000 + len(self.items))
        self.items[key] = {
            "gid": key, "name": title, "notes": description, "completed": False, "tags": [{"name": "bug"}],
            "modified_at": self.clock.now(), "permalink_url": f"https://app.asana.com/0/77/{key}",
        }  # fmt: skip
        return key

    def rename(self, key: str, title: str) -> None:
        self.items[key].update(name=title, modified_at=self.clock.now())

    def title(self, key: str) -> str:
        return str(self.items[key]["name"])

    def is_done(self, key: str) -> bool:
        return bool(self.items[key]["completed"])

    def respond(self, request: Request) -> Answer:
        if request.headers.get("authorization") != "Bearer asana-secret":
            return Answer(401, {"errors": [{"message": "Not Authorized"}]})
        path = request.path.removeprefix("/api/1.0")
        if path == "/users/me":
            return Answer(200, {"data": {"gid": "1", "name": "Ada"}})
        if path == "/projects/77":
            return Answer(
                200, {"data": {"gid": "77", "name": "Kelp", "permalink_url": "https://app.asana.com/0/77"}}
            )
        if path == "/tasks" and request.method == "GET":
            found = [
                i for i in self.items.values() if i["modified_at"] >= request.query.get("modified_since", "")
            ]
            start = int(request.query.get("offset", 0))
            following = {"offset": str(start + 1)} if start + 1 < len(found) else None
            return Answer(200, {"data": found[start : start + 1], "next_page": following})
        if path == "/tasks":
            sent = request.json()["data"]
            key = self.add(sent["name"], sent["notes"])
            self.items[key]["completed"] = sent["completed"]
            return Answer(201, {"data": self.items[key]})
        key = path.rpartition("/")[2]
        self.items[key].update(request.json()["data"], modified_at=self.clock.now())
        return Answer(200, {"data": self.items[key]})


class FakeTrello:
    """A board of three lists."""

    kind, token = "trello", {"TRELLO_KEY": "key", "TRELLO_TOKEN": "trello-secret"}
    config: ClassVar[dict[str, Any]] = {"board": "b1", "lists": {"Shipped": "done"}}
    lists: ClassVar[list[dict[str, str]]] = [
        {"id": "l1", "name": "To Do"},
        {"id": "l2", "name": "Doing"},
        {"id": "l3", "name": "Shipped"},
    ]

    def __init__(self) -> None:
        self.items: dict[str, dict[str, Any]] = {}
        self.clock = Clock()

    def add(self, title: str, description: str = "") -> str:
        key = f"card{len(self.items) + 1}"
        self.items[key] = {
            "id": key, "name": title, "desc": description, "idList": "l1", "closed": False, "labels": [],
            "dateLastActivity": self.clock.now(), "url": f"https://trello.com/c/{key}",
        }  # fmt: skip
        return key

    def rename(self, key: str, title: str) -> None:
        self.items[key].update(name=title, dateLastActivity=self.clock.now())

    def title(self, key: str) -> str:
        return str(self.items[key]["name"])

    def is_done(self, key: str) -> bool:
        return bool(self.items[key]["idList"] == "l3")

    def respond(self, request: Request) -> Answer:
        if 'oauth_token="trello-secret"' not in request.headers.get("authorization", ""):
            return Answer(401, b"invalid token")
        path = request.path.removeprefix("/1")
        if path == "/members/me":
            return Answer(200, {"fullName": "Ada"})
        if path == "/boards/b1":
            return Answer(200, {"name": "Kelp", "url": "https://trello.com/b/b1"})
        if path == "/boards/b1/lists":
            return Answer(200, self.lists)
        if path == "/boards/b1/cards":
            return Answer(200, list(self.items.values())[::-1])
        if path == "/cards" and request.method == "POST":
            sent = request.json()
            key = self.add(sent["name"], sent["desc"])
            self.items[key].update(sent)
            return Answer(200, self.items[key])
        key = path.rpartition("/")[2]
        self.items[key].update(request.json(), dateLastActivity=self.clock.now())
        return Answer(200, self.items[key])


class FakeCustom:
    """A plain list of objects with names of its own."""

    kind, token = "custom", {"HOLDFAST_REMOTE_TOKEN": "custom-secret"}
    config: ClassVar[dict[str, Any]] = {
        "items": "results",
        "fields": {"title": "summary"},
        "statuses": {"erledigt": "done"},
    }

    def __init__(self) -> None:
        self.items: dict[str, dict[str, Any]] = {}
        self.clock = Clock()

    def add(self, title: str, description: str = "") -> str:
        key = str(len(self.items) + 1)
        self.items[key] = {
            "id": int(key), "summary": title, "description": description, "status": "open", "priority": "low",
            "labels": ["bug"], "updated_at": self.clock.now(),
        }  # fmt: skip
        return key

    def rename(self, key: str, title: str) -> None:
        self.items[key].update(summary=title, updated_at=self.clock.now())

    def title(self, key: str) -> str:
        return str(self.items[key]["summary"])

    def is_done(self, key: str) -> bool:
        return bool(self.items[key]["status"] == "erledigt")

    def respond(self, request: Request) -> Answer:
        if request.headers.get("authorization") != "Bearer custom-secret":
            return Answer(401, {"error": "who are you"})
        if request.method == "GET":
            found = [i for i in self.items.values() if i["updated_at"] >= request.query.get("since", "")]
            tag = f'"{len(json.dumps(found))}"'
            if request.headers.get("if-none-match") == tag:
                return Answer(304)
            return Answer(200, {"results": found}, {"ETag": tag})
        if request.method == "POST":
            key = self.add(request.json()["summary"])
            self.items[key].update(request.json())
            return Answer(201, self.items[key])
        key = request.path.rpartition("/")[2]
        self.items[key].update(request.json(), updated_at=self.clock.now())
        return Answer(200, self.items[key])
