"""Accepts OAuth access tokens of a team's authorization server; this process is the resource server.

Contract:
- A token is accepted only if it is signed with one of the issuer's keys, is for this server's audience and
  has not expired.
- Its scopes determine the role: the highest of `holdfast:read`, `holdfast:write` and `holdfast:admin`.
- The issuer is contacted only for its keys, over https or on this machine, by one request at a time and at
  most once every `_MIN_FETCH_INTERVAL_SECONDS`, whatever tokens arrive.
- A caller's name includes the issuer, so that it cannot equal the name of a token of the repository.
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
from mcp.shared.auth import ProtectedResourceMetadata

from holdfast.faces.http.access import Principal
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
_FETCH_TIMEOUT_SECONDS = 10
"""A judgement: a request with an unknown key waits for the fetch, and its client will not wait longer."""
_MAX_DOCUMENT_BYTES = 1024 * 1024
"""A judgement: key and metadata documents have a few kilobytes."""
_MAX_CACHED_TOKENS = 1000
"""A judgement: far more tokens than a team uses at once, in less than a megabyte. A full cache is emptied."""
_KEYS_LIFETIME_SECONDS = 300
"""A judgement: issuers rotate keys rarely and publish new ones before they use them."""
_MIN_FETCH_INTERVAL_SECONDS = 10
"""The minimum time between two requests for the issuer's keys. A judgement: tokens with invented key names
must not turn this server into a load on the issuer."""


class JwtVerifier:
    """Verifies signed access tokens (RFC 9068) with the issuer's keys, which it fetches and caches."""

    def __init__(self, settings: OAuthSettings, clock: MonotonicClock = monotonic) -> None:
        self._settings = settings
        self._clock = clock
        self._keys_url = settings.keys
        self._keys: dict[str | None, jwt.PyJWK] = {}
        self.last_attempt = -math.inf
        """When the keys were last requested, successfully or not; a time of the clock."""
        self._last_fetch = -math.inf
        """When the keys in `_keys` were requested."""
        self._is_unreachable = False
        """Whether the last request for the keys failed."""
        self._fetch_lock = asyncio.Lock()

    async def verify_token(self, token: str) -> dict[str, Any] | None:
        """Return the claims of a token, or None when it is not valid; raise `Busy` if that is unknown."""
        try:
            key_id = jwt.get_unverified_header(token).get("kid")
        except jwt.PyJWTError:
            return None  # Text that is not a token must not make us fetch keys.
        if not self._has_key(key_id):
            async with self._fetch_lock:
                is_due = self._clock() - self.last_attempt >= _MIN_FETCH_INTERVAL_SECONDS
                # Another request may have fetched the key while this one waited for the lock.
                if is_due and not self._has_key(key_id):
                    self.last_attempt = self._clock()
                    await asyncio.to_thread(self._fetch_keys)
        if self._has_key(key_id):
            return await asyncio.to_thread(self._verify, token, self._keys[key_id])
        if self._is_unreachable:
            raise Busy(
                "The authorization server's keys cannot be fetched.",
                hint="Check --oauth-keys, then try again.",
            )
        return None

    def _has_key(self, key_id: str | None) -> bool:
        return key_id in self._keys and self._clock() - self._last_fetch < _KEYS_LIFETIME_SECONDS

    def _fetch_keys(self) -> None:
        try:
            self._keys_url = self._keys_url or _find_keys_url(self._settings.issuer)
            published = _fetch_document(self._keys_url).get("keys")
        except HoldfastError:
            self._is_unreachable = True
            return
        keys = [_signing_key(item) for item in published] if isinstance(published, list) else []
        self._keys = {key.key_id: key for key in keys if key is not None}
        self._last_fetch, self._is_unreachable = self.last_attempt, False

    def _verify(self, token: str, key: jwt.PyJWK) -> dict[str, Any] | None:
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=_ALGORITHMS,
                audience=self._settings.audience,
                issuer=self._settings.issuer,
                options={"require": ["exp", "iss", "aud"]},
            )
            return claims | {"exp": float(claims["exp"])}
        except (jwt.PyJWTError, OverflowError):  # an infinite or huge time overflows
            return None


