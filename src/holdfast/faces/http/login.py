"""A browser's way in: a link that works once, and the cookie that it leaves.

Contract:
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
from urllib.parse import parse_qs

from starlette.responses import HTMLResponse, Response
from starlette.types import Scope

from holdfast.faces.http.boundary import Headers
from holdfast.faces.http.callers import Caller
from holdfast.faces.http.refusals import CrossSite, MethodNotAllowed, Unauthenticated
from holdfast.faces.http.settings import API_PATH
from holdfast.kernel.call import Role
from holdfast.storage.network.tokens import OWNER

LOGIN_PATH = "/login"

_LIFE_SECONDS = 12 * 3600
_SAFE_METHODS = frozenset({"GET", "HEAD"})
_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Holdfast</title>
<p>This browser may use this server now, until it is closed down or for twelve hours.</p>
<p><a href="/api/openapi.json">What it offers</a></p></html>
"""
_PAGE_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
}


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
        """Let a browser in that brings the code."""
        if scope["method"] != "GET":
            raise MethodNotAllowed("The link is opened in a browser.", hint="Ask with GET.", allowed="GET")
        codes = parse_qs(scope["query_string"].decode("latin-1")).get("code", [""])
        if not self._link.use(codes[0]):
            raise Unauthenticated(
                "This link is not right, or was used before.",
                hint="Start the server again for a new one, or send the owner's token.",
            )
        response = HTMLResponse(_PAGE, headers=_PAGE_HEADERS)
        response.set_cookie(
            self._name,
            self._signed(int(time.time()) + _LIFE_SECONDS),
            max_age=_LIFE_SECONDS,
            path="/",
            secure=self._encrypted,
            httponly=True,
            samesite="strict",
        )
        return response

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
        expiry, _, _ = value.partition(".")
        if not expiry.isdecimal() or int(expiry) < time.time():
            return False
        return hmac.compare_digest(value.encode(), self._signed(int(expiry)).encode())

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
