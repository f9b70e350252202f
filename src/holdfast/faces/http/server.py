"""The server of one process: builds its application, and runs it from the first connection to the last."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import sys
from collections.abc import Iterable
from functools import partial
from typing import Any

import uvicorn
from starlette.responses import PlainTextResponse, Response
from starlette.types import Scope

from holdfast import toolsets
from holdfast.faces.http.access import Authentication, TokenSource
from holdfast.faces.http.application import Application, Face, WorkerContext
from holdfast.faces.http.boundary import Boundary
from holdfast.faces.http.connection import IdleTimeoutProtocol
from holdfast.faces.http.handover import HANDED_OVER
from holdfast.faces.http.oauth import metadata, metadata_url
from holdfast.faces.http.quiet_server import QuietServer
from holdfast.faces.http.settings import API_PATH, HEALTH_PATH, MCP_PATH, HttpSettings
from holdfast.faces.mcp.profiles import Profile
from holdfast.faces.mcp.publisher import Publisher
from holdfast.faces.mcp.server import ProtocolServer
from holdfast.faces.mcp.streamable.endpoint import ProtocolEndpoint
from holdfast.faces.rest.changes import Changes
from holdfast.faces.rest.face import RestFace
from holdfast.faces.topics import Topics
from holdfast.faces.web.markdown import MARKDOWN_PATH, MarkdownFace
from holdfast.faces.web.site import Site
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.role import Role

_CREDENTIALS = {b"authorization", b"cookie"}


class HttpServer:
    """The faces (MCP, REST, the page) that one process serves to every role, over one dispatcher."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        profile: Profile,
        topics: Topics,
        settings: HttpSettings,
        port: int,
        context: WorkerContext | None = None,
    ) -> None:
        self._context = context or WorkerContext()
        self.handover = self._context.handover
        self._dispatcher = dispatcher
        self._profile = profile
        self._topics = topics
        self._settings = settings
        self._hosts = settings.hosts(port)
        self._origins = settings.origins(port)
        self.limits = dispatcher.limits
        self._site = None if profile.is_strict else Site()
        # A topic may be a part of a toolset; the page follows whole toolsets, and the source.
        toolset_topics = [
            item.topic.partition("/")[0] for item in dispatcher.registry.resources if item.topic
        ] + (["source"] if self._site else [])
        self._changes = Changes(toolset_topics, topics, self.limits)
        self._publisher = Publisher(dispatcher.registry.resources, topics, dispatcher.rooms)
        self._servers: list[ProtocolServer] = []
        self._endpoints: list[ProtocolEndpoint] = []

    def application(self, token_sources: Iterable[TokenSource]) -> Application:
        """Return the application for callers with tokens from these sources, asked in this order."""
        oauth = self._settings.oauth
        url = None if oauth is None else metadata_url(oauth)
        return self.application_for(Authentication(list(token_sources), url))

    def application_for(self, authentication: Authentication) -> Application:
        return Application(
            Boundary(self._hosts, self._origins),
            authentication,
            {role: self._faces(role) for role in Role},
            self.limits,
            self._public_documents,
            self._context,
        )

    def _public_documents(self, scope: Scope) -> Response | None:
        """Return what needs no authentication (OAuth metadata, the page, a sign of life), or None."""
        if self._settings.oauth is not None:
            paths, text = metadata(self._settings.oauth)
            if scope["path"] in paths:
                return Response(text, media_type="application/json")
        page = None if self._site is None else self._site.answer(scope)
        return page if page is not None else _liveness(scope)

    def end_streams(self) -> None:
        self._changes.close()
        for server in self._servers:
            server.end_streams()
        for endpoint in self._endpoints:
            endpoint.end_streams()

    def close(self) -> None:
        for server in self._servers:
            server.close()
        self._dispatcher.close()

    def _faces(self, role: Role) -> dict[str, Face]:
        dispatcher = self._dispatcher.select(self._dispatcher.registry.selection._replace(role=role))
        server = ProtocolServer(
            dispatcher,
            self._profile,
            self._topics,
            dispatcher.rooms,
            sealing_key=self._context.sealing_key,
            publisher=self._publisher,
        )
        self._servers.append(server)
        endpoint = ProtocolEndpoint(server, self.limits, self._context.worker)
        self._endpoints.append(endpoint)
        faces: dict[str, Face] = {MCP_PATH: endpoint}
        if not self._profile.is_strict:
            faces[MARKDOWN_PATH] = MarkdownFace(self.limits)
            faces[API_PATH] = faces[HEALTH_PATH] = RestFace(dispatcher, self._changes)
        return faces


def _liveness(scope: Scope) -> Response | None:
    """Answer a probe that asks whether the server lives, or None: whoever has a token learns how it is."""
    names = {name for name, _ in scope["headers"]}
    if scope["path"] != HEALTH_PATH or scope["method"] not in ("GET", "HEAD") or names & _CREDENTIALS:
        return None
    return PlainTextResponse("ok\n", headers={"Cache-Control": "no-store"})


class GracefulServer(QuietServer):
    """Ends open streams before it waits for connections to close."""

    def __init__(self, config: uvicorn.Config, server: HttpServer) -> None:
        super().__init__(config)
        self._http_server = server
        self._accepting: set[asyncio.Task[Any]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen on the port, and for requests that other workers hand over."""
        await super().startup(sockets)
        if self._http_server.handover is not None:
            self._http_server.handover.listen(self._accept)

    def _accept(self, connection: socket.socket) -> None:
        protocol: Any = self.config.http_protocol_class
        loop = asyncio.get_running_loop()
        factory = partial(
            protocol, config=self.config, server_state=self.server_state, app_state={HANDED_OVER: True}
        )
        task = loop.create_task(loop.connect_accepted_socket(factory, connection))
        self._accepting.add(task)
        task.add_done_callback(self._accepting.discard)

    def handle_exit(self, sig: int, frame: Any) -> None:  # noqa: ARG002 - the base class's signature
        """Stop gracefully at the first signal, and at once at the second.

        The base class would raise the signal again at the end, as if stopping on request were a failure.
        """
        if not self.should_exit:
            self._http_server.end_streams()
        self.force_exit = self.should_exit
        self.should_exit = True


def run_application(application: Application, server: HttpServer, listener: socket.socket) -> None:
    """Serve on a listening socket until a signal arrives."""
    toolsets.resume_garbage_collection()
    sys.setswitchinterval(server.limits.switch_seconds)
    protocol = type("Protocol", (IdleTimeoutProtocol,), {"limits": server.limits})
    config = uvicorn.Config(
        application,
        http=protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        log_level=logging.getLogger("uvicorn").getEffectiveLevel(),
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=server.limits.keep_alive_seconds,
        timeout_graceful_shutdown=round(server.limits.drain_seconds),
    )
    with contextlib.suppress(KeyboardInterrupt):  # a second Ctrl-C, while the server is stopping
        asyncio.run(GracefulServer(config, server).serve(sockets=[listener]))
    server.close()
