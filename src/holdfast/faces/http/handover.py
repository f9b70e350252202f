"""Requests that reached the wrong worker process are handed to the right one.

A session lives in one process, and the port is shared by all. So each worker has a socket, made before
the workers are: a datagram socket into which any other worker drops one end of a new pair of stream sockets.
On that pair the request is made again, as it came, and its response goes back as it comes. The pair has no
name, so nobody else can reach it, and nothing is left behind by a process that dies.

The process that took the request counts it against its client's limits; the other does not count it again.
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
"""Set in the state of a request that another worker handed over."""

_READ_BYTES = 64 * 1024
_OF_THE_CONNECTION = frozenset({b"connection", b"transfer-encoding", b"keep-alive"})
_ADDED_AGAIN = frozenset(
    {b"date", b"x-content-type-options", b"referrer-policy", b"cross-origin-resource-policy"}
)


class WorkerSockets:
    """One Unix socket for each worker; made by the parent, inherited by all."""

    def __init__(self, workers: int) -> None:
        self._boxes = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(workers)]
        for pair in self._boxes:
            for end in pair:
                end.setblocking(False)

    def connect(self, worker: int) -> socket.socket:
        """Return a connection to a worker, which will receive the other end."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self._boxes[worker][1], [b"."], [theirs.fileno()])
            except OSError:
                ours.close()
                raise Busy("Too many requests wait for that session.", hint="Try again.") from None
        ours.setblocking(False)
        return ours

    def listen(self, worker: int, take: Callable[[socket.socket], None]) -> None:
        """Call back with each connection that is passed to a worker."""
        box = self._boxes[worker][0]

        def emptied() -> None:
            try:
                _, descriptors, _, _ = socket.recv_fds(box, 1, 1)
            except BlockingIOError:
                return
            for descriptor in descriptors:
                connection = socket.socket(fileno=descriptor)
                connection.setblocking(False)
                take(connection)

        asyncio.get_running_loop().add_reader(box, emptied)


class Handover:
    """What one worker knows about the others."""

    def __init__(self, boxes: WorkerSockets, own: int, workers: int) -> None:
        self._boxes = boxes
        self._own = own
        self._workers = workers

    def listen(self, take: Callable[[socket.socket], None]) -> None:
        """Call back with each connection that another worker made to this one."""
        self._boxes.listen(self._own, take)

    def is_for_another(self, worker: int | None) -> bool:
        """Return whether a request belongs to another worker that there is."""
        return worker is not None and worker != self._own and worker < self._workers

    async def hand_over(self, worker: int, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Let another worker answer a request."""
        reader, writer = await asyncio.open_connection(sock=self._boxes.connect(worker))
        leaving = asyncio.ensure_future(client_left(receive))
        # Closing is how the other process learns that the client is gone.
        leaving.add_done_callback(lambda _: writer.close())
        try:
            writer.write(_request(scope, body))
            await Relay(reader, send).run()
        except (OSError, h11.RemoteProtocolError):
            # Nobody waits for what a client that left would have got.
            if not leaving.done():
                raise
        finally:
            leaving.cancel()
            writer.close()


def _request(scope: Scope, body: bytes) -> bytes:
    connection = h11.Connection(h11.CLIENT)
    kept = [pair for pair in scope["headers"] if pair[0] not in _OF_THE_CONNECTION | {b"content-length"}]
    headers = [*kept, (b"content-length", b"%d" % len(body)), (b"connection", b"close")]
    query = b"?" + scope["query_string"] if scope["query_string"] else b""
    request = h11.Request(method=scope["method"], target=scope["raw_path"] + query, headers=headers)
    parts = [connection.send(request), connection.send(h11.Data(body)) if body else b""]
    return b"".join(part or b"" for part in (*parts, connection.send(h11.EndOfMessage())))


class Relay:
    """Passes a response on as it comes."""

    def __init__(self, reader: asyncio.StreamReader, send: Send) -> None:
        self._reader = reader
        self._send = send
        self._begun = False
        self._connection = h11.Connection(h11.CLIENT)
        # So that it expects an answer: what was asked does not change how it is read.
        asked = h11.Request(method="POST", target="/", headers=[("host", ""), ("content-length", "0")])
        self._connection.send(asked)
        self._connection.send(h11.EndOfMessage())

    async def run(self) -> None:
        """Pass on everything."""
        try:
            while not isinstance(event := self._connection.next_event(), h11.EndOfMessage):
                await self._pass_on(event)
        except (OSError, h11.RemoteProtocolError):
            if self._begun:
                raise
            raise Busy("The process that held this session ended.", hint="Open a new session.") from None
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _pass_on(self, event: Any) -> None:
        if event is h11.NEED_DATA:
            self._connection.receive_data(await self._reader.read(_READ_BYTES))
        elif isinstance(event, h11.Data):
            message = {"type": "http.response.body", "body": bytes(event.data), "more_body": True}
            await self._send(message)
        elif isinstance(event, h11.Response):
            self._begun = True
            dropped = _OF_THE_CONNECTION | _ADDED_AGAIN
            headers = [(name, value) for name, value in event.headers if name not in dropped]
            start = {"type": "http.response.start", "status": event.status_code, "headers": headers}
            await self._send(start)
        else:
            raise ConnectionError("the worker ended before it had answered")


_WORKER_DIGITS = 4


def worker_of(session: bytes) -> int | None:
    """Return the number of the worker process that holds a session; its name begins with it."""
    number, dash, _ = session.partition(b"-")
    return int(number) if dash and number.isdigit() and len(number) <= _WORKER_DIGITS else None
