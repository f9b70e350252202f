"""What the headers of a request have to say before its body counts."""

from __future__ import annotations

from functools import lru_cache

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from holdfast.faces.http.boundary import Headers
from holdfast.faces.mcp.streamable.refusal import Refusal

_ANY = "*/*"
_JSON = frozenset({_ANY, "application/json", "application/*"})
_EVENTS = frozenset({_ANY, "text/event-stream", "text/*"})
_HANDSHAKE = frozenset(version.encode() for version in HANDSHAKE_PROTOCOL_VERSIONS)


def is_handshake_revision(version: bytes | None) -> bool:
    """Return whether a request belongs to the handshake era by its version header, or by having none."""
    return version is None or version in _HANDSHAKE


def check_posted(headers: Headers) -> None:
    """Raise when a message is not JSON, or its sender cannot take both forms of an answer."""
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if kind != b"application/json":
        raise Refusal(415, "Unsupported Media Type: Content-Type must be application/json.")
    if _accepted(headers.get(b"accept", b"")) != (True, True):
        raise Refusal(406, "Not Acceptable: Client must accept both application/json and text/event-stream.")


def check_streamed(headers: Headers) -> None:
    """Raise when a client asks for a stream that it cannot take."""
    if not _accepted(headers.get(b"accept", b""))[1]:
        raise Refusal(406, "Not Acceptable: Client must accept text/event-stream.")


@lru_cache(maxsize=64)
def _accepted(accept: bytes) -> tuple[bool, bool]:
    """Return whether JSON and whether events are acceptable."""
    ranges = accept.decode("latin-1").lower().split(",")
    kinds = {item.partition(";")[0].strip() for item in ranges if not _is_excluded(item)}
    return bool(kinds & _JSON), bool(kinds & _EVENTS)


def _is_excluded(media_range: str) -> bool:
    parameters = [part.strip() for part in media_range.split(";")[1:]]
    return any(part.startswith("q=") and not part[2:].strip("0.") for part in parameters)
