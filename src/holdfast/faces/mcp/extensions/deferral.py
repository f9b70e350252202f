"""One call that may become a task: when it does, and how it reports, asks and ends from then on.

Contract:
- An operation with a time limit of its own becomes a task when it has not ended soon. Any operation does when
  it calls `Call.defer`.
- A question that is asked before that ends the request, as in every call; later ones wait in the task.
- The request is answered with the task only after the task was stored. Where it cannot be stored, the call
  stays an ordinary one.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from mcp.shared.exceptions import MCPError
from pydantic import BaseModel

from holdfast.faces.mcp.askers import ClientAsker, client_request
from holdfast.faces.mcp.results import DROPPED_FIELDS, with_dropped_fields
from holdfast.kernel.call import Call, Level, Listed, Listener
from holdfast.kernel.codes import INTERNAL_ERROR
from holdfast.kernel.dispatch.failures import holdfast_error
from holdfast.kernel.errors import Busy, Cancelled, HoldfastError
from holdfast.kernel.operation import Operation
from holdfast.kernel.questions import Answers, Asker, Capability, InputRequired, Question

if TYPE_CHECKING:
    from holdfast.deferred_calls import DeferredCall, DeferredCalls, State

_PATIENCE_SECONDS = 0.5
"""How long a call that may be long stays an ordinary one. A judgement: most results are ready by then, and a
task costs its client at least one more request."""
_CHECK_SECONDS = 0.25
"""How often a task looks for a cancellation or an answer, which may arrive at another process. A judgement: a
cancelled call should end without a noticeable delay, and a lookup takes less than a millisecond."""
_REPORT_SECONDS = 1.0
"""How often the progress of a task is stored. A judgement: as often as clients ask for it."""

Result = TypeVar("Result")


class Deferral:
    """The state of one call that may become a task. The event loop and the call's thread share it."""

    def __init__(
        self,
        open_calls: Callable[[], DeferredCalls],
        caller: str,
        operation: Operation,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._open_calls = open_calls
        self._caller = caller
        self._operation = operation
        self._loop = loop
        self._wanted = asyncio.Event()
        self._lock = threading.Lock()
        self._has_begun = False
        self._ended_with_questions = False
        self._decided = threading.Event()
        """Set when it is known whether the call became a task."""
        self._stored: DeferredCall | None = None
        self._call: Call | None = None
        self._progress: str | None = None
        self._dropped_fields = DROPPED_FIELDS.get() or {}

    # For the call

    def attach(self, call: Call) -> None:
        """Let an operation defer this call."""
        self._call = call
        call.deferral = self._begin_and_wait

    def listening(self, listener: Listener) -> Listener:
        """Return a listener that reports to the client of the request, and then to the task."""
        return _TaskListener(self, listener)

    def asking(self, asker: ClientAsker) -> Asker:
        """Return an asker that asks the client of the request, and then in the task."""
        return _TaskAsker(self, asker)

    @property
    def is_stored(self) -> bool:
        return self._stored is not None

    def report(self, text: str) -> None:
        self._progress = text

    def ask_in_request(self, ask: Callable[[], Answers]) -> Answers | None:
        """Return the answers that came with the request, or None when the call became a task before."""
        with self._lock:
            if not self._has_begun:
                try:
                    return ask()
                except InputRequired:
                    self._ended_with_questions = True
                    raise
        self._decided.wait()
        return ask() if self._stored is None else None

    def ask_in_task(self, questions: Mapping[str, Question]) -> Answers:
        """Store the questions and wait for the answers; raise when the task is cancelled."""
        assert self._stored is not None
        assert self._call is not None
        calls, identity = self._open_calls(), self._stored.id
        requests = {key: _wire(client_request(question)) for key, question in questions.items()}
        keys = calls.ask(identity, self._caller, requests)
        while True:
            if self._call.cancelled:
                raise Cancelled("The task was cancelled.")
            with suppress(Busy):
                answers = calls.find(identity, self._caller).answers
                if answers.keys() >= set(keys.values()):
                    return {key: answers[keys[key]] for key in questions}
            time.sleep(_CHECK_SECONDS)

    def _begin_and_wait(self) -> None:
        self._loop.call_soon_threadsafe(self._wanted.set)
        self._decided.wait()

    # For the request

    async def run(
        self, work: Callable[[Deferral | None], Awaitable[Result]], keep: Callable[[asyncio.Task[None]], None]
    ) -> Result | DeferredCall:
        """Return the result of `work`, or the stored call once it has become a task, watched by a task that
        `keep` gets.
        """
        running: asyncio.Future[Result] = asyncio.ensure_future(work(self))
        try:
            if not await self._wants_to_defer(running):
                self._decided.set()
                return await running
            created: asyncio.Future[DeferredCall | None] = self._loop.create_future()
            keep(self._loop.create_task(self._watch(running, created)))
            stored = await asyncio.shield(created)
            return await running if stored is None else stored
        except asyncio.CancelledError:
            running.cancel()
            raise
        finally:
            self._decided.set()

    async def _wants_to_defer(self, running: asyncio.Future[Any]) -> bool:
        wanted = asyncio.ensure_future(self._wanted.wait())
        patience = None if self._operation.seconds is None else _PATIENCE_SECONDS
        try:
            await asyncio.wait({running, wanted}, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        finally:
            wanted.cancel()
        with self._lock:
            self._has_begun = not running.done() and not self._ended_with_questions
            return self._has_begun

    async def _watch(
        self, running: asyncio.Future[Any], created: asyncio.Future[DeferredCall | None]
    ) -> None:
        """Store the call, its progress and its outcome; cancel it when its caller does."""
        try:
            calls = await asyncio.to_thread(self._open_calls)
            name = self._operation.listed_name
            self._stored = await asyncio.to_thread(calls.create, self._caller, name)
        except HoldfastError:
            self._stored = None
        finally:
            self._decided.set()
            created.set_result(self._stored)
        if self._stored is None:
            return
        await self._follow(running, calls, self._stored.id)
        state, outcome = _outcome(running, self._dropped_fields)
        is_finished = False
        while not is_finished:
            with suppress(HoldfastError):  # the store is busy, or the disk is full
                await asyncio.to_thread(calls.finish, self._stored.id, state, outcome)
                is_finished = True
            await asyncio.sleep(0 if is_finished else _REPORT_SECONDS)

    async def _follow(self, running: asyncio.Future[Any], calls: DeferredCalls, identity: str) -> None:
        reported: str | None = None
        next_report = 0.0
        while not running.done():
            await asyncio.wait({running}, timeout=_CHECK_SECONDS)
            progress = self._progress
            with suppress(HoldfastError):  # the store is busy; the next round looks again
                if await asyncio.to_thread(calls.is_cancelled, identity):
                    running.cancel()
                elif progress is not None and progress != reported and self._loop.time() >= next_report:
                    await asyncio.to_thread(calls.report, identity, progress)
                    reported, next_report = progress, self._loop.time() + _REPORT_SECONDS


class _TaskListener(Listener):
    """Reports to the client of the request until the call becomes a task, and then to the task."""

    def __init__(self, deferral: Deferral, listener: Listener) -> None:
        self._deferral = deferral
        self._listener = listener

    def progress(self, done: float, total: float | None, message: str | None) -> None:
        if not self._deferral.is_stored:
            self._listener.progress(done, total, message)
        count = f"{done / total:.0%}" if total else f"{done:g}"
        self._deferral.report(count if message is None else f"{message} ({count})")

    def log(self, level: Level, text: str) -> None:
        if not self._deferral.is_stored:
            self._listener.log(level, text)

    def changed(self, listed: Listed) -> None:
        self._listener.changed(listed)


class _TaskAsker:
    """Asks the client of the request until the call becomes a task, and then in the task."""

    def __init__(self, deferral: Deferral, asker: ClientAsker) -> None:
        self._deferral = deferral
        self._asker = asker

    def supports(self, capability: Capability) -> bool:
        return self._asker.supports(capability)

    def ask(self, questions: Mapping[str, Question]) -> Answers:
        answers = self._deferral.ask_in_request(lambda: self._asker.ask(questions))
        if answers is not None:
            return answers
        self._asker.check(questions)
        return self._deferral.ask_in_task(questions)


def _wire(message: BaseModel) -> dict[str, Any]:
    return message.model_dump(by_alias=True, mode="json", exclude_none=True)


def _outcome(running: asyncio.Future[Any], fields: dict[str, Any]) -> tuple[State, dict[str, Any] | None]:
    """Return the state of an ended call, with its result or error."""
    if running.cancelled():
        return "cancelled", None
    failure = running.exception()
    if failure is None:
        return "completed", with_dropped_fields(_wire(running.result()), fields)
    if isinstance(failure, MCPError):
        return "failed", failure.error.model_dump(by_alias=True, mode="json", exclude_none=True)
    error = holdfast_error(failure)
    data = {"type": error.kind} | error.data
    return "failed", {"code": INTERNAL_ERROR, "message": error.sentence(), "data": data}
