"""Limits the requests of each client: their rate, and the number in flight.

Contract:
- A client is identified by its token, or by the subject of an access token; on a pipe there is one client.
- The requests of a client share one token bucket, and are counted while they are in flight. Streams that stay
  open are counted separately. Clients do not slow each other down.
- When there are too many clients, the state of those without open requests is dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from holdfast.kernel.clock import MonotonicClock, monotonic
from holdfast.kernel.errors import RateLimited
from holdfast.kernel.limits import Limits


class TokenBucket:
    """A token bucket, which starts full: each request takes a token, and `per_second` tokens are added."""

    def __init__(self, capacity: int, per_second: float, clock: MonotonicClock = monotonic) -> None:
        self._capacity = float(capacity)
        self._per_second = per_second
        self._clock = clock
        self._tokens = self._capacity
        self._filled = clock()

    def wait_seconds(self) -> float:
        """Take one token and return 0, or return the seconds until a token is available."""
        now = self._clock()
        self._tokens = min(self._capacity, self._tokens + (now - self._filled) * self._per_second)
        self._filled = now
        if self._tokens >= 1.0:
            self._tokens -= 1.0
            return 0.0
        return (1.0 - self._tokens) / self._per_second


_MAX_CLIENTS = 10_000
"""Clients whose state is stored. A judgement: some megabytes, and far more clients than a team has."""
RETRY_SECONDS = 1.0
"""The advised wait when too many requests are in flight. A judgement: their end cannot be predicted."""


RequestKind = Literal["requests", "streams"]
"""Ordinary requests, and streams that stay open while the client listens."""


@dataclass
class _Client:
    bucket: TokenBucket
    in_flight: Counter[RequestKind] = field(default_factory=Counter)


class Admission:
    """The request limits of every client."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._max_in_flight: dict[RequestKind, int] = {
            "requests": limits.requests_in_flight,
            "streams": limits.streams_per_client,
        }
        self._clients: dict[str, _Client] = {}

    @contextmanager
    def admitted(self, key: str, kind: RequestKind) -> Iterator[None]:
        """Count a request of the client `key` while the block runs, or raise when it is above a limit."""
        client = self._client(key)
        if (wait := client.bucket.wait_seconds()) > 0:
            raise rate_limited("rate", wait)
        if client.in_flight[kind] >= self._max_in_flight[kind]:
            raise rate_limited(f"max_concurrent_{kind}", RETRY_SECONDS)
        client.in_flight[kind] += 1
        try:
            yield
        finally:
            client.in_flight[kind] -= 1

    def _client(self, key: str) -> _Client:
        client = self._clients.get(key)
        if client is None:
            if len(self._clients) >= _MAX_CLIENTS:
                self._drop_idle_clients()
            bucket = TokenBucket(self._limits.request_burst, self._limits.requests_per_second)
            client = self._clients[key] = _Client(bucket)
        return client

    def _drop_idle_clients(self) -> None:
        self._clients = {
            key: client for key, client in self._clients.items() if any(client.in_flight.values())
        }


def rate_limited(reason: str, wait_seconds: float) -> RateLimited:
    """Return the refusal of a request; its data has the wait in the spellings of both kinds of clients."""
    milliseconds = max(1, round(wait_seconds * 1000))
    return RateLimited(
        "Too many requests.",
        hint=f"Try again in {milliseconds} ms.",
        reason=reason,
        retry_after_ms=milliseconds,
        retryAfterMs=milliseconds,
    )
