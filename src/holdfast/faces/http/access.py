"""Authentication by bearer token: whose request is it, and which role does its sender have?"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from holdfast.faces.http.asgi import Headers
from holdfast.faces.http.problems import InsufficientScope, InvalidToken, Unauthenticated
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.role import OWNER, Role
from holdfast.storage.network.tokens import TokenFile

_SCHEME = b"bearer "


@dataclass(frozen=True)
class Principal:
    """An authenticated caller. Callers with the same key share their limits and their sessions."""

    name: str
    role: Role
    key: str

    @cached_property
    def user(self) -> AuthenticatedUser:
        """Return the caller in the SDK's terms, by which a session belongs to the user who opened it."""
        return AuthenticatedUser(AccessToken(token="", client_id=self.key, scopes=[self.role.value]))


class Recogniser(Protocol):
    """A source of tokens that are accepted."""

    async def caller(self, token: str) -> Principal | None:
        """Return the holder of a token, or None when the token is not from this source."""


class LocalTokens:
    """The repository's own token, which may do everything, and the named tokens in its token file."""

    def __init__(self, owner_token: str, tokens: TokenFile) -> None:
        self._owner_token = owner_token.encode()
        self._tokens = tokens
        self._owner = Principal(OWNER, Role.ADMIN, f"token:{OWNER}")
        self._known: dict[str, Principal] = {}

    async def caller(self, token: str) -> Principal | None:
        """Return the owner, or the caller that the token was issued to."""
        if hmac.compare_digest(token.encode(), self._owner_token):
            return self._owner
        grant = self._tokens.find(token)
        if grant is None:
            return None
        known = self._known.get(grant.name)
        if known is None or known.role is not grant.role:
            known = self._known[grant.name] = Principal(grant.name, grant.role, f"token:{grant.name}")
        return known


class Authentication:
    """Finds out who sent a request, by asking each recogniser in turn."""

    def __init__(self, recognisers: Sequence[Recogniser], metadata_url: str | None = None) -> None:
        self._recognisers = recognisers
        self._metadata = [] if metadata_url is None else [f'resource_metadata="{metadata_url}"']

    def challenge(self, refused: HoldfastError) -> dict[str, str]:
        """Return the `WWW-Authenticate` header for a refusal (RFC 6750, RFC 9728), or no header."""
        if isinstance(refused, InsufficientScope | InvalidToken):
            parts = [f'error="{refused.kind}"', *self._metadata]
        elif isinstance(refused, Unauthenticated):
            parts = self._metadata
        else:
            return {}
        return {"WWW-Authenticate": f"Bearer {', '.join(parts)}".strip()}

    async def caller(self, headers: Headers) -> Principal:
        """Return the sender of a request; raise when no recogniser knows its token."""
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
