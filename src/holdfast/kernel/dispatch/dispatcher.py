"""The dispatcher: validates the arguments of a request, runs its operation, and returns the result.

Contract:
- An operation runs only with arguments that its model accepts, and only if the selection (see `registry`)
  includes it, whichever face the request came from. Except on the server of one specification, arguments may
  have the names that other operations give to the same thing.
- The author of anything that a caller with a token writes is the token's name. The owner may use another
  name, which is then marked as the owner's.
- Every exception of an operation is translated to a `HoldfastError`.
- `run_in_thread` keeps the event loop free, and ends at the call's deadline (see `workers`).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.kernel.call import Call, Listener, running
from holdfast.kernel.clock import MonotonicClock, monotonic
from holdfast.kernel.dispatch.failures import run_guarded
from holdfast.kernel.dispatch.validation import validate_arguments, with_declared_names
from holdfast.kernel.dispatch.workers import Workers
from holdfast.kernel.errors import Cancelled, DeadlineExceeded, HoldfastError, InvalidArguments
from holdfast.kernel.limits import LIMITS, Limits
from holdfast.kernel.models import Input, Output, signature_of
from holdfast.kernel.operation import Operation
from holdfast.kernel.prompt import Prompt, PromptMessage
from holdfast.kernel.registry import TOOLS, Registry, Selection
from holdfast.kernel.telemetry.tracing import span

if TYPE_CHECKING:
    from holdfast.kernel.questions import Asker
    from holdfast.kernel.resource import ListedResource, Resource, ResourceBody
    from holdfast.kernel.route import Feed, FeedEvent

Result = TypeVar("Result")

Rooms = Callable[[str], Any]
"""Returns the room of a toolset, which is opened at its first use: the object that its operations work on."""


class Dispatcher:
    """Runs the operations of a registry against the rooms of a workspace."""

    def __init__(self, registry: Registry, rooms: Rooms, *, limits: Limits = LIMITS) -> None:
        self.registry = registry
        self.limits = limits
        self.rooms = rooms
        self._workers = Workers(limits.worker_threads)

    def select(self, selection: Selection) -> Dispatcher:
        """Return a dispatcher for the selected operations, with the same rooms and threads."""
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
        program: str | None = None,
        clock: MonotonicClock = monotonic,
    ) -> Call:
        """Return a call with the operation's time limit."""
        seconds = None if operation is None else operation.seconds
        seconds = seconds if seconds is not None else self.limits.operation_seconds
        call = Call(
            seconds=seconds, listener=listener, asker=asker, actor=actor, program=program, clock=clock
        )
        call.is_specified = self.registry.selection.family is not None
        return call

    def run(self, operation: Operation, arguments: Mapping[str, Any] | None, call: Call) -> Output:
        """Run an operation in this thread."""
        offered = self.registry.operation(operation.name)
        with running(call), span(f"operation {offered.listed_name}"):
            return run_guarded(self._run_operation, offered, arguments, call)

    def _run_operation(self, operation: Operation, arguments: Mapping[str, Any] | None, call: Call) -> Output:
        accepted = self._validate(operation, _with_author(operation.input, arguments, call))
        call.check()
        room = self.registry if operation.toolset == TOOLS else self.rooms(operation.toolset)
        return operation.function(room, accepted)

    def _validate(self, operation: Operation, arguments: Mapping[str, Any] | None) -> Input:
        if arguments and self.registry.selection.family is None:
            arguments = with_declared_names(operation.input, arguments)
        try:
            return validate_arguments(operation.input, arguments)
        except InvalidArguments as refusal:
            if operation.explain is not None and arguments:
                operation.explain(self.rooms(operation.toolset), arguments, refusal)
            raise

    def read(self, resource: Resource, parts: Mapping[str, str], call: Call) -> ResourceBody:
        """Read a resource in this thread."""
        body = self.perform(lambda: resource.read(self.rooms(resource.toolset), **parts), call)
        if not isinstance(body, str):
            return body
        from holdfast.kernel.resource import ResourceBody

        return ResourceBody(text=body)

    def feed(
        self, feed: Feed, position: str | None, parts: Mapping[str, str], call: Call
    ) -> tuple[str, list[FeedEvent]]:
        """Read the events of a feed after a position, in this thread."""
        return self.perform(lambda: feed.read(self.rooms(feed.toolset), position, **parts), call)

    def perform(self, work: Callable[[], Result], call: Call) -> Result:
        """Run a function as the work of a call, in this thread."""
        with running(call):
            return run_guarded(work)

    def members(self, resource: Resource) -> Iterable[ListedResource]:
        """Return the current URIs of a family of resources.

        If the room fails, there are none: the lists of the other rooms stay usable, and a request to the room
        itself reports the failure.
        """
        members = resource.members
        if members is None:
            return ()
        try:
            return run_guarded(lambda: list(members(self.rooms(resource.toolset))))
        except (Cancelled, DeadlineExceeded):
            raise
        except HoldfastError:
            return ()

    def prompt(self, prompt: Prompt, arguments: Mapping[str, Any] | None, call: Call) -> list[PromptMessage]:
        """Fill in a prompt in this thread."""
        return self.perform(partial(self._fill_in_prompt, prompt, arguments), call)

    def _fill_in_prompt(self, prompt: Prompt, arguments: Mapping[str, Any] | None) -> list[PromptMessage]:
        accepted = validate_arguments(prompt.input, arguments, spelled=True)
        return prompt.function(self.rooms(prompt.toolset), accepted)

    async def run_in_thread(self, work: Callable[[], Result], call: Call) -> Result:
        """Run `work` in a worker thread, for no longer than the call allows."""
        return await self._workers.run(partial(copy_context().run, work), call)

    def close(self) -> None:
        """Let the worker threads end, without waiting for them."""
        self._workers.close()


def _with_author(
    model: type[Input], arguments: Mapping[str, Any] | None, call: Call
) -> Mapping[str, Any] | None:
    author_field = signature_of(model)
    return arguments if author_field is None else call.with_author(author_field, arguments or {})
