"""Opaque cursors for keyset pagination, without state on the server.

A cursor contains the key of the last item of a page and a fingerprint of the query, with a checksum. Its
format is private, and a cursor of another query is refused.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Sequence
from typing import TypeVar

from holdfast.kernel.errors import InvalidCursor

Item = TypeVar("Item")

_VERSION = 1


def encode_cursor(query: str, key: object) -> str:
    """Return the cursor for the items after `key` in the results of `query`."""
    body = json.dumps([_VERSION, _fingerprint(query), key], separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(zlib.crc32(body).to_bytes(4, "big") + body).decode().rstrip("=")


def decode_cursor(query: str, cursor: str) -> object:
    """Return the key in `cursor`, or raise if the cursor is not one of `query`."""
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        checksum, body = raw[:4], raw[4:]
        if zlib.crc32(body).to_bytes(4, "big") != checksum:
            raise ValueError("checksum")
        version, fingerprint, key = json.loads(body)
    except (ValueError, TypeError, RecursionError):
        raise InvalidCursor(
            "The cursor is damaged.",
            hint="Pass a cursor exactly as it was returned, or start again without one.",
        ) from None
    if version != _VERSION or fingerprint != _fingerprint(query):
        raise InvalidCursor(
            "The cursor belongs to another query.",
            hint="Repeat the call with the arguments that returned the cursor, or start again without one.",
        )
    return key


def page(
    items: Sequence[Item], key: Callable[[Item], str], query: str, cursor: str | None, size: int
) -> tuple[Sequence[Item], str | None]:
    """Return one page of `items`, which are sorted by `key`, and the cursor of the next page."""
    if cursor is not None:
        last_key = str(decode_cursor(query, cursor))
        items = [item for item in items if key(item) > last_key]
    if len(items) <= size:
        return items, None
    return items[:size], encode_cursor(query, key(items[size - 1]))


def _fingerprint(query: str) -> int:
    return zlib.crc32(query.encode("utf-8", "surrogatepass"))
