"""The socket at which a server of this work tree answers hooks, in a folder that only the owner can open.

Contract: the server that answers holds a lock, which ends with it, so that the socket of a server that was
killed is replaced. A path that is too long for a socket is reached through the folder's descriptor where the
system has one (`/proc`); elsewhere, nobody answers.
"""

from __future__ import annotations

import fcntl
import os
from _socket import AF_UNIX, SOCK_STREAM, socket
from contextlib import suppress
from zlib import crc32

TYPE_CHECKING = False  # importing `collections.abc` takes time that a hook does not have
if TYPE_CHECKING:
    import socket as sockets
    from collections.abc import Callable

FOLDER = "hooks"
_MAX_PATH_BYTES = 100
"""Linux allows 107 bytes for the path of a socket, and macOS 103."""
_DESCRIPTORS = "/proc/self/fd"
_BACKLOG = 16
"""A judgement: hooks of so many agents at once."""


def socket_name(root: str) -> str:
    """Return the name of the socket of a work tree."""
    return f"{crc32(os.fsencode(root)):08x}.socket"


def connect(store: str, root: str, seconds: float) -> socket:
    """Return a connection to the server that answers hooks; raise OSError if none does."""
    connection = socket(AF_UNIX, SOCK_STREAM)
    try:
        connection.settimeout(seconds)
        _with_address(os.path.join(store, FOLDER), socket_name(root), connection.connect)
    except BaseException:
        connection.close()
        raise
    return connection


class HookSocket:
    """The socket of a server; `listener` is None where another server answers, or none can."""

    def __init__(self, store: str, root: str) -> None:
        folder, self._name = os.path.join(store, FOLDER), socket_name(root)
        self._path = os.path.join(folder, self._name)
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        self._lock = os.open(f"{self._path}.lock", flags, 0o600)
        self.listener: sockets.socket | None = None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        with suppress(FileNotFoundError):
            os.unlink(self._path)
        from socket import socket as python_socket  # The hook's end does without.

        listener = python_socket(AF_UNIX, SOCK_STREAM)
        _with_address(folder, self._name, listener.bind)
        os.chmod(self._path, 0o600)
        listener.listen(_BACKLOG)
        self.listener = listener

    def close(self) -> None:
        """Stop answering."""
        if self.listener is not None:
            with suppress(OSError):
                os.unlink(self._path)
            self.listener.close()
        os.close(self._lock)


def _with_address(folder: str, name: str, use: Callable[[str], None]) -> None:
    """Use the address of a socket in a folder."""
    path = os.path.join(folder, name)
    if len(os.fsencode(path)) <= _MAX_PATH_BYTES:
        use(path)
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        use(f"{_DESCRIPTORS}/{descriptor}/{name}")
    finally:
        os.close(descriptor)
