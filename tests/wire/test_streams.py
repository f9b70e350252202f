"""The streams of a connection, where the operating system does not do what one hopes for."""

from __future__ import annotations

import asyncio
import os

from holdfast.faces.mcp.wire.streams import InputStream


def test_a_message_is_not_cut_where_a_read_found_nothing() -> None:
    """Readiness is a guess: of two that share a pipe, the second finds what the first has read already."""
    came: list[bytes] = []

    async def read() -> None:
        first, writing = os.pipe()
        second = os.dup(first)
        os.set_blocking(first, False)  # for both: they share one description
        ended = [asyncio.Event(), asyncio.Event()]
        for descriptor, event in zip((first, second), ended, strict=True):
            InputStream(descriptor, 65536, came.append, event.set)
        os.write(writing, b'{"a": ')
        while not came:
            await asyncio.sleep(0)
        assert not any(event.is_set() for event in ended)
        os.write(writing, b"1}\n")
        os.close(writing)
        for event in ended:
            await asyncio.wait_for(event.wait(), 30)
        os.close(first)
        os.close(second)

    asyncio.run(read())
    assert b"".join(came) == b'{"a": 1}\n'
