"""The one module that speaks HTTP to other services.

Contract:
- Only hosts that a person allowed are reached (see `address.py`); only over TLS, or on this machine itself.
- Headers that carry a secret go to the configured server and to no other. A redirect is followed when it
  asks for the same of the same server, and refused otherwise.
- Every exchange ends: with its answer, at its time limit, at the caller's deadline, or within a moment of the
  caller's cancellation, however slowly the other side sends. Answers are bounded in size.
- What went wrong is told with the name of the host, never with a header.
"""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import urljoin
from urllib.request import getproxies, proxy_bypass

from holdfast import __version__
from holdfast.kernel.errors import Denied, HoldfastError, TooLarge, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.storage.network.address import Address, AllowedHosts, Origin, parse_address
from holdfast.storage.processes.child import POLL_SECONDS, Patience

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
            return json.loads(self.body) if self.body else None
        except ValueError:
            host = parse_address(self.url).origin.name
            raise Unavailable(
                f"'{host}' answered with something that is not JSON.",
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
        patience = Patience(self._seconds, f"The request to '{self.origin.name}'")
        for _ in range(LIMITS.web_redirects + 1):
            answer = self._exchange(method, whole, headers, body, patience)
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
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, patience: Patience
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
            with _ended_with(patience, connection):
                connection.request(method, address.target, body=body, headers=sent)
                response = connection.getresponse()
                received = _read(response, self._limit, address, patience)
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
    from urllib.parse import urlsplit

    parts = urlsplit(text if "://" in text else f"http://{text}")
    if not parts.hostname:
        raise Unavailable("The proxy that the environment names is no address.", hint="Check HTTPS_PROXY.")
    return parts.hostname, parts.port or 8080


@contextmanager
def _ended_with(patience: Patience, connection: http.client.HTTPConnection) -> Iterator[None]:
    """Break the connection off when patience ends: a read that waits for a slow sender does not notice
    itself."""
    over, reason = threading.Event(), list[HoldfastError]()

    def watch() -> None:
        while not over.wait(POLL_SECONDS):
            try:
                patience.check()
            except HoldfastError as error:
                reason.append(error)
                _break_off(connection)
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


def _break_off(connection: http.client.HTTPConnection) -> None:
    import socket

    try:
        if connection.sock is not None:
            connection.sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # the other side was faster


def _read(response: http.client.HTTPResponse, limit: int, address: Address, patience: Patience) -> bytes:
    received = bytearray()
    while piece := response.read1(LIMITS.read_chunk):
        received += piece
        patience.check()
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
