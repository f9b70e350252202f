"""Addresses of external services, and the hosts that the user allows Holdfast to reach.

Contract:
- An address is `https`, or `http` on this machine. It has no user name, password or control character.
- Only the user's environment and git configuration can allow a host; neither a repository nor a caller can.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

from holdfast.kernel.errors import Denied, InvalidArguments

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_DEFAULT_PORTS = {"https": 443, "http": 80}
_HOST_ENTRY = re.compile(
    r"(?:https?://)?(?P<host>\[[0-9a-f:]+\]|[\w.-]+)(?::(?P<port>\d{1,5}))?(?:/(?P<path>.*))?",
    re.ASCII | re.IGNORECASE,
)
_HOW_TO_ALLOW = (
    "A person allows a host with `git config --global --add holdfast.host HOST`, or in HOLDFAST_HOSTS."
)


class Origin(NamedTuple):
    """Scheme, host and port of a server. A secret is sent to a single origin."""

    scheme: str
    host: str
    port: int

    @property
    def name(self) -> str:
        """The host, with its port unless that is the default."""
        return self.host if self.port == _DEFAULT_PORTS[self.scheme] else f"{self.host}:{self.port}"


class WebAddress(NamedTuple):
    """A parsed address."""

    origin: Origin
    target: str
    """The path and the query, as they are sent."""


class AllowedHosts:
    """The hosts that the user allowed, and the projects on them that were named."""

    def __init__(self, entries: Iterable[str]) -> None:
        """Read entries such as `api.github.com`, `localhost:8080` and `api.github.com/owner/name`."""
        self._hosts: set[tuple[str, int | None]] = set()
        self._projects: set[tuple[str, str]] = set()
        for entry in entries:
            match = _HOST_ENTRY.fullmatch(entry.strip())
            if match is None:
                continue
            host = match["host"].strip("[]").lower()
            self._hosts.add((host, int(match["port"]) if match["port"] else None))
            path = (match["path"] or "").strip("/")
            if path:
                self._projects.add((host, path.lower()))

    def __bool__(self) -> bool:
        return bool(self._hosts)

    def allows(self, origin: Origin) -> bool:
        """Return whether a server is allowed; an entry without a port means the default port."""
        if (origin.host, origin.port) in self._hosts:
            return True
        has_default_port = origin.port == _DEFAULT_PORTS[origin.scheme]
        return has_default_port and (origin.host, None) in self._hosts

    def names_project(self, origin: Origin, project: str) -> bool:
        """Return whether an entry names this project on the server."""
        return (origin.host, project.lower()) in self._projects

    def check(self, origin: Origin) -> None:
        """Refuse a server that is not allowed."""
        if not self.allows(origin):
            raise Denied(f"The host '{origin.name}' is not allowed.", hint=_HOW_TO_ALLOW, host=origin.name)


def parse_address(text: str) -> WebAddress:
    """Parse an address, or raise with what is wrong with it."""
    if not text.isascii() or not text.isprintable() or " " in text or "\\" in text:
        raise _invalid_address("contains a space or another invalid character")
    try:
        parts = urlsplit(text)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise _invalid_address("cannot be parsed") from None
    if parts.scheme not in _DEFAULT_PORTS or not host:
        raise _invalid_address("does not begin with https:// and a host")
    if parts.username is not None or parts.password is not None:
        raise _invalid_address("contains a user or a password")
    if parts.scheme == "http" and host not in _LOOPBACK:
        raise _invalid_address("is not encrypted")
    origin = Origin(parts.scheme, host, port or _DEFAULT_PORTS[parts.scheme])
    query = f"?{parts.query}" if parts.query else ""
    return WebAddress(origin, f"{parts.path or '/'}{query}")


def _invalid_address(reason: str) -> InvalidArguments:
    return InvalidArguments(
        f"The address of the service {reason}.", hint="Give one such as https://api.example.org/v1."
    )
