"""Clocks that tests can replace, and timestamps, which are always in the format of RFC 3339.

Quick commands import this module: it does without `typing`, and functions import `datetime` if they need it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

Clock = Callable[[], "datetime"]
"""Returns the current time, with a time zone."""

MonotonicClock = Callable[[], float]
"""Returns seconds that never go backwards."""

monotonic: MonotonicClock = time.monotonic

DAY_SECONDS = 86_400
_MAX_CACHED_TIMES = 4096
"""A judgement: the items of one list, or of one step of a bulk load, share fewer times and days."""
EPOCH = "1970-01-01T00:00:00Z"
_RFC_3339 = "%Y-%m-%dT%H:%M:%SZ"


def utc_now() -> datetime:
    """Return the current time in UTC."""
    from datetime import UTC, datetime

    return datetime.now(UTC)


def rfc3339(value: datetime) -> str:
    """Return a time as RFC 3339 in UTC, with whole seconds as the specifications require."""
    return time.strftime(_RFC_3339, value.utctimetuple())


@lru_cache(maxsize=_MAX_CACHED_TIMES)
def rfc3339_of_seconds(seconds: int) -> str:
    """Return seconds since 1970 as RFC 3339 in UTC."""
    return time.strftime(_RFC_3339, time.gmtime(seconds))


def seconds_of(timestamp: str) -> int | None:
    """Return the seconds since 1970 of a timestamp in the form of `rfc3339`; None for any other text."""
    day, hour, minute, second = timestamp[:10], timestamp[11:13], timestamp[14:16], timestamp[17:19]
    has_form = timestamp == f"{day}T{hour}:{minute}:{second}Z" and timestamp.isascii()
    is_time = (hour + minute + second).isdecimal() and hour < "24" and minute < "60" and second < "60"
    day_start = day_start_seconds(day) if has_form and is_time else None
    return None if day_start is None else day_start + int(hour) * 3600 + int(minute) * 60 + int(second)


@lru_cache(maxsize=_MAX_CACHED_TIMES)
def day_start_seconds(day: str) -> int | None:
    """Return the seconds since 1970 of the start of a day, `YYYY-MM-DD`; None for any other text."""
    from datetime import date

    try:
        parsed = date.fromisoformat(day)
    except ValueError:
        return None
    # `fromisoformat` also reads other forms, such as that of a week.
    return (parsed - date(1970, 1, 1)).days * 86400 if parsed.isoformat() == day else None


def microseconds_of(text: str) -> int | None:
    """Return the microseconds since 1970 of any RFC 3339 timestamp; None for any other text."""
    from datetime import UTC, datetime, timedelta

    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        return None
    if "T" not in text.upper().replace(" ", "T") or parsed.tzinfo is None:
        return None
    return (parsed - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
