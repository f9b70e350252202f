"""The ASGI application: every request passes the same checks before MCP, REST or the page answer it.

Host, origin and site → authentication → the client's limits → the body → routing → the answer → settlement. A
refusal by any of these is sent as problem details (RFC 9457) that reveal nothing about the repository.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from mcp.server.auth.middleware.auth_context import auth_context_var
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from holdfast.faces.admission import Admission, RequestKind
from holdfast.faces.http.access import Authentication, Principal
from holdfast.faces.http.asgi import Headers, read_body, replay_body, single_headers
from holdfast.faces.http.boundary import Boundary
from holdfast.faces.http.exchange import EXCHANGE, HttpExchange
from holdfast.faces.http.handover import HANDED_OVER, Handover, session_worker
from holdfast.faces.http.login import LOGIN_PATH, Logins
from holdfast.faces.http.problems import UnknownRoute, problem_response
from holdfast.faces.http.response_sender import ResponseSender
from holdfast.faces.http.settings import API_PATH, MCP_PATH, SESSION_HEADER
from holdfast.faces.observation import Observation
from holdfast.faces.settlements import Settlements
from holdfast.kernel.dispatch.failures import holdfast_error
from holdfast.kernel.errors import Cancelled, HoldfastError
from holdfast.kernel.limits import Limits
from holdfast.kernel.role import Role

_SECURITY_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


class Face(Protocol):
    """An ASGI application below one path, for callers of one role: MCP, REST, or a part of the page."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that has passed all checks."""


@runtime_checkable
class RunningFace(Protocol):
    """A face that has work to do between requests."""

    def running(self) -> AbstractAsyncContextManager[None]:
        """Return a context manager that is entered while requests are answered."""


@dataclass(frozen=True)
class WorkerContext:
    """The number of a worker process, and what it shares with the others.

    Workers share this because any of them may receive the next request of a client.
    """

    worker: int = 0
    """The number of this process, from 0."""
    sealing_key: bytes | None = None
    """Encrypts state that clients keep for the server; None for a key of this process alone."""
    handover: Handover | None = None
    """None if there is only one worker."""
    logins: Logins | None = None
    """None if the server has no page."""


class Application:
    """Checks requests, and routes them to the faces for their caller's role."""

    def __init__(
        self,
        boundary: Boundary,
        authentication: Authentication,
        faces: Mapping[Role, Mapping[str, Face]],
        limits: Limits,
        public_document: Callable[[Scope], Response | None],
        context: WorkerContext,
    ) -> None:
        """Route to `faces` by role and path; `public_document` answers what needs no authentication."""
        self._boundary = boundary
        self._authentication = authentication
        self._faces = faces
        self._limits = limits
        self._public_document = public_document
        self._handover = context.handover
        self._logins = context.logins
        self._admission = Admission(limits)
        self._settlements = Settlements()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(self.running(), receive, send)
        elif scope["type"] == "http":
            await self._respond(scope, receive, _add_security_headers(send))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Let the faces run while the block runs; then wait for the last settlements."""
        async with AsyncExitStack() as stack:
            for faces in self._faces.values():
                for face in faces.values():
                    if isinstance(face, RunningFace):
                        await stack.enter_async_context(face.running())
            yield
        await self._settlements.wait_for_all()

    async def _respond(self, scope: Scope, receive: Receive, send: Send) -> None:
        observed = Observation("http")
        try:
            headers = single_headers(scope["headers"])
            self._boundary.check(scope["method"], headers)
            public_response = self._public_response(scope)
            if public_response is not None:
                await public_response(scope, receive, send)
                return
            caller = await self._caller(scope, headers)
            if self._logins is not None and scope["path"] == LOGIN_PATH:
                await self._logins.sign_in(caller, scope, headers)(scope, receive, send)
                return
            if scope.get("state", {}).get(HANDED_OVER):
                await self._answer(scope, receive, send, caller, headers)
                return
            kind: RequestKind = "streams" if _is_stream(scope, headers) else "requests"
            with self._admission.admitted(caller.key, kind):
                await self._answer(scope, receive, send, caller, headers)
        except Cancelled:
            return  # The client has disconnected, so nobody reads a response.
        except HoldfastError as refused:
            observed.conclude(failure=refused.kind)
            response = problem_response(refused, headers=self._authentication.challenge(refused))
            await response(scope, receive, send)

    def _public_response(self, scope: Scope) -> Response | None:
        """Return the response to the login link or to a path that needs no authentication, or None."""
        if self._logins is not None and scope["path"] == LOGIN_PATH:
            if scope["method"] == "POST":  # with a token
                return None
            return self._logins.answer(scope)
        return None if scope["path"].startswith((API_PATH, MCP_PATH)) else self._public_document(scope)

    async def _caller(self, scope: Scope, headers: Headers) -> Principal:
        if self._logins is not None and b"authorization" not in headers and b"cookie" in headers:
            caller = self._logins.caller(scope, headers)
            if caller is not None:
                return caller
        return await self._authentication.caller(headers)

    async def _answer(
        self, scope: Scope, receive: Receive, send: Send, caller: Principal, headers: Headers
    ) -> None:
        body = await read_body(headers, receive, self._limits)
        face = self._face(caller.role, scope["path"])
        if self._handover is not None:
            worker = session_worker(headers.get(SESSION_HEADER, b""))
            if worker is not None and self._handover.is_for_another(worker):
                await self._handover.hand_over(worker, scope, body, receive, send)
                return
        # Settling the client's last call may still be writing to a store, in a thread.
        await self._settlements.wait_for(caller.key)
        exchange = scope[EXCHANGE] = HttpExchange(caller, headers, body)
        scope["user"] = caller.user
        # The SDK binds the state that a client sends back to the user it reads from here.
        auth_context_var.set(caller.user)
        response = ResponseSender(exchange, receive, send)
        try:
            await face(scope, replay_body(body, receive), response.send)
        except HoldfastError:
            raise
        except Exception as failure:
            error = holdfast_error(failure)
            if not response.has_started:
                await problem_response(error)(scope, receive, send)
        finally:
            answered = response.was_sent and not exchange.failed
            self._settlements.settle(caller.key, exchange, answered=answered)

    def _face(self, role: Role, path: str) -> Face:
        for prefix, face in self._faces[role].items():
            if path == prefix or (prefix.endswith("/") and path.startswith(prefix)):
                return face
        raise UnknownRoute(
            "There is nothing at that path.",
            hint=f"MCP is at {MCP_PATH}; {API_PATH}openapi.json lists everything else.",
        )


def _is_stream(scope: Scope, headers: Headers) -> bool:
    if scope["method"] == "GET":
        path: str = scope["path"]
        return path == MCP_PATH or (path.startswith(API_PATH) and path.endswith("/events"))
    return headers.get(b"mcp-method") == b"subscriptions/listen"


def _add_security_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *_SECURITY_HEADERS]}
        await send(message)

    return send_with_headers


async def _lifespan(running: AbstractAsyncContextManager[None], receive: Receive, send: Send) -> None:
    # A second signal to stop cancels this task instead of waiting for an orderly end.
    with suppress(asyncio.CancelledError):
        await receive()
        async with running:
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})
