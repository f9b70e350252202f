"""Serves the sample toolset, or that of the conformance suite, on standard input and output.

Options change its limits.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace

from holdfast.faces.mcp.profiles import PROFILES
from holdfast.faces.mcp.server import ProtocolServer
from holdfast.faces.mcp.stdio import run_stdio
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.registry import Registry, Selection
from tests.conformance.fixtures import toolset as conformance
from tests.wire.sample_toolset import sample_toolset


class NoTopics:
    def subscribe(self, topic: str, callback: Callable[[], None]) -> Callable[[], None]:
        return lambda: None


def main() -> None:
    settings = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
    # Answers of any length, for the tests of the transport.
    limits = replace(LIMITS, **{"answer_bytes": 2 * LIMITS.response_bytes} | settings.get("limits", {}))
    toolset = conformance if settings.get("conformance") else sample_toolset(settings.get("family", "core"))
    registry = Registry([toolset], Selection(**settings.get("selection", {})))
    dispatcher = Dispatcher(registry, lambda toolset: None, limits=limits)
    profile = replace(PROFILES["everything"], **settings.get("profile", {}))
    run_stdio(ProtocolServer(dispatcher, profile, NoTopics(), lambda toolset: None), limits)
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
