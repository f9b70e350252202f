"""The instructions that `holdfast serve --http` prints: how to connect a client, and how to open the page."""

from __future__ import annotations

import os

from holdfast.faces.http.settings import MCP_PATH, HttpSettings
from holdfast.storage.network.tokens import TOKEN_NAME
from holdfast.workspace import Workspace


def connection_instructions(
    workspace: Workspace, settings: HttpSettings, port: int, page: str | None = None
) -> str:
    """Return the instructions for connecting a client, and the page's address if there is a page."""
    local = settings.local_url(port)
    url = f"{settings.public_url or local}{MCP_PATH}"
    token_file = os.path.relpath(os.path.join(workspace.repository.store_directory, TOKEN_NAME))
    header = f"Authorization: Bearer $(cat {token_file})"
    lines = [
        f"Holdfast serves {os.path.basename(workspace.repository.root)} at {local}{MCP_PATH}",
        f"The owner's token is in {token_file}; `holdfast token add NAME` makes others. With Claude Code:",
        f'  claude mcp add --transport http holdfast {url} --header "{header}"',
        "A client that starts the server itself needs neither:",
        "  claude mcp add holdfast -- holdfast serve",
    ]
    if not settings.address.is_loopback and not url.startswith("https://"):
        lines.append("Tokens travel unencrypted: put a proxy with TLS in front, or use a tunnel.")
    if page is None:
        return "\n".join([*lines, "Ctrl-C stops it."])
    return "\n".join([*lines, f"Ctrl-C stops it. The page, for the first browser that opens it: {page}"])
