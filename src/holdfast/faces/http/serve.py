"""Implements `holdfast serve --http`: runs a server for a workspace, in one process or several."""

from __future__ import annotations

import logging
import os
import sys
import webbrowser
from contextlib import nullcontext
from dataclasses import replace

from holdfast import __version__
from holdfast.faces.hooks.listener import answering_hooks
from holdfast.faces.http.access import LocalTokens, TokenSource
from holdfast.faces.http.application import WorkerContext
from holdfast.faces.http.handover import Handover, WorkerSockets
from holdfast.faces.http.listener import listening_socket
from holdfast.faces.http.login import Logins, login_url
from holdfast.faces.http.oauth import OAuthTokens
from holdfast.faces.http.server import HttpServer, run_application
from holdfast.faces.http.settings import MCP_PATH, HttpSettings
from holdfast.faces.http.worker_processes import WorkerProcesses
from holdfast.faces.logs import log_event
from holdfast.faces.mcp.profiles import Profile
from holdfast.faces.program import program_in_shell
from holdfast.faces.tracing import begin_tracing, end_tracing
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.limits import LIMITS, Limits
from holdfast.kernel.registry import Selection
from holdfast.kernel.telemetry.statistics import STATISTICS
from holdfast.storage.network.login_codes import LoginCodes
from holdfast.storage.network.served_address import announced_address
from holdfast.storage.network.tokens import TOKEN_NAME, TokenFile, access_token
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace

_KEY_BYTES = 32
"""256 bits, the size of the hash that signs cookies."""


def serve_http(workspace: Workspace, selection: Selection, profile: Profile, settings: HttpSettings) -> int:
    """Serve until a signal arrives, after printing on standard error how to connect."""
    workspace.is_served = True
    listener = listening_socket(settings.address.host, settings.address.port)
    port: int = listener.getsockname()[1]
    token = access_token(workspace.repository)
    base = settings.public_url or settings.local_url(port)
    codes = LoginCodes(workspace.repository)
    page = None if profile.is_strict else login_url(base, codes.add(""))
    print(_connection_instructions(workspace, settings, port, page), file=sys.stderr, flush=True)  # noqa: T201
    # The socket already listens, so the browser's first request waits until the server answers.
    if settings.open_browser and page and not webbrowser.open(page):
        print("No browser could be started; open the address above yourself.", file=sys.stderr)  # noqa: T201
    sealing_key = os.urandom(_KEY_BYTES)
    limits = shared_limits(LIMITS, settings.workers)
    encrypted = (settings.public_url or "").startswith("https://")
    tokens = TokenFile(workspace.repository)
    logins = None if page is None else Logins(codes, sealing_key, port, tokens, encrypted=encrypted)
    worker_sockets = WorkerSockets(settings.workers) if settings.workers > 1 else None

    def serve(worker: int) -> None:
        STATISTICS.begin(worker, settings.workers)
        begin_tracing()
        log_event(logging.INFO, "serving", face="http", version=__version__, pid=os.getpid(), worker=worker)
        handover = None if worker_sockets is None else Handover(worker_sockets, worker)
        registry = full_registry().select(selection._replace(family=profile.family))
        workspace.collect_legacy_messages(registry)
        dispatcher = Dispatcher(registry, workspace.room, limits=limits)
        context = WorkerContext(worker, sealing_key, handover, logins)
        server = HttpServer(dispatcher, profile, workspace, settings, port, context)
        token_sources: list[TokenSource] = [LocalTokens(token, tokens)]
        if settings.oauth is not None:
            token_sources.append(OAuthTokens(settings.oauth))
        answers_hooks = worker == 0 and not (selection.read_only or profile.is_strict)
        with answering_hooks(workspace) if answers_hooks else nullcontext():
            run_application(server.application(token_sources), server, listener)
        workspace.close()
        end_tracing()

    with nullcontext() if page is None else announced_address(workspace.repository, base):
        if settings.workers > 1:
            return WorkerProcesses(serve, settings.workers).run()
        serve(0)
        return 0


def shared_limits(limits: Limits, workers: int) -> Limits:
    """Return the limits of one worker: its share of a client's rate, so that all together admit that rate."""
    return replace(
        limits,
        request_burst=max(1, limits.request_burst // workers),
        requests_per_second=limits.requests_per_second / workers,
    )


def _connection_instructions(
    workspace: Workspace, settings: HttpSettings, port: int, page: str | None
) -> str:
    """Return how to connect a client and, if there is a page, how to open it."""
    local = settings.local_url(port)
    url = f"{settings.public_url or local}{MCP_PATH}"
    token_file = os.path.relpath(os.path.join(workspace.repository.store_directory, TOKEN_NAME))
    program = program_in_shell()
    header = f"Authorization: Bearer $(cat {token_file})"
    lines = [
        f"Holdfast serves {os.path.basename(workspace.repository.root)} at {local}{MCP_PATH}",
        f"The owner's token is in {token_file}; `{program} token add NAME` makes others. With Claude Code:",
        f'  claude mcp add --transport http holdfast {url} --header "{header}"',
        "A client that starts the server itself needs neither:",
        f"  claude mcp add holdfast -- {program} serve",
    ]
    if not settings.address.is_loopback and not url.startswith("https://"):
        lines.append("Tokens travel unencrypted: put a proxy with TLS in front, or use a tunnel.")
    if page is None:
        return "\n".join([*lines, "Ctrl-C stops it."])
    return "\n".join([*lines, f"Ctrl-C stops it. The page, for the first browser that opens it: {page}"])
