"""Requests of the server to its client that are not answered yet."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from holdfast.faces.mcp.wire.messages import RequestId, Response, WireError
from holdfast.kernel.codes import INTERNAL_ERROR


class OutstandingRequests:
    """Numbers requests, and passes each answer to the coroutine that waits for it."""

    def __init__(self) -> None:
        self._awaited: dict[RequestId, asyncio.Future[dict[str, Any]]] = {}
        self._sent = 0

    async def send_request(
        self,
        method: str,
        params: dict[str, Any] | None,
        seconds: float | None,
        send: Callable[[dict[str, Any]], None],
    ) -> dict[str, Any]:
        """Send a request and return its result; raise the client's error as a `WireError`."""
        self._sent += 1
        identity = f"holdfast-{self._sent}"
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._awaited[identity] = future
        try:
            send({"jsonrpc": "2.0", "id": identity, "method": method, "params": params or {}})
            return await asyncio.wait_for(future, seconds)
        finally:
            self._awaited.pop(identity, None)

    def resolve(self, response: Response) -> None:
        """Process a client's answer; drop it if no request waits for it."""
        future = self._awaited.pop(response.id, None)
        if future is None or future.done():
            return
        if response.error is None:
            future.set_result(response.result or {})
            return
        code, message = response.error.get("code"), response.error.get("message")
        code = code if isinstance(code, int) else INTERNAL_ERROR
        future.set_exception(WireError(code, str(message), response.error.get("data")))

    def fail_all(self, reason: WireError) -> None:
        for future in self._awaited.values():
            if not future.done():
                future.set_exception(reason)
