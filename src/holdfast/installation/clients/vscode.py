"""VS Code: a server for the open folder."""

from __future__ import annotations

from holdfast.installation.client import Client, Contributions
from holdfast.installation.formats.json_member import JsonMember
from holdfast.installation.situation import Scope, Situation, Wanted


def _wanted(situation: Situation, contributions: Contributions) -> list[Wanted]:
    del contributions
    if situation.scope is Scope.PROJECT:
        file = situation.in_project(".vscode", "mcp.json")
    else:
        file = situation.of_user(situation.application_support, "Code", "User", "mcp.json")
    arguments = ["serve", "--root", "${workspaceFolder}"]
    value = {"type": "stdio", "command": situation.command(from_a_shell=False), "args": arguments}
    return [Wanted(file, JsonMember(("servers",), situation.name, value, relaxed=True))]


def _notes(situation: Situation) -> list[str]:
    del situation
    return ['VS Code asks whether to trust the server; the command "MCP: List Servers" starts it.']


CLIENT = Client("vscode", "VS Code", (Scope.PROJECT, Scope.USER), _wanted, _notes)
