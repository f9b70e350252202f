"""Many clients over HTTP: composition of a server for a workspace, and its life in this process."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import uvicorn
from starlette.responses import Response
from starlette.types import Scope

from holdfast import __version__, toolsets
from holdfast.faces.http.access import (
    LOGIN_PATH,
    Authentication,
    Boundary,
    LocalTokens,
    LoginLink,
    Logins,
    Recogniser,
)
from holdfast.faces.http.application import Application, Face, Share
from holdfast.faces.http.connection import IdleTimeoutProtocol, listening_socket
from holdfast.faces.http.handover import HANDED_OVER, Handover, WorkerSockets
from holdfast.faces.http.oauth import OAuthTokens, metadata, metadata_url
from holdfast.faces.http.quiet_server import QuietServer
from holdfast.faces.http.settings import API_PATH, HEALTH_PATH, MCP_PATH, HttpSettings
from holdfast.faces.logs import tell
from holdfast.faces.mcp.profiles import Profile
from holdfast.faces.mcp.publisher import Publisher
from holdfast.faces.mcp.server import ProtocolServer
from holdfast.faces.mcp.streamable.endpoint import ProtocolEndpoint
from holdfast.faces.rest.changes import Changes
from holdfast.faces.rest.face import RestFace
from holdfast.faces.topics import Topics
from holdfast.faces.tracing import begin_tracing, end_tracing
from holdfast.faces.web.markdown import MARKDOWN_PATH, MarkdownFace
from holdfast.faces.web.site import Site
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.dispatch.failures import holdfast_error
from holdfast.kernel.limits import LIMITS, Limits
from holdfast.kernel.registry import Selection
from holdfast.kernel.role import Role
from holdfast.kernel.telemetry.statistics import STATISTICS
from holdfast.storage.network.tokens import TOKEN_NAME, TokenFile, access_token
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace

_LOOK_SECONDS = 0.2
_SHORT_LIFE_SECONDS = 5.0
_SHORT_LIVES = 3


class WorkerProcesses:
    """Several processes behind one port.

    The parent opens the listening socket, forks the workers, which inherit it, and waits. A worker that dies
    is replaced; when workers cannot stay up the whole ends, rather than starting them forever. A signal to
    the parent reaches every worker, and the parent ends when they have; workers whose parent was killed end.
    """

    def __init__(self, serve: Callable[[int], None], count: int) -> None:
        self._serve = serve
        self._count = count
        self._started: dict[int, tuple[int, float]] = {}
        self._short_lives = 0
        self._stopping = False
        # Nobody writes to it; that its other end closes tells workers that the parent is gone.
        self._lifeline = os.pipe()

    def run(self) -> int:
        """Serve until a signal comes; return the exit status."""
        for number in range(self._count):
            self._start(number)
        for wanted in (signal.SIGTERM, signal.SIGINT):
            signal.signal(wanted, self._stop)
        while not self._stopping and self._short_lives < _SHORT_LIVES:
            self._replace_the_dead()
            time.sleep(_LOOK_SECONDS)
        failed = not self._stopping
        for process in self._started:
            os.kill(process, signal.SIGTERM)
        for process in self._started:
            os.waitpid(process, 0)
        return 1 if failed else 0

    def _start(self, number: int) -> None:
        # Forked before any thread or loop exists here, so that a worker inherits nothing half done.
        process = os.fork()  # hygiene: runs no program, only more of this one
        if process == 0:
            self._work(number)
        self._started[process] = (number, time.monotonic())

    def _work(self, number: int) -> None:
        """Serve and end the process; nothing of the parent's may run after that."""
        status = 1
        try:
            # A terminal signals the whole group; the parent alone decides when workers stop.
            os.setpgid(0, 0)
            os.close(self._lifeline[1])
            for wanted in (signal.SIGTERM, signal.SIGINT):
                signal.signal(wanted, signal.SIG_DFL)
            threading.Thread(target=_follow_parent, args=(self._lifeline[0],), daemon=True).start()
            self._serve(number)
            status = 0
        except BaseException as failure:
            print(f"holdfast: {holdfast_error(failure).sentence()}", file=sys.stderr)  # noqa: T201
        finally:
            sys.stderr.flush()
            os._exit(status)

    def _replace_the_dead(self) -> None:
        for process, (number, started) in list(self._started.items()):
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended == 0:
                continue
            del self._started[process]
            code = os.waitstatus_to_exitcode(status)
            tell(logging.ERROR, "worker ended", worker=number, status=code)
            short = time.monotonic() - started < _SHORT_LIFE_SECONDS
            self._short_lives = self._short_lives + 1 if short else 0
            self._start(number)

    def _stop(self, number: int, frame: Any) -> None:
        del number, frame
        self._stopping = True


