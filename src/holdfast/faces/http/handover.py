"""Forwards requests between worker processes: a session lives in one process, but all accept connections.

Each worker has a datagram socket, created before the workers are forked. To forward a request, a worker
creates a pair of stream sockets and passes one end through that socket (SCM_RIGHTS). It repeats the request
on the pair and streams the response back. The pair has no name, so other processes cannot connect to it, and
a process that dies leaves no file behind.

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

from holdfast.faces.http.asgi import wait_for_disconnect
from holdfast.kernel.errors import Busy

HANDED_OVER = "holdfast.handed_over"
"""Set in the state of a request that another worker forwarded."""

_READ_BYTES = 64 * 1024
"""The most that is read from the other worker at once: the default limit of asyncio's streams."""
_MAX_WORKER_DIGITS = 4
"""A judgement: no server has 10,000 workers. The number comes from the client, which may send more digits
than `int` accepts."""
_HOP_BY_HOP = frozenset({b"connection", b"transfer-encoding", b"keep-alive"})
_HEADERS_ADDED_AGAIN = frozenset(
    {b"date", b"x-content-type-options", b"referrer-policy", b"cross-origin-resource-policy"}
)
"""Response headers that the forwarding worker adds itself."""


class WorkerSockets:
    """A pair of Unix sockets per worker, one to receive and one to send; inherited from the parent by all."""

    def __init__(self, workers: int) -> None:
        pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(workers)]
        self.receivers, self.senders = zip(*pairs, strict=True)
        for end in (*self.receivers, *self.senders):
            end.setblocking(False)


class Handover:
    """One worker's end of forwarding: connects to other workers, and accepts their connections."""

    def __init__(self, sockets: WorkerSockets, own: int) -> None:
        self._sockets = sockets
        self._own = own
        """The number of this worker."""

    def listen(self, accept: Callable[[socket.socket], None]) -> None:
        """Call `accept` with each connection that another worker made to this one."""
        receiver = self._sockets.receivers[self._own]

        def receive() -> None:
            try:
                _, descriptors, _, _ = socket.recv_fds(receiver, bufsize=1, maxfds=1)
            except BlockingIOError:
                return
            for descriptor in descriptors:
                connection = socket.socket(fileno=descriptor)
                connection.setblocking(False)
                accept(connection)

        asyncio.get_running_loop().add_reader(receiver, receive)

    def is_for_another(self, worker: int) -> bool:
        return worker != self._own and worker < len(self._sockets.senders)

    def _connect(self, worker: int) -> socket.socket:
        """Return one end of a new connection, and send the other end to a worker."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                # Descriptors can only accompany data, so one byte is sent with them.
                socket.send_fds(self._sockets.senders[worker], [b"."], [theirs.fileno()])
            except OSError:
                ours.close()
                raise Busy("Too many requests are waiting for that session.", hint="Try again.") from None
        ours.setblocking(False)
        return ours

    async def hand_over(self, worker: int, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        reader, writer = await asyncio.open_connection(sock=self._connect(worker))
        disconnect = asyncio.ensure_future(wait_for_disconnect(receive))
        # The other worker notices by the closed pair that the client disconnected.
        disconnect.add_done_callback(lambda _: writer.close())
        try:
            writer.write(_encode_request(scope, body))
            await Relay(reader, send).run()
        except (OSError, h11.RemoteProtocolError):
            # Once the client has disconnected, a broken response does not matter.
            if not disconnect.done():
                raise
        finally:
            disconnect.cancel()
            writer.close()


def _encode_request(scope: Scope, body: bytes) -> bytes:
    connection = h11.Connection(h11.CLIENT)
    forwarded = [pair for pair in scope["headers"] if pair[0] not in _HOP_BY_HOP | {b"content-length"}]
    headers = [*forwarded, (b"content-length", b"%d" % len(body)), (b"connection", b"close")]
    query = b"?" + scope["query_string"] if scope["query_string"] else b""
    request = h11.Request(method=scope["method"], target=scope["raw_path"] + query, headers=headers)
    events = [request, h11.Data(body), h11.EndOfMessage()] if body else [request, h11.EndOfMessage()]
    return b"".join(connection.send(event) or b"" for event in events)


class Relay:
    """Streams a response from another worker to the client."""

    def __init__(self, reader: asyncio.StreamReader, send: Send) -> None:
        self._reader = reader
        self._send = send
        self._started = False
        self._connection = h11.Connection(h11.CLIENT)
        # h11 only parses a response after a request; any request will do.
        request = h11.Request(method="POST", target="/", headers=[("host", ""), ("content-length", "0")])
        self._connection.send(request)
        self._connection.send(h11.EndOfMessage())

    async def run(self) -> None:
        """Forward the whole response. `Busy` is raised only while nothing has been sent to the client."""
        try:
            while not isinstance(event := self._connection.next_event(), h11.EndOfMessage):
                await self._forward(event)
        except (OSError, h11.RemoteProtocolError):
            if self._started:
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
            self._started = True
            dropped = _HOP_BY_HOP | _HEADERS_ADDED_AGAIN
            headers = [(name, value) for name, value in event.headers if name not in dropped]
            start = {"type": "http.response.start", "status": event.status_code, "headers": headers}
            await self._send(start)
        else:
            raise ConnectionError("the worker ended before it had answered")


def session_worker(session: bytes) -> int | None:
    """Return the number at the start of a session id, that of the session's worker; None for other text."""
    number, dash, _ = session.partition(b"-")
    return int(number) if dash and number.isdigit() and len(number) <= _MAX_WORKER_DIGITS else None
