"""The socket behind the port."""

from __future__ import annotations

import os
import socket

from holdfast.kernel.errors import Busy

_BACKLOG = 1024


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens there, before anything else is prepared.

    Its protocol is named, because asyncio turns off Nagle's delay only for sockets that say they are TCP.
    Without that an answer in two writes waits for the client's delayed acknowledgement, forty milliseconds.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as failure:
        listener.close()
        raise Busy(
            f"Cannot listen on {host} port {port}: {os.strerror(failure.errno or 0)}.",
            hint="Choose another port with --http HOST:PORT; port 0 takes a free one.",
        ) from None
    return listener
