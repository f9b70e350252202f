"""The SDK's low-level server with the forty tools, for any transport."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server

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


def stock_server() -> Server[Any]:
    """Return the server."""
    return Server("stock", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
