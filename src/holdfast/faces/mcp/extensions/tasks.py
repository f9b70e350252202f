"""The extension for tasks: `tasks/get`, `tasks/update` and `tasks/cancel`, and the task that a call becomes.

What the protocol calls a task is a deferred call here (`holdfast.deferred_calls`).

Contract:
- A call becomes a task only for a client that declares the extension in that very request, which only the
  stateless era allows; the other methods are refused to clients that do not.
- A task exists for the caller who made the call, and for nobody else.
- No status is pushed: clients poll.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types import MISSING_REQUIRED_CLIENT_CAPABILITY
from pydantic import Field

from holdfast.deferred_calls import DeferredCall, DeferredCalls
from holdfast.faces.mcp.askers import question_of, valid_answer
from holdfast.faces.mcp.extensions.declaration import TASKS as EXTENSION
from holdfast.faces.mcp.extensions.deferral import Deferral
from holdfast.faces.mcp.failures import request_failure
from holdfast.faces.mcp.request import Context, caller_of, is_stateless
from holdfast.kernel.codes import METHOD_NOT_FOUND, PROTOCOL
from holdfast.kernel.dispatch.dispatcher import Rooms
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Operation

ROOM = "calls"
TASK_METHODS = frozenset({"tasks/get", "tasks/update", "tasks/cancel"})
_POLL_MILLISECONDS = 1000
"""A judgement: a task is at least half a second old when its client learns of it."""

Result = TypeVar("Result")


class TaskParameters(types.RequestParams):
    """The parameters of the three methods."""

    task_id: str
    input_responses: dict[str, Any] = Field(default_factory=dict)


class ProtocolTasks:
    """The tasks of one server."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self._running: set[asyncio.Task[None]] = set()
        """The watchers of the calls that became tasks; asyncio itself keeps only weak references."""

    async def run(
        self, ctx: Context, operation: Operation, work: Callable[[Deferral | None], Awaitable[Result]]
    ) -> Result | dict[str, Any]:
        """Run a call; return its result, or the task that it became."""
        if not is_stateless(ctx.protocol_version) or not _declares_tasks(ctx):
            return await work(None)
        open_calls = partial(self._rooms, ROOM)
        deferral = Deferral(open_calls, caller_of(ctx), operation, asyncio.get_running_loop())
        outcome = await deferral.run(work, self._keep)
        return _task(outcome) | {"resultType": "task"} if isinstance(outcome, DeferredCall) else outcome

    async def get(self, ctx: Context, params: TaskParameters) -> dict[str, Any]:
        call = await self._perform(ctx, lambda calls, caller: calls.find(params.task_id, caller))
        return _task_with_details(call)

    async def update(self, ctx: Context, params: TaskParameters) -> dict[str, Any]:
        def accept(request: Mapping[str, Any], response: Any) -> dict[str, Any] | None:
            return valid_answer(question_of(request), response)

        responses = params.input_responses
        await self._perform(
            ctx, lambda calls, caller: calls.answer(params.task_id, caller, responses, accept)
        )
        return {}

    async def cancel(self, ctx: Context, params: TaskParameters) -> dict[str, Any]:
        await self._perform(ctx, lambda calls, caller: calls.cancel(params.task_id, caller))
        return {}

    def check_listening(self, ctx: Context) -> None:
        """Refuse a client that wants to be notified of tasks without declaring the extension."""
        wanted = (ctx.params or {}).get("notifications")
        if isinstance(wanted, Mapping) and wanted.get("taskIds"):
            _require_declaration(ctx)

    async def _perform(self, ctx: Context, work: Callable[[DeferredCalls, str], Result]) -> Result:
        """Run `work` on the calls of the caller of a request, in a thread."""
        if not is_stateless(ctx.protocol_version):
            raise MCPError(METHOD_NOT_FOUND, "Method not found", ctx.method)
        _require_declaration(ctx)
        try:
            return await asyncio.to_thread(lambda: work(self._rooms(ROOM), caller_of(ctx)))
        except HoldfastError as failure:
            raise request_failure(failure, PROTOCOL, ctx.protocol_version) from None

    def _keep(self, watching: asyncio.Task[None]) -> None:
        self._running.add(watching)
        watching.add_done_callback(self._running.discard)


def _declares_tasks(ctx: Context) -> bool:
    return EXTENSION in (getattr(ctx.session.client_capabilities, "extensions", None) or {})


def _require_declaration(ctx: Context) -> None:
    if not _declares_tasks(ctx):
        message = f"Missing required client capability: the extension {EXTENSION}."
        data: dict[str, Any] = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
        raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, message, data)


def _task(call: DeferredCall) -> dict[str, Any]:
    """Return a call as the task of a result, without its outcome."""
    message = {} if call.message is None else {"statusMessage": call.message}
    return {
        "taskId": call.id,
        "status": call.state,
        **message,
        "createdAt": call.created_at,
        "lastUpdatedAt": call.updated_at,
        "ttlMs": int(1000 * LIMITS.deferred_call_seconds),
        "pollIntervalMs": _POLL_MILLISECONDS,
    }


def _task_with_details(call: DeferredCall) -> dict[str, Any]:
    task = _task(call)
    if call.state == "input_required":
        task["inputRequests"] = call.questions
    elif call.state == "completed":
        task["result"] = call.outcome
    elif call.state == "failed":
        task |= {"error": call.outcome, "statusMessage": (call.outcome or {}).get("message")}
    return task
