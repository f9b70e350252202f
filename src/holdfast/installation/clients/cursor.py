"""Cursor: a server for the open folder."""

from __future__ import annotations

import os

from holdfast.installation.client import Client, Contributions
from holdfast.installation.formats.json_member import JsonMember
from holdfast.installation.situation import Scope, Situation, Wanted


def _wanted(situation: Situation, contributions: Contributions) -> list[Wanted]:
    del contributions
    if situation.scope is Scope.PROJECT:
        file = situation.in_project(".cursor", "mcp.json")
    else:
        file = situation.of_user(os.path.join(situation.home, ".cursor"), "mcp.json")
    # Cursor may start servers in the home directory; the variable names the folder of the window.
    arguments = ["serve", "--root", "${workspaceFolder}"]
    value = {"type": "stdio", "command": situation.command(from_a_shell=False), "args": arguments}
    return [Wanted(file, JsonMember(("mcpServers",), situation.name, value, relaxed=True))]


def _notes(situation: Situation) -> list[str]:
    del situation
    return ["Cursor shows the server in its settings under MCP, where it can be switched on."]


CLIENT = Client("cursor", "Cursor", (Scope.PROJECT, Scope.USER), _wanted, _notes)
