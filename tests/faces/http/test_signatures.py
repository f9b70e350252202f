"""Whoever has a token signs with its name; the owner may name another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.call import Call
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import Denied, HoldfastError, NotFound
from holdfast.kernel.models import SIGNATURE
from holdfast.kernel.operation import Effect, Operation
from holdfast.kernel.registry import Selection
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace
from tests.faces.http.running import RunningServer

OPERATIONS = full_registry().operations
NAMES_OF_PEOPLE = {"actor", "author", "agent", "by", "sender", "user", "holder"}
SIGNED = [
    item for item in OPERATIONS if any(SIGNATURE in i.metadata for i in item.input.model_fields.values())
]


def signing(operation: Operation) -> str:
    fields = operation.input.model_fields
    return next(name for name, info in fields.items() if SIGNATURE in info.metadata)


@pytest.fixture
def dispatcher(repository: Path) -> Iterator[Dispatcher]:
    (repository / "a.py").write_text("one = 1\ntwo = 2\n")
    workspace = Workspace.discover(repository)
    dispatcher = Dispatcher(full_registry(), workspace.room)
    done(dispatcher, None, "taskpilot_init", project_requirements="x")
    yield dispatcher
    dispatcher.close()
    workspace.close()


def done(dispatcher: Dispatcher, who: str | None, name: str, /, **arguments: Any) -> dict[str, Any]:
    return dispatcher.run(dispatcher.registry.operation(name), arguments, Call(actor=who)).wire()


def test_every_argument_that_says_who_writes_is_a_signature() -> None:
    unsigned = [
        f"{item.name}: {name}"
        for item in full_registry().select(Selection(includes_commands=True)).operations
        if item.effect is not Effect.READ
        for name, info in item.input.model_fields.items()
        if name in NAMES_OF_PEOPLE and SIGNATURE not in info.metadata
    ]
    assert unsigned == []
    assert {item.toolset for item in SIGNED} == {"comments", "inbox", "milestones", "tasks"}


@pytest.mark.parametrize("operation", SIGNED, ids=lambda item: item.name)
def test_a_token_does_not_sign_with_another_name(operation: Operation) -> None:
    def no_room(toolset: str) -> Any:
        raise NotFound(toolset)

    dispatcher = Dispatcher(full_registry(), no_room)
    given = {signing(operation): "ada"}
    with pytest.raises(Denied, match='"bob"'):
        dispatcher.run(operation, given, Call(actor="bob"))
    # Its own name is no other, and on a pipe whoever asks may say it: what is refused then is something else.
    for actor in ("ada", "owner", None):
        with pytest.raises(HoldfastError) as refused:
            dispatcher.run(operation, given, Call(actor=actor))
        assert not isinstance(refused.value, Denied)


@pytest.mark.requirement("tasks-49")
@pytest.mark.parametrize(
    ("actor", "given", "author"),
    [
        ("bob", None, "bob"),
        ("owner", "lin", "lin"),
        ("owner", None, None),
        (None, "lin", "lin"),
        (None, None, None),
    ],
)
def test_what_is_written_bears_the_name_in_every_room(
    dispatcher: Dispatcher, actor: str | None, given: str | None, author: str | None
) -> None:
    def by(name: str) -> dict[str, str]:
        return {} if given is None else {name: given}

    done(dispatcher, actor, "add_comment", filePath="a.py", line=1, text="x", tag="NOTE", **by("author"))
    (comment,) = done(dispatcher, None, "get_file_comments", filePath="a.py")["comments"]
    assert comment["author"] == (author or "Ada")

    sent = done(dispatcher, actor, "send_message", file=".", comment="x", **by("author"))
    done(dispatcher, actor, "reply_to_message", message_id=sent["id"], text="y", **by("author"))
    message = done(dispatcher, None, "show_message", message_id=sent["id"])
    assert message["message"]["author"] == (author or "Ada")
    assert message["replies"][0]["author"] == (author or "Ada")

    issue = done(dispatcher, actor, "git_mile_create", entity="issue", title="x", **by("actor"))["id"]
    assert done(dispatcher, None, "git_mile_show", entity="issue", id=issue)["author"] == (
        author or "Ada <ada@example.org>"
    )

    done(dispatcher, actor, "taskpilot_add", title="x")
    claim = done(dispatcher, actor, "taskpilot_claim", action="take", task_id="TP-1", **by("agent"))["claim"]
    assert claim["agent"] == (author or "Ada")


def test_what_an_import_writes_bears_the_name_of_the_token(dispatcher: Dispatcher, repository: Path) -> None:
    (repository / "issues.json").write_text('[{"number": 1, "title": "x", "state": "open"}]')
    done(dispatcher, "bob", "git_mile_import", file="issues.json")
    (event, *_) = done(dispatcher, None, "git_mile_log")["events"]
    assert event["actor"] == "bob"


def test_nobody_works_in_a_session_of_somebody_else(dispatcher: Dispatcher) -> None:
    started = done(dispatcher, "ada", "taskpilot_start", workspace_path=".")
    session = started["session"]["id"]
    done(dispatcher, "ada", "taskpilot_add", title="x", session=session)
    for actor in ("ada", "owner", None):
        assert done(dispatcher, actor, "taskpilot_status", session=session)["workspace"]
    for name, arguments in (("taskpilot_add", {"title": "y"}), ("taskpilot_status", {})):
        with pytest.raises(NotFound, match="session"):
            done(dispatcher, "bob", name, session=session, **arguments)


@pytest.mark.requirement("http-7")
def test_both_faces_sign_with_the_name_of_the_token(server: RunningServer) -> None:
    (server.repository / "a.py").write_text("one = 1\n")
    token = server.add_token("bob", "write")
    note = {"filePath": "a.py", "line": 1, "text": "x", "tag": "NOTE"}
    refused = server.ask("POST", "/api/comments/add_comment", {**note, "author": "ada"}, token=token)
    assert (refused.status, refused.json["type"]) == (403, "urn:holdfast:problem:denied")
    told = server.call("tools/call", token=token, name="add_comment", arguments={**note, "author": "ada"})
    assert "bob" in str(told)
    assert server.ask("POST", "/api/comments/add_comment", note, token=token).status == 200
    server.call("tools/call", token=token, name="add_comment", arguments=note)
    server.call("tools/call", name="add_comment", arguments={**note, "author": "ada"})
    found = server.ask("GET", "/api/comments/get_file_comments?filePath=a.py").json["comments"]
    assert [comment["author"] for comment in found] == ["bob", "bob", "ada"]
