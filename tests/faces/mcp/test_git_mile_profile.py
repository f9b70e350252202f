"""The git-mile specification's server, message by message, as a real process."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.milestones.entity import EntityDraft
from holdfast.milestones.store import Milestones
from holdfast.storage.git.repository import Repository
from tests import forked
from tests.milestones.session import GIT_MILE, ISSUES, MILESTONE, SESSION, fill, recorded
from tests.wire.client import ENVELOPE, WireClient, wire_client

HOLDFAST = [sys.executable, "-m", "holdfast"]
ABSENT = "00000000-0000-4000-8000-00000000dead"


@pytest.fixture
def filled(repository: Path) -> Path:
    fill(repository)
    return repository


@pytest.fixture
def server(filled: Path) -> Iterator[WireClient]:
    with wire_client([GIT_MILE, "mcp-server"], cwd=filled) as client:
        client.initialize("2024-11-05")
        yield client


def payload(answer: dict[str, Any]) -> dict[str, Any]:
    [content] = answer["result"]["content"]
    assert content["type"] == "text"
    assert answer["result"]["isError"] is False
    found: dict[str, Any] = json.loads(content["text"])
    return found


def failure(answer: dict[str, Any]) -> tuple[int, str]:
    """Return code and name of a failed call, after checking that both tellings of it agree."""
    error = answer["error"]
    assert error["data"]["isError"] is True
    told = json.loads(error["data"]["content"][0]["text"])["error"]
    assert told["message"] == error["message"]
    return error["code"], told["code"]


def command(root: Path, *arguments: str) -> dict[str, Any]:
    finished = forked.run(
        [GIT_MILE, *arguments, "--json"], cwd=root, check=True, capture_output=True, text=True
    )
    found: dict[str, Any] = json.loads(finished.stdout)
    return found


@pytest.mark.requirement("milestones-1", "milestones-2", "milestones-3", "milestones-4")
def test_the_handshake_is_what_the_specification_shows(filled: Path) -> None:
    with wire_client([GIT_MILE, "mcp-server"], cwd=filled) as client:
        told = client.initialize("2025-11-25")
        assert told["protocolVersion"] == "2024-11-05"
        assert told["capabilities"] == {"tools": {}}
        assert told["serverInfo"]["name"] == "git-mile"
        assert told["serverInfo"]["version"]
        assert "git_mile.list" in told["instructions"]
        assert "git_mile.show" in told["instructions"]
        assert client.error_text() == ""


@pytest.mark.requirement("milestones-6", "milestones-7", "milestones-8")
def test_exactly_two_tools_are_listed_with_the_specified_schemas(server: WireClient) -> None:
    tools = {tool["name"]: tool for tool in server.ask(1, "tools/list")["result"]["tools"]}
    assert list(tools) == ["git_mile.list", "git_mile.show"]
    listing, showing = (tools[name]["inputSchema"] for name in tools)
    assert listing["required"] == ["entity"]
    assert listing["properties"]["entity"]["enum"] == ["milestone", "issue"]
    names = ["entity", "filter", "sort", "limit", "cursor", "includeClosed"]
    assert list(listing["properties"]) == names
    assert {"type": "integer", "minimum": 1} in listing["properties"]["limit"]["anyOf"]
    assert sorted(showing["required"]) == ["entity", "id"]
    assert listing["additionalProperties"] is showing["additionalProperties"] is False
    for tool in tools.values():
        assert tool["annotations"]["readOnlyHint"] is True
        assert tool["annotations"]["idempotentHint"] is True


@pytest.mark.requirement("milestones-9", "milestones-11")
def test_ping_is_answered_and_other_capabilities_are_not_there(server: WireClient) -> None:
    assert server.ask(1, "ping") == {"jsonrpc": "2.0", "id": 1, "result": {}}
    server.send({"jsonrpc": "2.0", "id": "unasked", "result": {}})
    for number, method in enumerate(("resources/list", "resources/read", "prompts/list", "prompts/get")):
        assert server.ask(10 + number, method, {})["error"]["code"] == -32601
    assert server.ask(20, "logging/setLevel", {"level": "info"})["error"]["code"] == -32601


@pytest.mark.requirement("milestones-10")
def test_shutdown_is_answered_with_null_and_ends_the_process(server: WireClient) -> None:
    assert server.ask(1, "shutdown") == {"jsonrpc": "2.0", "id": 1, "result": None}
    assert server.wait() == 0


@pytest.mark.requirement("milestones-5", "milestones-19", "milestones-20", "milestones-37")
def test_tools_can_be_called_without_listing_them(server: WireClient) -> None:
    found = payload(server.call(1, "git_mile.list", entity="milestone"))
    assert list(found) == ["items", "nextCursor"]
    assert found["nextCursor"] is None


@pytest.mark.requirement("milestones-12", "milestones-21", "milestones-22", "milestones-23")
def test_each_kind_is_listed_alone_with_the_specified_members(server: WireClient) -> None:
    [milestone] = payload(server.call(1, "git_mile.list", entity="milestone"))["items"]
    assert milestone == {
        "id": MILESTONE,
        "title": "Milestone Alpha",
        "status": "open",
        "labels": ["alpha"],
        "stats": {"comment_count": 1, "open_issues": 2},
    }
    issues = payload(server.call(2, "git_mile.list", entity="issue"))["items"]
    assert {issue["id"] for issue in issues} == set(ISSUES)
    assert all(issue["stats"] == {"comment_count": 0} for issue in issues)


@pytest.mark.requirement("milestones-25", "milestones-26")
def test_show_returns_everything_with_both_names_of_a_comments_time(server: WireClient) -> None:
    found = payload(server.call(1, "git_mile.show", entity="milestone", id=MILESTONE))
    specified = ["id", "title", "status", "description", "labels", "comments", "stats"]
    assert list(found)[: len(specified)] == specified
    assert found["description"] == "First milestone"
    [comment] = found["comments"]
    assert (comment["author"], comment["body"]) == ("Tester <tester@example.org>", "kickoff")
    assert comment["ts"] == comment["timestamp"] == "2024-10-25T09:17:00Z"
    assert found["stats"] == {"comment_count": 1, "open_issues": 2}


@pytest.mark.requirement("milestones-24", "milestones-27")
def test_both_tools_answer_what_the_command_line_answers(server: WireClient, filled: Path) -> None:
    asked = {"entity": "issue", "filter": "title ~ issue", "sort": ["title:asc"], "limit": 1}
    page = payload(server.call(1, "git_mile.list", **asked))
    typed = ("list", "issue", "--filter", "title ~ issue", "--sort", "title:asc", "--limit", "1")
    assert page == command(filled, *typed)
    following = payload(server.call(2, "git_mile.list", **asked, cursor=page["nextCursor"]))
    assert following == command(filled, *typed, "--cursor", page["nextCursor"])
    for number, (entity, name) in enumerate((("milestone", MILESTONE), ("issue", ISSUES[0]))):
        shown = payload(server.call(10 + number, "git_mile.show", entity=entity, id=name))
        assert shown == command(filled, "show", name)


@pytest.mark.parametrize("name", ["git_mile.list", "git_mile_list"])
@pytest.mark.parametrize("serve", [[GIT_MILE, "mcp-server"], [*HOLDFAST, "serve"]])
def test_both_spellings_of_a_name_are_accepted(serve: list[str], name: str, filled: Path) -> None:
    with wire_client(serve, cwd=filled) as client:
        client.initialize()
        assert payload(client.call(1, name, entity="milestone"))["items"][0]["id"] == MILESTONE


def test_other_servers_list_the_tools_without_dots_and_with_those_that_write(filled: Path) -> None:
    with wire_client([*HOLDFAST, "serve"], cwd=filled) as client:
        client.initialize()
        names = {tool["name"] for tool in client.ask(1, "tools/list")["result"]["tools"]}
        assert {"git_mile_list", "git_mile_create", "git_mile_claim"} <= names
        assert not any("." in name for name in names)
        created = client.call(2, "git_mile_create", entity="issue", title="From an agent", requestId="r")
        again = client.call(3, "git_mile_create", entity="issue", title="From an agent", requestId="r")
        first, second = (answer["result"]["structuredContent"] for answer in (created, again))
        assert (first["id"], first["repeated"], second["repeated"]) == (second["id"], False, True)


@pytest.mark.requirement("milestones-30", "milestones-34")
@pytest.mark.parametrize(
    "params",
    [
        {"name": "git_mile.list"},
        {"name": "git_mile.list", "arguments": None},
        {"name": "git_mile.list", "arguments": []},
        {"name": "git_mile.list", "arguments": "entity"},
        {"name": "git_mile.list", "arguments": {}},
        {"name": "git_mile.list", "arguments": {"entity": 5}},
        {"name": "git_mile.list", "arguments": {"entity": "issue", "sort": "updated"}},
        {"name": "git_mile.list", "arguments": {"entity": "issue", "limit": "many"}},
        {"name": "git_mile.list", "arguments": {"entity": "issue", "includeClosed": "yes"}},
        {"name": "git_mile.show", "arguments": {"entity": "issue"}},
        {"name": "git_mile.show", "arguments": {"id": MILESTONE}},
        {"arguments": {}},
    ],
)
def test_arguments_that_cannot_be_decoded_are_an_invalid_request(
    server: WireClient, params: dict[str, Any]
) -> None:
    assert failure(server.ask(1, "tools/call", params)) == (-32600, "InvalidRequest")


@pytest.mark.requirement("milestones-30")
def test_a_message_that_is_no_request_is_an_invalid_request(server: WireClient) -> None:
    server.send({"jsonrpc": "2.0", "id": 1})
    assert server.receive()["error"]["code"] == -32600
    server.send({"id": 2, "method": "ping"})
    assert server.receive()["error"]["code"] == -32600


@pytest.mark.requirement("milestones-31")
def test_an_unknown_tool_of_the_family_is_no_method_and_another_no_parameter(server: WireClient) -> None:
    assert failure(server.call(1, "git_mile.lst")) == (-32601, "MethodNotFound")
    assert failure(server.call(2, "git_mile_create", entity="issue", title="x")) == (-32601, "MethodNotFound")
    assert server.call(3, "list_messages")["error"]["code"] == -32602


def test_a_failure_names_tools_as_they_are_listed_and_has_no_empty_members(server: WireClient) -> None:
    error = server.call(1, "git_mile.lst")["error"]
    assert error["message"] == 'Unknown tool: git_mile.lst. Did you mean "git_mile.list"?'
    assert set(error["data"]["content"][0]) == {"type", "text"}
    hint = server.call(2, "nonsense")["error"]["data"]["hint"]
    assert hint == "Known names: git_mile.list, git_mile.show."
    message = server.call(3, "git_mile.show", entity="issue", id=ABSENT)["error"]["message"]
    assert "git_mile.list lists them" in message


@pytest.mark.requirement("milestones-28", "milestones-29", "milestones-32", "milestones-39")
@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("list", {"entity": "task"}, '"task" is not allowed'),
        ("list", {"entity": "issue", "filter": "statu == open"}, "column 1"),
        ("list", {"entity": "issue", "filter": 'status == "open" x'}, "column 18"),
        ("list", {"entity": "issue", "sort": ["colour"]}, '"colour" is not a sort key'),
        ("list", {"entity": "issue", "sort": ["title:up"]}, "Write asc or desc"),
        ("list", {"entity": "issue", "sort": ["open_issues"]}, "is not a sort key of issues"),
        ("list", {"entity": "issue", "cursor": "bad"}, "cursor is damaged"),
        ("list", {"entity": "issue", "limit": 0}, "greater than or equal to 1"),
        ("list", {"entity": "issue", "surprise": 1}, 'unknown argument "surprise"'),
        ("show", {"entity": "issue", "id": "not a uuid"}, "There is no issue"),
        ("show", {"entity": "issue", "id": ABSENT}, "There is no issue"),
        ("show", {"entity": "issue", "id": MILESTONE}, "is a milestone, not an issue"),
    ],
)
def test_parameters_that_are_not_valid_are_told_with_what_and_where(
    server: WireClient, tool: str, arguments: dict[str, Any], said: str
) -> None:
    answer = server.call(1, f"git_mile.{tool}", **arguments)
    assert failure(answer) == (-32602, "InvalidParams")
    assert said in answer["error"]["message"]


@pytest.mark.requirement("milestones-33")
def test_an_internal_failure_has_its_code_and_the_server_keeps_serving(filled: Path) -> None:
    broken = "import holdfast.milestones.index.query as q\nq.page = lambda *a: 1 / 0\n"
    program = f"{broken}from holdfast.faces.cli.git_mile import main\nmain(['mcp-server'])"
    with wire_client([sys.executable, "-c", program], cwd=filled) as client:
        client.initialize()
        answer = client.call(1, "git_mile.list", entity="issue")
        assert failure(answer) == (-32001, "ServerError")
        assert "ZeroDivisionError" in answer["error"]["message"]
        assert "reference" in answer["error"]["message"]
        assert payload(client.call(2, "git_mile.show", entity="milestone", id=MILESTONE))["id"] == MILESTONE


@pytest.mark.requirement("milestones-34")
def test_failures_are_results_where_that_is_asked_for(filled: Path) -> None:
    with wire_client([GIT_MILE, "mcp-server", "--tool-errors", "result"], cwd=filled) as client:
        client.initialize()
        for number, (name, arguments, code) in enumerate(
            [
                ("git_mile.list", {"entity": "issue", "filter": "x"}, "InvalidParams"),
                ("git_mile.list", {}, "InvalidRequest"),
                ("git_mile.nothing", {}, "MethodNotFound"),
            ]
        ):
            result = client.call(number, name, **arguments)["result"]
            assert result["isError"] is True
            assert json.loads(result["content"][0]["text"])["error"]["code"] == code


def test_in_the_stateless_era_failures_are_results_with_allowed_codes(filled: Path) -> None:
    call = {"name": "git_mile_list", "arguments": {"entity": "issue", "filter": "x"}, "_meta": ENVELOPE}
    texts = []
    for options in (["--profile", "git-mile"], []):
        with wire_client([*HOLDFAST, "serve", *options], cwd=filled) as client:
            result = client.ask(1, "tools/call", call)["result"]
            assert result["isError"] is True
            assert result["structuredContent"]["error"]["code"] == -32602
            texts.append(result["content"][0]["text"])
    specified, plain = texts
    assert json.loads(specified)["error"] == {"code": "InvalidParams", "message": plain}


@pytest.mark.requirement("milestones-40")
def test_the_protocol_can_be_named_and_another_is_refused(filled: Path) -> None:
    with wire_client([GIT_MILE, "mcp-server", "--protocol", "v1"], cwd=filled) as client:
        assert client.initialize()["protocolVersion"] == "2024-11-05"
    finished = forked.run(
        [GIT_MILE, "mcp-server", "--protocol", "v2"], cwd=filled, capture_output=True, text=True
    )
    assert finished.returncode == 2
    assert 'There is no protocol "v2".' in finished.stderr


@pytest.mark.requirement("milestones-35", "milestones-36")
def test_the_reference_session_is_what_the_server_still_says(filled: Path) -> None:
    frames = json.loads(SESSION.read_text(encoding="utf-8"))
    assert all(set(frame) == {"direction", "payload"} for frame in frames)
    server = [frame["payload"] for frame in frames if frame["direction"] == "server"]
    initialized, tools, listed, shown, ended = (answer["result"] for answer in server)
    assert initialized["protocolVersion"] == "2024-11-05"
    assert [tool["name"] for tool in tools["tools"]] == ["git_mile.list", "git_mile.show"]
    assert json.loads(listed["content"][0]["text"])["items"]
    assert json.loads(shown["content"][0]["text"])["comments"]
    assert ended is None
    assert recorded(filled) == frames


@pytest.mark.requirement("milestones-42")
def test_a_query_over_many_issues_completes(repository: Path) -> None:
    room = Milestones(Repository.discover(repository))
    room.import_drafts(EntityDraft("issue", f"Issue {number}", "x" * 200) for number in range(3000))
    room.close()
    with wire_client([GIT_MILE, "mcp-server"], cwd=repository) as client:
        client.initialize()
        client.start_call(1, "git_mile.list", entity="issue", filter="text ~ nothing or text ~ 'issue 7'")
        found = payload(client.answer(1, seconds=60))
        assert len(found["items"]) == 50
        assert found["nextCursor"]


@pytest.mark.requirement("milestones-43")
def test_every_letter_of_a_long_text_survives(repository: Path) -> None:
    title = "Quotes \"double\" 'single' \\ backslash \\n é 日本 🎉"
    body = ('Zeile mit "Anführung", \\ und 😀\n' * 400)[:10_000]
    room = Milestones(Repository.discover(repository))
    name = room.create(EntityDraft("issue", title, body, comments=(body,))).entity
    room.close()
    with wire_client([GIT_MILE, "mcp-server"], cwd=repository) as client:
        client.initialize()
        quoted = title.replace("\\", "\\\\").replace('"', '\\"')
        found = payload(client.call(1, "git_mile.list", entity="issue", filter=f'title == "{quoted}"'))
        assert [item["title"] for item in found["items"]] == [title]
        shown = payload(client.call(2, "git_mile.show", entity="issue", id=name))
        assert (shown["description"], shown["comments"][0]["body"]) == (body, body)


@pytest.mark.parametrize(
    ("command", "listed"),
    [
        ([GIT_MILE, "mcp-server"], "git_mile.list"),
        ([GIT_MILE, "mcp-server", "--tool-names", "plain"], "git_mile_list"),
        ([*HOLDFAST, "serve"], "git_mile_list"),
        ([*HOLDFAST, "serve", "--tool-names", "dotted"], "git_mile.list"),
    ],
)
def test_tools_are_listed_under_the_names_asked_for_and_answer_to_both(
    filled: Path, command: list[str], listed: str
) -> None:
    with wire_client(command, cwd=filled) as client:
        client.initialize("2024-11-05")
        names = {tool["name"] for tool in client.ask(1, "tools/list")["result"]["tools"]}
        assert {name for name in names if name.startswith("git_mile") and name.endswith("list")} == {listed}
        for number, name in enumerate(("git_mile.list", "git_mile_list")):
            answer = client.call(2 + number, name, entity="milestone")
            assert payload(answer)["items"][0]["id"] == MILESTONE


def test_an_unknown_way_of_naming_is_refused(filled: Path) -> None:
    done = forked.run(
        [GIT_MILE, "mcp-server", "--tool-names", "fancy"], cwd=filled, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert 'Tools cannot have "fancy" names.' in done.stderr
