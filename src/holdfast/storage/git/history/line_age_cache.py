"""A cache of the ages of lines, for the commits that were HEAD when they were found.

The commit that last changed a line of some commit's file never changes, so a later walk through the history
ends at such a commit for every line that was found there. A few commits are cached, because each work tree
has its own HEAD. If two processes write at once, one of them wins, which costs a walk.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from holdfast.kernel.errors import HoldfastError
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.files.regular_file import read_limited
from holdfast.storage.git.repository import Repository

_NAME = "line-ages-1.json"
_MAX_COMMITS = 4
"""A judgement: few people work in more worktrees at a time."""
_MAX_BYTES = 16 * 1024 * 1024

Found = Mapping[str, Mapping[str, tuple[str, int]]]
"""By path and line number, in digits: the commit that last changed the line, and its time."""


def load(repository: Repository) -> dict[str, Found]:
    """Return the cached ages by commit; none if the file is damaged."""
    try:
        cached = json.loads(read_limited(os.path.join(repository.store_directory, _NAME), _MAX_BYTES))
        return {head: {path: _ages(lines) for path, lines in found.items()} for head, found in cached.items()}
    except (HoldfastError, ValueError, TypeError, AttributeError, ArithmeticError, RecursionError):
        return {}


def _ages(lines: Mapping[str, tuple[str, int]]) -> dict[str, tuple[str, int]]:
    return {number: (str(commit), int(time)) for number, (commit, time) in lines.items()}


def save(repository: Repository, cached: Mapping[str, Found], head: str, found: Found) -> None:
    """Add the ages found for a commit to the cache, if it can be written."""
    others = [(other, ages) for other, ages in cached.items() if other != head]
    data = json.dumps(dict([*others[1 - _MAX_COMMITS :], (head, found)])).encode()
    if len(data) <= _MAX_BYTES:
        try:
            atomic_write(os.path.join(repository.ensure_store(), _NAME), data, mode=0o600)
        except HoldfastError:
            pass  # the next walk is as long as this one
