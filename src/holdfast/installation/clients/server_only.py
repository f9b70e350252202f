"""Clients that want the server and nothing else: Claude Desktop, Cursor, VS Code and Codex."""

from __future__ import annotations

import os

from holdfast.installation.client import Client, Contributions, Scope, Situation, Wanted
from holdfast.installation.formats.json_entry import JsonMember
from holdfast.installation.formats.toml_table import TomlTable
from holdfast.storage.files.configuration_file import ConfigurationFile


def _claude_desktop(situation: Situation, contributions: Contributions) -> list[Wanted]:
    del contributions
    file = situation.of_user(situation.application_support, "Claude", "claude_desktop_config.json")
    # It knows no projects, and starts servers in a directory of its own.
    arguments = ["serve", "--root", situation.root]
    value = {"command": situation.command(from_a_shell=False), "args": arguments}
    return [Wanted(file, JsonMember(("mcpServers",), situation.name, value))]


def _cursor(situation: Situation, contributions: Contributions) -> list[Wanted]:
    del contributions
    if situation.scope is Scope.PROJECT:
        return _of_window(situation, situation.in_project(".cursor", "mcp.json"), "mcpServers")
    folder = os.path.join(situation.home, ".cursor")
    return _of_window(situation, situation.of_user(folder, "mcp.json"), "mcpServers")


def _vscode(situation: Situation, contributions: Contributions) -> list[Wanted]:
    del contributions
    if situation.scope is Scope.PROJECT:
        return _of_window(situation, situation.in_project(".vscode", "mcp.json"), "servers")
    file = situation.of_user(situation.application_support, "Code", "User", "mcp.json")
    return _of_window(situation, file, "servers")


def _of_window(situation: Situation, file: ConfigurationFile, servers: str) -> list[Wanted]:
    # An editor may start servers in the home directory; the variable names the folder of the window.
    arguments = ["serve", "--root", "${workspaceFolder}"]
    value = {"type": "stdio", "command": situation.command(from_a_shell=False), "args": arguments}
    return [Wanted(file, JsonMember((servers,), situation.name, value, relaxed=True))]


def _codex(situation: Situation, contributions: Contributions) -> list[Wanted]:
    del contributions
    if situation.scope is Scope.PROJECT:
        file = situation.in_project(".codex", "config.toml")
    else:
        folder = situation.environment.get("CODEX_HOME") or os.path.join(situation.home, ".codex")
        file = situation.of_user(folder, "config.toml")
    command = situation.command(from_a_shell=True)
    return [Wanted(file, TomlTable("mcp_servers", situation.name, {"command": command, "args": ["serve"]}))]


def _codex_notes(situation: Situation) -> list[str]:
    if situation.scope is Scope.PROJECT:
        return ["Codex reads a project's file only after you trusted the project; /mcp shows the server."]
    return ["Codex shows the server with /mcp once it is started anew."]


CLAUDE_DESKTOP = Client(
    "claude-desktop",
    "Claude Desktop",
    (Scope.USER,),
    _claude_desktop,
    lambda _situation: [
        "Quit Claude Desktop and start it again: it reads the file only then.",
        "The entry serves this repository; for another one run the command there with --name.",
    ],
)
CURSOR = Client(
    "cursor",
    "Cursor",
    (Scope.PROJECT, Scope.USER),
    _cursor,
    lambda _situation: ["Cursor shows the server in its settings under MCP, where it can be switched on."],
)
VSCODE = Client(
    "vscode",
    "VS Code",
    (Scope.PROJECT, Scope.USER),
    _vscode,
    lambda _situation: [
        'VS Code asks whether to trust the server; the command "MCP: List Servers" starts it.'
    ],
)
CODEX = Client("codex", "Codex", (Scope.USER, Scope.PROJECT), _codex, _codex_notes)
