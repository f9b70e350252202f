"""Settles calls: runs their after-answer actions once it is known whether the answer was written.

For example, a message counts as delivered only when the answer with it was written.

Contract:
- Settling runs in threads, not on the event loop; a client's next request waits for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict

from holdfast.kernel.call import Call
from holdfast.kernel.dispatch.failures import run_guarded
from holdfast.kernel.errors import HoldfastError

_log = logging.getLogger(__name__)


class Settleable:
    """Base class of exchanges: holds the calls to settle once it is known whether the answer was written."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._answered: bool | None = None

    @property
    def awaits_answer(self) -> bool:
        """Whether a call has actions that wait for its answer to be written."""
        return any(call.awaits_answer for call in self.calls)

    def add_call(self, call: Call) -> None:
        """Settle a call with this exchange, or at once if the exchange is already settled."""
        if self._answered is None:
            self.calls.append(call)
        else:
            call.settle(answered=self._answered)

    def settle(self, *, answered: bool) -> None:
        """Settle every call; the first outcome counts, whatever is said later."""
        if self._answered is None:
            self._answered = answered
        for call in self.calls:
            call.settle(answered=self._answered)


class Settlements:
    """Settles exchanges in threads, because settling may wait for a disk or a lock."""

    def __init__(self) -> None:
        self._pending: defaultdict[str, set[asyncio.Task[None]]] = defaultdict(set)

    def settle(self, key: str, exchange: Settleable, *, answered: bool) -> None:
        """Settle an exchange of the client `key`, without a thread if no call has after-answer actions."""
        if not exchange.awaits_answer:
            exchange.settle(answered=answered)
            return
        task = asyncio.get_running_loop().create_task(_settle_in_thread(exchange, answered=answered))
        self._pending[key].add(task)
        task.add_done_callback(lambda done: self._forget(key, done))

    async def wait_for(self, key: str) -> None:
        if key in self._pending:
            await asyncio.wait(self._pending[key])

    async def wait_for_all(self) -> None:
        for key in list(self._pending):
            await self.wait_for(key)

    def _forget(self, key: str, task: asyncio.Task[None]) -> None:
        self._pending[key].discard(task)
        if not self._pending[key]:
            del self._pending[key]


async def _settle_in_thread(exchange: Settleable, *, answered: bool) -> None:
    try:
        await asyncio.to_thread(run_guarded, lambda: exchange.settle(answered=answered))
    except HoldfastError as failure:
        # The answer was sent; the failure can only be logged.
        _log.warning("after an answer: %s", failure.kind)
