"""Holdfast's application over HTTP with the same forty tools; only the rate limit is lifted."""

from __future__ import annotations

from dataclasses import replace

from bench.servers.echo import Nothing, echo_tools
from holdfast.faces.http.access import LocalTokens
from holdfast.faces.http.listener import listening_socket
from holdfast.faces.http.server import HttpServer, run_application
from holdfast.faces.http.settings import HttpSettings, ListenAddress
from holdfast.faces.mcp.profiles import PROFILES
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.registry import Registry
from holdfast.storage.git.repository import Repository
from holdfast.storage.network.tokens import TokenFile


def main() -> None:
    """Serve on a free port and print it."""
    listener = listening_socket("127.0.0.1", 0)
    port = listener.getsockname()[1]
    limits = replace(LIMITS, request_burst=10**9)
    dispatcher = Dispatcher(Registry([echo_tools()]), lambda _: None, limits=limits)
    settings = HttpSettings(ListenAddress("127.0.0.1", port))
    server = HttpServer(dispatcher, PROFILES["everything"], Nothing(), settings, port)
    print(port, flush=True)
    token_source = LocalTokens("bench" * 8, TokenFile(Repository.discover(".")))
    run_application(server.application([token_source]), server, listener)


main()
