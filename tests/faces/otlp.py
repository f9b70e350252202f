"""A receiver of spans on loopback: takes what an exporter sends, and decodes it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class Receiver(ThreadingHTTPServer):
    """Keeps every body; while it is `stuck` nobody gets an answer."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies: list[bytes] = []
        self.reached = threading.Event()
        self.answering = threading.Event()
        self.answering.set()

    @property
    def variables(self) -> dict[str, str]:
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{self.server_port}"}

    def spans(self) -> list[Any]:
        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        scopes = [scope for one in requests for part in one.resource_spans for scope in part.scope_spans]
        return [span for scope in scopes for span in scope.spans]


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        receiver: Any = self.server
        body = self.rfile.read(int(self.headers["Content-Length"]))
        receiver.reached.set()
        receiver.answering.wait(120)
        receiver.bodies.append(body)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()
    thread = threading.Thread(target=receiver.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield receiver
    finally:
        receiver.answering.set()
        receiver.shutdown()
        thread.join()
        receiver.server_close()


def attributes(span: Any) -> dict[str, str]:
    return {item.key: item.value.string_value for item in span.attributes}
