"""Our server over HTTP without the token, which the suite has no way to send.

    python -m tests.conformance.server ROOT [TOOLSETS]

Prints the address of the endpoint, then serves until a signal comes. Without TOOLSETS: all of them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import uvicorn

from holdfast.faces.mcp.http import endpoint, listening_socket
from holdfast.faces.mcp.serve import protocol_server
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.registry import Selection
from holdfast.workspace import Workspace


def main() -> None:
    root, *toolsets = sys.argv[1:]
    workspace = Workspace.discover(Path(root))
    selection = Selection(toolsets=frozenset(toolsets) or None)
    server = protocol_server(workspace, selection, "everything")
    with listening_socket("127.0.0.1", 0) as listener:
        print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
        config = uvicorn.Config(endpoint(server, listener, LIMITS), log_level="warning")
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
