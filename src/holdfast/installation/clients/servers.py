"""Clients that only get the server: Claude Desktop, Cursor, VS Code and Codex."""

from __future__ import annotations

import os

from holdfast.installation.client import Client, Contributions, FileEntry, InstallationContext, Scope
from holdfast.installation.formats.json_entry import JsonMember
from holdfast.installation.formats.toml_table import TomlTable
from holdfast.storage.files.configuration_file import ConfigurationFile


def _claude_desktop(context: InstallationContext, _contributions: Contributions) -> list[FileEntry]:
    file = context.user_file(context.application_support, "Claude", "claude_desktop_config.json")
    # Claude Desktop has no projects, and starts servers in its own directory.
    arguments = ["serve", "--root", context.root]
    value = {"command": context.command(has_user_path=False), "args": arguments}
    return [FileEntry(file, JsonMember(("mcpServers",), context.name, value))]


def _cursor(context: InstallationContext, _contributions: Contributions) -> list[FileEntry]:
    if context.scope is Scope.PROJECT:
        return _editor_entries(context, context.project_file(".cursor", "mcp.json"), "mcpServers")
    folder = os.path.join(context.home, ".cursor")
    return _editor_entries(context, context.user_file(folder, "mcp.json"), "mcpServers")


def _vscode(context: InstallationContext, _contributions: Contributions) -> list[FileEntry]:
    if context.scope is Scope.PROJECT:
        return _editor_entries(context, context.project_file(".vscode", "mcp.json"), "servers")
    file = context.user_file(context.application_support, "Code", "User", "mcp.json")
    return _editor_entries(context, file, "servers")


def _editor_entries(context: InstallationContext, file: ConfigurationFile, servers: str) -> list[FileEntry]:
    # An editor may start servers in the home directory, so the variable names the folder of its window.
    arguments = ["serve", "--root", "${workspaceFolder}"]
    value = {"type": "stdio", "command": context.command(has_user_path=False), "args": arguments}
    return [FileEntry(file, JsonMember((servers,), context.name, value, allows_comments=True))]


def _codex(context: InstallationContext, _contributions: Contributions) -> list[FileEntry]:
    if context.scope is Scope.PROJECT:
        file = context.project_file(".codex", "config.toml")
    else:
        folder = context.environment.get("CODEX_HOME") or os.path.join(context.home, ".codex")
        file = context.user_file(folder, "config.toml")
    command = context.command(has_user_path=True)
    return [FileEntry(file, TomlTable("mcp_servers", context.name, {"command": command, "args": ["serve"]}))]


def _codex_notes(context: InstallationContext) -> list[str]:
    if context.scope is Scope.PROJECT:
        return ["Codex reads a project's file only once you trust the project; /mcp shows the server."]
    return ["Restart Codex; /mcp then shows the server."]


CLAUDE_DESKTOP = Client(
    "claude-desktop",
    "Claude Desktop",
    (Scope.USER,),
    _claude_desktop,
    lambda _context: [
        "Quit Claude Desktop and start it again: it reads the file at start.",
        "The entry serves this repository; for another, run the command there with --name.",
    ],
)
CURSOR = Client(
    "cursor",
    "Cursor",
    (Scope.PROJECT, Scope.USER),
    _cursor,
    lambda _context: ["Cursor shows the server in its settings under MCP, where it can be switched on."],
)
VSCODE = Client(
    "vscode",
    "VS Code",
    (Scope.PROJECT, Scope.USER),
    _vscode,
    lambda _context: ['VS Code asks whether to trust the server; the command "MCP: List Servers" starts it.'],
)
CODEX = Client("codex", "Codex", (Scope.USER, Scope.PROJECT), _codex, _codex_notes)
