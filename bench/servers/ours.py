"""Holdfast's registry, dispatcher and transport with the same forty tools and the rate limit lifted."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pydantic import Field

from bench.servers.tools import COUNT, DESCRIPTION, name
from holdfast.faces.mcp.profiles import PROFILES
from holdfast.faces.mcp.server import ProtocolServer
from holdfast.faces.mcp.stdio import run_stdio
from holdfast.kernel.dispatch import Dispatcher
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Effect, Input, Output, Toolset
from holdfast.kernel.registry import Registry


class Echo(Input):
    """What every tool takes."""

    text: str = Field(description="What to say back.")
    file: str = Field("", description="A path from the repository root.")
    line: int = Field(1, description="A line, counted from one.")


class Echoed(Output):
    """What every tool answers."""

    text: str


class Nothing:
    """No topic ever changes here."""

    def subscribe(self, topic: str, callback: Callable[[], None]) -> Callable[[], None]:  # noqa: ARG002
        """Watch nothing."""
        return lambda: None


def echo(room: Any, args: Echo) -> Echoed:  # noqa: ARG001
    """Placeholder for the description that both servers share."""
    return Echoed(text=args.text)


def main() -> None:
    """Serve."""
    echo.__doc__ = DESCRIPTION
    tools = Toolset("bench", "Small tools.")
    for number in range(COUNT):
        tools.operation(
            name(number),
            title="Echo",
            effect=Effect.READ,
            example="holdfast bench echo",
            text=lambda r: r.text,
        )(echo)
    limits = replace(LIMITS, request_burst=10**9)
    dispatcher = Dispatcher(Registry([tools]), lambda _: None, limits=limits)
    run_stdio(ProtocolServer(dispatcher, PROFILES["everything"], Nothing(), lambda _: None), limits)
    os._exit(0)


main()
