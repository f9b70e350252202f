"""Which file names are sidecars, and whose."""

from __future__ import annotations

import re

SUFFIX = ".comments"
VERSION = "2.1.0"
"""The version of the format that we write."""

_BACKUP = re.compile(r"\.backup-[^/]*\.comments$")


def is_sidecar(name: str) -> bool:
    """Return whether a file of that name holds comments: neither a backup, nor a sidecar's own sidecar."""
    return (
        name.endswith(SUFFIX)
        and len(name.rpartition("/")[2]) > len(SUFFIX)
        and not name.endswith(SUFFIX + SUFFIX)
        and _BACKUP.search(name) is None
    )


def sidecar_of(source_path: str) -> str:
    """Return the path of the sidecar that belongs to a source file."""
    return source_path + SUFFIX


def source_of(sidecar_path: str) -> str:
    """Return the path of the source file that a sidecar belongs to."""
    return sidecar_path.removesuffix(SUFFIX)
