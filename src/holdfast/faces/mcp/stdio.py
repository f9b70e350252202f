"""One client on this process's standard streams."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys

from holdfast.faces.mcp.engine import SdkEngine
from holdfast.faces.mcp.server import ServerSource
from holdfast.faces.mcp.wire.input import Input
from holdfast.faces.mcp.wire.output import Output
from holdfast.faces.mcp.wire.session import Session
from holdfast.faces.mcp.wire.standard_streams import claimed_standard_streams
from holdfast.kernel import garbage
from holdfast.kernel.limits import LIMITS, Limits

# Long computations share the interpreter with the loop that answers; a millisecond keeps pings prompt.
_SWITCH_SECONDS = 0.001


def run_stdio(server: ServerSource, limits: Limits = LIMITS) -> None:
    """Serve on this process's standard streams, which belong to the wire meanwhile."""
    garbage.done()
    sys.setswitchinterval(_SWITCH_SECONDS)
    with claimed_standard_streams() as (wire_in, wire_out):
        asyncio.run(serve_descriptors(server, wire_in, wire_out, limits))


async def serve_descriptors(
    server: ServerSource, wire_in: int, wire_out: int, limits: Limits = LIMITS
) -> None:
    """Serve one client on a pair of descriptors until it goes."""
    output = Output(wire_out, chunk=limits.write_chunk, limit=limits.queued_output_bytes)
    engine = SdkEngine(server)
    session = Session(engine, output, limits)
    engine.attach(session)
    source = Input(wire_in, limits.read_chunk, session.receive, session.end_of_input)
    output.on_congestion = source.pause
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(RuntimeError, ValueError):
            asyncio.get_running_loop().add_signal_handler(number, session.stop, limits.drain_seconds)
    await session.closed()
    source.close()
    engine.close()
