"""The only module that makes HTTP requests to external services.

Contract:
- Requests go only to allowed hosts, at addresses that `address.py` accepts.
- Headers with secrets are sent only to the configured origin. A redirect of a GET to the same origin is
  followed; every other redirect is refused.
- Every exchange ends: with the response, at its time limit, at the caller's deadline, or shortly after the
  caller's cancellation, however slowly the server sends. The size of a response is limited.
- An error message may contain the name of the host, but no header.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

from holdfast import __version__
from holdfast.kernel.errors import Denied, HoldfastError, TooLarge, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.foreign_document import UnreadableDocument, parse_json
from holdfast.storage.network.address import AllowedHosts, Origin, parse_address
from holdfast.storage.processes.time_limit import POLL_SECONDS, TimeLimit

if TYPE_CHECKING:
    import ssl

    import httpx2

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_DEFAULT_PROXY_PORT = 8080
"""The usual port of HTTP proxies, for an address without one."""
_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class WebResponse:
    """The response of a service."""

    status: int
    headers: Mapping[str, str]
    """The values by name, in lower case."""
    body: bytes
    url: str
    """The address of the response, after redirects."""

    def json(self) -> Any:
        """Return the body parsed as JSON, or None if it is empty."""
        try:
            return parse_json(self.body) if self.body else None
        except UnreadableDocument:
            host = parse_address(self.url).origin.name
            raise Unavailable(
                f"'{host}' answered with something that is not JSON, or not within bounds.",
                hint="Check the address of the service.",
            ) from None


class WebClient:
    """A client for the service at one address, with headers that every request has."""

    def __init__(
        self,
        base: str,
        allowed: AllowedHosts,
        *,
        secrets: Callable[[], Mapping[str, str]] = lambda: _NO_HEADERS,
        seconds: float = LIMITS.web_seconds,
        limit: int = LIMITS.web_answer_bytes,
    ) -> None:
        """`secrets` returns headers; it is called for each request, and its result is not stored."""
        self.base = base.rstrip("/")
        self.origin = parse_address(base).origin
        self._allowed = allowed
        self._secrets = secrets
        self._seconds = seconds
        self._limit = limit

    def request(
        self, method: str, url: str, *, headers: Mapping[str, str] = _NO_HEADERS, body: bytes | None = None
    ) -> WebResponse:
        """Send a request; `url` is an address on the same server, or a path below the base."""
        address = url if url.startswith(("https://", "http://")) else self.base + url
        time_limit = TimeLimit(self._seconds, f"The request to '{self.origin.name}'")
        for _ in range(LIMITS.web_redirects + 1):
            response = self._exchange(method, address, headers, body, time_limit)
            if response.status not in _REDIRECTS or "location" not in response.headers:
                return response
            address = urljoin(address, response.headers["location"])
            if method != "GET" or parse_address(address).origin != self.origin:
                raise Denied(
                    f"'{self.origin.name}' redirects to another address, which is not followed.",
                    hint="Check the address of the service, or whether the project was renamed.",
                )
        raise Unavailable(
            f"'{self.origin.name}' redirects in circles.", hint="Check the address of the service."
        )

    def _exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, time_limit: TimeLimit
    ) -> WebResponse:
        import httpx2

        origin = parse_address(url).origin
        if origin != self.origin:
            raise Denied(
                f"'{origin.name}' is not the configured service '{self.origin.name}'.",
                hint="A service may only refer to itself.",
            )
        self._allowed.check(origin)
        all_headers = {"User-Agent": f"holdfast/{__version__}", "Accept-Encoding": "identity"}
        all_headers |= {**headers, **self._secrets()}
        try:
            with (
                _Interruption(time_limit) as interruption,
                httpx2.Client(transport=self._transport(), trust_env=False) as client,
                client.stream(
                    method, url, headers=all_headers, content=body, follow_redirects=False,
                    timeout=LIMITS.web_connect_seconds, extensions={"trace": interruption.trace},
                ) as response,
            ):  # fmt: skip
                received = _read(response, self._limit, origin)
                return WebResponse(response.status_code, dict(response.headers), received, url)
        except (OSError, ValueError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise _unreachable(origin, error) from None

    def _transport(self) -> httpx2.HTTPTransport:
        """Return a transport for one exchange, through the proxy that the user's environment names."""
        import httpx2

        proxy = None if proxy_bypass(self.origin.name) else getproxies().get(self.origin.scheme)
        if proxy is None or self.origin.scheme == "http":  # plain HTTP is used only on this machine
            return httpx2.HTTPTransport(verify=self._certificates, trust_env=False)
        host, port = parse_proxy(proxy)
        address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        return httpx2.HTTPTransport(verify=self._certificates, trust_env=False, proxy=address)

    @cached_property
    def _certificates(self) -> ssl.SSLContext:
        import ssl  # here, because it takes a while to load

        if self.origin.scheme == "http":
            return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # trusts nothing, and loads quickly
        return ssl.create_default_context()


def parse_proxy(text: str) -> tuple[str, int]:
    """Return the host and port of an HTTP proxy."""
    with suppress(ValueError):
        parts = urlsplit(text if "://" in text else f"http://{text}")
        if parts.hostname:
            return parts.hostname, parts.port or _DEFAULT_PROXY_PORT
    raise Unavailable("The proxy in the environment is not a valid address.", hint="Check HTTPS_PROXY.")


class _Interruption:
    """Closes the connection at a time limit.

    A timeout of httpx2 applies to one read, so a server that sends a byte now and then never exceeds it.
    """

    def __init__(self, time_limit: TimeLimit) -> None:
        self._time_limit = time_limit
        self._finished = threading.Event()
        self._sockets: list[socket.socket] = []
        self._failure: HoldfastError | None = None
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def trace(self, event: str, details: Mapping[str, Any]) -> None:
        """Record each connection that httpx2 opens."""
        if event == "connection.connect_tcp.complete":
            # Duplicated, because the TLS handshake detaches the descriptor from this object.
            self._sockets.append(details["return_value"].get_extra_info("socket").dup())

    def __enter__(self) -> _Interruption:
        self._watcher.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._finished.set()
        self._watcher.join()
        for connection in self._sockets:
            connection.close()
        if self._failure is not None and (kind is None or issubclass(kind, Exception)):
            raise self._failure from None

    def _watch(self) -> None:
        while not self._finished.wait(POLL_SECONDS):
            try:
                self._time_limit.check()
            except HoldfastError as failure:
                self._failure = failure
                for connection in self._sockets:
                    with suppress(OSError):  # the server has closed it already
                        connection.shutdown(socket.SHUT_RDWR)


def _read(response: httpx2.Response, limit: int, origin: Origin) -> bytes:
    received = bytearray()
    for piece in response.iter_raw():
        received += piece
        if len(received) > limit:
            raise TooLarge(
                f"'{origin.name}' answered with more than {limit} bytes.",
                hint="Ask for fewer items.",
                limit=limit,
            )
    return bytes(received)


def _unreachable(origin: Origin, error: BaseException) -> Unavailable:
    cause: BaseException | None = error
    while cause is not None and getattr(cause, "strerror", None) is None:
        cause = cause.__cause__ or cause.__context__
    reason = getattr(cause, "strerror", None) or type(error).__name__
    return Unavailable(
        f"'{origin.name}' could not be reached: {reason}.",
        hint="Check the connection and the address, then try again; nothing was lost.",
        host=origin.name,
    )
