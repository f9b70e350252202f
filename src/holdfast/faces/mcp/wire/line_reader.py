"""Splits a byte stream into lines, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_LINE_FEED = b"\n"

_OVERLONG_PREFIX_BYTES = 4096
"""How much of a line above the limit is passed on, to find its id. A judgement: clients usually
write the id before the params, near the start."""


@dataclass(frozen=True, slots=True)
class Overlong:
    """The start of a line above the limit; its rest was skipped, not stored."""

    prefix: bytes


class LineReader:
    """Splits a byte stream at line feeds and skips lines above a limit, not counting the line feed."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._searched = 0
        self._skipping = False

    def feed(self, data: bytes) -> Iterator[bytes | Overlong]:
        self._buffer += data
        start = 0
        while (end := self._buffer.find(_LINE_FEED, self._searched)) >= 0:
            if self._skipping:
                self._skipping = False
            elif end - start > self._limit:
                yield Overlong(bytes(self._buffer[start : min(end, start + _OVERLONG_PREFIX_BYTES)]))
            else:
                yield bytes(self._buffer[start:end])
            start = self._searched = end + 1
        del self._buffer[:start]
        self._searched = len(self._buffer)
        yield from self._skip_overlong()

    def finish(self) -> bytes:
        rest = b"" if self._skipping else bytes(self._buffer)
        self._buffer.clear()
        return rest

    def _skip_overlong(self) -> Iterator[Overlong]:
        """Drop the incomplete line in the buffer if it is above the limit already."""
        if self._skipping:
            self._buffer.clear()
        elif len(self._buffer) > self._limit:
            yield Overlong(bytes(self._buffer[:_OVERLONG_PREFIX_BYTES]))
            self._buffer.clear()
            self._skipping = True
        else:
            return
        self._searched = 0
