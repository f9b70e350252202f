"""How much one client may ask at once and over time; clients do not slow each other down.

Contract:
- A client is whoever shares a key: a token, or the subject of an access token.
- Its requests draw on one bucket and count while they are in flight. Streams that last are counted apart.
- What is known about a client that asks nothing any more is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from holdfast.faces.mcp.wire.bucket import TokenBucket
from holdfast.kernel.errors import RateLimited
from holdfast.kernel.limits import Limits

_CLIENTS_REMEMBERED = 10_000
_LATER_SECONDS = 1.0


@dataclass
class _Client:
    bucket: TokenBucket
    counts: dict[bool, int] = field(default_factory=lambda: {False: 0, True: 0})


class Admission:
    """Keeps the books on every client."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._most = {False: limits.requests_in_flight, True: limits.streams_per_client}
        self._clients: dict[str, _Client] = {}

    @contextmanager
    def admitted(self, key: str, *, lasting: bool) -> Iterator[None]:
        """Count a request while the block runs, or raise when it is one too many."""
        client = self._client(key)
        if (wait := client.bucket.wait_seconds()) > 0:
            raise _limited("rate", wait)
        if client.counts[lasting] >= self._most[lasting]:
            raise _limited("max_concurrent_streams" if lasting else "max_concurrent_requests", _LATER_SECONDS)
        client.counts[lasting] += 1
        try:
            yield
        finally:
            client.counts[lasting] -= 1

    def _client(self, key: str) -> _Client:
        client = self._clients.get(key)
        if client is None:
            if len(self._clients) >= _CLIENTS_REMEMBERED:
                self._forget_idle()
            bucket = TokenBucket(self._limits.request_burst, self._limits.requests_per_second)
            client = self._clients[key] = _Client(bucket)
        return client

    def _forget_idle(self) -> None:
        idle = [key for key, client in self._clients.items() if not any(client.counts.values())]
        for key in idle:
            del self._clients[key]


def _limited(reason: str, wait: float) -> RateLimited:
    milliseconds = max(1, round(wait * 1000))
    return RateLimited(
        "Too many requests.",
        hint=f"Try again in {milliseconds} ms.",
        reason=reason,
        retry_after_ms=milliseconds,
        retryAfterMs=milliseconds,
    )
