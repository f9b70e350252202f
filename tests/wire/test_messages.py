"""What a line is, and what it is answered with."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.faces.mcp.wire.line_reader import LineReader, Overlong
from holdfast.faces.mcp.wire.messages import Notification, Refused, Response, WireRequest, decode, recover_id
from tests.wire.client import wire_client

PING = {"jsonrpc": "2.0", "method": "ping"}


def ping(**changes: Any) -> bytes:
    return json.dumps({**PING, "id": 1, **changes}).encode()


@pytest.mark.requirement("transport-36", "inbox-74", "reliability-D3")
@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"hello",
        b'{"jsonrpc":"2.0","id":1,',
        b"\xff\xfe",
        b'{"a":1}}',
        b"{} {}",
        b"'x'",
        b"[1,",
        b"\x00",
    ],
)
@pytest.mark.evidence("D3", "wire", "deep, huge, doubled and malformed messages")
def test_text_that_is_not_json_is_a_parse_error_without_id(line: bytes) -> None:
    refused = decode(line)
    assert isinstance(refused, Refused)
    assert (refused.id, refused.code) == (None, -32700)


@pytest.mark.requirement("transport-37", "transport-15", "inbox-74", "reliability-D3")
@pytest.mark.parametrize(
    ("line", "identity"),
    [
        (b"1", None),
        (b"null", None),
        (b'"text"', None),
        (b"[]", None),
        (b"[" + ping() + b"]", None),
        (ping(jsonrpc="1.0"), 1),
        (b'{"id":1,"method":"ping"}', 1),
        (b'{"jsonrpc":"2.0","id":1}', 1),
        (b'{"jsonrpc":"2.0"}', None),
        (ping(method=7), 1),
        (ping(method=None), 1),
        (ping(params=[1, 2]), 1),
        (ping(params="text"), 1),
        (ping(id=None), None),
        (ping(id=1.5), None),
        (ping(id=True), None),
        (ping(id=[1]), None),
        (ping(id={"a": 1}), None),
        (b'{"jsonrpc":"2.0","id":3,"result":7}', 3),
        (b'{"jsonrpc":"2.0","id":4,"method":"ping","params":{"x":NaN}}', 4),
        (b'{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"\\ud800"}}', 5),
        (b'{"jsonrpc":"2.0","id":6,"method":"ping","params":{"x":' + b"9" * 5000 + b"}}", 6),
        (
            b'{"jsonrpc":"2.0","id":"deep","method":"ping","params":{"x":' + b"[" * 900 + b"]" * 900 + b"}}",
            "deep",
        ),
        (b'{"jsonrpc":"2.0","id":8,"method":"ping","params":{"x":' + b"[" * 99999 + b"]" * 99999 + b"}}", 8),
    ],
)
@pytest.mark.evidence("D3", "wire", "deep, huge, doubled and malformed messages")
def test_json_that_is_not_a_message_is_an_invalid_request_under_its_readable_id(
    line: bytes, identity: Any
) -> None:
    refused = decode(line)
    assert isinstance(refused, Refused)
    assert (refused.id, refused.code) == (identity, -32600)
    assert refused.message.startswith("Invalid Request")


@pytest.mark.requirement("transport-18", "transport-31", "reliability-D3")
@pytest.mark.parametrize("identity", ["a", "", "7", 7, 0, -3, 2**60, "ü😀"])
def test_string_and_integer_ids_are_kept_as_they_are(identity: Any) -> None:
    message = decode(ping(id=identity))
    assert isinstance(message, WireRequest)
    assert message.id == identity
    assert type(message.id) is type(identity)


@pytest.mark.requirement("reliability-D3")
@pytest.mark.parametrize(
    "line",
    [ping() + b"\r", b"\xef\xbb\xbf" + ping(), b"  " + ping() + b"  ", ping(params=None), ping(extra=1)],
)
@pytest.mark.evidence("D3", "wire", "deep, huge, doubled and malformed messages")
def test_harmless_variations_are_accepted(line: bytes) -> None:
    assert isinstance(decode(line), WireRequest)


def test_duplicate_keys_take_the_last_value() -> None:
    message = decode(b'{"jsonrpc":"2.0","id":1,"id":2,"method":"a","method":"b"}')
    assert isinstance(message, WireRequest)
    assert (message.id, message.method) == (2, "b")


def test_notifications_and_responses_are_told_apart() -> None:
    assert decode(json.dumps(PING).encode()) == Notification("ping", None)
    assert decode(b'{"jsonrpc":"2.0","id":"x","result":{"a":1}}') == Response("x", {"a": 1}, None)
    assert decode(b'{"jsonrpc":"2.0","id":"x","error":{"code":1}}') == Response("x", None, {"code": 1})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_any_json_value_decodes_to_something(value: Any) -> None:
    decode(json.dumps(value).encode())


@given(st.binary(max_size=200))
def test_any_bytes_decode_to_something(line: bytes) -> None:
    decode(line)


@given(
    st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error"]), json_values)
)
def test_any_object_with_the_right_keys_decodes_to_something(value: dict[str, Any]) -> None:
    decode(json.dumps(value).encode())


@given(
    st.integers(-(10**18), 10**18) | st.text(alphabet=st.characters(exclude_categories=["Cs"])),
    json_values,
    json_values,
)
def test_the_id_of_an_unparsable_message_is_found_at_its_top_only(
    identity: Any, before: Any, after: Any
) -> None:
    line = json.dumps({"a": {"id": before}, "b": [before], "id": identity, "c": {"id": after}}).encode()
    assert recover_id(line) == identity


@given(st.lists(st.binary(max_size=40).filter(lambda line: b"\n" not in line), max_size=12), st.data())
def test_lines_are_the_same_however_the_bytes_arrive(lines: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    reader = LineReader(25)
    got: list[bytes | Overlong] = []
    position = 0
    while position < len(stream):
        step = data.draw(st.integers(1, 30))
        got += reader.feed(stream[position : position + step])
        position += step
    assert len(got) == len(lines)
    for line, seen in zip(lines, got, strict=True):
        if len(line) <= 25:
            assert seen == line
        else:
            assert isinstance(seen, Overlong)
            assert line.startswith(seen.prefix)


@pytest.mark.requirement(
    "transport-1", "transport-2", "transport-3", "transport-16", "transport-17", "transport-18"
)
def test_answers_are_single_utf8_lines_with_the_id_they_answer() -> None:
    with wire_client() as client:
        client.initialize()
        for identity in (1, "1", "two", 0):
            answer = client.call(identity, "echo", text="line\nbreak \u2028 ü 😀")
            assert answer["id"] == identity
            assert type(answer["id"]) is type(identity)
            assert "error" not in answer
            error = client.ask(identity, "no/such/method")
            assert error["error"]["code"] == -32601
            assert "result" not in error
        client.close_input()
        assert client.wait() == 0
        for line in client.raw:
            assert line.endswith(b"\n")
            assert not line.startswith(b"\xef\xbb\xbf")
            assert json.loads(line.decode("utf-8"))["jsonrpc"] == "2.0"


@pytest.mark.requirement(
    "transport-36", "transport-37", "transport-38", "transport-39", "transport-40", "inbox-75"
)
@pytest.mark.evidence("D3", "wire", "deep, huge, doubled and malformed messages")
def test_standard_errors_are_answered_and_the_connection_lives() -> None:
    with wire_client() as client:
        client.initialize()
        client.send_bytes(b"nonsense\n")
        assert client.receive()["error"]["code"] == -32700
        client.send([PING])
        assert client.receive()["error"]["code"] == -32600
        assert client.ask(1, "unheard/of")["error"]["code"] == -32601
        assert client.ask(2, "tools/call")["error"]["code"] == -32602
        assert client.ask(3, "tools/call", {"arguments": {}})["error"]["code"] == -32602
        assert client.ask(4, "tools/call", {"name": 7})["error"]["code"] == -32602
        assert client.ask(5, "tools/list", {"cursor": "forged"})["error"]["code"] == -32602
        assert client.ask(6, "fail", {"kind": "boom"})["error"]["code"] == -32603
        assert client.call(7, "echo", text="alive")["result"]["structuredContent"] == {"text": "alive"}


@pytest.mark.requirement("reliability-D3")
@pytest.mark.evidence("D3", "wire", "deep, huge, doubled and malformed messages")
def test_a_duplicate_id_is_refused_and_its_owner_is_answered() -> None:
    with wire_client() as client:
        client.initialize()
        client.start_call(7, "wait", seconds=0.4)
        client.start_call(7, "echo", text="impostor")
        client.start_call("7", "echo", text="another id")
        refused, other, owner = client.answers(3)
        assert refused["error"]["data"]["type"] == "duplicate_id"
        assert other["result"]["structuredContent"] == {"text": "another id"}
        assert owner["result"]["structuredContent"] == {"text": "done"}


@pytest.mark.requirement("transport-34")
def test_an_answer_to_a_request_we_never_made_is_ignored() -> None:
    with wire_client() as client:
        client.initialize()
        client.send({"jsonrpc": "2.0", "id": "holdfast-1", "result": {}})
        client.send({"jsonrpc": "2.0", "id": 99, "error": {"code": 1, "message": "x"}})
        assert client.call(1, "echo", text="alive")["id"] == 1
