"""Recognises binary files as git does."""

from __future__ import annotations

_SEARCHED_BYTES = 8000
"""How many bytes git searches for a zero byte (`FIRST_FEW_BYTES` in its xdiff-interface.c)."""


def is_binary(data: bytes) -> bool:
    """Return whether git would treat these bytes as binary."""
    return b"\0" in data[:_SEARCHED_BYTES]
