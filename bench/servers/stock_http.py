"""The SDK's low-level server over the SDK's own Streamable HTTP, as its documentation shows it."""

from __future__ import annotations

import uvicorn

from bench.servers.stock_tools import stock_server
from holdfast.faces.http.listener import listening_socket


def main() -> None:
    """Serve on a free port and print it."""
    listener = listening_socket("127.0.0.1", 0)
    print(listener.getsockname()[1], flush=True)
    config = uvicorn.Config(stock_server().streamable_http_app(), log_level="warning")
    uvicorn.Server(config).run(sockets=[listener])


main()
