"""`holdfast hook EVENT`, as a quick command: asks a running server, or answers with what is cheap to know.

Contract: the exit status is 0 and standard error stays empty, whatever happens; a fault leaves standard
output empty, too. No process is started.
"""

from __future__ import annotations

import os

from holdfast.faces.hooks.connection import ask_server

MAX_PAYLOAD_BYTES = 4 * 1024 * 1024
"""A judgement: an edit replaces a file of a megabyte by another one."""
_TERMINATED = b"\n"


def run_hook(event: str, client: str, root: str | None, *, refuses: bool = False) -> int:
    """Answer a hook on standard output, given its payload on standard input; return 0."""
    try:
        _run(event, client, root or os.environ.get("HOLDFAST_ROOT") or os.getcwd(), refuses=refuses)
    except Exception:  # a hook must not disturb its client
        return 0
    return 0


def _run(event: str, client: str, start: str, *, refuses: bool) -> None:
    from holdfast.storage.sql.quick import enclosing_repository

    payload = _payload()
    root, store = enclosing_repository(start)
    if not os.environ.get("HOLDFAST_READ_ONLY") and ask_server(
        store, root, (event, client, refuses), payload, _write
    ):
        return
    from holdfast.faces.hooks.answer import answer_hook
    from holdfast.faces.hooks.facts import Place
    from holdfast.faces.hooks.request import read_request

    answer = answer_hook(read_request(event, client, payload, root), Place(root, store), refuses=refuses)
    written = False
    try:
        _write(answer.output.encode("utf-8", "replace"))
        written = True
    finally:
        answer.settle(answered=written)


def _payload() -> bytes:
    """Return what the client wrote to standard input; nothing if a person runs the command."""
    if os.isatty(0):
        return b""
    data = b""
    while len(data) <= MAX_PAYLOAD_BYTES and (chunk := os.read(0, 1 << 20)):
        data += chunk
    if len(data) > MAX_PAYLOAD_BYTES:
        raise ValueError("the payload is too long")
    return data


def _write(data: bytes) -> None:
    """Write an answer completely, with a line break at its end; an empty one writes nothing."""
    rest = data + _TERMINATED if data else b""
    while rest:
        rest = rest[os.write(1, rest) :]
