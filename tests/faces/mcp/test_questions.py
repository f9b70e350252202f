"""Operations that ask the client, in the way of each era, over standard input and output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.wire.client import ENVELOPE, WireClient, wire_client

CAPABILITIES = {"elicitation": {}, "sampling": {}, "roots": {}}
ABLE = ENVELOPE | {"io.modelcontextprotocol/clientCapabilities": CAPABILITIES}
ADA = {"action": "accept", "content": {"name": "Ada"}}


@pytest.fixture
def client() -> Iterator[WireClient]:
    with wire_client(settings={"conformance": True}) as client:
        yield client


def shake_hands(client: WireClient, capabilities: dict[str, Any]) -> None:
    client.ask("init", "initialize", {"protocolVersion": "2025-11-25", "capabilities": capabilities})
    client.notify("notifications/initialized")


def call(client: WireClient, identity: int, tool: str, **more: Any) -> dict[str, Any]:
    return client.ask(identity, "tools/call", {"name": tool, "arguments": {}, "_meta": ABLE, **more})


def said(answer: dict[str, Any]) -> str:
    text: str = answer["result"]["content"][0]["text"]
    return text


def test_the_handshake_era_asks_in_the_middle_of_a_call(client: WireClient) -> None:
    shake_hands(client, CAPABILITIES)
    client.start_call(1, "test_elicitation", message="Who are you?")
    asked = client.receive()
    assert asked["method"] == "elicitation/create"
    assert asked["params"]["message"] == "Who are you?"
    client.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}})
    assert said(client.answer(1)) == "User response: action=decline, content={}"


def test_a_client_that_cannot_be_asked_is_told_so(client: WireClient) -> None:
    shake_hands(client, {})
    result = client.call(1, "test_elicitation", message="Who are you?")["result"]
    assert result["isError"]
    assert result["structuredContent"]["error"]["kind"] == "missing_capability"
    error = client.ask(
        2, "tools/call", {"name": "test_missing_capability", "arguments": {}, "_meta": ENVELOPE}
    )["error"]
    assert error["code"] == -32021
    assert error["data"] == {"requiredCapabilities": {"sampling": {}}}


def test_an_error_in_answer_to_a_question_fails_the_call(client: WireClient) -> None:
    shake_hands(client, CAPABILITIES)
    client.start_call(1, "test_sampling", prompt="Hello?")
    asked = client.receive()
    client.send({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -1, "message": "not today"}})
    result = client.answer(1)["result"]
    assert result["isError"]
    assert "not today" in result["content"][0]["text"]


def test_cancelling_a_call_that_waits_for_a_person_frees_it(client: WireClient) -> None:
    shake_hands(client, CAPABILITIES)
    client.start_call(1, "test_elicitation", message="Still there?")
    client.receive()
    client.notify("notifications/cancelled", {"requestId": 1})
    assert said(client.call(2, "test_simple_text")) == "This is a simple text response for testing."


def test_the_stateless_era_ends_the_call_with_its_questions(client: WireClient) -> None:
    first = call(client, 1, "test_input_required_result_elicitation")["result"]
    assert first["resultType"] == "input_required"
    assert first["inputRequests"]["user_name"]["method"] == "elicitation/create"
    again = call(client, 2, "test_input_required_result_elicitation", inputResponses={"user_name": ADA})
    assert said(again) == "Hello, Ada!"


def test_answers_of_earlier_rounds_come_back_in_the_sealed_state(client: WireClient) -> None:
    tool = "test_input_required_result_multi_round"
    first = call(client, 1, tool)["result"]
    second = call(client, 2, tool, inputResponses={"step1": ADA}, requestState=first["requestState"])[
        "result"
    ]
    assert list(second["inputRequests"]) == ["step2"]
    blue = {"action": "accept", "content": {"color": "blue"}}
    third = call(client, 3, tool, inputResponses={"step2": blue}, requestState=second["requestState"])
    assert said(third) == "Ada likes blue."


def test_state_that_was_changed_on_the_way_is_refused(client: WireClient) -> None:
    tool = "test_input_required_result_multi_round"
    state = call(client, 1, tool)["result"]["requestState"]
    changed = state[:-4] + ("AAAA" if not state.endswith("AAAA") else "BBBB")
    assert "Ada" not in state
    refused = call(client, 2, tool, inputResponses={"step1": ADA}, requestState=changed)
    assert refused["error"]["code"] == -32602


@pytest.mark.parametrize(
    "answer", [{"action": "accept", "content": {}}, {"action": "accept", "content": {"name": 7}}]
)
def test_a_form_that_is_not_filled_in_is_asked_for_again(client: WireClient, answer: dict[str, Any]) -> None:
    again = call(client, 1, "test_input_required_result_elicitation", inputResponses={"user_name": answer})
    assert again["result"]["resultType"] == "input_required"


def test_a_person_may_take_longer_than_the_operation(client: WireClient) -> None:
    # Asked for 0.5 s by a person while the operation itself would be cut off after 0.3 s.
    settings = {"limits": {"operation_seconds": 0.3}}
    with wire_client(settings=settings) as hasty:
        shake_hands(hasty, CAPABILITIES)
        hasty.start_call(1, "confirm")
        asked = hasty.receive()
        hasty.call(2, "wait", seconds=0.6)
        hasty.send(
            {"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept", "content": {"ok": True}}}
        )
        assert hasty.answer(1)["result"]["structuredContent"] == {"text": "accept"}


def test_completion_offers_what_fits(client: WireClient) -> None:
    shake_hands(client, {})

    def complete(identity: int, reference: dict[str, str], name: str, value: str) -> dict[str, Any]:
        return client.ask(
            identity, "completion/complete", {"ref": reference, "argument": {"name": name, "value": value}}
        )

    prompt = {"type": "ref/prompt", "name": "test_prompt_with_arguments"}
    found = complete(1, prompt, "arg1", "par")["result"]["completion"]
    assert found == {"values": ["paris", "park", "party"], "total": 3, "hasMore": False}
    assert complete(2, prompt, "arg2", "x")["result"]["completion"]["values"] == []
    template = {"type": "ref/resource", "uri": "test://template/{id}/data"}
    assert complete(3, template, "id", "1")["result"]["completion"]["values"] == []
    assert complete(4, {"type": "ref/prompt", "name": "nope"}, "x", "")["error"]["code"] == -32602


def test_log_messages_reach_only_those_who_want_them(client: WireClient) -> None:
    level = {"io.modelcontextprotocol/logLevel": "info"}
    quiet = client.ask(1, "tools/call", {"name": "test_logging_tool", "arguments": {}, "_meta": ABLE})
    assert quiet["id"] == 1
    client.request(2, "tools/call", {"name": "test_logging_tool", "arguments": {}, "_meta": ABLE | level})
    assert client.receive()["method"] == "notifications/message"
    assert client.receive()["id"] == 2


def test_a_changed_list_is_announced_to_those_who_listen(client: WireClient) -> None:
    client.request("l", "subscriptions/listen", {"_meta": ABLE, "notifications": {"toolsListChanged": True}})
    client.receive()
    call_params = {"name": "test_trigger_tool_change", "arguments": {}, "_meta": ABLE}
    client.request(1, "tools/call", call_params)
    seen = [client.receive(), client.receive()]
    assert {"notifications/tools/list_changed"} == {
        message["method"] for message in seen if "method" in message
    }
