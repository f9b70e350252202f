"""Every operation gives the same answer on every face: command line, pipe, protocol over HTTP, and REST.

The cases of a toolset build on each other; those of different toolsets do not. So each large toolset has
repositories and servers of its own, and the small ones share theirs.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from holdfast.faces.rest.operations import method_of, path_of
from holdfast.toolsets import MODULES, full_registry, toolset
from tests import forked
from tests.contract.case import CURSOR, Case
from tests.contract.cases import CASES
from tests.contract.prepared import HOLDFAST, IDS, MILES, PERSON, PERSON_WITH_MAIL, environment, prepare
from tests.faces.http.running import RunningServer, running_server
from tests.wire.client import ENVELOPE, WireClient, wire_client

OFFERED = {operation.listed_name for operation in full_registry().operations}
TOOLSET_OF = {
    operation.listed_name: name
    for name in MODULES
    for operation in toolset(name).operations
    if operation.listed_name in OFFERED
}
LARGE = ("analyze", "tasks", "milestones", "comments")
SHARDS = {name: {name} for name in LARGE} | {"others": MODULES.keys() - {*LARGE}}
RUN = {
    name: [case for case in CASES if TOOLSET_OF.get(case.operation) in toolsets]
    for name, toolsets in SHARDS.items()
}

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z")
_NAME = re.compile(
    r"m_[0-9a-f]{16}|(?:c|gm)_[0-9]{13}|tasks-[0-9a-f]{16}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|s_[0-9a-f]{20}|(?<=\"token\": \")[0-9a-f]{16}"
)


_DURATION = re.compile(r"\"analysis_duration\": \{[^}]*\}")
_SIZE = re.compile(r"(?<=\"sizeBytes\": )[0-9]+")
_ONLY_CONTENT = "only content"
UNLIMITED = {"max_bytes": 1_000_000}
"""Models get shorter answers by default; the other faces give everything."""
FACES = ("command", "pipe", "http", "rest")


@dataclass(frozen=True)
class Answers:
    """What every face said to one case."""

    said: dict[str, dict[str, Any]]
    status: int
    http_status: int

    @property
    def command(self) -> dict[str, Any]:
        return self.said["command"]


def answers_of_every_face(folder: Path, cases: list[Case]) -> list[Answers]:
    """Run cases on every face, each in a repository of its own with the same content."""
    home = folder / "home"
    # Each repository is at another depth: nothing in an answer may depend on where it is.
    places = {face: prepare(folder.joinpath(face, *["deeper"] * n), home) for n, face in enumerate(FACES, 1)}
    variables = environment(home)
    with (
        wire_client([HOLDFAST, "serve"], cwd=places["pipe"], env=variables) as pipe,
        running_server(places["http"], environment=variables) as http,
        running_server(places["rest"], environment=variables) as rest,
    ):
        asked = Asked(places["command"], variables, pipe, http, rest)
        return [asked.everywhere(number, case) for number, case in enumerate(cases)]


@dataclass
class Asked:
    """The four faces, each over a repository of its own."""

    place: Path
    variables: dict[str, str]
    pipe: WireClient
    http: RunningServer
    rest: RunningServer
    cursors: dict[str, str] = field(default_factory=dict)

    def everywhere(self, number: int, case: Case) -> Answers:
        finished = forked.run(
            [
                HOLDFAST,
                *(self.cursors["command"] if word == CURSOR else word for word in case.typed),
                "--json",
            ],
            cwd=self.place,
            env=self.variables,
            capture_output=True,
            timeout=60,
        )
        http_status, by_rest = self.by_rest(case, self.arguments("rest", case))
        said = {
            "command": json.loads(finished.stdout),
            "pipe": self.by_pipe(number, case.operation, self.arguments("pipe", case)),
            "http": self.by_http(case.operation, self.arguments("http", case)),
            "rest": by_rest,
        }
        for face, answer in said.items():
            self.cursors[face] = (
                answer.get("next_cursor") or answer.get("nextCursor") or self.cursors.get(face, "")
            )
        return Answers(said, finished.returncode, http_status)

    def arguments(self, face: str, case: Case) -> dict[str, Any]:
        return {
            name: self.cursors[face] if value == CURSOR else value for name, value in case.arguments.items()
        }

    def by_pipe(self, number: int, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        call = {"name": name, "arguments": arguments | UNLIMITED, "_meta": ENVELOPE}
        return _data(self.pipe.ask(number, "tools/call", call)["result"])

    def by_http(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return _data(self.http.call("tools/call", name=name, arguments=arguments | UNLIMITED)["result"])

    def by_rest(self, case: Case, arguments: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        operation = full_registry().operation(case.operation)
        path = f"/api/{path_of(operation)}"
        if method_of(operation) == "GET":
            answered = self.rest.ask("GET", f"{path}?{urlencode(_spelled(arguments), doseq=True)}")
        else:
            answered = self.rest.ask("POST", path, arguments)
        if answered.status == 200:
            return 200, answered.json
        return answered.status, {"error": answered.json["error"]}


def _data(result: dict[str, Any]) -> dict[str, Any]:
    """Return the data of a tool result, or its content where a tool gives no data beside it."""
    found: dict[str, Any] = result.get("structuredContent", {_ONLY_CONTENT: result["content"]})
    return found


def _spelled(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return arguments as a query spells them."""

    def spelled(value: Any) -> str:
        return value if isinstance(value, str) else json.dumps(value)

    return {
        name: [spelled(item) for item in value] if isinstance(value, list) else spelled(value)
        for name, value in arguments.items()
    }


