"""Serves the sample toolset on standard input and output; options change its limits."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace

from holdfast.faces.mcp.profiles import PROFILES
from holdfast.faces.mcp.server import ProtocolServer
from holdfast.faces.mcp.stdio import run_stdio
from holdfast.kernel.dispatch import Dispatcher
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.registry import Registry, Selection
from tests.wire.sample_toolset import sample_toolset


class NoTopics:
    def subscribe(self, topic: str, callback: Callable[[], None]) -> Callable[[], None]:
        return lambda: None


def main() -> None:
    settings = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
    limits = replace(LIMITS, **settings.get("limits", {}))
    registry = Registry(
        [sample_toolset(settings.get("family", "core"))], Selection(**settings.get("selection", {}))
    )
    dispatcher = Dispatcher(registry, lambda toolset: None, limits=limits)
    run_stdio(ProtocolServer(dispatcher, PROFILES["everything"], NoTopics(), lambda toolset: None), limits)
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
