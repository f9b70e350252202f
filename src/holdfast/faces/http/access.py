"""Host and origin checks, and authentication by bearer token or by the cookie of the login link.

A page on the web can make a browser send requests here, under a host name that it rebinds to this machine
or across sites. Neither gets past `Boundary`, on no route:

- the Host header has to name this server, port included;
- an Origin has to be one of this server's own;
- what may write has to come from this server's own pages or from no page, as Sec-Fetch-Site says it. A
  browser that does not send it sends an Origin.

Contract of the login:
- The link is printed when the server starts, holds a random code and works once, over all worker processes.
- The cookie is signed with a key that lives as long as the server, ends with it or after half a day, is not
  readable by scripts (HttpOnly) and not sent from other sites (SameSite=Strict).
- Whoever has it is the owner, for pages and routes below `/api/`; the protocol itself wants a token.
- Cookies travel with every request that a browser makes, so one counts only when a page of ours made the
  request: `Sec-Fetch-Site` or `Origin` has to say so, and for a request that may write one of them has to be
  there. Another server on the same machine is the same site, but never the same origin.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol
from urllib.parse import parse_qs

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

from holdfast.faces.http.asgi import Headers, single_headers
from holdfast.faces.http.problems import (
    CrossSite,
    InsufficientScope,
    InvalidToken,
    MethodNotAllowed,
    Misdirected,
    Unauthenticated,
)
from holdfast.faces.http.settings import API_PATH
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.role import OWNER, Role
from holdfast.kernel.text import parse_natural
from holdfast.storage.network.tokens import TokenFile

_SCHEME = b"bearer "


@dataclass(frozen=True)
class Caller:
    """Whoever holds a token. Callers with the same key share their limits and their sessions."""

    name: str
    role: Role
    key: str

    @cached_property
    def user(self) -> AuthenticatedUser:
        """Return the caller as the SDK knows one; a session belongs to who opened it."""
        return AuthenticatedUser(AccessToken(token="", client_id=self.key, scopes=[self.role.value]))


class Recogniser(Protocol):
    """Knows some tokens."""

    async def caller(self, token: str) -> Caller | None:
        """Return whose token it is, or None when it is not one of these."""


class LocalTokens:
    """The repository's own token, which may do everything, and the named ones in its token file."""

    def __init__(self, owner_token: str, tokens: TokenFile) -> None:
        self._owner_token = owner_token.encode()
        self._tokens = tokens
        self._owner = Caller(OWNER, Role.ADMIN, f"token:{OWNER}")
        self._known: dict[str, Caller] = {}

    async def caller(self, token: str) -> Caller | None:
        """Return the owner or whoever the token was given to."""
        if hmac.compare_digest(token.encode(), self._owner_token):
            return self._owner
        grant = self._tokens.find(token)
        if grant is None:
            return None
        known = self._known.get(grant.name)
        if known is None or known.role is not grant.role:
            known = self._known[grant.name] = Caller(grant.name, grant.role, f"token:{grant.name}")
        return known


class Authentication:
    """Asks each recogniser in turn."""

    def __init__(self, recognisers: Sequence[Recogniser], metadata_url: str | None = None) -> None:
        self._recognisers = recognisers
        self._metadata = [] if metadata_url is None else [f'resource_metadata="{metadata_url}"']

    def challenge(self, refused: HoldfastError) -> dict[str, str]:
        """Return the header that tells whoever lacks a token, or a scope, where to get it."""
        if isinstance(refused, InsufficientScope | InvalidToken):
            parts = [f'error="{refused.kind}"', *self._metadata]
        elif isinstance(refused, Unauthenticated):
            parts = self._metadata
        else:
            return {}
        return {"WWW-Authenticate": f"Bearer {', '.join(parts)}".strip()}

    async def caller(self, headers: Headers) -> Caller:
        """Return who asks, or raise when nobody we know does."""
        header = headers.get(b"authorization", b"")
        if header[: len(_SCHEME)].lower() == _SCHEME:
            token = header[len(_SCHEME) :].strip().decode("latin-1")
            for recogniser in self._recognisers:
                found = await recogniser.caller(token)
                if found is not None:
                    return found
            raise InvalidToken(
                "This token is not known here.",
                hint="It may have been removed or have expired; `holdfast token add` makes a new one.",
            )
        raise Unauthenticated(
            "A bearer token is needed.",
            hint="The owner's is in the file token of Holdfast's store; `holdfast token add` makes others.",
        )


