"""Cursor: a server for the open folder, or for one repository in every window."""

from __future__ import annotations

import os

from holdfast.installation.client import Client, Contributions
from holdfast.installation.formats.json_member import JsonMember
from holdfast.installation.situation import Scope, Situation, Wanted


def _wanted(situation: Situation, contributions: Contributions) -> list[Wanted]:
    del contributions
    if situation.scope is Scope.PROJECT:
        file, root = situation.in_project(".cursor", "mcp.json"), "${workspaceFolder}"
    else:
        # There, Cursor takes the variable for the folder around the file, which is the home directory.
        file, root = situation.of_user(os.path.join(situation.home, ".cursor"), "mcp.json"), situation.root
    arguments = ["serve", "--root", root]
    value = {"type": "stdio", "command": situation.command(from_a_shell=False), "args": arguments}
    return [Wanted(file, JsonMember(("mcpServers",), situation.name, value, relaxed=True))]


def _notes(situation: Situation) -> list[str]:
    notes = ["Cursor shows the server in its settings under MCP, where it can be switched on."]
    if situation.scope is Scope.USER:
        notes.append("The entry serves this repository; for another one run the command there with --name.")
    return notes


CLIENT = Client("cursor", "Cursor", (Scope.PROJECT, Scope.USER), _wanted, _notes)
