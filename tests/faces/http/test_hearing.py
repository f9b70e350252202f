"""Clients of every kind on one repository hear of each other's writes."""

from __future__ import annotations

import http.client
import json
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.faces.http.handshake import BOTH, EventReader, HandshakeClient, hang_up
from tests.faces.http.running import HOLDFAST, RunningServer, running_server
from tests.wire.client import ENVELOPE, wire_client

URI = "lazygit://messages"
UPDATED = "notifications/resources/updated"
ROUNDS = 9


@contextmanager
def listening(server: RunningServer, token: str) -> Iterator[EventReader]:
    """Listen in the stateless era."""
    params = {"_meta": ENVELOPE, "notifications": {"resourceSubscriptions": [URI]}}
    body = {"jsonrpc": "2.0", "id": "listen", "method": "subscriptions/listen", "params": params}
    headers = {
        "Accept": BOTH,
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "subscriptions/listen",
    }
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    connection.request("POST", "/mcp", json.dumps(body), headers)
    try:
        yield EventReader(connection.getresponse())
    finally:
        hang_up(connection)


class Ear:
    """Notes that a client heard of a change."""

    def __init__(self, heard: Callable[[], dict[str, Any]]) -> None:
        self.heard: queue.Queue[dict[str, Any]] = queue.Queue()
        self._next = heard
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            try:
                message = self._next()
            except (StopIteration, OSError, ValueError, AttributeError, AssertionError, queue.Empty):
                # The test is over, and the connection closed under the reader.
                return
            if message.get("method") == UPDATED:
                self.heard.put(message)


@pytest.mark.requirement("http-14")
def test_two_http_clients_and_a_pipe_hear_of_each_others_writes(repository: Path) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(running_server(repository))
        pipe = stack.enter_context(wire_client([HOLDFAST, "serve"], cwd=repository))
        writer = stack.enter_context(wire_client([HOLDFAST, "serve"], cwd=repository))
        ada, eve = server.add_token("ada", "write"), server.add_token("eve", "write")
        handshake = HandshakeClient(server, token=ada)
        handshake.ask("resources/subscribe", uri=URI)
        stateless = stack.enter_context(listening(server, eve))
        assert next(stateless)["method"] == "notifications/subscriptions/acknowledged"
        params = {"_meta": ENVELOPE, "notifications": {"resourceSubscriptions": [URI]}}
        pipe.request("listen", "subscriptions/listen", params)
        assert pipe.receive()["method"] == "notifications/subscriptions/acknowledged"
        events = stack.enter_context(handshake.events())
        ears = [Ear(lambda: next(events)), Ear(lambda: next(stateless)), Ear(lambda: pipe.receive(20))]
        writers: list[Callable[..., dict[str, Any]]] = [
            partial(handshake.ask, "tools/call"),
            partial(server.call, "tools/call", token=eve),
            lambda **call: writer.ask(call["arguments"]["comment"], "tools/call", call | {"_meta": ENVELOPE}),
        ]
        for number in range(ROUNDS):
            for ear in ears:
                ear.heard.queue.clear()
            remark = {"file": ".", "comment": f"number {number}"}
            answer = writers[number % 3](name="send_message", arguments=remark)
            assert not answer["result"].get("isError"), answer
            for ear in ears:
                ear.heard.get(timeout=120)
