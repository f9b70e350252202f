"""The one module that speaks HTTP to other services.

Contract:
- An address is `https`, or `http` on this machine itself. It carries no user, no password, no control
  character.
- A host is reached only when the person at the keyboard named it, in their environment or in their own git
  configuration. What a repository or a caller says never adds one.
- Headers that carry a secret go to the configured server and to no other. A redirect is followed when it
  asks for the same of the same server, and refused otherwise.
- Every exchange ends: with its answer, at its time limit, at the caller's deadline, or within a moment of the
  caller's cancellation, however slowly the other side sends. Answers are bounded in size.
- What went wrong is told with the name of the host, never with a header.
"""

from __future__ import annotations

import http.client
import re
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

from holdfast import __version__
from holdfast.kernel.errors import Denied, HoldfastError, InvalidArguments, TooLarge, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.foreign_document import Unreadable, json_of
from holdfast.storage.processes.time_limit import POLL_SECONDS, TimeLimit

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


_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class WebAnswer:
    """What a service answered."""

    status: int
    headers: Mapping[str, str]
    """By name in small letters."""
    body: bytes
    url: str
    """Where it came from, redirects followed."""

    def json(self) -> Any:
        """Return the body as JSON, or say that it is none."""
        try:
            return json_of(self.body) if self.body else None
        except Unreadable:
            host = parse_address(self.url).origin.name
            raise Unavailable(
                f"'{host}' answered with something that is not JSON, or not within bounds.",
                hint="Check the address of the service.",
            ) from None


class WebClient:
    """A service at one address, with the headers that every request to it carries."""

    def __init__(
        self,
        base: str,
        allowed: AllowedHosts,
        *,
        secrets: Callable[[], Mapping[str, str]] = lambda: _NOTHING,
        seconds: float = LIMITS.web_seconds,
        limit: int = LIMITS.web_answer_bytes,
    ) -> None:
        """`secrets` returns headers; it is asked at each request, and what it returns is kept nowhere."""
        self.base = base.rstrip("/")
        self.origin = parse_address(base).origin
        self._allowed = allowed
        self._secrets = secrets
        self._seconds = seconds
        self._limit = limit

    def request(
        self, method: str, url: str, *, headers: Mapping[str, str] = _NOTHING, body: bytes | None = None
    ) -> WebAnswer:
        """Ask the service; `url` is whole and of this server, or a path below the base."""
        whole = url if url.startswith(("https://", "http://")) else self.base + url
        time_limit = TimeLimit(self._seconds, f"The request to '{self.origin.name}'")
        for _ in range(LIMITS.web_redirects + 1):
            answer = self._exchange(method, whole, headers, body, time_limit)
            if answer.status not in _REDIRECTS or "location" not in answer.headers:
                return answer
            whole = urljoin(whole, answer.headers["location"])
            if method != "GET" or parse_address(whole).origin != self.origin:
                raise Denied(
                    f"'{self.origin.name}' sends us to another address, which is not followed.",
                    hint="Check the address of the service, or whether the project was renamed.",
                )
        raise Unavailable(
            f"'{self.origin.name}' sends us in circles.", hint="Check the address of the service."
        )

    def _exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, time_limit: TimeLimit
    ) -> WebAnswer:
        address = parse_address(url)
        if address.origin != self.origin:
            raise Denied(
                f"'{address.origin.name}' is not the configured service '{self.origin.name}'.",
                hint="A service may only point to itself.",
            )
        self._allowed.check(address.origin)
        sent = {"User-Agent": f"holdfast/{__version__}", **headers, **self._secrets()}
        connection = _connection(address.origin)
        try:
            with _ended_with(time_limit, connection):
                connection.request(method, address.target, body=body, headers=sent)
                response = connection.getresponse()
                received = _read(response, self._limit, address, time_limit)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _unreachable(address.origin, error) from None
        finally:
            connection.close()
        names = {name.lower(): value for name, value in response.getheaders()}
        return WebAnswer(response.status, names, received, url)


def _connection(origin: Origin) -> http.client.HTTPConnection:
    """Return a connection, by way of the proxy that the person's environment names."""
    seconds = LIMITS.web_connect_seconds
    proxy = None if proxy_bypass(origin.name) else getproxies().get(origin.scheme)
    through = None if proxy is None or origin.scheme == "http" else parse_proxy(proxy)
    host, port = (origin.host, origin.port) if through is None else through
    if origin.scheme == "http":
        return http.client.HTTPConnection(host, port, timeout=seconds)
    import ssl  # only here, because it takes a while to load

    connection = http.client.HTTPSConnection(
        host, port, timeout=seconds, context=ssl.create_default_context()
    )
    if through is not None:
        connection.set_tunnel(origin.host, origin.port)
    return connection


def parse_proxy(text: str) -> tuple[str, int]:
    """Return the host and port of a proxy that requests are tunnelled through."""
    with suppress(ValueError):
        parts = urlsplit(text if "://" in text else f"http://{text}")
        if parts.hostname:
            return parts.hostname, parts.port or 8080
    raise Unavailable("The proxy that the environment names is no address.", hint="Check HTTPS_PROXY.")


@contextmanager
def _ended_with(time_limit: TimeLimit, connection: http.client.HTTPConnection) -> Iterator[None]:
    """Break the connection off when time_limit ends: a read that waits for a slow sender does not notice
    itself."""
    over, reason = threading.Event(), list[HoldfastError]()

    def watch() -> None:
        while not over.wait(POLL_SECONDS):
            try:
                time_limit.check()
            except HoldfastError as error:
                reason.append(error)
                with suppress(OSError):  # the other side was faster
                    if connection.sock is not None:
                        connection.sock.shutdown(socket.SHUT_RDWR)
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    except (OSError, http.client.HTTPException, ValueError):
        if reason:
            raise reason[0] from None
        raise
    finally:
        over.set()
        watcher.join()
    if reason:
        raise reason[0]


def _read(response: http.client.HTTPResponse, limit: int, address: Address, time_limit: TimeLimit) -> bytes:
    received = bytearray()
    while piece := response.read1(LIMITS.read_chunk):
        received += piece
        time_limit.check()
        if len(received) > limit:
            raise TooLarge(
                f"'{address.origin.name}' answered with more than {limit} bytes.",
                hint="Ask for fewer items.",
                limit=limit,
            )
    if response.length:
        raise http.client.IncompleteRead(bytes(received))
    return bytes(received)


def _unreachable(origin: Origin, error: Exception) -> Unavailable:
    reason = getattr(error, "strerror", None) or type(error).__name__
    return Unavailable(
        f"'{origin.name}' could not be reached: {reason}.",
        hint="Check the connection and the address, then try again; nothing was lost.",
        host=origin.name,
    )
