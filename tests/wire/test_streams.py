"""The streams of a connection, where the operating system does not do what one hopes for."""

from __future__ import annotations

import asyncio
import os

from holdfast.faces.mcp.wire.streams import InputStream


def test_a_message_is_not_cut_where_a_read_found_nothing() -> None:
    """Readiness is a guess: whoever shares the pipe may have read first, and then there is nothing yet."""
    came: list[bytes] = []

    async def read() -> None:
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        ended = asyncio.Event()
        source = InputStream(reading, 65536, came.append, ended.set)
        os.write(writing, b'{"a": ')
        while not came:
            await asyncio.sleep(0)
        source._read()
        os.write(writing, b"1}\n")
        os.close(writing)
        await asyncio.wait_for(ended.wait(), 30)
        os.close(reading)

    asyncio.run(read())
    assert b"".join(came) == b'{"a": 1}\n'
