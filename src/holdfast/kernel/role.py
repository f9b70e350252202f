"""The roles of callers, and the name of the owner."""

from __future__ import annotations

from enum import Enum

OWNER = "owner"
"""The name of the caller with the repository's own token, which only the owner of its file can read."""


class Role(Enum):
    """The role of a caller, from the fewest to the most rights.

    READ allows operations that read, WRITE also those that add and change, ADMIN also those that destroy. The
    registry enforces roles, like read-only mode.
    """

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"
