"""Validate, run, answer: the one way from a request to a result, for every face.

Contract:
- An operation never runs with arguments its model did not accept, nor against the selection
  (read-only included), however the request arrived.
- Whatever an operation raises leaves here as a `HoldfastError`. A failure nobody foresaw says what the
  machine refused, if that is the reason. Any other becomes `Internal` with a reference id; its traceback
  goes to standard error under that id, nowhere else.
- `Dispatcher.run_aside` keeps the event loop free: the work runs in a worker thread, and the call
  ends at its deadline or on cancellation even if the thread takes longer to notice.
"""

from __future__ import annotations

import copy
import secrets
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from holdfast.kernel.call import Call, running
from holdfast.kernel.errors import HoldfastError, Internal, InvalidArguments
from holdfast.kernel.limits import LIMITS, Limits
from holdfast.kernel.machine import machine_failure
from holdfast.kernel.operation import Input, Operation, Output, Prompt, PromptMessage
from holdfast.kernel.registry import Registry, Selection
from holdfast.kernel.resource import ListedResource, Resource, ResourceBody
from holdfast.kernel.routes import Feed, FeedEvent
from holdfast.kernel.validation import validated
from holdfast.kernel.workers import Workers

Result = TypeVar("Result")

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

    def new_call(self, operation: Operation | None = None, **more: Any) -> Call:
        """Return a call with the operation's time limit."""
        seconds = None if operation is None else operation.seconds
        return Call(seconds=seconds if seconds is not None else self.limits.operation_seconds, **more)

    def run(self, operation: Operation, arguments: Mapping[str, Any] | None, call: Call) -> Output:
        """Run an operation here and now."""
        offered = self.registry.operation(operation.name)
        with running(call):
            return guarded(self._perform, offered, arguments, call)

    def _perform(self, operation: Operation, arguments: Mapping[str, Any] | None, call: Call) -> Output:
        filled = self._validated(operation, arguments)
        call.check()
        return operation.function(self.rooms(operation.toolset), filled)

    def _validated(self, operation: Operation, arguments: Mapping[str, Any] | None) -> Input:
        try:
            return validated(operation.input, arguments)
        except InvalidArguments as refusal:
            if operation.explain is not None and arguments:
                operation.explain(self.rooms(operation.toolset), arguments, refusal)
            raise

    def read(self, resource: Resource, parts: Mapping[str, str], call: Call) -> ResourceBody:
        """Read a resource here and now."""
        with running(call):
            body = guarded(lambda: resource.read(self.rooms(resource.toolset), **parts))
        return ResourceBody(text=body) if isinstance(body, str) else body

    def feed(
        self, feed: Feed, position: str | None, parts: Mapping[str, str], call: Call
    ) -> tuple[str, list[FeedEvent]]:
        """Read what a feed has after a position, here and now."""
        with running(call):
            return guarded(lambda: feed.read(self.rooms(feed.toolset), position, **parts))

    def gather(self, listing: Callable[[], Result], call: Call) -> Result:
        """Gather a list here and now."""
        with running(call):
            return guarded(listing)

    def members(self, resource: Resource) -> Iterable[ListedResource]:
        """Return the addresses that a family of resources has at this moment."""
        return () if resource.members is None else resource.members(self.rooms(resource.toolset))

    def prompt(self, prompt: Prompt, arguments: Mapping[str, Any] | None, call: Call) -> list[PromptMessage]:
        """Fill a prompt here and now."""
        with running(call):
            return guarded(self._fill, prompt, arguments)

    def _fill(self, prompt: Prompt, arguments: Mapping[str, Any] | None) -> list[PromptMessage]:
        filled = validated(prompt.input, arguments, spelled=True)
        return prompt.function(self.rooms(prompt.toolset), filled)

    async def run_aside(self, work: Callable[[], Result], call: Call) -> Result:
        """Run `work` in a worker thread, no longer than the call allows."""
        return await self._workers.run(work, call)

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
    reference = secrets.token_hex(4)
    print(f"holdfast: internal error {reference}", file=sys.stderr)  # noqa: T201
    traceback.print_exception(failure, file=sys.stderr)
    return Internal(
        f"Something went wrong inside Holdfast ({type(failure).__name__}, reference {reference}).",
        hint="The details are on the server's standard error under that reference.",
        reference=reference,
    )
