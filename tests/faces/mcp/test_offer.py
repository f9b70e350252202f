"""What a server lists and under which names; fields and methods beyond the SDK's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.faces.mcp.instructions import instructions_for
from holdfast.faces.mcp.profiles import PROFILES
from holdfast.kernel.registry import Selection
from holdfast.toolsets import full_registry
from tests.faces.mcp.test_lazygit_profile import serve
from tests.wire.client import ENVELOPE, wire_client


@pytest.mark.requirement("transport-23", "transport-26")
def test_tools_and_resources_are_listed_with_all_they_need() -> None:
    with wire_client() as client:
        client.initialize()
        for tool in client.ask(1, "tools/list", {})["result"]["tools"]:
            assert tool["name"]
            assert tool["description"]
            assert tool["title"]
            assert tool["inputSchema"]["type"] == "object"
            assert "properties" in tool["inputSchema"]
            if tool["name"] != "call_tool":  # whose result is that of any tool
                assert tool["outputSchema"]["type"] == "object"
            assert set(tool["annotations"]) >= {
                "readOnlyHint",
                "destructiveHint",
                "idempotentHint",
                "openWorldHint",
            }
        echo = next(tool for tool in client.ask(2, "tools/list")["result"]["tools"] if tool["name"] == "echo")
        assert echo["inputSchema"]["required"] == ["text"]
        assert echo["inputSchema"]["additionalProperties"] is False
        for resource in client.ask(3, "resources/list", {})["result"]["resources"]:
            assert all(resource[key] for key in ("uri", "name", "description", "mimeType"))


@pytest.mark.parametrize(
    ("method", "key", "name"),
    [
        ("tools/list", "tools", "name"),
        ("resources/list", "resources", "uri"),
        ("resources/templates/list", "resourceTemplates", "uriTemplate"),
        ("prompts/list", "prompts", "name"),
    ],
)
@pytest.mark.parametrize("meta", [{}, {"_meta": ENVELOPE}])
def test_every_list_is_paged_in_a_stable_order(
    method: str, key: str, name: str, meta: dict[str, object]
) -> None:
    with wire_client(settings={"limits": {"list_page": 2}}) as paged, wire_client() as whole:
        for client in (paged, whole):
            client.initialize()
        expected = [item[name] for item in whole.ask(1, method, dict(meta))["result"][key]]
        seen: list[str] = []
        cursor: dict[str, str] = {}
        for number in range(len(expected) + 1):
            result = paged.ask(number, method, {**meta, **cursor})["result"]
            assert len(result[key]) <= 2
            seen += [item[name] for item in result[key]]
            if "nextCursor" not in result:
                break
            cursor = {"cursor": result["nextCursor"]}
        assert seen == expected == sorted(expected)


def test_a_cursor_of_another_list_is_refused() -> None:
    with wire_client(settings={"limits": {"list_page": 2}}) as client:
        client.initialize()
        cursor = client.ask(1, "tools/list")["result"]["nextCursor"]
        error = client.ask(2, "resources/list", {"cursor": cursor})["error"]
        assert error["code"] == -32602
        assert "another query" in error["message"]


def test_list_answers_are_the_same_the_second_time() -> None:
    with wire_client() as client:
        client.initialize()
        for meta in ({}, {"_meta": ENVELOPE}):
            first, second = (client.ask(7, "tools/list", dict(meta)) for _ in range(2))
            assert first == second


def test_dotted_names_are_listed_without_dots_and_accepted_with_them() -> None:
    with wire_client() as client:
        client.initialize()
        names = [tool["name"] for tool in client.ask(1, "tools/list")["result"]["tools"]]
        assert "sample_dotted" in names
        assert not [name for name in names if "." in name]
        for number, name in enumerate(["sample.dotted", "sample_dotted"]):
            assert client.call(10 + number, name, text="x")["result"]["structuredContent"] == {"text": "x"}
            assert client.ask(20 + number, name, {"text": "x"})["result"] == {"text": "x"}


def test_a_method_named_like_a_tool_is_served_with_its_result_unwrapped() -> None:
    with wire_client() as client:
        stateless = client.ask(1, "echo", {"text": "bare", "_meta": ENVELOPE})["result"]
        assert stateless["text"] == "bare"
        client.initialize()
        assert client.ask(2, "echo", {"text": "bare"})["result"] == {"text": "bare"}
        assert client.ask(3, "echo", {"txt": "bare"})["error"]["code"] == -32602
        assert client.ask(4, "echo")["error"]["code"] == -32602


def test_fields_that_a_specification_shows_reach_the_wire() -> None:
    with wire_client() as client:
        client.initialize()
        tools = {tool["name"]: tool for tool in client.ask(1, "tools/list")["result"]["tools"]}
        assert tools["decorated"]["annotations"]["category"] == "sample"
        assert tools["decorated"]["annotations"]["requiresConfirmation"] is False
        assert client.call(2, "decorated", text="four")["result"]["metadata"] == {"length": 4}
        assert "metadata" not in client.call(3, "echo", text="four")["result"]
        [contents] = client.ask(4, "resources/read", {"uri": "sample://note"})["result"]["contents"]
        assert contents["annotations"] == {"priority": 1}
        [prompt] = client.ask(5, "prompts/list")["result"]["prompts"]
        assert prompt["arguments"][0]["default"] == "kelp"


def test_progress_is_reported_only_to_those_who_asked() -> None:
    with wire_client() as client:
        client.initialize()
        params = {"name": "wait", "arguments": {"seconds": 0.4, "steps": 4}}
        client.request(1, "tools/call", params | {"_meta": {"progressToken": "token"}})
        reports = []
        while "method" in (message := client.receive()):
            assert message["method"] == "notifications/progress"
            reports.append(message["params"])
        assert message["id"] == 1
        assert [report["progress"] for report in reports] == [1, 2, 3, 4]
        assert {report["progressToken"] for report in reports} == {"token"}
        assert {report["total"] for report in reports} == {4}
        client.request(2, "tools/call", params)
        assert client.receive()["id"] == 2


def test_progress_increases_though_an_operation_counts_one_thing_after_another() -> None:
    with wire_client() as client:
        client.initialize()
        arguments = {"seconds": 0.2, "steps": 2, "afresh": True}
        client.request(
            1, "tools/call", {"name": "wait", "arguments": arguments, "_meta": {"progressToken": 7}}
        )
        reports = []
        while "method" in (message := client.receive()):
            reports.append((message["params"]["progress"], message["params"]["total"]))
        assert reports[:2] == [(1, 2), (2, 2)]
        assert reports[-1] == (4, 4)
        told = [progress for progress, _ in reports]
        assert told == sorted(set(told))


def test_binary_resources_are_sent_as_base64() -> None:
    with wire_client() as client:
        client.initialize()
        [contents] = client.ask(1, "resources/read", {"uri": "sample://bytes"})["result"]["contents"]
        assert contents == {"uri": "sample://bytes", "mimeType": "application/octet-stream", "blob": "AAE="}


@pytest.mark.requirement("transport-50")
def test_the_tool_list_stays_within_its_limits(repository: Path) -> None:
    with wire_client(serve(), cwd=repository) as client:
        client.initialize()
        tools = client.ask(1, "tools/list")["result"]["tools"]
    assert encoded_bytes(tools) <= 60_000
    without_results = [{key: tool[key] for key in tool.keys() - {"outputSchema"}} for tool in tools]
    assert encoded_bytes(without_results) <= 36_000
    for_models = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in tools]
    # 7,000 tokens of 4.2 bytes, as bench/tool_list.py counts them.
    assert encoded_bytes(for_models) <= 29_400


def encoded_bytes(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def test_instructions_name_the_tool_to_start_with() -> None:
    instructions = instructions_for(PROFILES["everything"], Selection()) or ""
    names = {operation.name for operation in full_registry().operations}
    mentioned = {word.strip(".,:;") for word in instructions.split()} & names
    assert "check_lazygit_messages" in mentioned
    assert instructions.index("Start with") < instructions.index("check_lazygit_messages")
