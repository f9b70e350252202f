"""Shakes hands at once and cannot load its tools, as often as it is told to, or takes its time.

python -m tests.wire.unloadable_server TIMES KIND
"""

from __future__ import annotations

import os
import sys
import time

from holdfast.faces.mcp.handshake import LazyServer
from holdfast.faces.mcp.profiles import PROFILES
from holdfast.faces.mcp.server import ProtocolServer
from holdfast.faces.mcp.stdio import run_stdio
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import Busy
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.registry import Registry
from tests.wire.sample_server import NoTopics
from tests.wire.sample_toolset import sample_toolset


def main() -> None:
    left, kind = int(sys.argv[1]), sys.argv[2]

    def make() -> ProtocolServer:
        nonlocal left
        if kind == "slow":
            # Longer than a client that ended its input is served.
            time.sleep(LIMITS.end_of_input_drain_seconds + 1)
            left = 0
        left -= 1
        if left >= 0:
            raise (
                Busy("The store is in use.", hint="Try again.")
                if kind == "busy"
                else OSError("/secret/place")
            )
        dispatcher = Dispatcher(Registry([sample_toolset()]), lambda _: None)
        return ProtocolServer(dispatcher, PROFILES["everything"], NoTopics(), lambda _: None)

    run_stdio(LazyServer(PROFILES["everything"], make))
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
