"""The hook's end of the socket to a running server, which does all of the work.

This module imports almost nothing, because a hook with a server does little more than start Python.

Protocol: the hook sends a line with the event, the client, 1 if it may refuse an edit, and the length of the
payload; then the payload. The server sends a line with the length of the answer, then the answer. Once the
hook has written that, it sends one byte.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing `typing` takes too long
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable

DONE = b"1"
MAX_HEADER_BYTES = 200
"""A judgement: twice the longest names and numbers."""
_SECONDS = {"stop": 8.0}
_OTHER_SECONDS = 3.0
"""How long to wait for a server, which checks all changes at a stop. Judgements: a person waits, too."""


def ask_server(
    store: str, root: str, header: tuple[str, str, bool], payload: bytes, write: Callable[[bytes], None]
) -> bool:
    """Write the answer of a running server; return False if there is none that answers in time."""
    from holdfast.storage.network.hook_socket import connect

    event, client, refuses = header
    try:
        connection = connect(store, root, _SECONDS.get(event, _OTHER_SECONDS))
    except OSError:
        return False
    try:
        connection.sendall(f"{event} {client} {int(refuses)} {len(payload)}\n".encode())
        connection.sendall(payload)
        length, answer = receive_line(connection)
        answer += receive(connection, int(length) - len(answer))
    except (OSError, ValueError):
        return False
    else:
        write(answer)
        connection.sendall(DONE)
        return True
    finally:
        connection.close()


def receive_line(connection: socket) -> tuple[str, bytes]:
    """Return the first line that arrives, and what arrived after it."""
    data = b""
    while b"\n" not in data:
        chunk = connection.recv(65536)
        if not chunk or len(data) > MAX_HEADER_BYTES:
            raise ValueError("there is no complete line")
        data += chunk
    line, _, rest = data.partition(b"\n")
    return line.decode("ascii"), rest


def receive(connection: socket, length: int) -> bytes:
    """Return so many bytes, or raise ValueError if fewer arrive."""
    data = b""
    while len(data) < length:
        chunk = connection.recv(length - len(data))
        if not chunk:
            raise ValueError("the other end has closed the connection")
        data += chunk
    return data
