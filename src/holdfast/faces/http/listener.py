"""The socket that the server listens on."""

from __future__ import annotations

import os
import socket

from holdfast.kernel.errors import Busy

_BACKLOG_CONNECTIONS = 1024
"""More than the connections that are served at once; the kernel may lower it (net.core.somaxconn)."""


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket.

    The protocol is given explicitly because asyncio disables Nagle's algorithm only on sockets created with
    it. Otherwise the second write of a response would wait for the client's delayed acknowledgement, 40 ms on
    Linux.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        # A server that is started again can then bind while connections of the last one are in TIME_WAIT.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG_CONNECTIONS)
    except OSError as failure:
        listener.close()
        raise Busy(
            f"Cannot listen on {host} port {port}: {os.strerror(failure.errno or 0)}.",
            hint="Choose another port with --http HOST:PORT; port 0 takes a free one.",
        ) from None
    return listener
