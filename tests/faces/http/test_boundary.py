"""Nothing for strangers: hosts, origins, sites and tokens, on every route there is."""

from __future__ import annotations

import pytest

from holdfast.faces.rest.operations import method_of, path_of
from holdfast.kernel.operation import Effect
from holdfast.toolsets import full_registry
from tests.faces.http.running import DISCOVER, RunningServer

OPERATIONS = full_registry().operations
ROUTES = [
    ("POST", "/mcp"),
    ("GET", "/mcp"),
    ("DELETE", "/mcp"),
    ("GET", "/api/openapi.json"),
    ("GET", "/api/events"),
    ("GET", "/no/such/path"),
    *((method_of(item), f"/api/{path_of(item)}") for item in OPERATIONS),
]
EVERY_ROUTE = pytest.mark.parametrize(("method", "path"), ROUTES, ids=lambda part: part)
WRITING = [route for route in ROUTES if route[0] != "GET"]


def body_for(method: str) -> dict[str, object] | None:
    return {} if method == "POST" else None


def messages(server: RunningServer) -> int:
    total: int = server.ask("GET", "/api/inbox/list_messages").json["total"]
    return total


@EVERY_ROUTE
@pytest.mark.requirement("http-1")
@pytest.mark.evidence("F1", "HTTP", "every route under other hosts and origins")
def test_other_hosts_are_refused(server: RunningServer, method: str, path: str) -> None:
    port = server.port
    hosts = [
        "evil.example",
        f"evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        f"0.0.0.0:{port}",
        f"127.1:{port}",
    ]
    hosts += [
        f"2130706433:{port}",
        f"0x7f.0.0.1:{port}",
        f"localhost.evil.example:{port}",
        "",
        f"127.0.0.1:{port}@evil",
    ]
    for host in hosts:
        answered = server.ask(method, path, body_for(method), {"Host": host})
        assert answered.status in (400, 421), host
        assert b"Traceback" not in answered.body
    missing = server.ask(method, path, body_for(method), {"Host": None})
    assert missing.status in (400, 421)


@EVERY_ROUTE
@pytest.mark.requirement("http-1")
@pytest.mark.evidence("F1", "HTTP", "every route under other hosts and origins")
def test_other_origins_are_refused(server: RunningServer, method: str, path: str) -> None:
    own = f"http://127.0.0.1:{server.port}"
    for origin in (
        "http://evil.example",
        "null",
        f"{own}.evil.example",
        "http://127.0.0.1",
        f"https{own[4:]}",
        "*",
    ):
        answered = server.ask(method, path, body_for(method), {"Origin": origin})
        assert answered.status == 403, origin
        assert answered.json["error"]["kind"] == "cross_site"


@pytest.mark.parametrize(("method", "path"), WRITING, ids=lambda part: part)
@pytest.mark.requirement("http-2")
@pytest.mark.evidence("F2", "HTTP", "writes from other sites' pages")
def test_other_sites_pages_cannot_write(server: RunningServer, method: str, path: str) -> None:
    for site in ("cross-site", "same-site", "anything"):
        answered = server.ask(method, path, body_for(method), {"Sec-Fetch-Site": site})
        assert answered.status == 403, site


@pytest.mark.requirement("http-2")
def test_own_pages_and_programs_can(server: RunningServer) -> None:
    for headers in ({"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}, {}):
        origin = {"Origin": f"http://127.0.0.1:{server.port}"}
        assert server.ask("POST", "/api/inbox/drain_messages", {}, headers | origin).status == 200
        assert server.ask("POST", "/api/inbox/drain_messages", {}, headers).status == 200


@pytest.mark.requirement("http-2")
@pytest.mark.parametrize(
    "media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", None]
)
@pytest.mark.evidence("F2", "HTTP", "writes from other sites' pages")
def test_what_a_form_can_send_writes_nothing(server: RunningServer, media_type: str | None) -> None:
    before = messages(server)
    body = b'{"file": ".", "comment": "from a form"}'
    answered = server.ask("POST", "/api/inbox/send_message", body, {"Content-Type": media_type})
    assert answered.status == 415
    assert messages(server) == before


@pytest.mark.requirement("http-2")
@pytest.mark.evidence("F2", "HTTP", "writes from other sites' pages")
def test_nothing_that_writes_answers_to_get(server: RunningServer) -> None:
    writing = [item for item in OPERATIONS if item.effect is not Effect.READ]
    assert writing
    for operation in writing:
        answered = server.ask("GET", f"/api/{path_of(operation)}")
        assert (answered.status, answered.headers["allow"]) == (405, "POST")


@pytest.mark.requirement("http-2")
def test_no_answer_opens_itself_to_other_origins(server: RunningServer) -> None:
    own = {"Origin": f"http://127.0.0.1:{server.port}"}
    for answered in (
        server.ask("GET", "/api/openapi.json", headers=own),
        server.ask("POST", "/api/inbox/drain_messages", {}, own),
        server.ask(
            "OPTIONS", "/api/inbox/send_message", headers=own | {"Access-Control-Request-Method": "POST"}
        ),
        server.post_mcp(DISCOVER, Origin=own["Origin"]),
    ):
        assert not [name for name in answered.headers if name.startswith("access-control")]
        assert answered.headers["x-content-type-options"] == "nosniff"


@EVERY_ROUTE
@pytest.mark.requirement("http-3")
@pytest.mark.evidence("F3", "HTTP", "every route without a token, and files others can read")
def test_nothing_is_answered_without_a_token(server: RunningServer, method: str, path: str) -> None:
    for header in (
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        f"Basic {server.token}",
        f"Bearer {server.token}x",
    ):
        answered = server.ask(method, path, body_for(method), {"Authorization": header})
        assert answered.status == 401, header
        unknown = (
            ' error="invalid_token"' if (header or "").startswith("Bearer ") and header != "Bearer " else ""
        )
        assert answered.headers["www-authenticate"] == f"Bearer{unknown}"
        assert answered.headers["content-type"] == "application/problem+json"
        assert server.token not in answered.body.decode()


def test_headers_that_decide_something_come_once(server: RunningServer) -> None:
    import socket

    request = (
        f"GET /api/openapi.json HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        f"Authorization: Bearer {server.token}\r\nAuthorization: Bearer x\r\nConnection: close\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(request.encode())
        assert connection.makefile("rb").readline().split()[1] == b"400"


def test_the_routes_are_exactly_the_operations(server: RunningServer) -> None:
    described = server.ask("GET", "/api/openapi.json").json["paths"]
    expected = {(f"/api/{path_of(item)}", method_of(item).lower()) for item in OPERATIONS}
    expected |= {(f"/api/{one.path}", one.method.lower()) for item in OPERATIONS for one in item.addresses}
    streams = {("/api/events", "get"), *((f"/api/{feed.path}", "get") for feed in full_registry().feeds)}
    found = {(path, method) for path, methods in described.items() for method in methods}
    assert found - streams == expected


def test_reading_follows_from_the_declared_effect() -> None:
    for item in OPERATIONS:
        assert (method_of(item) == "GET") == (item.effect is Effect.READ)
