"""uvicorn's server with one tick a second instead of ten, so that an idle server uses almost no CPU time."""

from __future__ import annotations

import asyncio
from typing import Any

import uvicorn

_TICK_SECONDS = 1.0
"""With each tick uvicorn renews the Date header, whose resolution is one second (RFC 9110, 5.6.7). Ten ticks
a second cost 0.25 % of a core (`bench.idle_page`)."""


class QuietServer(uvicorn.Server):
    """Ticks once a second, and immediately when it has to stop."""

    def __init__(self, config: uvicorn.Config) -> None:
        self._should_exit = False
        self._stop: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None
        super().__init__(config)

    @property
    def should_exit(self) -> bool:
        return self._should_exit

    @should_exit.setter
    def should_exit(self, value: Any) -> None:
        self._should_exit = bool(value)
        if self._should_exit and self._stop is not None:
            loop, stop = self._stop
            loop.call_soon_threadsafe(stop.set)  # a signal handler alone does not wake the loop

    async def main_loop(self) -> None:
        stop = asyncio.Event()
        self._stop = asyncio.get_running_loop(), stop
        while not await self.on_tick(0):  # The counter 0 makes every tick renew the Date header.
            try:
                async with asyncio.timeout(_TICK_SECONDS):
                    await stop.wait()
            except TimeoutError:
                continue
