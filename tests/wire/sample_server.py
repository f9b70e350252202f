"""Serves the sample toolset, or one of the conformance suite, on standard input and output.

Options change its limits. With `tasks`, a repository, calls may become tasks that are stored there.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace

from holdfast.deferred_calls import DeferredCalls
from holdfast.faces.mcp.extensions.tasks import ROOM
from holdfast.faces.mcp.profiles import PROFILES
from holdfast.faces.mcp.server import ProtocolServer
from holdfast.faces.mcp.stdio import run_stdio
from holdfast.kernel.dispatch.dispatcher import Dispatcher, Rooms
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.registry import Registry, Selection
from holdfast.storage.git.repository import Repository
from tests.conformance.fixtures import task_tools
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
    rooms: Rooms = lambda toolset: None  # noqa: E731
    if "tasks" in settings:
        toolset, calls = task_tools, DeferredCalls(Repository.discover(settings["tasks"]))
        rooms = {ROOM: calls}.get
    registry = Registry([toolset], Selection(**settings.get("selection", {})))
    dispatcher = Dispatcher(registry, rooms, limits=limits)
    profile = replace(PROFILES["everything"], **settings.get("profile", {}))
    run_stdio(ProtocolServer(dispatcher, profile, NoTopics(), rooms), limits)
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
