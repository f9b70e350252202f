"""Clones that lack a part of the history: partial and shallow ones."""

from __future__ import annotations

import os

from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.regular_file import read_limited
from holdfast.storage.git.repository import Repository


def is_partial(repository: Repository) -> bool:
    """Return whether this is a partial clone, which may lack file contents."""
    try:
        packs = os.listdir(os.path.join(repository.common_dir or "", "objects", "pack"))
    except OSError:
        return False
    return any(name.endswith(".promisor") for name in packs)


def shallow_commits(repository: Repository) -> frozenset[str]:
    """Return the commits whose parents a shallow clone lacks; none if the history is complete."""
    try:
        listed = read_limited(os.path.join(repository.common_dir or "", "shallow"), LIMITS.git_output_bytes)
    except HoldfastError:
        return frozenset()
    return frozenset(listed.decode("ascii", "replace").split())
