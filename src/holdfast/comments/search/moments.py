"""Moments in time as numbers that can be compared."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def microseconds(text: str) -> int | None:
    """Return a moment in RFC 3339 as microseconds since 1970, or None when the text is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if "T" not in text.upper().replace(" ", "T") or moment.tzinfo is None:
        return None
    return (moment - _EPOCH) // timedelta(microseconds=1)
