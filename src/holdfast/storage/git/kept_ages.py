"""Ages of lines that were found before, kept for the commits that were the last one then.

What a line of a commit's file goes back to never changes, so a later walk through the history ends at such a
commit for every line that was asked about there. A few commits are kept: work trees have their own last one.
Where two processes write at once one of them wins, which costs a walk.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from holdfast.kernel.errors import HoldfastError
from holdfast.storage.files.atomic import atomic_write, read_limited
from holdfast.storage.git.repository import Repository

_NAME = "line-ages-1.json"
_MOST_COMMITS = 4
_MOST_BYTES = 16 * 1024 * 1024

Found = Mapping[str, Mapping[str, tuple[str, int]]]
"""By path and number of the line, as digits: the commit that brought it, and its time."""


def load(repository: Repository) -> dict[str, Found]:
    """Return what is kept, by the commit that it is true for; nothing where the file is damaged."""
    try:
        kept = json.loads(read_limited(os.path.join(repository.store_directory, _NAME), _MOST_BYTES))
        return {head: {path: _ages(lines) for path, lines in found.items()} for head, found in kept.items()}
    except (HoldfastError, ValueError, TypeError, AttributeError, ArithmeticError, RecursionError):
        return {}


def _ages(lines: Mapping[str, tuple[str, int]]) -> dict[str, tuple[str, int]]:
    return {number: (str(commit), int(time)) for number, (commit, time) in lines.items()}


def keep(repository: Repository, kept: Mapping[str, Found], head: str, found: Found) -> None:
    """Keep what was found for a commit beside what was kept before, as far as it can be written."""
    others = [(other, ages) for other, ages in kept.items() if other != head]
    data = json.dumps(dict([*others[1 - _MOST_COMMITS :], (head, found)])).encode()
    if len(data) <= _MOST_BYTES:
        try:
            atomic_write(os.path.join(repository.ensure_store(), _NAME), data, mode=0o600)
        except HoldfastError:
            pass  # the next walk is as long as this one
