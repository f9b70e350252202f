"""Small writes of one moment leave together.

An HTTP answer is written in pieces: status and headers, a chunk, the end. Each would be a system call, and
would wake the client for a part of what it waits for.
"""

from __future__ import annotations

import asyncio
from typing import Any

_AT_ONCE = 16 * 1024


class Gathering:
    """A transport that holds back what is written until the event loop comes around, or it is enough."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._gathered: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> None:
        """Write soon; at once when more has gathered than is worth holding."""
        if not self._gathered:
            self._loop.call_soon(self.flush)
        self._gathered.append(data)
        self._size += len(data)
        if self._size > _AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Write what has gathered."""
        if self._gathered:
            gathered, self._gathered, self._size = b"".join(self._gathered), [], 0
            self._transport.write(gathered)

    def close(self) -> None:
        """Close once everything is written."""
        self.flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
