"""Time as a parameter, so that tests can turn it."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Returns the present moment with a time zone."""

MonotonicClock = Callable[[], float]
"""Returns seconds that never run backwards."""

monotonic: MonotonicClock = time.monotonic


def utc_now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


def rfc3339(moment: datetime) -> str:
    """Write a moment as RFC 3339 in UTC with whole seconds, as the specifications show it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
