"""A server that shook hands and then cannot load what it offers: everybody is told, and may try again."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.wire.client import ENVELOPE, wire_client


def unloadable(times: int, kind: str) -> list[str]:
    return [sys.executable, "-m", "tests.wire.unloadable_server", str(times), kind]


STATELESS: list[tuple[str, dict[str, Any]]] = [
    ("tools/list", {}),
    ("tools/call", {"name": "echo", "arguments": {"text": "hi"}}),
    ("server/discover", {}),
]


@pytest.mark.requirement("http-27")
@pytest.mark.parametrize(("method", "params"), STATELESS)
@pytest.mark.parametrize(("kind", "told"), [("busy", "The store is in use."), ("broken", "inside Holdfast")])
def test_a_stateless_request_is_told_and_the_next_one_tries_again(
    method: str, params: dict[str, Any], kind: str, told: str
) -> None:
    with wire_client(unloadable(1, kind), cwd=ROOT) as client:
        failed = client.ask(1, method, params | {"_meta": ENVELOPE})
        assert told in failed["error"]["message"]
        assert "secret" not in str(failed)
        assert "result" in client.ask(2, method, params | {"_meta": ENVELOPE})


@pytest.mark.requirement("http-27")
def test_after_a_handshake_every_request_is_told_until_it_can_be_loaded() -> None:
    with wire_client(unloadable(2, "broken"), cwd=ROOT) as client:
        client.initialize()
        answers = [client.ask(number, "tools/list") for number in range(1, 6)]
        outcomes = ["result" in answer for answer in answers]
        assert outcomes == sorted(outcomes), "once it is loaded it stays loaded"
        assert outcomes[-1]
        assert client.ask(9, "tools/call", {"name": "echo", "arguments": {"text": "x"}})["result"]
        assert "secret" not in str(answers)


@pytest.mark.requirement("reliability-D5")
def test_a_slow_start_costs_no_answer_to_a_client_that_ended_its_input() -> None:
    with wire_client(unloadable(0, "slow"), cwd=ROOT) as client:
        client.initialize()
        client.start_call(1, "echo", text="x")
        client.close_input()
        assert client.answer(1)["result"]["structuredContent"] == {"text": "x"}
        assert client.wait() == 0
