"""Which requests are meant for this server at all, by their headers, on every route.

A page on the web can make a browser send requests here, under a host name that it rebinds to this machine
or across sites. Neither gets past this point:

- the Host header has to name this server, port included;
- an Origin has to be one of this server's own;
- what may write has to come from this server's own pages or from no page, as Sec-Fetch-Site says it. A
  browser that does not send it sends an Origin.
"""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.faces.http.refusals import CrossSite, Misdirected

Headers = dict[bytes, bytes]

_SAFE_METHODS = frozenset({"GET", "HEAD"})
_OWN_PAGES = frozenset({b"same-origin", b"none"})
_ONCE = frozenset({b"host", b"origin", b"authorization", b"content-type", b"sec-fetch-site", b"cookie"})


class Boundary:
    """Knows this server's names."""

    def __init__(self, hosts: Iterable[str], origins: Iterable[str]) -> None:
        self._hosts = frozenset(host.encode() for host in hosts)
        self._origins = frozenset(origin.encode() for origin in origins)

    def check(self, method: str, headers: Headers) -> None:
        """Raise when the request was meant for somebody else, or made by a stranger's page."""
        if headers.get(b"host", b"").lower() not in self._hosts:
            raise Misdirected(
                "This server does not answer to that host name.",
                hint="Use the address it printed when it started, or start it with --public-url.",
            )
        if b"origin" in headers and headers[b"origin"].lower() not in self._origins:
            raise CrossSite(
                "Pages of other origins may not use this server.", hint="Use a client of your own."
            )
        if method not in _SAFE_METHODS and headers.get(b"sec-fetch-site", b"none") not in _OWN_PAGES:
            raise CrossSite("Pages of other sites may not write here.", hint="Use a client of your own.")


def single_headers(raw: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return headers by name; one that decides something must not come twice."""
    headers: Headers = {}
    for name, value in raw:
        if name in headers and name in _ONCE:
            raise Misdirected(f"The header {name.decode('latin-1')} came twice.", hint="Send it once.")
        headers[name] = value
    return headers
