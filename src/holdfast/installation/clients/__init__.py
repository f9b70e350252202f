"""Every client there is. Adding one is a module and a line here."""

from __future__ import annotations

from types import MappingProxyType

from holdfast.installation.clients import claude_code, claude_desktop, codex, cursor, git, lazygit, vscode

CLIENTS = MappingProxyType(
    {
        client.name: client
        for client in (
            claude_code.CLIENT,
            claude_desktop.CLIENT,
            cursor.CLIENT,
            vscode.CLIENT,
            codex.CLIENT,
            lazygit.CLIENT,
            git.CLIENT,
        )
    }
)
