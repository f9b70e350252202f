"""Time as a parameter, so that tests can turn it, and RFC 3339, the one spelling of a moment.

Quick commands import this module; `datetime` is loaded only where one is made.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

Clock = Callable[[], "datetime"]
"""Returns the present moment with a time zone."""

MonotonicClock = Callable[[], float]
"""Returns seconds that never run backwards."""

monotonic: MonotonicClock = time.monotonic

EPOCH = "1970-01-01T00:00:00Z"
_RFC_3339 = "%Y-%m-%dT%H:%M:%SZ"
_DATE_CHARACTERS = 10


def utc_now() -> datetime:
    """Return the present moment in UTC."""
    from datetime import UTC, datetime

    return datetime.now(UTC)


def rfc3339(moment: datetime) -> str:
    """Write a moment with a time zone as RFC 3339 in UTC with whole seconds, as specified."""
    return time.strftime(_RFC_3339, moment.utctimetuple())


@lru_cache(maxsize=4096)
def rfc3339_of_seconds(seconds: int) -> str:
    """Write seconds since 1970 as RFC 3339 in UTC."""
    return time.strftime(_RFC_3339, time.gmtime(seconds))


def seconds_of(moment: str) -> int | None:
    """Return the seconds since 1970 of a moment as `rfc3339` writes it; None for every other text."""
    if (
        len(moment) != len(EPOCH)
        or moment[10] != "T"
        or moment[13] != ":"
        or moment[16] != ":"
        or moment[19] != "Z"
    ):
        return None
    start = first_second(moment[:_DATE_CHARACTERS])
    hour, minute, second = moment[11:13], moment[14:16], moment[17:19]
    if start is None or not (hour + minute + second).isdecimal():
        return None
    return start + int(hour) * 3600 + int(minute) * 60 + int(second)


@lru_cache(maxsize=4096)
def first_second(day: str) -> int | None:
    """Return the first second of a day written as `YYYY-MM-DD`, or None for other texts."""
    from datetime import date

    if len(day) != _DATE_CHARACTERS or not day.isascii():
        return None
    try:
        return (date.fromisoformat(day) - date(1970, 1, 1)).days * 86400
    except ValueError:
        return None


def microseconds_of(text: str) -> int | None:
    """Return any moment in RFC 3339, of whatever zone and fraction, as microseconds since 1970, or None."""
    from datetime import UTC, datetime, timedelta

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if "T" not in text.upper().replace(" ", "T") or moment.tzinfo is None:
        return None
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
