"""Authentication by bearer token: identifies the sender of a request and the role they have."""

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
from holdfast.storage.network.tokens import Grant, TokenFile

_SCHEME = b"bearer "


@dataclass(frozen=True)
class Principal:
    """An authenticated caller. Callers with the same key share their limits and their sessions."""

    name: str
    role: Role
    key: str
    """Identifies the credentials: the kind of token and whom it was issued to."""

    @cached_property
    def user(self) -> AuthenticatedUser:
        """The caller in the SDK's type, to which the SDK binds request state. It needs no token for that."""
        return AuthenticatedUser(AccessToken(token="", client_id=self.key, scopes=[self.role.value]))


OWNER_PRINCIPAL = Principal(OWNER, Role.ADMIN, f"token:{OWNER}")
"""Whoever has the repository's own token, or has logged in with the link that its server prints."""


def token_principal(grant: Grant) -> Principal:
    """Return the holder of a token of the repository."""
    return Principal(grant.name, grant.role, f"token:{grant.name}")


class TokenSource(Protocol):
    """A source of accepted tokens, such as a token file or an authorization server."""

    async def caller(self, token: str) -> Principal | None:
        """Return the holder of a token, or None when the token is not from this source."""


class LocalTokens:
    """The repository's own token, which may do everything, and the named tokens in its token file."""

    def __init__(self, owner_token: str, tokens: TokenFile) -> None:
        self._owner_token = owner_token.encode()
        self._tokens = tokens

    async def caller(self, token: str) -> Principal | None:
        if hmac.compare_digest(token.encode(), self._owner_token):
            return OWNER_PRINCIPAL
        grant = self._tokens.find(token)
        return None if grant is None else token_principal(grant)


class Authentication:
    """Identifies the sender of a request by asking each token source in turn."""

    def __init__(self, token_sources: Sequence[TokenSource], metadata_url: str | None = None) -> None:
        self._token_sources = token_sources
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
        header = headers.get(b"authorization", b"")
        if header[: len(_SCHEME)].lower() == _SCHEME:
            token = header[len(_SCHEME) :].strip().decode("latin-1")
            for token_source in self._token_sources:
                principal = await token_source.caller(token)
                if principal is not None:
                    return principal
            raise InvalidToken(
                "This token is not known here.",
                hint="It may have been removed or have expired; `holdfast token add` makes a new one.",
            )
        raise Unauthenticated(
            "A bearer token is needed.",
            hint="The owner's is in the file token of Holdfast's store; `holdfast token add` makes others.",
        )
