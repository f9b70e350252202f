"""Forwarding of requests between worker processes: a session lives in one process, the port belongs to all.

Each worker has a datagram socket, created before the workers are forked. To forward a request, a worker
creates a pair of stream sockets and passes one end through that socket (SCM_RIGHTS). It repeats the request
on the pair and streams the response back. The pair has no name, so no other process can connect to it, and a
process that dies leaves nothing behind.

The process that accepted the request counts it against the client's limits; the other one does not count it
again.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import h11
from starlette.types import Receive, Scope, Send

from holdfast.faces.http.asgi import client_left
from holdfast.kernel.errors import Busy

HANDED_OVER = "holdfast.handed_over"
"""Set in the state of a request that another worker forwarded."""

_READ_BYTES = 64 * 1024
_HOP_BY_HOP = frozenset({b"connection", b"transfer-encoding", b"keep-alive"})
_ADDED_AGAIN = frozenset(
    {b"date", b"x-content-type-options", b"referrer-policy", b"cross-origin-resource-policy"}
)


class WorkerSockets:
    """One pair of Unix sockets per worker; created by the parent, inherited by all."""

    def __init__(self, workers: int) -> None:
        self._pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(workers)]
        for pair in self._pairs:
            for end in pair:
                end.setblocking(False)

    def connect(self, worker: int) -> socket.socket:
        """Return one end of a new connection, and send the other end to a worker."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self._pairs[worker][1], [b"."], [theirs.fileno()])
            except OSError:
                ours.close()
                raise Busy("Too many requests are waiting for that session.", hint="Try again.") from None
        ours.setblocking(False)
        return ours

    def listen(self, worker: int, accept: Callable[[socket.socket], None]) -> None:
        """Call back with each connection that is passed to a worker."""
        inbox = self._pairs[worker][0]

        def receive() -> None:
            try:
                _, descriptors, _, _ = socket.recv_fds(inbox, 1, 1)
            except BlockingIOError:
                return
            for descriptor in descriptors:
                connection = socket.socket(fileno=descriptor)
                connection.setblocking(False)
                accept(connection)

        asyncio.get_running_loop().add_reader(inbox, receive)


class Handover:
    """One worker's connections to the others."""

    def __init__(self, sockets: WorkerSockets, own: int, workers: int) -> None:
        self._sockets = sockets
        self._own = own
        self._workers = workers

    def listen(self, accept: Callable[[socket.socket], None]) -> None:
        """Call back with each connection that another worker made to this one."""
        self._sockets.listen(self._own, accept)

    def is_for_another(self, worker: int | None) -> bool:
        """Return whether a request belongs to another worker that exists."""
        return worker is not None and worker != self._own and worker < self._workers

    async def hand_over(self, worker: int, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Have another worker answer a request."""
        reader, writer = await asyncio.open_connection(sock=self._sockets.connect(worker))
        leaving = asyncio.ensure_future(client_left(receive))
        # Closing the pair is how the other process learns that the client disconnected.
        leaving.add_done_callback(lambda _: writer.close())
        try:
            writer.write(_request(scope, body))
            await Relay(reader, send).run()
        except (OSError, h11.RemoteProtocolError):
            # Once the client has disconnected, a broken response does not matter.
            if not leaving.done():
                raise
        finally:
            leaving.cancel()
            writer.close()


def _request(scope: Scope, body: bytes) -> bytes:
    connection = h11.Connection(h11.CLIENT)
    kept = [pair for pair in scope["headers"] if pair[0] not in _HOP_BY_HOP | {b"content-length"}]
    headers = [*kept, (b"content-length", b"%d" % len(body)), (b"connection", b"close")]
    query = b"?" + scope["query_string"] if scope["query_string"] else b""
    request = h11.Request(method=scope["method"], target=scope["raw_path"] + query, headers=headers)
    parts = [connection.send(request), connection.send(h11.Data(body)) if body else b""]
    return b"".join(part or b"" for part in (*parts, connection.send(h11.EndOfMessage())))


class Relay:
    """Streams a response from another worker to the client."""

    def __init__(self, reader: asyncio.StreamReader, send: Send) -> None:
        self._reader = reader
        self._send = send
        self._begun = False
        self._connection = h11.Connection(h11.CLIENT)
        # h11 only parses a response after a request; which one makes no difference.
        request = h11.Request(method="POST", target="/", headers=[("host", ""), ("content-length", "0")])
        self._connection.send(request)
        self._connection.send(h11.EndOfMessage())

    async def run(self) -> None:
        """Forward the whole response."""
        try:
            while not isinstance(event := self._connection.next_event(), h11.EndOfMessage):
                await self._forward(event)
        except (OSError, h11.RemoteProtocolError):
            if self._begun:
                raise
            raise Busy("The process that held this session ended.", hint="Open a new session.") from None
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _forward(self, event: Any) -> None:
        if event is h11.NEED_DATA:
            self._connection.receive_data(await self._reader.read(_READ_BYTES))
        elif isinstance(event, h11.Data):
            message = {"type": "http.response.body", "body": bytes(event.data), "more_body": True}
            await self._send(message)
        elif isinstance(event, h11.Response):
            self._begun = True
            dropped = _HOP_BY_HOP | _ADDED_AGAIN
            headers = [(name, value) for name, value in event.headers if name not in dropped]
            start = {"type": "http.response.start", "status": event.status_code, "headers": headers}
            await self._send(start)
        else:
            raise ConnectionError("the worker ended before it had answered")


_WORKER_DIGITS = 4
"""A bound on what is parsed; no server has 10,000 workers."""


def worker_of(session: bytes) -> int | None:
    """Return the number of the worker process that holds a session, with which the session id begins."""
    number, dash, _ = session.partition(b"-")
    return int(number) if dash and number.isdigit() and len(number) <= _WORKER_DIGITS else None
