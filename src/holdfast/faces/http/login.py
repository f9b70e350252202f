"""Logs a browser in with a link that works once or with a token, and recognises it by a cookie from then on.

Contract:
- A link holds a random code that works once, across all worker processes. The one that is printed when the
  server starts logs in the owner, one of `holdfast token link` the holder of a token.
- A token from the token file logs in whom it was issued to, with that role; removing the token ends that.
- The cookie is signed with a key that lives as long as the server, and expires after half a day. Scripts
  cannot read it (HttpOnly), and browsers do not send it from other sites (SameSite=Strict).
- A browser with the cookie acts for that person on routes below `/api/`. The MCP endpoint requires a token.
- Browsers add cookies to every request, so the cookie is accepted only on requests from this server's own
  pages: `Sec-Fetch-Site` or `Origin` has to say so, and a request that may write has to have one of them.
  Another server on the same machine is the same site, but never the same origin.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable
from urllib.parse import parse_qs

from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

from holdfast.faces.http.access import OWNER_PRINCIPAL, Principal, token_principal
from holdfast.faces.http.asgi import Headers, single_headers
from holdfast.faces.http.boundary import SAFE_METHODS
from holdfast.faces.http.problems import CrossSite, MethodNotAllowed, Unauthenticated
from holdfast.faces.http.settings import API_PATH
from holdfast.kernel.errors import Denied
from holdfast.kernel.text import parse_natural
from holdfast.storage.network.login_codes import LoginCodes
from holdfast.storage.network.tokens import Grant, TokenFile

LOGIN_PATH = "/login"

_LIFETIME_SECONDS = 12 * 3600
"""Of a cookie. A judgement: one working day without logging in again."""


def login_url(base: str, code: str) -> str:
    """Return the link that logs a browser in with a code."""
    return f"{base}{LOGIN_PATH}?code={code}"


class Logins:
    """Answers the login link, and recognises the cookies that it sets."""

    def __init__(
        self,
        codes: LoginCodes,
        key: bytes,
        port: int,
        tokens: TokenFile,
        *,
        encrypted: bool,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._codes = codes
        self._tokens = tokens
        self._clock = clock
        self._key = hashlib.sha256(b"login" + key).digest()
        # Browsers share cookies between ports; without the port in the name, servers of several repositories
        # would overwrite each other's cookie.
        self._cookie_name = f"holdfast-{port}"
        self._encrypted = encrypted

    def answer(self, scope: Scope) -> Response:
        """Log in a browser that opens the link, and redirect it to the page.

        A browser without the right code is redirected too: the page explains how to log in.
        """
        if scope["method"] != "GET":
            raise MethodNotAllowed("The link is opened in a browser.", hint="Use GET.", allowed="GET")
        codes = parse_qs(scope["query_string"].decode("latin-1")).get("code", [""])
        page = RedirectResponse("/", 303, headers={"Cache-Control": "no-store"})
        name = self._codes.use(codes[0])
        grant = self._grant(name or "")
        if name is None or (name and grant is None):
            if b"text/html" in single_headers(scope["headers"]).get(b"accept", b""):
                return page
            raise Unauthenticated(
                "This link is not valid, or was used before.",
                hint="`holdfast open` and `holdfast token link NAME` make new ones, or send a token.",
            )
        self._set_cookie(page, name, "" if grant is None else grant.sha256)
        return page

    def sign_in(self, caller: Principal, scope: Scope, headers: Headers) -> Response:
        """Log in a browser for the caller, whose token the page sent."""
        if not _is_from_own_page(scope["method"], headers):
            raise CrossSite("Only pages of this server log a browser in.", hint="Send the token itself.")
        name = caller.name if caller is not OWNER_PRINCIPAL else ""
        grant = self._grant(name)
        if name and (grant is None or caller.key != f"token:{name}"):
            raise Denied(
                "Only the repository's own tokens log a browser in.", hint="Use one of `holdfast token add`."
            )
        response = Response(status_code=204, headers={"Cache-Control": "no-store"})
        self._set_cookie(response, name, "" if grant is None else grant.sha256)
        return response

    def _set_cookie(self, response: Response, name: str, digest: str) -> None:
        response.set_cookie(
            self._cookie_name,
            self._sign(int(self._clock()) + _LIFETIME_SECONDS, name, digest),
            max_age=_LIFETIME_SECONDS,
            path="/",
            secure=self._encrypted,
            httponly=True,
            samesite="strict",
        )

    def caller(self, scope: Scope, headers: Headers) -> Principal | None:
        """Return who is logged in if a request has a valid cookie for its path, or None otherwise."""
        if not scope["path"].startswith(API_PATH):
            return None
        principal = self._logged_in(headers.get(b"cookie", b""))
        if principal is not None and not _is_from_own_page(scope["method"], headers):
            raise CrossSite("Only pages of this server may use its cookie.", hint="Send a token.")
        return principal

    def _logged_in(self, cookies: bytes) -> Principal | None:
        pairs = (pair.strip().partition("=") for pair in cookies.decode("latin-1").split(";"))
        value = next((value for name, _, value in pairs if name == self._cookie_name), "")
        expiry_text, _, rest = value.partition(".")
        name = rest.rpartition(".")[0]  # may contain dots
        expiry = parse_natural(expiry_text)
        if expiry is None or expiry < self._clock():
            return None
        grant = self._grant(name)
        if name and grant is None:
            return None
        expected = self._sign(expiry, name, "" if grant is None else grant.sha256)
        if not hmac.compare_digest(value.encode(), expected.encode()):
            return None
        return OWNER_PRINCIPAL if grant is None else token_principal(grant)

    def _grant(self, name: str) -> Grant | None:
        return next((grant for grant in self._tokens.all() if grant.name == name), None) if name else None

    def _sign(self, expiry: int, name: str, digest: str) -> str:
        """Return the value of a cookie; with the digest of a token, it ends with that token."""
        signed = f"{expiry}.{name}.{digest}".encode()
        return f"{expiry}.{name}.{hmac.new(self._key, signed, hashlib.sha256).hexdigest()}"


def _is_from_own_page(method: str, headers: Headers) -> bool:
    """Return whether a page of this server sent a request, or no page at all.

    Requests with another Origin were refused earlier (see `boundary`).
    """
    site = headers.get(b"sec-fetch-site")
    if site == b"same-origin":
        return True
    if method in SAFE_METHODS:
        return site in (None, b"none")
    return site is None and b"origin" in headers
