"""The SDK's low-level server on the SDK's own stdio transport, as its documentation shows it."""

from __future__ import annotations

from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from bench.servers.tools import COUNT, DESCRIPTION, SCHEMA, name

OUTPUT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
TOOLS = [
    types.Tool(
        name=name(number),
        title="Echo",
        description=DESCRIPTION,
        input_schema=SCHEMA,
        output_schema=OUTPUT,
        annotations=types.ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
    for number in range(COUNT)
]


async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
    """Answer tools/list."""
    return types.ListToolsResult(tools=TOOLS)


async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Answer tools/call."""
    text = (params.arguments or {})["text"]
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content={"text": text}
    )


async def main() -> None:
    """Serve."""
    server: Server[Any] = Server("stock", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


anyio.run(main)
