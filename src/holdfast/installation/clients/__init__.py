"""The supported clients by name. `agents` is the table of most of them, `agent_entries` what it leads to.

lazygit and git, which are no agents, have a module each.
"""

from __future__ import annotations

from types import MappingProxyType

from holdfast.installation.clients.agent_entries import agent_client
from holdfast.installation.clients.agents import AGENTS
from holdfast.installation.clients.git import GIT
from holdfast.installation.clients.lazygit import LAZYGIT

_ALL = (*map(agent_client, AGENTS), LAZYGIT, GIT)
CLIENTS = MappingProxyType({client.name: client for client in _ALL})
