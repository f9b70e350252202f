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

SKILLS = "io.modelcontextprotocol/skills"
TASKS = "io.modelcontextprotocol/tasks"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"
"""Where an answer of the stateless era says which server it is from."""
_DESCRIPTION = "Notes on code, review remarks, tasks, issues and analyses of a git repository, kept beside it"
_WEBSITE = "https://github.com/holdfast/holdfast"
_ICON = (
    "data:image/svg+xml;base64,"
    "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAyMCAyMCI+PHJlY3Qgd2lkdGg9IjIw"
    "IiBoZWlnaHQ9IjIwIiByeD0iNSIgZmlsbD0iIzFmOGY2MyIvPjxwYXRoIGQ9Ik0xMCAzdjdNMTAgMTBjMCAzLTQgMy01IDZNMTAg"
    "MTBjMCAzIDAgNCAwIDZNMTAgMTBjMCAzIDQgMyA1IDZNMTAgNmMyLTIgNC0xIDQgMU0xMCA4Yy0yLTItNC0xLTQgMSIgZmlsbD0i"
    "bm9uZSIgc3Ryb2tlPSIjZmZmIiBzdHJva2Utd2lkdGg9IjEuNSIgc3Ryb2tlLWxpbmVjYXA9InJvdW5kIi8+PC9zdmc+Cg=="
)
"""The icon of the page; a test compares the two."""


def extensions_of(selection: Selection, *, stateless: bool) -> dict[str, dict[str, Any]]:
    """Return the extensions of a server that offers this selection, with their settings.

    Tasks need a request that declares them itself, as only those of the stateless era can.
    """
    extensions: dict[str, dict[str, Any]] = {SKILLS: {}}
    if stateless:
        extensions[TASKS] = {}
    if selection.admits_tool(apps.STATUS_TOOL, apps.STATUS_TOOLSET, Effect.READ):
        extensions[apps.EXTENSION] = {}
    return extensions


def with_declaration(result: dict[str, Any], profile: Profile, selection: Selection) -> dict[str, Any]:
    """Return the answer to `initialize` or `server/discover` with what this server adds to it."""
    if profile.is_strict:
        return result
    is_handshake = "serverInfo" in result
    extensions = extensions_of(selection, stateless=not is_handshake)
    result = {**result, "capabilities": {**result["capabilities"], "extensions": extensions}}
    if is_handshake:
        return {**result, "serverInfo": _introduction(result["serverInfo"])}
    meta = result["_meta"]
    return {**result, "_meta": {**meta, SERVER_INFO_KEY: _introduction(meta[SERVER_INFO_KEY])}}


def _introduction(server_info: dict[str, Any]) -> dict[str, Any]:
    icon = {"src": _ICON, "mimeType": "image/svg+xml", "sizes": ["any"]}
    return {**server_info, "description": _DESCRIPTION, "websiteUrl": _WEBSITE, "icons": [icon]}
