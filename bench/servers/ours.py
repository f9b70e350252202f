"""Holdfast's registry, dispatcher and transport with the same forty tools and the rate limit lifted."""

from __future__ import annotations

import os
from dataclasses import replace

from bench.servers.echo import Nothing, echo_tools
from holdfast.faces.mcp.profiles import PROFILES
from holdfast.faces.mcp.server import ProtocolServer
from holdfast.faces.mcp.stdio import run_stdio
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.registry import Registry


def main() -> None:
    """Serve."""
    limits = replace(LIMITS, request_burst=10**9)
    dispatcher = Dispatcher(Registry([echo_tools()]), lambda _: None, limits=limits)
    run_stdio(ProtocolServer(dispatcher, PROFILES["everything"], Nothing(), lambda _: None), limits)
    os._exit(0)


main()
