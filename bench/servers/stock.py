"""The SDK's low-level server on the SDK's own stdio transport, as its documentation shows it."""

from __future__ import annotations

import anyio
from mcp.server.stdio import stdio_server

from bench.servers.stock_tools import stock_server


async def main() -> None:
    """Serve."""
    server = stock_server()
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


anyio.run(main)
