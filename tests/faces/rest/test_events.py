"""The stream of changes: what any process writes is told, and what was missed is told later."""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.faces.http.running import RunningServer, running_server
from tests.faces.mcp.test_lazygit_profile import send
from tests.waiting import wait_until


class Stream:
    """A listening client."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self._response = response

    def next(self) -> dict[str, Any]:
        """Return the next event; signs of life are passed over."""
        fields: dict[str, str] = {}
        while True:
            line = self._response.readline().decode().rstrip("\n")
            if line and not line.startswith(":"):
                name, _, value = line.partition(": ")
                fields[name] = value
            elif not line and fields:
                return {"id": fields["id"], "event": fields["event"], **json.loads(fields["data"])}
            assert not self._response.isclosed()


@contextmanager
def listening(server: RunningServer, query: str = "", last_id: str | None = None) -> Iterator[Stream]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    headers = {"Authorization": f"Bearer {server.token}", "Accept": "text/event-stream"}
    connection.request(
        "GET", f"/api/events{query}", headers=headers | ({"Last-Event-ID": last_id} if last_id else {})
    )
    response = connection.getresponse()
    assert (response.status, response.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    try:
        yield Stream(response)
    finally:
        response.close()
        connection.close()


@pytest.mark.requirement("http-13")
def test_what_another_process_writes_is_told(server: RunningServer) -> None:
    with listening(server) as stream:
        ready = stream.next()
        assert ready["event"] == "ready"
        assert "inbox" in ready["topics"]
        send(server.repository, "From elsewhere")
        event = stream.next()
        assert (event["event"], event["topic"]) == ("changed", "inbox")


@pytest.mark.requirement("http-13")
def test_a_client_that_comes_back_gets_what_it_missed(server: RunningServer) -> None:
    with listening(server) as stream:
        last = stream.next()["id"]
    send(server.repository, "While nobody listened")
    with listening(server, last_id=last) as stream:
        assert stream.next()["event"] == "ready"
        missed = stream.next()
        assert (missed["event"], missed["topic"]) == ("changed", "inbox")
    with listening(server, last_id=missed["id"]) as stream:
        ready = stream.next()
        assert (ready["id"], ready["event"]) == (missed["id"], "ready")


@pytest.mark.requirement("http-13")
@pytest.mark.parametrize("last_id", ["00000000-0", "x", "-", "00000000-99999", "٣-٣"])
def test_an_id_that_cannot_be_placed_means_anything_may_have_changed(
    server: RunningServer, last_id: str
) -> None:
    with listening(server, "?topics=inbox", last_id.encode().decode("latin-1")) as stream:
        event = stream.next()
        assert (event["event"], event["topic"]) == ("changed", "inbox")


@pytest.mark.parametrize("number", ["9" * 5000, "9" * 18, "\u00b2"])
def test_a_number_beyond_all_bounds_cannot_be_placed_either(server: RunningServer, number: str) -> None:
    with listening(server) as stream:
        epoch = stream.next()["id"].partition("-")[0]
    with listening(server, "?topics=inbox", f"{epoch}-{number}") as stream:
        assert stream.next()["event"] == "changed"


@pytest.mark.requirement("http-13")
def test_after_a_restart_nothing_is_missed(repository: Path) -> None:
    with running_server(repository) as server, listening(server) as stream:
        last = stream.next()["id"]
    send(repository, "While the server was down")
    with running_server(repository) as server, listening(server, last_id=last) as stream:
        assert stream.next()["event"] == "changed"


def test_a_listener_that_leaves_is_forgotten(server: RunningServer) -> None:
    for _ in range(40):
        with listening(server) as stream:
            stream.next()
    open_files = f"/proc/{server.process.pid}/fd"
    wait_until(lambda: len(os.listdir(open_files)) < 40, "connections of listeners that left stay open")
