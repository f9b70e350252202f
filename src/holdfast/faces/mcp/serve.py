"""Starts a protocol server for a workspace."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

from holdfast.faces.mcp.profiles import PROFILES
from holdfast.faces.mcp.server import ProtocolServer
from holdfast.faces.mcp.stdio import run_stdio
from holdfast.kernel.dispatch import Dispatcher
from holdfast.kernel.registry import Selection
from holdfast.storage.token import TOKEN_NAME, access_token
from holdfast.workspace import Workspace, full_registry


def serve_stdio(
    workspace: Workspace, selection: Selection, profile_name: str, *, errors_as_results: bool = False
) -> int:
    """Serve one client on standard input and output until it goes."""
    run_stdio(protocol_server(workspace, selection, profile_name, errors_as_results=errors_as_results))
    workspace.close()
    sys.stderr.flush()
    # A worker that did not notice its cancellation must not keep the process alive.
    os._exit(0)


def serve_http(
    workspace: Workspace,
    selection: Selection,
    profile_name: str,
    host: str,
    port: int,
    *,
    errors_as_results: bool = False,
) -> int:
    """Serve many clients over HTTP until a signal comes, and say on standard error how to connect."""
    from holdfast.faces.mcp.http import listening_socket, run_http

    listener = listening_socket(host, port)
    token = access_token(workspace.repository)
    print(how_to_connect(workspace, listener.getsockname()), file=sys.stderr, flush=True)  # noqa: T201
    server = protocol_server(workspace, selection, profile_name, errors_as_results=errors_as_results)
    run_http(server, listener, token)
    workspace.close()
    return 0


def how_to_connect(workspace: Workspace, address: tuple[str, int]) -> str:
    """Return the lines that a person needs to connect a client."""
    host, port = address[:2]
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}/mcp"
    token_file = os.path.relpath(os.path.join(workspace.repository.store_directory, TOKEN_NAME))
    header = f"Authorization: Bearer $(cat {token_file})"
    return (
        f"Holdfast serves {os.path.basename(workspace.repository.root)} at {url}\n"
        f"The token is in {token_file}. With Claude Code, for example:\n"
        f'  claude mcp add --transport http holdfast {url} --header "{header}"\n'
        "A client that starts the server itself needs neither:\n"
        "  claude mcp add holdfast -- holdfast serve\n"
        "Ctrl-C stops it."
    )


def protocol_server(
    workspace: Workspace, selection: Selection, profile_name: str, *, errors_as_results: bool = False
) -> ProtocolServer:
    """Return the server of a workspace, narrowed to a selection and presented as a profile."""
    profile = replace(PROFILES[profile_name], errors_as_results=errors_as_results)
    registry = full_registry(selection.toolsets).select(replace(selection, family=profile.family))
    return ProtocolServer(Dispatcher(registry, workspace.room), profile, workspace, workspace.room)