def comparable(answer: dict[str, Any]) -> str:
    """Return an answer with what cannot be the same twice taken out: moments, and names made just now."""
    if "server" in answer and "stores" in answer:
        # How long counting took, how large files are and what was served differs; what is counted does not.
        answer = {store["store"]: [store["counts"], store["problem"]] for store in answer["stores"]}
    text = _DURATION.sub('"analysis_duration": "<span>"', json.dumps(answer))
    text = _SIZE.sub("<size>", text.replace(PERSON_WITH_MAIL, PERSON))
    text = _MOMENT.sub(lambda found: found[0] if found[0].startswith("2025-07-01") else "<now>", text)
    return _NAME.sub(lambda found: found[0] if found[0] in (*IDS, *MILES) else "<new>", text)


def _shows(content: list[dict[str, Any]], result: dict[str, Any]) -> bool:
    """Tell whether the content of a tool that gives no data is what the result holds, or its failure."""
    if "error" in result:
        return [item["text"].startswith(result["error"]["message"]) for item in content] == [True]
    shown = {item.get("data") or item.get("resource", {}).get("text") for item in content}
    return not shown.isdisjoint({result.get("data"), result.get("text")} - {None})


@pytest.mark.timeout(900)
@pytest.mark.requirement("http-17")
@pytest.mark.parametrize("shard", RUN)
def test_all_faces_give_the_same_json(tmp_path: Path, shard: str) -> None:
    cases = RUN[shard]
    answers = answers_of_every_face(tmp_path, cases)
    problems = {
        str(case): said for case, asked in zip(cases, answers, strict=True) if (said := differs(case, asked))
    }
    assert problems == {}
    for face in FACES:
        written = json.dumps([asked.said[face] for asked in answers], ensure_ascii=False)
        assert ("Hidden red text" in written) >= (shard in ("milestones", "others"))
        assert "\u202e" not in written
        # An export spells such characters out in JSON of its own, where they are text that anybody can see.
        assert not re.search(r"(?<!\\)\\u001b", written)


def differs(case: Case, asked: Answers) -> str | None:
    """Return in what the faces differ, or in what they are all wrong."""
    for face in FACES[1:]:
        said = asked.said[face]
        if _ONLY_CONTENT in said:
            if not _shows(said[_ONLY_CONTENT], asked.command):
                return f"{face} shows something else: {said}"
        elif comparable(said) != comparable(asked.command):
            return f"{face} says {comparable(said)[:600]}, the command {comparable(asked.command)[:600]}"
    kind = asked.command.get("error", {}).get("kind")
    expected = (case.fails, case.fails is None and not case.attention, case.fails is None)
    if (kind, asked.status == 0, asked.http_status == 200) != expected:
        return f"kind {kind}, exit status {asked.status}, HTTP status {asked.http_status}"
    return None


def test_every_operation_has_a_case_that_succeeds() -> None:
    missing = OFFERED - {case.operation for case in CASES if case.fails is None}
    assert not missing, f"add arguments for these to cases.py: {sorted(missing)}"
