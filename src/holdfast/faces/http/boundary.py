"""Checks the host, origin and site of every request before anything else happens.

A web page can make a browser send requests to this server: under a host name that it rebinds to this machine
(DNS rebinding), or from another site (CSRF). So:

- the Host header has to name this server, including the port;
- an Origin header has to name one of this server's own origins;
- the Sec-Fetch-Site header of a request that may write has to say that it comes from this server's own pages
  or from no page. A browser too old to send that header sends Origin.
"""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.faces.http.asgi import Headers
from holdfast.faces.http.problems import CrossSite, Misdirected

SAFE_METHODS = frozenset({"GET", "HEAD"})
_TRUSTED_SITES = frozenset({b"same-origin", b"none"})


class Boundary:
    """Refuses requests for other hosts, and requests from pages of other origins."""

    def __init__(self, hosts: Iterable[str], origins: Iterable[str]) -> None:
        self._hosts = frozenset(host.encode() for host in hosts)
        self._origins = frozenset(origin.encode() for origin in origins)

    def check(self, method: str, headers: Headers) -> None:
        if headers.get(b"host", b"").lower() not in self._hosts:
            raise Misdirected(
                "This server does not answer to that host name.",
                hint="Use the address it printed when it started, or start it with --public-url.",
            )
        if b"origin" in headers and headers[b"origin"].lower() not in self._origins:
            raise CrossSite(
                "Pages of other origins may not use this server.", hint="Use a client of your own."
            )
        if method not in SAFE_METHODS and headers.get(b"sec-fetch-site", b"none") not in _TRUSTED_SITES:
            raise CrossSite("Pages of other sites may not write here.", hint="Use a client of your own.")
