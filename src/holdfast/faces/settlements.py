"""Settles calls: runs their after-answer actions once it is known whether the answer was written.

Contract:
- Settling runs beside the event loop, and in order for each client.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict

from holdfast.faces.admission import _log
from holdfast.kernel.call import Call
from holdfast.kernel.dispatch.failures import guarded
from holdfast.kernel.errors import HoldfastError


class Followed:
    """An exchange, with the calls that want to know whether its answer was written."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._answered: bool | None = None

    @property
    def awaits_answer(self) -> bool:
        """Whether something depends on the answer's fate."""
        return any(call.awaits_answer for call in self.calls)

    def follow(self, call: Call) -> None:
        """Settle a call with this exchange; at once when its client has left already."""
        if self._answered is None:
            self.calls.append(call)
        else:
            call.settle(answered=self._answered)

    def settle(self, *, answered: bool) -> None:
        """Settle every call; only the first settlement counts."""
        if self._answered is None:
            self._answered = answered
        for call in self.calls:
            call.settle(answered=self._answered)


class Settlements:
    """Settles exchanges in a thread: it may have to wait for a disk or a lock, and the loop may not."""

    def __init__(self) -> None:
        self._pending: defaultdict[str, set[asyncio.Task[None]]] = defaultdict(set)

    def settle(self, key: str, exchange: Followed, *, answered: bool) -> None:
        """Settle an exchange of the client `key`; here and now when nothing depends on it."""
        if not exchange.awaits_answer:
            exchange.settle(answered=answered)
            return
        task = asyncio.get_running_loop().create_task(_settled(exchange, answered=answered))
        self._pending[key].add(task)
        task.add_done_callback(lambda done: self._forget(key, done))

    async def settled(self, key: str) -> None:
        """Return when everything a client was answered before is settled."""
        if key in self._pending:
            await asyncio.wait(self._pending[key])

    async def all_settled(self) -> None:
        """Return when nothing is left to settle."""
        for key in list(self._pending):
            await self.settled(key)

    def _forget(self, key: str, task: asyncio.Task[None]) -> None:
        self._pending[key].discard(task)
        if not self._pending[key]:
            del self._pending[key]


async def _settled(exchange: Followed, *, answered: bool) -> None:
    try:
        await asyncio.to_thread(guarded, lambda: exchange.settle(answered=answered))
    except HoldfastError as failure:
        # The answer is out; only the log can tell.
        _log.warning("after an answer: %s", failure.kind)
