"""`/health` tells anyone that the server lives, and more only to those with a token."""

from __future__ import annotations

import pytest

from tests.faces.http.running import RunningServer


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_probe_without_a_token_learns_only_that_the_server_lives(
    server: RunningServer, method: str
) -> None:
    answered = server.ask(method, "/health", headers={"Authorization": None})
    assert (answered.status, answered.headers["cache-control"]) == (200, "no-store")
    assert answered.body == (b"ok\n" if method == "GET" else b"")


def test_credentials_are_checked_where_they_are_given(server: RunningServer) -> None:
    assert server.ask("GET", "/health").json["data"]["status"] == "ok"
    assert server.ask("GET", "/health", token="wrong").status == 401
    assert server.ask("POST", "/health", {}, {"Authorization": None}).status == 401
    assert server.ask("GET", "/health", headers={"Authorization": None, "Host": "evil.example"}).status == 421
