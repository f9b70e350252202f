"""What a caller may do, from least to most.

A role is a reach into the effects of operations: who may read sees only what reads, who may write also what
adds and changes, an administrator also what destroys. The registry applies it, as it applies read-only.
"""

from __future__ import annotations

from enum import Enum


class Role(Enum):
    """How far a caller's reach goes."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"
