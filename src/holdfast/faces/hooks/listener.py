"""Answers hooks in a running server, on threads of its own."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from socket import socket
from threading import Thread
from typing import TYPE_CHECKING

from holdfast.faces.hooks.command import MAX_PAYLOAD_BYTES
from holdfast.faces.hooks.connection import DONE, receive, receive_line
from holdfast.faces.logs import log_event
from holdfast.kernel.errors import HoldfastError
from holdfast.storage.network.hook_socket import HookSocket

if TYPE_CHECKING:
    from holdfast.faces.hooks.analysis import HookAnalyses
    from holdfast.workspace import Workspace

_SECONDS = 10.0
"""For a hook to send its payload or to write its answer. A judgement: it does nothing else meanwhile."""


@contextmanager
def answering_hooks(workspace: Workspace) -> Iterator[None]:
    """Answer the hooks of a work tree, unless another server does so already."""
    if not workspace.repository.is_in_git:  # where hooks look for nothing
        yield
        return
    try:
        hook_socket = HookSocket(workspace.repository.ensure_store(), workspace.repository.root)
    except (OSError, HoldfastError) as failure:  # the server works without
        log_event(logging.WARNING, "hooks are not answered", reason=type(failure).__name__)
        yield
        return
    if hook_socket.listener is not None:
        Thread(target=_accept, args=(hook_socket.listener, workspace), daemon=True).start()
    try:
        yield
    finally:
        hook_socket.close()


def _accept(listener: socket, workspace: Workspace) -> None:
    analyses: HookAnalyses | None = None
    with suppress(OSError):  # the socket was closed
        while True:
            connection, _ = listener.accept()
            # The server starts sooner without this.
            from holdfast.faces.hooks.analysis import HookAnalyses

            analyses = analyses or HookAnalyses(workspace)
            Thread(target=_serve, args=(connection, workspace, analyses), daemon=True).start()


def _serve(connection: socket, workspace: Workspace, analyses: HookAnalyses) -> None:
    """Answer one hook; a fault ends its connection, and the hook answers itself."""
    try:
        with closing(connection):
            connection.settimeout(_SECONDS)
            _answer(connection, workspace, analyses)
    except (OSError, ValueError):  # the hook has gone, or its payload is not readable
        return
    except Exception as failure:
        log_event(logging.WARNING, "a hook was not answered", reason=type(failure).__name__)


def _answer(connection: socket, workspace: Workspace, analyses: HookAnalyses) -> None:
    from holdfast.faces.hooks.answer import answer_hook
    from holdfast.faces.hooks.facts import Place
    from holdfast.faces.hooks.request import read_request

    header, payload = receive_line(connection)
    event, client, refuses, length = header.split(" ")
    if int(length) > MAX_PAYLOAD_BYTES:
        raise ValueError("the payload is too long")
    payload += receive(connection, int(length) - len(payload))
    repository = workspace.repository
    request = read_request(event, client, payload, repository.root)
    place = Place(repository.root, repository.store_directory)
    answer = answer_hook(request, place, refuses=refuses == "1", analyse=analyses.facts)
    output = answer.output.encode("utf-8", "replace")
    answered = False
    try:
        connection.sendall(f"{len(output)}\n".encode() + output)
        answered = connection.recv(1) == DONE
    finally:
        answer.settle(answered=answered)