_SAFE_METHODS = frozenset({"GET", "HEAD"})
_OWN_PAGES = frozenset({b"same-origin", b"none"})


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


LOGIN_PATH = "/login"

_LIFE_SECONDS = 12 * 3600


class LoginLink:
    """The one link of a server. Made before the workers, so that all of them know it."""

    def __init__(self) -> None:
        self.code = secrets.token_urlsafe(24)
        # One byte in a pipe: whichever process takes it out has used the link up.
        self._taken_from, given_to = os.pipe()
        os.set_blocking(self._taken_from, False)
        os.write(given_to, b".")
        os.close(given_to)

    def use(self, code: str) -> bool:
        """Return whether the code is right and was not used before."""
        if not hmac.compare_digest(code.encode(), self.code.encode()):
            return False
        try:
            return os.read(self._taken_from, 1) == b"."
        except BlockingIOError:
            return False


class Logins:
    """Answers the link, and knows whose cookie a request brings."""

    def __init__(self, link: LoginLink, key: bytes, port: int, *, encrypted: bool) -> None:
        self._link = link
        self._key = hashlib.sha256(b"login" + key).digest()
        # Cookies know no ports: servers of several repositories would overwrite each other's.
        self._name = f"holdfast-{port}"
        self._encrypted = encrypted
        self._owner = Caller(OWNER, Role.ADMIN, f"token:{OWNER}")

    def answer(self, scope: Scope) -> Response:
        """Let a browser in that brings the code, and show it the page, which tells others how to get in."""
        if scope["method"] != "GET":
            raise MethodNotAllowed("The link is opened in a browser.", hint="Ask with GET.", allowed="GET")
        codes = parse_qs(scope["query_string"].decode("latin-1")).get("code", [""])
        page = RedirectResponse("/", 303, headers={"Cache-Control": "no-store"})
        if not self._link.use(codes[0]):
            if b"text/html" in single_headers(scope["headers"]).get(b"accept", b""):
                return page
            raise Unauthenticated(
                "This link is not right, or was used before.",
                hint="Start the server again for a new one, or send the owner's token.",
            )
        page.set_cookie(
            self._name,
            self._signed(int(time.time()) + _LIFE_SECONDS),
            max_age=_LIFE_SECONDS,
            path="/",
            secure=self._encrypted,
            httponly=True,
            samesite="strict",
        )
        return page

    def caller(self, scope: Scope, headers: Headers) -> Caller | None:
        """Return whose cookie a request brings, or None when it brings none that counts here."""
        if not scope["path"].startswith(API_PATH) or not self._is_good(headers.get(b"cookie", b"")):
            return None
        if not _is_from_our_page(scope["method"], headers):
            raise CrossSite("Only pages of this server may use its cookie.", hint="Send a token.")
        return self._owner

    def _is_good(self, cookies: bytes) -> bool:
        pairs = (pair.strip().partition("=") for pair in cookies.decode("latin-1").split(";"))
        value = next((value for name, _, value in pairs if name == self._name), "")
        expiry = parse_natural(value.partition(".")[0])
        if expiry is None or expiry < time.time():
            return False
        return hmac.compare_digest(value.encode(), self._signed(expiry).encode())

    def _signed(self, expiry: int) -> str:
        signature = hmac.new(self._key, str(expiry).encode(), hashlib.sha256).hexdigest()
        return f"{expiry}.{signature}"


def _is_from_our_page(method: str, headers: Headers) -> bool:
    """Return whether a page of ours, or nobody's, made a request. A foreign Origin did not get this far."""
    site = headers.get(b"sec-fetch-site")
    if site == b"same-origin":
        return True
    if method in _SAFE_METHODS:
        return site in (None, b"none")
    return site is None and b"origin" in headers
