"""Where on the network Holdfast may go: addresses it understands, and the hosts a person allowed.

Contract:
- An address is `https`, or `http` on this machine itself. It carries no user, no password, no control
  character.
- A host is reached only when the person at the keyboard named it, in their environment or in their own git
  configuration. What a repository or a caller says never adds one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

from holdfast.kernel.errors import Denied, InvalidArguments

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_PORTS = {"https": 443, "http": 80}
_ENTRY = re.compile(r"(?:https?://)?(?P<host>\[[0-9a-f:]+\]|[\w.-]+)(?::(?P<port>\d{1,5}))?(?:/(?P<path>.*))?", re.ASCII | re.IGNORECASE)  # fmt: skip  # noqa: E501
_HOW_TO_ALLOW = (
    "A person allows a host with `git config --global --add holdfast.host HOST`, or in HOLDFAST_HOSTS."
)


class Origin(NamedTuple):
    """One server: what must stay the same for a secret to be sent along."""

    scheme: str
    host: str
    port: int

    @property
    def name(self) -> str:
        """Return the server as a person writes it."""
        return self.host if self.port == _PORTS[self.scheme] else f"{self.host}:{self.port}"


class Address(NamedTuple):
    """An address, taken apart."""

    origin: Origin
    target: str
    """The path and the query, as they go on the wire."""


class AllowedHosts:
    """The hosts, and on them the projects, that a person allowed."""

    def __init__(self, entries: Iterable[str]) -> None:
        """Take entries such as `api.github.com`, `localhost:8080` and `api.github.com/owner/name`."""
        self._hosts: set[tuple[str, int | None]] = set()
        self._projects: set[tuple[str, str]] = set()
        for entry in entries:
            if found := _ENTRY.fullmatch(entry.strip()):
                host = found["host"].strip("[]").lower()
                self._hosts.add((host, int(found["port"]) if found["port"] else None))
                if path := (found["path"] or "").strip("/"):
                    self._projects.add((host, path.lower()))

    def __bool__(self) -> bool:
        return bool(self._hosts)

    def permit(self, origin: Origin) -> bool:
        """Tell whether this server was allowed; an entry without a port stands for the usual one."""
        usual = origin.port == _PORTS[origin.scheme]
        return (origin.host, origin.port) in self._hosts or (usual and (origin.host, None) in self._hosts)

    def name_project(self, origin: Origin, project: str) -> bool:
        """Tell whether this project on the server was allowed by its name."""
        return (origin.host, project.lower()) in self._projects

    def check(self, origin: Origin) -> None:
        """Refuse a server that nobody allowed."""
        if not self.permit(origin):
            raise Denied(f"The host '{origin.name}' is not allowed.", hint=_HOW_TO_ALLOW, host=origin.name)


def parse_address(text: str) -> Address:
    """Return an address taken apart, or say what is wrong with it."""
    if not text.isascii() or not text.isprintable() or " " in text or "\\" in text:
        raise _refused("contains a space or a character that does not belong there")
    try:
        parts = urlsplit(text)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise _refused("cannot be understood") from None
    if parts.scheme not in _PORTS or not host:
        raise _refused("does not begin with https:// and a host")
    if parts.username is not None or parts.password is not None:
        raise _refused("carries a user or a password")
    if parts.scheme == "http" and host not in _LOOPBACK:
        raise _refused("is not encrypted")
    origin = Origin(parts.scheme, host, port or _PORTS[parts.scheme])
    query = f"?{parts.query}" if parts.query else ""
    return Address(origin, f"{parts.path or '/'}{query}")


def _refused(reason: str) -> InvalidArguments:
    return InvalidArguments(
        f"The address of the service {reason}.", hint="Give one such as https://api.example.org/v1."
    )
