"""Validate, run, answer: the one way from a request to a result, for every face.

Contract:
- Who has a token signs with its name, whichever argument says who writes; the owner with any other beside it.
- An operation never runs with arguments its model did not accept, nor against the selection
  (read-only included), however the request arrived.
- Whatever an operation raises leaves here as a `HoldfastError`. A failure nobody foresaw says what the
  machine refused, or becomes `Internal` with a reference id, under which standard error has the traceback.
- `Dispatcher.run_aside` keeps the event loop free: the work runs in a worker thread, and the call
  ends at its deadline or on cancellation even if the thread takes longer to notice. Workers are daemons: an
  operation that does not notice its cancellation cannot keep the process alive.
- Callers with a name share the workers: each gets one only while at least as many are left for others as it
  has, and who has the fewest comes next. So nobody waits for the backlog of somebody else.
"""

from __future__ import annotations

import copy
import os
import re
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from holdfast.kernel.call import SIGNATURE, Call, Form, Listener, running, span
from holdfast.kernel.clock import MonotonicClock, monotonic
from holdfast.kernel.errors import (
    Cancelled,
    DeadlineExceeded,
    HoldfastError,
    Internal,
    InvalidArguments,
    did_you_mean,
)
from holdfast.kernel.limits import LIMITS, Limits
from holdfast.kernel.machine import machine_failure
from holdfast.kernel.operation import Input, Operation, Output, Prompt, PromptMessage, wire_names
from holdfast.kernel.registry import TOOLS, Registry, Selection

if TYPE_CHECKING:
    import asyncio

    from holdfast.kernel.questions import Asker
    from holdfast.kernel.resource import ListedResource, Resource, ResourceBody
    from holdfast.kernel.route import Feed, FeedEvent

Result = TypeVar("Result")

_SHAPES = {
    "list_type": 'it has to be a list, such as ["a", "b"]',
    "model_type": 'it has to be an object, such as {"name": "value"}',
    "dict_type": 'it has to be an object, such as {"name": "value"}',
}
"""What the library says of a wrong shape in words of its own making."""


def validated(model: type[Input], arguments: Mapping[str, Any] | None, *, spelled: bool = False) -> Input:
    """Return the arguments as a model; raise `InvalidArguments` naming every problem.

    Where all values were `spelled` as text, as in prompts, "true" is a boolean.
    """
    validate = model.model_validate_strings if spelled else model.model_validate
    try:
        return validate({} if arguments is None else arguments)
    except ValidationError as failure:
        errors = [dict(error) for error in failure.errors(include_url=False)]
    problems = [_problem(model, error) for error in errors]
    text = "; ".join(problems)
    refusal = InvalidArguments(text if text.endswith("?") else f"{text}.", problems=problems)
    refusal.undecodable = any(_is_undecodable(error) for error in errors)
    raise refusal


def _is_undecodable(error: Mapping[str, Any]) -> bool:
    """Tell whether a value is missing or of another JSON type, rather than of the right type and refused."""
    if error["type"] in {"literal_error", "enum"}:
        return not isinstance(error["input"], str)
    return error["type"] == "missing" or str(error["type"]).endswith(("_type", "_parsing"))


def _problem(model: type[Input], error: dict[str, Any]) -> str:
    where = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f'unknown argument "{where}": {_other_names(model, error["loc"])}'.rstrip(": .")
    if error["type"] in _SHAPES:
        return f'argument "{where}": {_SHAPES[error["type"]]}'
    if error["type"] in {"too_long", "too_short"} and isinstance(error["input"], str):
        return f'argument "{where}": {_plain(error["msg"]).replace(" items after validation", " characters")}'
    if error["type"] == "missing":
        return f'missing argument "{where}"'
    if error["type"] in {"literal_error", "enum"} and isinstance(error["input"], str):
        allowed = re.findall(r"'([^']*)'", str(error["ctx"]["expected"]))
        instead = did_you_mean(error["input"], allowed).rstrip(".")
        return f'argument "{where}": "{error["input"]}" is not allowed. {instead}'
    forms = [one for one in getattr(_field(model, where), "metadata", ()) if isinstance(one, Form)]
    if error["type"] == "string_pattern_mismatch" and forms:
        return f'argument "{where}": "{str(error["input"])[:40]}" is not {forms[0]}'
    return f'argument "{where}": {_plain(error["msg"])}' if where else _plain(error["msg"])


def _field(model: type[BaseModel], name: str) -> object:
    return next((info for field, info in model.model_fields.items() if name in (field, info.alias)), None)


