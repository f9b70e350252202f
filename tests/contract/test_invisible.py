"""Whatever leaves, on any face and in any part of an answer, has nothing in it that nobody can see."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from holdfast.faces import json_text
from holdfast.faces.mcp.wire import messages
from holdfast.faces.rest.operations import method_of, path_of
from holdfast.kernel.untrusted import visible
from holdfast.toolsets import full_registry
from tests import forked
from tests.contract.case import CURSOR, Case
from tests.contract.cases import CASES
from tests.contract.prepared import HOLDFAST, environment, prepare
from tests.faces.http.running import RunningServer, running_server
from tests.wire.client import ENVELOPE, WireClient, wire_client

HIDDEN = "\u202e\x1b[31m\x07\u200b\u2066\U000e0041\x85"
SHOWN = "beforeafter"
TEXT = f"before{HIDDEN}after"
WRITTEN_BY_SOMEBODY = re.compile(
    "text|title|description|comment|body|author|message|goal|note|reason|summary"
)
WORDS = ("comments search before", "inbox list", "milestones list", "tasks list", "templates list", "doctor")
OFFERED = {operation.listed_name: operation for operation in full_registry().operations}
RUN = [case for case in CASES if case.operation in OFFERED]


def hidden_in(value: Any) -> list[str]:
    """Return every text, and every name of a member, with something that nobody can see."""
    if isinstance(value, str):
        return [] if visible(value) == value else [value]
    if isinstance(value, dict):
        return [found for pair in value.items() for part in pair for found in hidden_in(part)]
    return [found for item in value for found in hidden_in(item)] if isinstance(value, list) else []


def poisoned(value: Any, name: str = "", *, everywhere: bool) -> Any:
    """Return arguments with hidden text in what somebody wrote, or in every text."""
    if isinstance(value, dict):
        return {key: poisoned(item, key, everywhere=everywhere) for key, item in value.items()}
    if isinstance(value, list):
        return [poisoned(item, name, everywhere=everywhere) for item in value]
    wanted = isinstance(value, str) and value != CURSOR and (everywhere or WRITTEN_BY_SOMEBODY.search(name))
    return f"{value} {TEXT}" if wanted else value


@dataclass
class Faces:
    """A repository full of hidden text, and two servers on it."""

    place: Path
    variables: dict[str, str]
    pipe: WireClient
    http: RunningServer

    def pages(self, method: str, member: str) -> Iterator[dict[str, Any]]:
        cursor: dict[str, str] = {}
        for number in itertools.count():
            asked = self.pipe.ask(f"{method} {number}", method, {**cursor, "_meta": ENVELOPE})["result"]
            yield from asked[member]
            if not asked.get("nextCursor"):
                return
            cursor = {"cursor": asked["nextCursor"]}


@pytest.fixture(scope="module")
def faces(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Faces]:
    folder = tmp_path_factory.mktemp("invisible")
    place = prepare(folder / "repository", folder / "home")
    source = f"src/na{HIDDEN}me.py"
    (place / source).write_text(f"def wri{TEXT}(): pass\n")
    comment = {"id": f"i{TEXT}", "line": 1, "text": f"{TEXT}\x00", "author": TEXT, "tag": TEXT}
    comment |= {"created": TEXT, "updated": TEXT, "replies": [{"text": TEXT, "author": TEXT}], TEXT: TEXT}
    sidecar = {"file": source, "version": TEXT, "comments": [comment], "ghostMarkers": []}
    (place / f"{source}.comments").write_text(json.dumps(sidecar))
    variables = environment(folder / "home")
    with (
        wire_client([HOLDFAST, "serve"], cwd=place, env=variables) as pipe,
        running_server(place, environment=variables) as http,
    ):
        found = Faces(place, variables, pipe, http)
        run_cases(found)
        yield found


def run_cases(faces: Faces) -> None:
    """Run every case with hidden text in every argument, then where somebody writes it, then as it is."""
    numbers = itertools.count()
    for case in RUN:
        if CURSOR in case.arguments.values():
            continue
        for arguments in (
            poisoned(case.arguments, everywhere=True),
            poisoned(case.arguments, everywhere=False),
            case.arguments,
        ):
            call = {"name": case.operation, "arguments": arguments, "_meta": ENVELOPE}
            faces.pipe.ask(next(numbers), "tools/call", call)


def test_the_hidden_text_was_stored_and_is_told(faces: Faces) -> None:
    stored = [path.read_text() for path in faces.place.rglob("*.comments")]
    assert sum("\u202e" in text or "\\u202e" in text for text in stored) > 1
    answers = b"".join(faces.pipe.raw).decode()
    assert answers.count(SHOWN) > 100


@pytest.mark.evidence("G2", "every face", "hidden text stored, and read through every face")
def test_no_answer_of_a_tool_hides_anything(faces: Faces) -> None:
    assert {found for line in faces.pipe.raw for found in hidden_in(json.loads(line))} == set()


@pytest.mark.evidence("G2", "every face", "hidden text stored, and read through every face")
def test_no_resource_or_prompt_hides_anything(faces: Faces) -> None:
    addresses = [item["uri"] for item in faces.pages("resources/list", "resources")]
    prompts = [
        (item["name"], {argument["name"]: "src/main.py" for argument in item.get("arguments", ())})
        for item in faces.pages("prompts/list", "prompts")
    ]
    for uri in [*addresses, f"comment://workspace/{TEXT}"]:
        faces.pipe.ask(uri, "resources/read", {"uri": uri, "_meta": ENVELOPE})
    for name, arguments in prompts:
        for given in (arguments, poisoned(arguments, everywhere=True)):
            faces.pipe.ask(name, "prompts/get", {"name": name, "arguments": given, "_meta": ENVELOPE})
    faces.pipe.ask("x", "prompts/get", {"name": TEXT, "_meta": ENVELOPE})
    assert len(addresses) > 10
    parts = [
        {name: part for name, part in json.loads(line).items() if name != "id"} for line in faces.pipe.raw
    ]
    assert {found for part in parts for found in hidden_in(part)} == set()


@pytest.mark.evidence("G2", "every face", "hidden text stored, and read through every face")
def test_no_answer_over_rest_hides_anything(faces: Faces) -> None:
    said = [answer_over_rest(faces, case) for case in RUN if case.operation in READING]
    assert [answered.body for answered in said if SHOWN.encode() in answered.body]
    assert {found for answered in said for found in hidden_in(answered.json)} == set()


READING = {name for name, operation in OFFERED.items() if method_of(operation) == "GET"}


def answer_over_rest(faces: Faces, case: Case) -> Any:
    arguments = poisoned(case.arguments, everywhere=case.fails is not None)
    query = {name: item if isinstance(item, str) else json.dumps(item) for name, item in arguments.items()}
    path = path_of(OFFERED[case.operation])
    return faces.http.ask("GET", f"/api/{path}?{urlencode(query)}")


@pytest.mark.parametrize("typed", WORDS)
@pytest.mark.parametrize("form", ["words", "json"])
@pytest.mark.evidence("G2", "every face", "hidden text stored, and read through every face")
def test_no_command_writes_what_nobody_can_see(faces: Faces, typed: str, form: str) -> None:
    command = [HOLDFAST, *typed.split(), *(["--json"] if form == "json" else [])]
    done = forked.run(command, cwd=faces.place, env=faces.variables, capture_output=True, timeout=60)
    assert done.stdout
    for written in (done.stdout.decode(), done.stderr.decode()):
        assert hidden_in(written) == []
    if form == "json":
        assert hidden_in(json.loads(done.stdout)) == []


def test_notifications_and_questions_are_cleaned_but_not_the_clients_own_names() -> None:
    sent = messages.notification("notifications/message", {"data": {TEXT: [TEXT]}, "progressToken": TEXT})
    told = json.loads(messages.encode({**sent, "id": TEXT}))
    assert told["params"] == {"data": {SHOWN: [SHOWN]}, "progressToken": TEXT}
    assert told["id"] == TEXT


@pytest.mark.evidence("G2", "every face", control="answers that are not cleaned")
def test_without_the_cleaning_hidden_text_would_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "may_have_invisible", lambda document: False)
    monkeypatch.setattr(json_text, "may_have_invisible", lambda document: False)
    assert hidden_in(json.loads(messages.encode({"result": TEXT}))) == [TEXT]
    assert hidden_in(json.loads(json_text.json_text([TEXT], for_a_person=False))) == [TEXT]
