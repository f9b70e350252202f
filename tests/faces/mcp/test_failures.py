"""The same failure in each family's and each era's words."""

from __future__ import annotations

import pytest

from tests.wire.client import ENVELOPE, wire_client

WITH_ERRORS = {"errors_as_results": False}
"""As `--tool-errors error`."""
TOOLKIT = {
    "template_not_found": -32000,
    "invalid_template_uri": -32001,
    "parameter_validation": -32002,
    "invalid": -32602,
    "boom": -32603,
}


@pytest.mark.requirement("transport-39", "transport-40", "transport-41", "transport-42", "transport-43")
def test_a_family_with_codes_answers_with_them_in_the_handshake_era() -> None:
    with wire_client(settings={"family": "toolkit", "profile": WITH_ERRORS}) as client:
        client.initialize()
        for number, (kind, code) in enumerate(TOOLKIT.items()):
            error = client.call(number, "fail", kind=kind)["error"]
            assert error["code"] == code
        assert client.call("typo", "fail", kin="x")["error"]["code"] == -32602


def test_a_server_of_all_specifications_answers_with_results_that_a_model_sees() -> None:
    with wire_client(settings={"family": "toolkit"}) as client:
        client.initialize()
        for number, kind in enumerate(TOOLKIT):
            result = client.call(number, "fail", kind=kind)["result"]
            assert result["isError"]
            assert result["structuredContent"]["error"]["message"] in result["content"][0]["text"]


@pytest.mark.requirement("comments-88")
def test_a_defect_of_ours_is_an_internal_error_of_comment_tools_too() -> None:
    with wire_client(settings={"family": "paired-comments", "profile": WITH_ERRORS}) as client:
        client.initialize()
        answer = client.call(1, "fail", kind="boom")
        assert answer["error"]["code"] == -32603
        assert "result" not in answer
        assert "/etc/passwd" not in str(answer)
        assert client.call(2, "fail", kind="invalid")["error"]["code"] == -32602


def test_the_stateless_era_answers_every_tool_failure_as_a_marked_result() -> None:
    with wire_client(settings={"family": "toolkit"}) as client:
        for number, kind in enumerate(TOOLKIT):
            params = {"name": "fail", "arguments": {"kind": kind}, "_meta": ENVELOPE}
            result = client.ask(number, "tools/call", params)["result"]
            assert result["isError"]
            error = result["structuredContent"]["error"]
            assert set(error) == {"kind", "code", "message", "hint", "data"}
            assert not -32019 <= error["code"] <= -32000
            assert error["kind"] == ("internal" if kind == "boom" else kind)


def test_a_family_without_codes_answers_with_a_marked_result_in_both_eras() -> None:
    with wire_client() as client:
        stateless = client.ask(
            1, "tools/call", {"name": "fail", "arguments": {"kind": "not_found"}, "_meta": ENVELOPE}
        )["result"]
        client.initialize()
        handshake = client.call(2, "fail", kind="not_found")["result"]
        assert handshake["isError"]
        assert stateless["isError"]
        assert handshake["structuredContent"] == stateless["structuredContent"]
        assert handshake["content"][0]["text"] == "It failed as asked. Ask for something else."


def test_an_unknown_tool_is_a_protocol_error_that_suggests_the_closest_one() -> None:
    with wire_client() as client:
        stateless = client.ask(1, "tools/call", {"name": "ecko", "_meta": ENVELOPE})["error"]
        client.initialize()
        handshake = client.call(2, "ecko")["error"]
        assert handshake == stateless
        assert handshake["code"] == -32602
        assert handshake["message"] == 'Unknown tool: ecko. Did you mean "echo"?'
        assert client.call(3, "git_mile.lst")["error"]["code"] == -32601
        assert client.call(4, "git_mile_lst")["error"]["code"] == -32601


def test_an_unknown_argument_is_named_with_the_closest_known_one() -> None:
    with wire_client() as client:
        client.initialize()
        result = client.call(1, "echo", txt="hi")["result"]
        assert result["isError"]
        assert 'unknown argument "txt": Did you mean "text"?' in result["content"][0]["text"]
        assert result["structuredContent"]["error"]["kind"] == "invalid_arguments"


def test_an_unknown_resource_is_told_in_the_code_of_its_era() -> None:
    with wire_client() as client:
        stateless = client.ask(1, "resources/read", {"uri": "sample://nothing", "_meta": ENVELOPE})
        client.initialize()
        handshake = client.ask(2, "resources/read", {"uri": "sample://nothing"})
        assert stateless["error"]["code"] == -32602
        assert handshake["error"]["code"] == -32002
        assert "sample://note" in handshake["error"]["message"]


@pytest.mark.parametrize(
    "uri", ["sample://file/%ff", "sample://file/", "sample:/note", "", "x" * 5000, "file:///etc"]
)
def test_odd_addresses_are_unknown_resources(uri: str) -> None:
    with wire_client() as client:
        client.initialize()
        assert client.ask(1, "resources/read", {"uri": uri})["error"]["code"] == -32002


def test_a_part_of_an_address_is_decoded_exactly_once() -> None:
    with wire_client() as client:
        client.initialize()
        [contents] = client.ask(1, "resources/read", {"uri": "sample://file/a%252e/b%20c"})["result"][
            "contents"
        ]
        assert contents["text"] == "a%2e/b c"


def test_an_unknown_prompt_and_a_bad_prompt_argument_are_invalid_params() -> None:
    with wire_client() as client:
        client.initialize()
        unknown = client.ask(1, "prompts/get", {"name": "explian"})["error"]
        assert unknown["code"] == -32602
        assert 'Did you mean "explain"?' in unknown["message"]
        bad = client.ask(2, "prompts/get", {"name": "explain", "arguments": {"topik": "x"}})["error"]
        assert bad["code"] == -32602
        assert 'Did you mean "topic"?' in bad["message"]
