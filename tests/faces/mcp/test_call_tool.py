"""`call_tool` does what a call of the named tool does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.faces.mcp.test_lazygit_profile import serve
from tests.wire.client import ENVELOPE, wire_client


def listed(client: Any) -> dict[str, Any]:
    return {tool["name"]: tool for tool in client.ask("list", "tools/list")["result"]["tools"]}


def test_a_tool_that_is_not_listed_is_found_and_called_through_listed_tools(repository: Path) -> None:
    with wire_client(serve(), cwd=repository) as client:
        client.initialize()
        assert {"find_tools", "call_tool"} <= listed(client).keys()
        assert "list_orphans" not in listed(client)
        direct = client.call(1, "list_orphans", limit=5)["result"]
        through = client.call(2, "call_tool", name="list_orphans", arguments={"limit": 5})["result"]
        assert through == direct
        assert through["structuredContent"]["total"] == 0
        assert client.call(3, "call_tool", name="list_orphans")["result"] == direct


def test_dotted_names_and_the_stateless_era_work_too(repository: Path) -> None:
    with wire_client(serve(), cwd=repository) as client:
        called = {"name": "git_mile.overview", "arguments": {"entity": "issue"}}
        request = {"name": "call_tool", "arguments": called, "_meta": ENVELOPE}
        result = client.ask(1, "tools/call", request)["result"]
        assert not result["isError"]
        assert result["structuredContent"]["items"] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"name": "list_orphns"}, ['Unknown tool: list_orphns. Did you mean "list_orphans"?', "find_tools"]),
        ({"name": "call_tool"}, ["Unknown tool: call_tool."]),
        ({"name": "find_files", "arguments": {"limt": 5}}, ['unknown argument "limt"', '"limit"']),
        ({"name": "list_orphans", "arguments": "{}"}, ['argument "arguments"', "has to be an object"]),
        ({"arguments": {}}, ['missing argument "name"']),
    ],
)
def test_a_mistake_is_a_result_that_the_model_reads(
    repository: Path, arguments: dict[str, Any], words: list[str]
) -> None:
    with wire_client(serve(), cwd=repository) as client:
        client.initialize()
        result = client.ask(1, "tools/call", {"name": "call_tool", "arguments": arguments})["result"]
        assert result["isError"]
        for word in words:
            assert word in result["content"][0]["text"]


def test_the_selection_binds_it(repository: Path) -> None:
    comment = {"name": "send_message", "arguments": {"file": ".", "comment": "no"}}
    with wire_client(serve("--read-only"), cwd=repository) as client:
        client.initialize()
        result = client.call(1, "call_tool", **comment)["result"]
        assert result["isError"]
        assert "read-only" in result["content"][0]["text"]
        assert client.call(2, "list_messages")["result"]["structuredContent"]["messages"] == []
    with wire_client(serve("--toolsets", "inbox"), cwd=repository) as client:
        client.initialize()
        result = client.call(1, "call_tool", name="list_orphans")["result"]
        assert "started without it" in result["content"][0]["text"]


def test_its_hints_are_the_strictest_of_what_it_can_call(repository: Path) -> None:
    def hints(*options: str) -> tuple[bool, bool]:
        with wire_client(serve(*options), cwd=repository) as client:
            client.initialize()
            annotations = listed(client)["call_tool"]["annotations"]
            return annotations["readOnlyHint"], annotations["destructiveHint"]

    assert hints() == (False, True)
    assert hints("--toolsets", "inbox") == (False, False)
    assert hints("--read-only") == (True, False)


def test_a_selection_can_leave_it_out_and_no_profile_has_it(repository: Path) -> None:
    for options in (
        ["--exclude-tools", "call_tool"],
        ["--tools", "show_message"],
        ["--profile", "taskpilot"],
    ):
        with wire_client(serve(*options), cwd=repository) as client:
            client.initialize()
            assert "call_tool" not in listed(client)
            assert client.call(1, "call_tool", name="show_message")["error"]["code"] == -32602


def test_a_selected_toolset_is_listed_whole(repository: Path) -> None:
    with wire_client(serve("--toolsets", "analyze"), cwd=repository) as client:
        client.initialize()
        names = listed(client).keys()
    assert {"analyze_duplicates", "quality_gate", "find_tools", "call_tool"} <= names
    assert "list_messages" not in names