class OAuthTokens:
    """The access tokens of the authorization server as a token source."""

    def __init__(self, settings: OAuthSettings) -> None:
        self._settings = settings
        self._verifier = JwtVerifier(settings)
        self._cache: dict[bytes, tuple[float, Principal]] = {}
        """For the hash of each token, when it expires and its subject."""

    async def caller(self, token: str) -> Principal | None:
        """Return the subject of a token, with the role that its scopes grant."""
        digest = hashlib.sha256(token.encode()).digest()
        expires, cached = self._cache.get(digest, (0.0, None))
        if cached is not None and time.time() < expires:
            return cached
        is_jwt = token.count(".") == 2  # header, claims and signature
        claims = await self._verifier.verify_token(token) if is_jwt else None
        if claims is None:
            return None
        caller = _principal(self._settings.issuer, claims)
        if len(self._cache) >= _MAX_CACHED_TOKENS:
            self._cache.clear()
        self._cache[digest] = (claims["exp"], caller)
        return caller


def metadata(settings: OAuthSettings) -> tuple[list[str], bytes]:
    """Return the paths and the JSON of the protected resource metadata (RFC 9728).

    A client may look it up at the root, or at the path of the audience below the root.
    """
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
    """Return the URL of the metadata, which a 401 response names."""
    parts = urlsplit(settings.audience)
    return f"{parts.scheme}://{parts.netloc}{METADATA_PATH}{parts.path.rstrip('/')}"


def _principal(issuer: str, claims: dict[str, Any]) -> Principal:
    roles = [SCOPES[scope] for scope in _scopes(claims) if scope in SCOPES]
    if not roles:
        raise InsufficientScope(
            "The access token has none of the scopes that are used here.",
            hint=f"Ask for one of {', '.join(SCOPES)}.",
        )
    role = max(roles, key=list(Role).index)
    subject = claims.get("sub")
    client = claims.get("client_id") or claims.get("azp") or subject or "unknown"
    name = f"{subject or client} ({issuer.partition('://')[2].rstrip('/')})"
    return Principal(name, role, f"oauth:{issuer}:{client}:{subject}:{role.value}")


def _scopes(claims: dict[str, Any]) -> list[str]:
    claim = claims.get("scope", claims.get("scp"))
    scopes = claim.split() if isinstance(claim, str) else claim
    return [str(scope) for scope in scopes] if isinstance(scopes, list) else []


def _signing_key(published: Any) -> jwt.PyJWK | None:
    """Return a published key, or None if it is not a signing key with an id."""
    try:
        key = jwt.PyJWK(published)
    except (jwt.PyJWTError, ValueError, TypeError, AttributeError, LookupError):
        return None
    return key if key.public_key_use in ("sig", None) and isinstance(key.key_id, str) else None


def _find_keys_url(issuer: str) -> str:
    """Return the URL of the issuer's keys, from its metadata (RFC 8414 or OpenID Connect Discovery)."""
    parts = urlsplit(issuer)
    base, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    for url in (
        f"{base}/.well-known/oauth-authorization-server{path}",
        f"{issuer.rstrip('/')}/.well-known/openid-configuration",
    ):
        with suppress(HoldfastError):  # The other URL may work.
            document = _fetch_document(url)
            if document.get("issuer") == issuer and isinstance(document.get("jwks_uri"), str):
                return str(document["jwks_uri"])
    raise Unavailable(
        "The authorization server does not announce where its keys are.", hint="Pass --oauth-keys."
    )


def _fetch_document(url: str) -> dict[str, Any]:
    """Return a JSON document of the authorization server, from that host only."""
    allowed = AllowedHosts([urlsplit(url).netloc])
    answer = WebClient(url, allowed, seconds=_FETCH_TIMEOUT_SECONDS, limit=_MAX_DOCUMENT_BYTES).request(
        "GET", url
    )
    document = answer.json() if answer.status == 200 else None
    if not isinstance(document, dict):
        raise Unavailable("The authorization server has no such document.", hint="Check its address.")
    return document
