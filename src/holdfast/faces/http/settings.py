"""The settings of a server over HTTP. Cheap to import, since the command line's help needs it."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from holdfast.kernel.errors import Denied, Invalid

MCP_PATH = "/mcp"
API_PATH = "/api/"
HEALTH_PATH = "/health"
"""The health check of the specified interface; the same as the one below the API's own path."""
SESSION_HEADER = b"mcp-session-id"

_WILDCARDS = frozenset({"0.0.0.0", "::"})  # noqa: S104 # nosec B104 # recognised, not used
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class ListenAddress:
    """Where a server listens."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether only programs on this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


@dataclass(frozen=True)
class OAuthSettings:
    """The authorization server whose access tokens are accepted, and the audience they must be for."""

    issuer: str
    audience: str
    keys: str | None = None
    """The URL of its signing keys; None to look it up in the issuer's metadata."""


@dataclass(frozen=True)
class HttpSettings:
    """Everything about serving over HTTP that the command line can set."""

    address: ListenAddress
    public_url: str | None = None
    workers: int = 1
    oauth: OAuthSettings | None = None
    open_browser: bool = False

    def local_url(self, port: int) -> str:
        """Return the server's URL on this machine, given the port it listens on."""
        host = self.address.host
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"

    def hosts(self, port: int) -> frozenset[str]:
        """Return the accepted values of the Host header, given the port that the server listens on."""
        names = {"127.0.0.1", "localhost", "[::1]"} if self.address.is_loopback else set()
        host = self.address.host
        if host not in _WILDCARDS:
            names.add(f"[{host}]" if ":" in host else host)
        hosts = {f"{name}:{port}" for name in names}
        if port == _DEFAULT_PORTS["http"]:
            hosts |= names
        return frozenset(hosts | self._public_hosts())

    def origins(self, port: int) -> frozenset[str]:
        """Return the origins of this server's own pages."""
        own = {f"http://{host}" for host in self.hosts(port) - self._public_hosts()}
        if self.public_url is not None:
            parts = urlsplit(self.public_url)
            own.add(f"{parts.scheme}://{parts.netloc.lower()}")
        return frozenset(own)

    def _public_hosts(self) -> set[str]:
        if self.public_url is None:
            return set()
        parts = urlsplit(self.public_url)
        hosts = {parts.netloc.lower()}
        if parts.port is None:
            hosts.add(f"{parts.netloc.lower()}:{_DEFAULT_PORTS[parts.scheme]}")
        return hosts


def checked(settings: HttpSettings) -> HttpSettings:
    """Return the settings; raise when they would expose the repository unintentionally."""
    if settings.workers < 1:
        raise Invalid(f"{settings.workers} workers cannot serve.", hint="Pass --workers with at least 1.")
    if not settings.address.is_loopback and settings.public_url is None:
        raise Denied(
            f'Serving on "{settings.address.host}" would open this repository to other machines.',
            hint="Use 127.0.0.1, or `holdfast serve` with --public-url and the address that clients use. "
            "Every caller needs a token either way.",
        )
    return settings


def checked_url(text: str, option: str) -> str:
    """Return an http or https URL without query, fragment, credentials or trailing slash."""
    try:
        parts = urlsplit(text)
        plain = not (parts.query or parts.fragment or parts.username or parts.password or parts.port == 0)
    except ValueError:
        parts, plain = urlsplit(""), False
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or not plain:
        raise Invalid(
            f'"{text[:200]}" is not a valid URL for {option}.',
            hint="Pass one like https://holdfast.example.org.",
        )
    return text.rstrip("/")