def _follow_parent(lifeline: int) -> None:
    """Stop this process when its parent is gone: nobody else would."""
    os.read(lifeline, 1)
    os.kill(os.getpid(), signal.SIGTERM)


class HttpServer:
    """One process's share of the work: the faces of every role, over one dispatcher."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        profile: Profile,
        topics: Topics,
        settings: HttpSettings,
        port: int,
        share: Share | None = None,
    ) -> None:
        self._share = share or Share()
        self.handover = self._share.handover
        self._dispatcher = dispatcher
        self._profile = profile
        self._topics = topics
        self._settings = settings
        self._hosts = settings.hosts(port)
        self._origins = settings.origins(port)
        self.limits = dispatcher.limits
        # Parts of a room are followed one by one; here its whole is enough.
        watched = [item.topic.partition("/")[0] for item in dispatcher.registry.resources if item.topic]
        self._changes = Changes(watched, topics, self.limits)
        self._publisher = Publisher(dispatcher.registry.resources, topics, dispatcher.rooms)
        self._site = None if profile.is_strict else Site()
        self._servers: list[ProtocolServer] = []
        self._endpoints: list[ProtocolEndpoint] = []

    def application(self, recognisers: Iterable[Recogniser]) -> Application:
        """Return the application that answers whom these recognise."""
        oauth = self._settings.oauth
        where = None if oauth is None else metadata_url(oauth)
        return self.application_for(Authentication(list(recognisers), where))

    def application_for(self, authentication: Authentication) -> Application:
        """Return the application behind a door of one's own."""
        return Application(
            Boundary(self._hosts, self._origins),
            authentication,
            {role: self._faces(role) for role in Role},
            self.limits,
            self._public_documents,
            self._share,
        )

    def _public_documents(self, scope: Scope) -> Response | None:
        """Return what needs no authentication: the page's files, and where access tokens come from."""
        if self._settings.oauth is not None:
            paths, text = metadata(self._settings.oauth)
            if scope["path"] in paths:
                return Response(text, media_type="application/json")
        return None if self._site is None else self._site.answer(scope)

    def stopping(self) -> None:
        """End the streams that would never end by themselves."""
        self._changes.close()
        for server in self._servers:
            server.stopping()
        for endpoint in self._endpoints:
            endpoint.stopping()

    def close(self) -> None:
        """Stop watching for changes."""
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
            sealing_key=self._share.sealing_key,
            publisher=self._publisher,
        )
        self._servers.append(server)
        endpoint = ProtocolEndpoint(server, self.limits, self._share.worker)
        self._endpoints.append(endpoint)
        faces: dict[str, Face] = {MCP_PATH: endpoint}
        if not self._profile.is_strict:
            faces[MARKDOWN_PATH] = MarkdownFace(self.limits)
            faces[API_PATH] = faces[HEALTH_PATH] = RestFace(dispatcher, self._changes)
        return faces


