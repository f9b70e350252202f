"""What an answer's fate decides, done beside the event loop and in order for each client."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from typing import Protocol

from holdfast.kernel.dispatch import guarded
from holdfast.kernel.errors import HoldfastError

_log = logging.getLogger(__name__)


class Settleable(Protocol):
    """An exchange whose answer was written, or could not be."""

    @property
    def awaits_answer(self) -> bool:
        """Whether something depends on the answer's fate."""

    def settle(self, *, answered: bool) -> None:
        """Do what depends on it."""


class Settlements:
    """Settles exchanges in a thread: it may have to wait for a disk or a lock, and the loop may not."""

    def __init__(self) -> None:
        self._pending: defaultdict[str, set[asyncio.Task[None]]] = defaultdict(set)

    def settle(self, key: str, exchange: Settleable, *, answered: bool) -> None:
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


async def _settled(exchange: Settleable, *, answered: bool) -> None:
    try:
        await asyncio.to_thread(guarded, lambda: exchange.settle(answered=answered))
    except HoldfastError as failure:
        # The answer is out; only the log can tell.
        _log.warning("after an answer: %s", failure.message)
