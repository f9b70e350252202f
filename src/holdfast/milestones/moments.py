"""Moments as texts and as seconds since 1970."""

from __future__ import annotations

import time
from datetime import date
from functools import lru_cache

EPOCH = "1970-01-01T00:00:00Z"
_DATE_CHARACTERS = 10
_SHAPE = "dddd-dd-ddTdd:dd:ddZ"


def seconds_of(moment: str) -> int | None:
    """Return the seconds of a moment written as RFC 3339 in UTC with whole seconds; None for other texts."""
    if (
        len(moment) != len(_SHAPE)
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
    if len(day) != _DATE_CHARACTERS or not day.isascii():
        return None
    try:
        return (date.fromisoformat(day) - date(1970, 1, 1)).days * 86400
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def moment_of(seconds: int) -> str:
    """Write seconds since 1970 as RFC 3339 in UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
