"""Who is asking: from a bearer token to a name and a role."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from holdfast.faces.http.boundary import Headers
from holdfast.faces.http.refusals import InsufficientScope, Unauthenticated
from holdfast.kernel.call import Role
from holdfast.kernel.errors import HoldfastError
from holdfast.storage.network.tokens import OWNER, TokenFile

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
        if isinstance(refused, InsufficientScope):
            parts = ['error="insufficient_scope"', *self._metadata]
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
        raise Unauthenticated(
            "A bearer token is needed.",
            hint="The owner's is in the file token of Holdfast's store; `holdfast token add` makes others.",
        )