class GracefulServer(QuietServer):
    """Ends the streams that never end by themselves before it waits for connections."""

    def __init__(self, config: uvicorn.Config, server: HttpServer) -> None:
        super().__init__(config)
        self._http_server = server
        self._taking: set[asyncio.Task[Any]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, also to the other workers."""
        await super().startup(sockets)
        if self._http_server.handover is not None:
            self._http_server.handover.listen(self._take)

    def _take(self, connection: socket.socket) -> None:
        protocol: Any = self.config.http_protocol_class
        loop = asyncio.get_running_loop()
        made = partial(
            protocol, config=self.config, server_state=self.server_state, app_state={HANDED_OVER: True}
        )
        task = loop.create_task(loop.connect_accepted_socket(made, connection))
        self._taking.add(task)
        task.add_done_callback(self._taking.discard)

    def handle_exit(self, sig: int, frame: Any) -> None:  # noqa: ARG002 - the signature of a signal handler
        """Take a signal to stop; a second one does not wait for connections.

        The base class would raise the signal again at the end. Stopping when asked is not a failure.
        """
        if not self.should_exit:
            self._http_server.stopping()
        self.force_exit = self.should_exit
        self.should_exit = True


def serve_http(workspace: Workspace, selection: Selection, profile: Profile, settings: HttpSettings) -> int:
    """Serve until a signal comes, and say on standard error how to connect."""
    listener = listening_socket(settings.address.host, settings.address.port)
    port: int = listener.getsockname()[1]
    token = access_token(workspace.repository)
    link = None if profile.is_strict else LoginLink()
    base = settings.public_url or settings.local_url(port)
    page = None if link is None else f"{base}{LOGIN_PATH}?code={link.code}"
    print(how_to_connect(workspace, settings, port, page), file=sys.stderr, flush=True)  # noqa: T201
    # The browser waits for the server, which listens already.
    if settings.open_browser and page and not webbrowser.open(page):
        print("No browser could be opened here; open the address above in one.", file=sys.stderr)  # noqa: T201
    sealing_key = os.urandom(32)
    limits = shared_limits(LIMITS, settings.workers)
    encrypted = (settings.public_url or "").startswith("https://")
    logins = None if link is None else Logins(link, sealing_key, port, encrypted=encrypted)
    boxes = WorkerSockets(settings.workers) if settings.workers > 1 else None

    def serve(worker: int) -> None:
        STATISTICS.begin(worker, settings.workers)
        begin_tracing()
        tell(logging.INFO, "serving", face="http", version=__version__, pid=os.getpid(), worker=worker)
        handover = None if boxes is None else Handover(boxes, worker, settings.workers)
        registry = full_registry().select(selection._replace(family=profile.family))
        dispatcher = Dispatcher(registry, workspace.room, limits=limits)
        share = Share(worker, sealing_key, handover, logins)
        server = HttpServer(dispatcher, profile, workspace, settings, port, share)
        recognisers: list[Recogniser] = [LocalTokens(token, TokenFile(workspace.repository))]
        if settings.oauth is not None:
            recognisers.append(OAuthTokens(settings.oauth))
        run_application(server.application(recognisers), server, listener)
        workspace.close()
        end_tracing()

    if settings.workers == 1:
        serve(0)
        return 0
    return WorkerProcesses(serve, settings.workers).run()


def run_application(application: Application, server: HttpServer, listener: socket.socket) -> None:
    """Serve on a listening socket until a signal comes."""
    toolsets.loaded()
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
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(GracefulServer(config, server).serve(sockets=[listener]))
    server.close()


def shared_limits(limits: Limits, workers: int) -> Limits:
    """Return one worker's share of what a client may ask over time."""
    return replace(
        limits,
        request_burst=max(1, limits.request_burst // workers),
        requests_per_second=limits.requests_per_second / workers,
    )


def how_to_connect(workspace: Workspace, settings: HttpSettings, port: int, page: str | None = None) -> str:
    """Return the lines that a person needs to connect a client, and last the page's address."""
    local = settings.local_url(port)
    url = f"{settings.public_url or local}{MCP_PATH}"
    token_file = os.path.relpath(os.path.join(workspace.repository.store_directory, TOKEN_NAME))
    header = f"Authorization: Bearer $(cat {token_file})"
    lines = [
        f"Holdfast serves {os.path.basename(workspace.repository.root)} at {local}{MCP_PATH}",
        f"The owner's token is in {token_file}; `holdfast token add NAME` makes others. With Claude Code:",
        f'  claude mcp add --transport http holdfast {url} --header "{header}"',
        "A client that starts the server itself needs neither:",
        "  claude mcp add holdfast -- holdfast serve",
    ]
    if not settings.address.is_loopback and not url.startswith("https://"):
        lines.append("Tokens travel unencrypted: put a proxy with TLS in front, or use a tunnel.")
    if page is None:
        return "\n".join([*lines, "Ctrl-C stops it."])
    return "\n".join([*lines, f"Ctrl-C stops it. The page, for the first browser that opens it: {page}"])
