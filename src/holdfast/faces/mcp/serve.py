"""Starts a protocol server for a workspace."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

from holdfast.faces.mcp.profiles import Profile
from holdfast.faces.mcp.server import LateServer, ProtocolServer
from holdfast.faces.mcp.stdio import run_stdio
from holdfast.kernel.dispatch import Dispatcher
from holdfast.kernel.registry import Selection
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace


def serve_stdio(workspace: Workspace, selection: Selection, profile: Profile) -> int:
    """Serve one client on standard input and output until it goes."""
    run_stdio(LateServer(profile, lambda: protocol_server(workspace, selection, profile)))
    workspace.close()
    sys.stderr.flush()
    # A worker that did not notice its cancellation must not keep the process alive.
    os._exit(0)


def protocol_server(workspace: Workspace, selection: Selection, profile: Profile) -> ProtocolServer:
    """Return the server of a workspace, narrowed to a selection and presented as a profile."""
    registry = full_registry(selection.toolsets).select(replace(selection, family=profile.family))
    return ProtocolServer(Dispatcher(registry, workspace.room), profile, workspace, workspace.room)
