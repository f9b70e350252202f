"""What a server tells of itself beyond the SDK's own answer: its extensions, and how a host may show it.

Contract:
- A host uses an extension only if both sides declare it, so it is declared in both eras, in the answers to
  `initialize` and to `server/discover`.
- Nothing is added for the server of one specification, which shows exactly what that prescribes.
- This module loads neither the SDK nor a toolset, because the handshake is answered before them.
"""

from __future__ import annotations

from typing import Any

from holdfast.faces.mcp.extensions import apps
from holdfast.faces.mcp.profiles import Profile
from holdfast.kernel.operation import Effect
from holdfast.kernel.registry import Selection

SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"
"""Where an answer of the stateless era says which server it is from."""
_DESCRIPTION = "Notes on code, review remarks, tasks, issues and analyses of a git repository, kept beside it"
_WEBSITE = "https://github.com/holdfast/holdfast"
_ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 20 20'%3E%3Crect width='20' "
    "height='20' rx='5' fill='%231f8f63'/%3E%3Cpath d='M10 3v7M10 10c0 3-4 3-5 6M10 10c0 3 0 4 0 6M10 10c0 "
    "3 4 3 5 6M10 6c2-2 4-1 4 1M10 8c-2-2-4-1-4 1' fill='none' stroke='%23fff' stroke-width='1.5' "
    "stroke-linecap='round'/%3E%3C/svg%3E"
)
"""The icon of the page; a test compares the two."""


def extensions_of(selection: Selection) -> dict[str, dict[str, Any]]:
    """Return the extensions of a server that offers this selection, with their settings."""
    extensions: dict[str, dict[str, Any]] = {}
    if selection.admits_tool(apps.STATUS_TOOL, apps.STATUS_TOOLSET, Effect.READ):
        extensions[apps.EXTENSION] = {}
    return extensions


def with_declaration(result: dict[str, Any], profile: Profile, selection: Selection) -> dict[str, Any]:
    """Return the answer to `initialize` or `server/discover` with what this server adds to it."""
    if profile.is_strict:
        return result
    capabilities = {**result["capabilities"], "extensions": extensions_of(selection)}
    result = {**result, "capabilities": capabilities}
    if "serverInfo" in result:
        return {**result, "serverInfo": _introduction(result["serverInfo"])}
    meta = result["_meta"]
    return {**result, "_meta": {**meta, SERVER_INFO_KEY: _introduction(meta[SERVER_INFO_KEY])}}


def _introduction(server_info: dict[str, Any]) -> dict[str, Any]:
    icon = {"src": _ICON, "mimeType": "image/svg+xml", "sizes": ["any"]}
    return {**server_info, "description": _DESCRIPTION, "websiteUrl": _WEBSITE, "icons": [icon]}
