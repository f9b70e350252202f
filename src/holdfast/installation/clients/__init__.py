"""The supported clients by name: the files of each, and Holdfast's entries in them."""

from __future__ import annotations

from types import MappingProxyType

from holdfast.installation.clients.claude_code import CLAUDE_CODE
from holdfast.installation.clients.git import GIT
from holdfast.installation.clients.lazygit import LAZYGIT
from holdfast.installation.clients.servers import CLAUDE_DESKTOP, CODEX, CURSOR, VSCODE

_ALL = (CLAUDE_CODE, CLAUDE_DESKTOP, CURSOR, VSCODE, CODEX, LAZYGIT, GIT)
CLIENTS = MappingProxyType({client.name: client for client in _ALL})