def _other_names(model: type[BaseModel], path: Sequence[Any]) -> str:
    """Return the names that a part of the arguments has instead of the last one of a path."""
    for part in (one for one in path[:-1] if isinstance(one, str)):
        inner = _model_in(getattr(_field(model, part), "annotation", None))
        if inner is None:
            return ""
        model = inner
    return did_you_mean(str(path[-1]), wire_names(model))


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model that an annotation is about: itself, one of a list, or one that may be missing."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part)) is not None), None)


def _plain(message: str) -> str:
    text = message.removeprefix("Value error, ").partition(", unable to ")[0].rstrip(".")
    return text[:1].lower() + text[1:]


def _signed(model: type[Input], arguments: Mapping[str, Any] | None, call: Call) -> Mapping[str, Any] | None:
    """Return the arguments with the name under which this caller writes, where one of them says it."""
    name = next((name for name, info in model.model_fields.items() if SIGNATURE in info.metadata), None)
    return arguments if name is None else call.signed(name, arguments or {})


Rooms = Callable[[str], Any]
"""Opens, lazily, the room a toolset works in."""


class Dispatcher:
    """Runs the operations of a registry against the rooms of a workspace."""

    def __init__(self, registry: Registry, rooms: Rooms, *, limits: Limits = LIMITS) -> None:
        self.registry = registry
        self.limits = limits
        self.rooms = rooms
        self._workers = Workers(limits.worker_threads)

    def select(self, selection: Selection) -> Dispatcher:
        """Return a dispatcher for a part of the same registry, with the same rooms and threads."""
        narrowed = copy.copy(self)
        narrowed.registry = self.registry.select(selection)
        return narrowed

    def new_call(
        self,
        operation: Operation | None = None,
        *,
        listener: Listener | None = None,
        asker: Asker | None = None,
        actor: str | None = None,
        clock: MonotonicClock = monotonic,
    ) -> Call:
        """Return a call with the operation's time limit."""
        seconds = None if operation is None else operation.seconds
        seconds = seconds if seconds is not None else self.limits.operation_seconds
        return Call(seconds=seconds, listener=listener, asker=asker, actor=actor, clock=clock)

    def run(self, operation: Operation, arguments: Mapping[str, Any] | None, call: Call) -> Output:
        """Run an operation here and now."""
        offered = self.registry.operation(operation.name)
        with running(call), span(f"operation {offered.listed_name}"):
            return guarded(self._perform, offered, arguments, call)

    def _perform(self, operation: Operation, arguments: Mapping[str, Any] | None, call: Call) -> Output:
        filled = self._validated(operation, _signed(operation.input, arguments, call))
        call.check()
        is_about_tools = operation.toolset == TOOLS
        return operation.function(self.registry if is_about_tools else self.rooms(operation.toolset), filled)

    def _validated(self, operation: Operation, arguments: Mapping[str, Any] | None) -> Input:
        try:
            return validated(operation.input, arguments)
        except InvalidArguments as refusal:
            if operation.explain is not None and arguments:
                operation.explain(self.rooms(operation.toolset), arguments, refusal)
            raise

    def read(self, resource: Resource, parts: Mapping[str, str], call: Call) -> ResourceBody:
        """Read a resource here and now."""
        body = self.gather(lambda: resource.read(self.rooms(resource.toolset), **parts), call)
        if not isinstance(body, str):
            return body
        from holdfast.kernel.resource import ResourceBody

        return ResourceBody(text=body)

    def feed(
        self, feed: Feed, position: str | None, parts: Mapping[str, str], call: Call
    ) -> tuple[str, list[FeedEvent]]:
        """Read what a feed has after a position, here and now."""
        return self.gather(lambda: feed.read(self.rooms(feed.toolset), position, **parts), call)

    def gather(self, work: Callable[[], Result], call: Call) -> Result:
        """Do what a call is for, such as gathering a list, here and now."""
        with running(call):
            return guarded(work)

    def members(self, resource: Resource) -> Iterable[ListedResource]:
        """Return the addresses that a family of resources has at this moment.

        A room that cannot tell has none: what ails it is said where it is asked itself, and the lists of the
        other rooms go on without it.
        """
        members = resource.members
        if members is None:
            return ()
        try:
            return guarded(lambda: list(members(self.rooms(resource.toolset))))
        except (Cancelled, DeadlineExceeded):
            raise
        except HoldfastError:
            return ()

    def prompt(self, prompt: Prompt, arguments: Mapping[str, Any] | None, call: Call) -> list[PromptMessage]:
        """Fill a prompt here and now."""
        return self.gather(partial(self._fill, prompt, arguments), call)

    def _fill(self, prompt: Prompt, arguments: Mapping[str, Any] | None) -> list[PromptMessage]:
        filled = validated(prompt.input, arguments, spelled=True)
        return prompt.function(self.rooms(prompt.toolset), filled)

    async def run_aside(self, work: Callable[[], Result], call: Call) -> Result:
        """Run `work` in a worker thread, no longer than the call allows."""
        return await self._workers.run(partial(copy_context().run, work), call)

    def close(self) -> None:
        """Let the worker threads end; none is waited for."""
        self._workers.close()


