"""Settles calls: runs their after-answer actions once it is known whether the answer was written.

Contract:
- Settling runs in threads, not on the event loop; a client's next request waits for it.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict

from holdfast.faces.admission import _log
from holdfast.kernel.call import Call
from holdfast.kernel.dispatch.failures import run_guarded
from holdfast.kernel.errors import HoldfastError


class Followed:
    """An exchange, with the calls to settle once it is known whether its answer was written."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._answered: bool | None = None

    @property
    def awaits_answer(self) -> bool:
        """Whether a call has after-answer actions."""
        return any(call.awaits_answer for call in self.calls)

    def follow(self, call: Call) -> None:
        """Settle a call together with this exchange; at once if the exchange is settled already."""
        if self._answered is None:
            self.calls.append(call)
        else:
            call.settle(answered=self._answered)

    def settle(self, *, answered: bool) -> None:
        """Settle every call; only the first time counts."""
        if self._answered is None:
            self._answered = answered
        for call in self.calls:
            call.settle(answered=self._answered)


class Settlements:
    """Settles exchanges in threads: that may wait for a disk or a lock, and the event loop must not."""

    def __init__(self) -> None:
        self._pending: defaultdict[str, set[asyncio.Task[None]]] = defaultdict(set)

    def settle(self, key: str, exchange: Followed, *, answered: bool) -> None:
        """Settle an exchange of the client `key`; without a thread when no call has after-answer actions."""
        if not exchange.awaits_answer:
            exchange.settle(answered=answered)
            return
        task = asyncio.get_running_loop().create_task(_settled(exchange, answered=answered))
        self._pending[key].add(task)
        task.add_done_callback(lambda done: self._forget(key, done))

    async def settled(self, key: str) -> None:
        """Return when all earlier exchanges of a client are settled."""
        if key in self._pending:
            await asyncio.wait(self._pending[key])

    async def all_settled(self) -> None:
        """Return when every exchange is settled."""
        for key in list(self._pending):
            await self.settled(key)

    def _forget(self, key: str, task: asyncio.Task[None]) -> None:
        self._pending[key].discard(task)
        if not self._pending[key]:
            del self._pending[key]


async def _settled(exchange: Followed, *, answered: bool) -> None:
    try:
        await asyncio.to_thread(run_guarded, lambda: exchange.settle(answered=answered))
    except HoldfastError as failure:
        # The answer was sent; the failure can only be logged.
        _log.warning("after an answer: %s", failure.kind)
