"""Access tokens of a team's authorization server: this process is a resource server, nothing more.

Contract:
- A token counts only when it was signed by the issuer's keys, is for our audience, and has not expired.
- Its scopes say the role: `holdfast:read`, `holdfast:write` or `holdfast:admin`; the highest one counts.
- The issuer is asked for its keys and for nothing else, over https, or on this machine; once at a time, and
  seldom, whatever tokens come.
- A subject is known by its name at this issuer, which no token of the repository can have.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import time
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import jwt
from mcp.server.auth.provider import AccessToken
from mcp.shared.auth import ProtectedResourceMetadata

from holdfast.faces.http.access import Caller
from holdfast.faces.http.problems import InsufficientScope
from holdfast.faces.http.settings import OAuthSettings
from holdfast.kernel.clock import MonotonicClock, monotonic
from holdfast.kernel.errors import Busy, HoldfastError, Unavailable
from holdfast.kernel.role import Role
from holdfast.storage.network.address import AllowedHosts
from holdfast.storage.network.client import WebClient

SCOPES = {f"holdfast:{role.value}": role for role in Role}
METADATA_PATH = "/.well-known/oauth-protected-resource"

_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
_FETCH_SECONDS = 10
_DOCUMENT_BYTES = 1024 * 1024
_TOKENS_REMEMBERED = 1000
_KEYS_LIFETIME_SECONDS = 300
_PAUSE_SECONDS = 10
"""How long a key that is not known is not asked for again."""


class JwtVerifier:
    """Verifies signed access tokens (RFC 9068) as the SDK's token verifier."""

    def __init__(self, settings: OAuthSettings, clock: MonotonicClock = monotonic) -> None:
        self._settings = settings
        self._clock = clock
        self._place = settings.keys
        self._keys: dict[str | None, jwt.PyJWK] = {}
        self._asked = self._fetched = -math.inf
        self._unreachable = False
        self._asking = asyncio.Lock()

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return what the token says, or None when it is not to be believed."""
        try:
            name = jwt.get_unverified_header(token).get("kid")
        except jwt.PyJWTError:
            return None  # What is no token at all must not make us fetch keys.
        if not self._knows(name):
            async with self._asking:
                if not self._knows(name) and self._clock() - self._asked >= _PAUSE_SECONDS:
                    self._asked = self._clock()
                    await asyncio.to_thread(self._ask)
        if self._knows(name):
            return await asyncio.to_thread(self._verified, token, self._keys[name])
        if self._unreachable:
            raise Busy(
                "The authorization server's keys cannot be fetched.",
                hint="Check --oauth-keys, then try again.",
            )
        return None

    def _knows(self, name: str | None) -> bool:
        return name in self._keys and self._clock() - self._fetched < _KEYS_LIFETIME_SECONDS

    def _ask(self) -> None:
        try:
            self._place = self._place or _announced_keys(self._settings.issuer)
            found = _fetched(self._place).get("keys")
        except HoldfastError:
            self._unreachable = True
            return
        keys = [_signing_key(stated) for stated in found] if isinstance(found, list) else []
        self._keys = {key.key_id: key for key in keys if key is not None}
        self._fetched, self._unreachable = self._asked, False

    def _verified(self, token: str, key: jwt.PyJWK) -> AccessToken | None:
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=_ALGORITHMS,
                audience=self._settings.audience,
                issuer=self._settings.issuer,
                options={"require": ["exp", "iss", "aud"]},
            )
            return self._access_token(token, claims)
        except (jwt.PyJWTError, OverflowError):
            return None

    def _access_token(self, token: str, claims: dict[str, Any]) -> AccessToken:
        return AccessToken(
            token=token,
            client_id=str(claims.get("client_id") or claims.get("azp") or claims.get("sub") or "unknown"),
            scopes=_scopes(claims),
            expires_at=int(float(claims["exp"])),
            resource=self._settings.audience,
            subject=str(claims["sub"]) if "sub" in claims else None,
            claims=claims,
        )


class OAuthTokens:
    """Recognises whoever the authorization server vouches for."""

    def __init__(self, settings: OAuthSettings) -> None:
        self._settings = settings
        self._verifier = JwtVerifier(settings)
        self._known: dict[bytes, tuple[float, Caller]] = {}

    async def caller(self, token: str) -> Caller | None:
        """Return the subject of a token and the role its scopes give."""
        digest = hashlib.sha256(token.encode()).digest()
        expires, known = self._known.get(digest, (0.0, None))
        if known is not None and time.time() < expires:
            return known
        verified = await self._verifier.verify_token(token) if token.count(".") == 2 else None
        if verified is None or verified.resource != self._settings.audience:
            return None
        caller = _caller(self._settings.issuer, verified)
        if len(self._known) >= _TOKENS_REMEMBERED:
            self._known.clear()
        self._known[digest] = (float(verified.expires_at or 0), caller)
        return caller


def metadata(settings: OAuthSettings) -> tuple[list[str], bytes]:
    """Return the paths and the text of the metadata that leads clients to the authorization server."""
    document = ProtectedResourceMetadata.model_validate(
        {
            "resource": settings.audience,
            "authorization_servers": [settings.issuer],
            "scopes_supported": list(SCOPES),
            "bearer_methods_supported": ["header"],
        }
    )
    path = urlsplit(settings.audience).path.rstrip("/")
    return [METADATA_PATH, METADATA_PATH + path], document.model_dump_json(exclude_none=True).encode()


def metadata_url(settings: OAuthSettings) -> str:
    """Return where clients find the metadata."""
    parts = urlsplit(settings.audience)
    return f"{parts.scheme}://{parts.netloc}{METADATA_PATH}{parts.path.rstrip('/')}"


def _caller(issuer: str, token: AccessToken) -> Caller:
    roles = [SCOPES[scope] for scope in token.scopes if scope in SCOPES]
    if not roles:
        raise InsufficientScope(
            "The access token has none of the scopes that count here.",
            hint=f"Ask for one of {', '.join(SCOPES)}.",
        )
    role = max(roles, key=list(Role).index)
    name = f"{token.subject or token.client_id} ({issuer.partition('://')[2].rstrip('/')})"
    return Caller(name, role, f"oauth:{issuer}:{token.client_id}:{token.subject}:{role.value}")


def _scopes(claims: dict[str, Any]) -> list[str]:
    stated = claims.get("scope", claims.get("scp"))
    listed = stated.split() if isinstance(stated, str) else stated
    return [str(scope) for scope in listed] if isinstance(listed, list) else []


def _signing_key(stated: Any) -> jwt.PyJWK | None:
    """Return one of the keys that the issuer publishes; None for what is no key to sign with."""
    try:
        key = jwt.PyJWK(stated)
    except (jwt.PyJWTError, ValueError, TypeError, AttributeError, LookupError):
        return None
    return key if key.public_key_use in ("sig", None) and isinstance(key.key_id, str) else None


def _announced_keys(issuer: str) -> str:
    parts = urlsplit(issuer)
    base, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    for place in (
        f"{base}/.well-known/oauth-authorization-server{path}",
        f"{issuer.rstrip('/')}/.well-known/openid-configuration",
    ):
        with suppress(HoldfastError):  # the other place may have it
            document = _fetched(place)
            if document.get("issuer") == issuer and isinstance(document.get("jwks_uri"), str):
                return str(document["jwks_uri"])
    raise Unavailable("The authorization server does not say where its keys are.", hint="Pass --oauth-keys.")


def _fetched(url: str) -> dict[str, Any]:
    """Return a document of the authorization server, which a person named."""
    allowed = AllowedHosts([urlsplit(url).netloc])
    answer = WebClient(url, allowed, seconds=_FETCH_SECONDS, limit=_DOCUMENT_BYTES).request("GET", url)
    document = answer.json() if answer.status == 200 else None
    if not isinstance(document, dict):
        raise Unavailable("The authorization server gives no such document.", hint="Check its address.")
    return document
