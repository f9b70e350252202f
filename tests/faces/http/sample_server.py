"""The sample toolset over HTTP, with limits of one's choice.

python -m tests.faces.http.sample_server LIMITS

Prints its port; the owner's token is `sample-token`, and whoever sends `other-token` is somebody else.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace

from holdfast.faces.http.access import Principal
from holdfast.faces.http.listener import listening_socket
from holdfast.faces.http.server import HttpServer, run_application
from holdfast.faces.http.settings import HttpSettings, ListenAddress
from holdfast.faces.mcp.profiles import PROFILES
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.registry import Registry
from holdfast.kernel.role import Role
from tests.wire.sample_server import NoTopics
from tests.wire.sample_toolset import sample_toolset


class Two:
    """Knows two callers."""

    async def caller(self, token: str) -> Principal | None:
        return Principal(token, Role.ADMIN, token) if token in ("sample-token", "other-token") else None


def main() -> None:
    limits = replace(LIMITS, **json.loads(sys.argv[1]))
    dispatcher = Dispatcher(Registry([sample_toolset()]), lambda _: None, limits=limits)
    listener = listening_socket("127.0.0.1", 0)
    port = listener.getsockname()[1]
    server = HttpServer(
        dispatcher, PROFILES["everything"], NoTopics(), HttpSettings(ListenAddress("127.0.0.1", port)), port
    )
    print(port, flush=True)
    run_application(server.application([Two()]), server, listener)


if __name__ == "__main__":
    main()