def guarded(function: Callable[..., Result], *arguments: Any) -> Result:
    """Call `function`; let only errors of ours out."""
    try:
        return function(*arguments)
    except HoldfastError:
        raise
    except Exception as failure:
        raise unforeseen(failure) from None


def unforeseen(failure: BaseException) -> HoldfastError:
    """Return what a caller may know of a failure that no code expected; only here is that decided."""
    return machine_failure(failure) or _internal(failure)


def _internal(failure: BaseException) -> Internal:
    """Write the traceback to standard error and return where to find it."""
    import logging

    reference = os.urandom(4).hex()
    told = {"reference": reference}
    logging.getLogger("holdfast").error(f"holdfast: internal error {reference}", exc_info=failure, extra=told)
    return Internal(
        f"Something went wrong inside Holdfast ({type(failure).__name__}, reference {reference}).",
        hint="The details are on the server's standard error under that reference.",
        reference=reference,
    )


Job = Callable[[], None]


class Workers:
    """A pool of threads, grown on demand. Everything but the jobs themselves happens on the event loop."""

    def __init__(self, most: int) -> None:
        self._most = self._free = most
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._busy: dict[str | None, int] = {}
        """How many workers each caller has."""
        self._waiting: dict[str | None, deque[Job]] = {}

    async def run(self, work: Callable[[], Result], call: Call) -> Result:
        """Run `work` in a worker; give up at the call's deadline or when the task is cancelled."""
        # Commands share this module's importers and never come here; the import would cost them 17 ms.
        import asyncio

        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[Result] = loop.create_future()
        watch = DeadlineWatch(loop, outcome, call)
        job = partial(self._perform, work, loop, outcome, call.actor)
        self._waiting.setdefault(call.actor, deque()).append(job)
        self._hand_out()
        try:
            return await outcome
        except asyncio.CancelledError:
            call.cancel()
            raise
        finally:
            watch.stop()

    def close(self) -> None:
        """Let every worker end once it has nothing left to do."""
        for _ in self._threads:
            self._jobs.put(None)

    def _hand_out(self) -> None:
        """Start what waits, as far as there are workers for it."""
        while self._waiting:
            caller = min(self._waiting, key=lambda waiting: self._busy.get(waiting, 0))
            has = self._busy.get(caller, 0)
            if not self._free or (caller is not None and has >= self._free):
                return
            # Taken out and put back, callers with equally many workers take turns.
            jobs = self._waiting.pop(caller)
            self._busy[caller] = has + 1
            self._free -= 1
            if len(self._threads) < self._most - self._free:
                name = f"holdfast-{len(self._threads)}"
                self._threads.append(threading.Thread(target=self._work, name=name, daemon=True))
                self._threads[-1].start()
            self._jobs.put(jobs.popleft())
            if jobs:
                self._waiting[caller] = jobs

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()

    def _perform(
        self,
        work: Callable[[], Result],
        loop: asyncio.AbstractEventLoop,
        outcome: asyncio.Future[Result],
        caller: str | None,
    ) -> None:
        try:
            tell = partial(outcome.set_result, work())
        except BaseException as failure:
            tell = partial(outcome.set_exception, failure)

        def settle() -> None:
            self._free += 1
            self._busy[caller] -= 1
            if not self._busy[caller]:
                del self._busy[caller]
            # Nobody waits for an operation that was cancelled or ran out of time.
            if not outcome.done():
                tell()
            self._hand_out()

        try:
            loop.call_soon_threadsafe(settle)
        except RuntimeError:
            # The loop was closed while the operation ran: the process is on its way out.
            return


class DeadlineWatch:
    """Ends a wait at a call's deadline, which moves while the operation waits for a person."""

    def __init__(self, loop: asyncio.AbstractEventLoop, outcome: asyncio.Future[Any], call: Call) -> None:
        self._loop = loop
        self._outcome = outcome
        self._call = call
        self._timer: asyncio.TimerHandle | None = None
        self._wind()

    def stop(self) -> None:
        """Watch no more."""
        if self._timer is not None:
            self._timer.cancel()

    def _wind(self) -> None:
        remaining = self._call.remaining()
        if remaining is not None:
            self._timer = self._loop.call_later(remaining, self._expire)

    def _expire(self) -> None:
        if self._outcome.done():
            return
        if self._call.remaining():
            self._wind()
            return
        self._call.cancel()
        self._outcome.set_exception(
            DeadlineExceeded(
                "The operation did not finish in time.", hint="Narrow the request, or ask for fewer items."
            )
        )
