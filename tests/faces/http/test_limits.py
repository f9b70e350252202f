"""What one client cannot do to the server: too large, too slow, too many, too often."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.faces.admission import Admission
from holdfast.kernel.errors import RateLimited
from holdfast.kernel.limits import LIMITS
from tests.faces.http.running import RunningServer, running_server

MIB = 1 << 20


@contextmanager
def connection_to(server: RunningServer) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", server.port), timeout=120) as opened:
        yield opened


def head(server: RunningServer, path: str, *more: str) -> bytes:
    lines = [
        f"POST {path} HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        f"Authorization: Bearer {server.token}",
        "Content-Type: application/json",
        *more,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def status_of(connection: socket.socket) -> int:
    return int(connection.makefile("rb").readline().split()[1])


@pytest.mark.requirement("http-5")
@pytest.mark.parametrize("path", ["/mcp", "/api/inbox/send_message"])
@pytest.mark.evidence("F5", "HTTP", "large and slow bodies, idle connections, wandering paths")
def test_a_body_may_have_a_mebibyte_and_not_a_byte_more(server: RunningServer, path: str) -> None:
    frame = len(b'{"x":""}')
    exact = b'{"x":"' + b"x" * (MIB - frame) + b'"}'
    assert server.ask("POST", path, exact).status not in (413, 500)
    assert server.ask("POST", path, exact[:-2] + b'x"}').status == 413
    assert server.ask("POST", path, b" " * (5 * MIB)).status == 413


@pytest.mark.requirement("http-5")
@pytest.mark.evidence("F5", "HTTP", "large and slow bodies, idle connections, wandering paths")
def test_a_body_without_a_stated_length_is_measured_as_it_comes(server: RunningServer) -> None:
    with connection_to(server) as connection:
        connection.sendall(head(server, "/mcp", "Transfer-Encoding: chunked"))
        chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        try:
            for _ in range(40):
                connection.sendall(chunk)
        except (BrokenPipeError, ConnectionResetError):
            pass
        assert status_of(connection) == 413


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """The same server with little patience, so that tests need not wait for the usual one."""
    import subprocess
    import sys

    from tests.faces.http.running import connected

    repository = tmp_path_factory.mktemp("hasty") / "repository"
    subprocess.run(["git", "init", "--quiet", str(repository)], check=True)
    command = [sys.executable, "-m", "tests.faces.http.hasty_server"]
    root = Path(__file__).parents[3]
    process = subprocess.Popen(
        [*command, str(repository)], cwd=root, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )
    yield connected(process, repository)
    process.terminate()
    process.wait(120)
    assert process.stderr is not None
    process.stderr.close()


@pytest.mark.requirement("http-5")
@pytest.mark.evidence("F5", "HTTP", "large and slow bodies, idle connections, wandering paths")
def test_a_body_that_never_comes_is_given_up(hasty: RunningServer) -> None:
    with connection_to(hasty) as connection:
        connection.sendall(head(hasty, "/api/inbox/send_message", "Content-Length: 100") + b'{"file"')
        assert status_of(connection) == 408


@pytest.mark.requirement("http-5")
@pytest.mark.parametrize("beginning", [b"", b"GET /mcp HT", b"GET /mcp HTTP/1.1\r\nHost: x\r\n"])
@pytest.mark.evidence("F5", "HTTP", "large and slow bodies, idle connections, wandering paths")
def test_a_request_that_never_begins_is_given_up(hasty: RunningServer, beginning: bytes) -> None:
    with connection_to(hasty) as connection:
        connection.sendall(beginning)
        assert connection.recv(1) == b""


@pytest.mark.requirement("http-5")
@pytest.mark.evidence("F5", "HTTP", "large and slow bodies, idle connections, wandering paths")
def test_idle_connections_neither_stay_nor_keep_others_out(hasty: RunningServer) -> None:
    with ExitStack() as stack:
        idle = [stack.enter_context(connection_to(hasty)) for _ in range(500)]
        assert hasty.ask("GET", "/api/inbox/list_messages").status == 200
        for connection in idle:
            connection.settimeout(10)
            try:
                assert connection.recv(1) == b""
            except ConnectionResetError:
                pass
    assert hasty.ask("GET", "/api/inbox/list_messages").status == 200


@pytest.mark.requirement("http-5")
@pytest.mark.parametrize(
    "path",
    ["/%2e%2e/", "/..%2f..%2fetc/passwd", "/api/%2e%2e/mcp", "/api/../mcp", "/mcp/", "//mcp", "/api/inbox/"],
)
@pytest.mark.evidence("F5", "HTTP", "large and slow bodies, idle connections, wandering paths")
def test_paths_that_wander_lead_nowhere(server: RunningServer, path: str) -> None:
    assert server.ask("GET", path).status == 404


@pytest.mark.requirement("http-6")
def test_a_client_that_asks_too_often_is_told_when_to_come_back(hasty: RunningServer) -> None:
    token = hasty.add_token("busy", "read")
    statuses = [hasty.ask("GET", "/api/openapi.json", token=token).status for _ in range(60)]
    assert statuses[:10] == [200] * 10
    assert 429 in statuses
    refused = hasty.ask("GET", "/api/openapi.json", token=token)
    while refused.status != 429:
        refused = hasty.ask("GET", "/api/openapi.json", token=token)
    assert int(refused.headers["retry-after"]) >= 1
    assert refused.json["error"]["kind"] == "rate_limited"
    assert hasty.ask("GET", "/api/openapi.json").status == 200


@pytest.mark.requirement("http-6")
def test_requests_in_flight_and_streams_are_counted_apart_and_per_client() -> None:
    admission = Admission(replace(LIMITS, requests_in_flight=2, streams_per_client=1))
    with ExitStack() as stack:
        for key, kind in (("a", "requests"), ("a", "requests"), ("a", "streams"), ("b", "requests")):
            stack.enter_context(admission.admitted(key, kind))
        for kind in ("requests", "streams"):
            with pytest.raises(RateLimited), admission.admitted("a", kind):
                pass
    with admission.admitted("a", "requests"):
        pass


def test_every_worker_gets_its_share_of_the_rate(tmp_path: Path) -> None:
    from holdfast.faces.http.serve import shared_limits

    shared = shared_limits(LIMITS, 4)
    assert (shared.request_burst * 4, shared.requests_per_second * 4) == (
        LIMITS.request_burst,
        LIMITS.requests_per_second,
    )


def test_the_usual_server_is_patient_enough_for_a_slow_start(server: RunningServer) -> None:
    with connection_to(server) as connection:
        for piece in (
            b"GET /api/openapi.json HT",
            f"TP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n".encode(),
            b"\r\n",
        ):
            connection.sendall(piece)
            assert server.ask("GET", "/nothing").status == 404  # so this piece was read by itself
        assert status_of(connection) == 401


def test_a_wrong_length_or_method_does_not_end_the_server(repository: Path) -> None:
    with running_server(repository) as server:
        for request in (
            b"\x00\x01\x02\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"BREW /mcp HTTP/1.1\r\n\r\n",
            b"\r\n" * 1000,
        ):
            with connection_to(server) as connection:
                connection.sendall(request)
                connection.shutdown(socket.SHUT_WR)
                connection.recv(100)
        for method in ("PUT", "PATCH", "HEAD", "BREW"):
            assert server.ask(method, "/api/inbox/send_message").status == 405
        assert server.ask("GET", "/api/inbox/list_messages").status == 200


@pytest.mark.requirement("http-6")
def test_a_refusal_arrives_while_the_body_is_still_being_sent(server: RunningServer) -> None:
    with connection_to(server) as client:
        client.sendall(b"POST /mcp HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n")  # and no host
        answer = client.recv(65536)
        for _ in range(4):
            client.sendall(bytes(100_000))
        while more := client.recv(65536):
            answer += more
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1") == 1
