"""What a plain HTTP server does with the same requests: every promise about the border can be broken."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

PLAIN = "the standard library's server"


class Handler(BaseHTTPRequestHandler):
    """Answers everybody."""

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_POST = do_GET  # noqa: N815 - the name is the library's

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


@pytest.fixture
def port() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("method", "headers", "body"),
    [
        pytest.param(
            "GET", {"Host": "evil.example"}, b"", marks=pytest.mark.evidence("F1", "HTTP", control=PLAIN)
        ),
        pytest.param(
            "POST",
            {"Sec-Fetch-Site": "cross-site", "Content-Type": "text/plain"},
            b"{}",
            marks=pytest.mark.evidence("F2", "HTTP", control=PLAIN),
        ),
        pytest.param("GET", {}, b"", marks=pytest.mark.evidence("F3", "HTTP", control=PLAIN)),
        pytest.param("POST", {}, b"x" * 5_000_000, marks=pytest.mark.evidence("F5", "HTTP", control=PLAIN)),
    ],
    ids=["another host", "another site", "no token", "a large body"],
)
def test_control_a_plain_server_takes_it(
    port: int, method: str, headers: dict[str, str], body: bytes
) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request(method, "/api/inbox/send_message", body or None, headers)
    assert connection.getresponse().status == 200
    connection.close()
