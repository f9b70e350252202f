"""A small HTTP server on this machine, so that clients are tested over real sockets."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass
class Request:
    """What a client sent."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Answer:
    """What the server sends back."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    raw: Callable[[BaseHTTPRequestHandler], None] | None = None
    """Writes to the socket itself, for answers that no decent server gives."""


Respond = Callable[[Request], Answer]


class Server:
    """A server that remembers what it was asked."""

    def __init__(self, respond: Respond) -> None:
        self.requests: list[Request] = []
        self.respond = respond
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def _serve(self) -> None:
                parts = urlsplit(self.path)
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
                request = Request(self.command, parts.path, query, headers, body)
                outer.requests.append(request)
                self._send(outer.respond(request))

            def _send(self, answer: Answer) -> None:
                if answer.raw is not None:
                    answer.raw(self)
                    return
                data = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                data = b"" if answer.status == 304 else data
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815 - the names of the library

            def log_message(self, *args: object) -> None:
                """Stay quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.host = f"127.0.0.1:{self._server.server_address[1]}"
        self.url = f"http://{self.host}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def serving(respond: Respond) -> Iterator[Server]:
    server = Server(respond)
    try:
        yield server
    finally:
        server.close()
