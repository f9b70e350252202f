"""The forty tools as operations of Holdfast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import Field

from bench.servers.tools import COUNT, DESCRIPTION, name
from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.toolset import Toolset


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


def echo_tools() -> Toolset:
    """Return the toolset."""
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
    return tools
