"""A request over HTTP with its caller, and the calls that are settled with its answer."""

from __future__ import annotations

from starlette.types import Scope

from holdfast.faces.http.access import Principal
from holdfast.faces.http.asgi import Headers
from holdfast.faces.settlements import Settleable

EXCHANGE = "holdfast.exchange"
"""The key of a request's exchange in its ASGI scope."""


class HttpExchange(Settleable):
    """A request that has passed all checks, and the calls that run for it."""

    def __init__(self, caller: Principal, headers: Headers | None = None, body: bytes = b"") -> None:
        super().__init__()
        self.caller = caller
        self.actor = caller.name
        """The name under which rooms record the caller's changes."""
        self.headers = headers or {}
        self.body = body
        self.failed = False
        """Whether an error is sent instead of an answer, so that the calls count as not answered."""


def http_exchange_of(scope: Scope) -> HttpExchange | None:
    """Return the exchange of an admitted request, or None for any other."""
    exchange = scope.get(EXCHANGE)
    return exchange if isinstance(exchange, HttpExchange) else None
