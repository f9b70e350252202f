"""Codex: a server for the directory in which Codex is started."""

from __future__ import annotations

import os

from holdfast.installation.client import Client, Contributions
from holdfast.installation.formats.toml_table import TomlTable
from holdfast.installation.situation import Scope, Situation, Wanted


def _wanted(situation: Situation, contributions: Contributions) -> list[Wanted]:
    del contributions
    if situation.scope is Scope.PROJECT:
        file = situation.in_project(".codex", "config.toml")
    else:
        folder = situation.environment.get("CODEX_HOME") or os.path.join(situation.home, ".codex")
        file = situation.of_user(folder, "config.toml")
    command = situation.command(from_a_shell=True)
    return [Wanted(file, TomlTable("mcp_servers", situation.name, {"command": command, "args": ["serve"]}))]


def _notes(situation: Situation) -> list[str]:
    if situation.scope is Scope.PROJECT:
        return ["Codex reads a project's file only after you trusted the project; /mcp shows the server."]
    return ["Codex shows the server with /mcp once it is started anew."]


CLIENT = Client("codex", "Codex", (Scope.USER, Scope.PROJECT), _wanted, _notes)
