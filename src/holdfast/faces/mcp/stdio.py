"""Serves a workspace to one client on this process's standard input and output."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from typing import TYPE_CHECKING

from holdfast import __version__, toolsets
from holdfast.faces.logs import log_event
from holdfast.faces.mcp.handshake import LazyEngine, LazyServer
from holdfast.faces.mcp.wire.session import WireSession
from holdfast.faces.mcp.wire.streams import InputStream, OutputStream, claimed_standard_streams
from holdfast.faces.tracing import begin_tracing, end_tracing
from holdfast.kernel.limits import LIMITS, Limits
from holdfast.kernel.telemetry.statistics import STATISTICS

if TYPE_CHECKING:
    from holdfast.faces.mcp.engine import SdkEngine
    from holdfast.faces.mcp.profiles import Profile
    from holdfast.faces.mcp.server import ProtocolServer
    from holdfast.kernel.registry import Selection
    from holdfast.workspace import Workspace


def run_stdio(server: ProtocolServer | LazyServer, limits: Limits = LIMITS) -> None:
    """Serve on this process's standard streams, which no other code can use until this returns."""
    toolsets.resume_garbage_collection()
    sys.setswitchinterval(limits.switch_seconds)
    with claimed_standard_streams() as (wire_in, wire_out):
        asyncio.run(_serve_descriptors(_engine(server), wire_in, wire_out, limits))


async def _serve_descriptors(
    engine: SdkEngine | LazyEngine, wire_in: int, wire_out: int, limits: Limits
) -> None:
    output = OutputStream(wire_out, chunk=limits.write_chunk, limit=limits.queued_output_bytes)
    session = WireSession(engine, output, limits)
    engine.attach(session)
    source = InputStream(wire_in, limits.read_chunk, session.receive, session.end_of_input)
    output.on_congestion = source.pause
    for number in (signal.SIGTERM, signal.SIGINT):
        # Outside the main thread no signal can be handled, and the server works without.
        with contextlib.suppress(RuntimeError, ValueError):
            asyncio.get_running_loop().add_signal_handler(number, session.stop, limits.drain_seconds)
    await session.wait_closed()
    source.close()
    engine.close()


def _engine(server: ProtocolServer | LazyServer) -> SdkEngine | LazyEngine:
    if isinstance(server, LazyServer):
        return LazyEngine(server)
    from holdfast.faces.mcp.engine import SdkEngine

    return SdkEngine(server)


def serve_stdio(workspace: Workspace, selection: Selection, profile: Profile) -> int:
    """Serve one client on standard input and output until it disconnects."""
    workspace.is_served = True
    STATISTICS.begin()
    log_event(logging.INFO, "serving", face="stdio", version=__version__, pid=os.getpid())
    run_stdio(LazyServer(profile, lambda: _protocol_server(workspace, selection, profile), selection))
    workspace.close()
    end_tracing()
    sys.stderr.flush()
    # A worker that ignores its cancellation must not keep the process alive.
    os._exit(0)


def _protocol_server(workspace: Workspace, selection: Selection, profile: Profile) -> ProtocolServer:
    from holdfast.faces.mcp.server import ProtocolServer
    from holdfast.kernel.dispatch.dispatcher import Dispatcher
    from holdfast.toolsets import full_registry

    begin_tracing()
    registry = full_registry().select(selection._replace(family=profile.family))
    workspace.collect_legacy_messages(registry)
    return ProtocolServer(Dispatcher(registry, workspace.room), profile, workspace, workspace.room)
