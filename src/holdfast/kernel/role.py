"""What a caller may do, and the name of the one who may do everything."""

from __future__ import annotations

from enum import Enum

OWNER = "owner"
"""The caller who holds the repository's own token, which only the machine's owner can read."""


class Role(Enum):
    """What a caller may do, from least to most.

    A READ caller may run operations that read, a WRITE caller also those that add and change, an ADMIN also
    those that destroy. The registry enforces it, as it enforces read-only.
    """

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"
