"""Our server over HTTP with a door that lets everybody in, for the suite has no way to send a token.

    python -m tests.conformance.server ROOT [fixtures]

Prints the address of the endpoint, then serves until a signal comes. The real toolsets, or the fixtures; with
either the tools that the suite calls to get tasks, which take a while.
"""

from __future__ import annotations

import sys
from pathlib import Path

from holdfast.faces.http.access import Authentication, Principal
from holdfast.faces.http.asgi import Headers
from holdfast.faces.http.listener import listening_socket
from holdfast.faces.http.server import HttpServer, run_application
from holdfast.faces.http.settings import HttpSettings, ListenAddress
from holdfast.faces.mcp.profiles import PROFILES
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.registry import Registry
from holdfast.kernel.role import Role
from holdfast.toolsets import toolsets
from holdfast.workspace import Workspace
from tests.conformance.fixtures import task_tools
from tests.conformance.fixtures import toolset as conformance


class OpenDoor(Authentication):
    """Takes everybody for the same caller."""

    async def caller(self, headers: Headers) -> Principal:
        return Principal("suite", Role.ADMIN, "suite")


def main() -> None:
    root, *fixtures = sys.argv[1:]
    workspace = Workspace.discover(Path(root))
    dispatcher = Dispatcher(
        Registry([*([conformance] if fixtures else toolsets()), task_tools]),
        lambda name: None if name in (conformance.name, task_tools.name) else workspace.room(name),
    )
    with listening_socket("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        settings = HttpSettings(ListenAddress("127.0.0.1", port))
        server = HttpServer(dispatcher, PROFILES["everything"], workspace, settings, port)
        print(f"http://127.0.0.1:{port}/mcp", flush=True)
        run_application(server.application_for(OpenDoor([])), server, listener)


if __name__ == "__main__":
    main()
