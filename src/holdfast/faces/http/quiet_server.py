"""uvicorn's server with one wake-up a second instead of ten, so that an idle server costs next to nothing."""

from __future__ import annotations

import asyncio
from typing import Any

import uvicorn

_TICK_SECONDS = 1.0
"""In its ticks uvicorn renews the Date header, whose resolution is one second (RFC 9110, 5.6.7). Ten ticks a
second cost 0.25 % of a core (`bench.idle_page`)."""


class QuietServer(uvicorn.Server):
    """Ticks once a second, and at once when it is to stop."""

    def __init__(self, config: uvicorn.Config) -> None:
        self._exits = False
        self._stop: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None
        super().__init__(config)

    @property
    def should_exit(self) -> bool:
        """Whether the server is to stop."""
        return self._exits

    @should_exit.setter
    def should_exit(self, value: Any) -> None:
        self._exits = bool(value)
        if self._exits and self._stop is not None:
            loop, stop = self._stop
            loop.call_soon_threadsafe(stop.set)  # a signal handler does not end the loop's wait

    async def main_loop(self) -> None:
        """Do the regular work until the server is to stop."""
        stop = asyncio.Event()
        self._stop = asyncio.get_running_loop(), stop
        while not await self.on_tick(0):
            try:
                async with asyncio.timeout(_TICK_SECONDS):
                    await stop.wait()
            except TimeoutError:
                continue
