"""The task board as an MCP App (`io.modelcontextprotocol/ui`), which hosts can show inside a conversation.

Contract:
- Only clients that declare the extension see the tool's link to the board; nothing changes for others.
- The document loads nothing from the network, so it declares no domains. Everything it shows and does goes
  through the host's `tools/call`, with the rights of the client's connection.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from holdfast.kernel.resource import ResourceBody

EXTENSION = "io.modelcontextprotocol/ui"
MEDIA_TYPE = "text/html;profile=mcp-app"
BOARD_URI = "ui://holdfast/board"
STATUS_TOOLSET = "tasks"
STATUS_TOOL = "taskpilot_status"
"""The tool whose result a host shows as the board."""
BOARD_TOOLS = ("taskpilot_board", "taskpilot_create_task", "taskpilot_events", "taskpilot_show")
"""Tools that only the board calls; hosts hide them from models."""

_ENTRY_MODULE = "app/board.js"
_REPLACED_MODULES = {"api.js": "app/api.js"}
"""In an app, requests go through the host instead of HTTP."""
_STYLESHEETS = ("style.css", "views/board.css", "app/board.css")


def supports_apps(capabilities: Any) -> bool:
    """Return whether a client declares support for HTML apps."""
    settings = (getattr(capabilities, "extensions", None) or {}).get(EXTENSION) or {}
    media_types = settings.get("mimeTypes")
    return isinstance(media_types, list) and MEDIA_TYPE in media_types


def tool_metadata(name: str) -> dict[str, Any] | None:
    """Return the `_meta` of a tool: its link to the board, or that only the board calls it; else None."""
    if name == STATUS_TOOL:
        return {"ui": {"resourceUri": BOARD_URI}}
    return {"ui": {"visibility": ["app"]}} if name in BOARD_TOOLS else None


def board_resource() -> ResourceBody:
    """Return the resource that a host reads to show the board."""
    return ResourceBody(
        text=board_document(), mime_type=MEDIA_TYPE, fields={"_meta": {"ui": {"prefersBorder": True}}}
    )


@cache
def board_document() -> str:
    """Return the board with its scripts and stylesheets as one HTML document."""
    # Imported here because few clients show apps.
    from holdfast.faces.web.bundle import Bundle, static_text

    style = "\n".join(static_text(name) for name in _STYLESHEETS)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Board</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<style>\n{style}\n</style></head>\n<body class="app"><main id="main" tabindex="-1"></main>\n'
        '<div class="visually-hidden" id="announcer" role="status" aria-live="polite"></div>\n'
        f'<script type="module">\n{Bundle(_ENTRY_MODULE, _REPLACED_MODULES).script}</script></body></html>\n'
    )
