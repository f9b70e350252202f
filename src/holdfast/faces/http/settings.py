"""The settings of a server over HTTP. Imports little, because the command line's help needs it."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from holdfast.kernel.errors import Denied, Invalid

MCP_PATH = "/mcp"
API_PATH = "/api/"
HEALTH_PATH = "/health"
"""The health check at the path that the specification names; the same is also below `API_PATH`."""
SESSION_HEADER = b"mcp-session-id"

_MAX_QUOTED_CHARACTERS = 200
"""Of a URL that is refused. A judgement: enough to recognise it, on two lines of a terminal."""
_WILDCARDS = frozenset({"0.0.0.0", "::"})  # noqa: S104 # nosec B104 # recognised, not used
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class ListenAddress:
    """The address that a server listens on."""

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
    """All settings of serving over HTTP that the command line has."""

    address: ListenAddress
    public_url: str | None = None
    """The URL that clients use, if a proxy or tunnel gives the server another one than its address."""
    workers: int = 1
    oauth: OAuthSettings | None = None
    open_browser: bool = False

    def local_url(self, port: int) -> str:
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


def validate_settings(settings: HttpSettings) -> HttpSettings:
    """Return the settings; raise when they would expose the repository to other machines unintentionally."""
    if settings.workers < 1:
        raise Invalid(
            f"{settings.workers} is not a valid number of workers.", hint="Pass --workers with at least 1."
        )
    if not settings.address.is_loopback and settings.public_url is None:
        raise Denied(
            f'Serving on "{settings.address.host}" would open this repository to other machines.',
            hint="Use 127.0.0.1, or `holdfast serve` with --public-url and the address that clients use. "
            "Every caller needs a token either way.",
        )
    return settings


def validate_url(text: str, option: str) -> str:
    """Return a valid URL without its trailing slash; raise unless it is http or https and has only a path."""
    if not _is_plain_url(text):
        raise Invalid(
            f'"{text[:_MAX_QUOTED_CHARACTERS]}" is not a valid URL for {option}.',
            hint="Pass one like https://holdfast.example.org.",
        )
    return text.rstrip("/")


def _is_plain_url(text: str) -> bool:
    """Return whether text is an http or https URL without query, fragment or credentials."""
    try:
        parts = urlsplit(text)
        has_extras = bool(parts.query or parts.fragment or parts.username or parts.password)
        return bool(parts.scheme in _DEFAULT_PORTS and parts.hostname and parts.port != 0 and not has_extras)
    except ValueError:
        return False
