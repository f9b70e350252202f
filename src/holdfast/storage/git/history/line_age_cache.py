"""A cache of the ages of lines, stored for the commits that were HEAD at the time.

Which commit last changed a line of a committed file never changes. So a later walk through the history can
stop at a cached commit for every line whose age is stored there. A few commits are cached, because each work
tree has its own HEAD. If two processes write at once, the result of one is lost, and the next walk takes
longer.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress

from holdfast.kernel.errors import HoldfastError
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.files.regular_file import read_limited
from holdfast.storage.files.user_key import authentication_code
from holdfast.storage.git.repository import Repository

_NAME = "line-ages-2.json"
_MAX_COMMITS = 4
"""A judgement: few people work in more worktrees at a time."""
_MAX_FILE_BYTES = 16 * 1024 * 1024
"""A judgement: at some 60 bytes for a line, more than 200,000 lines."""

StoredAges = Mapping[str, Mapping[str, tuple[str, int]]]
"""The commit that last changed a line, and its time; by path, then by line number as a string."""


def load(repository: Repository) -> dict[str, StoredAges]:
    """Return the cached ages by commit; none if the file is damaged, or was not written by this user."""
    try:
        content = read_limited(os.path.join(repository.store_directory, _NAME), _MAX_FILE_BYTES)
    except HoldfastError:
        return {}
    code, _, data = content.partition(b"\n")
    return parse(data) if code.decode("ascii", "replace") == authentication_code(data) else {}


def parse(data: bytes) -> dict[str, StoredAges]:
    """Return the ages in an encoded cache; none if it is damaged."""
    try:
        cached = json.loads(data)
        return {head: {path: _ages(lines) for path, lines in found.items()} for head, found in cached.items()}
    except (ValueError, TypeError, AttributeError, ArithmeticError, RecursionError):
        return {}


def _ages(lines: Mapping[str, tuple[str, int]]) -> dict[str, tuple[str, int]]:
    return {number: (str(commit), int(time)) for number, (commit, time) in lines.items()}


def save(repository: Repository, cached: Mapping[str, StoredAges], head: str, ages: StoredAges) -> None:
    """Add the ages of a commit to the cache; a failure to write is ignored."""
    before = [(commit, stored) for commit, stored in cached.items() if commit != head]
    newest = [*before[1 - _MAX_COMMITS :], (head, ages)]
    data = json.dumps(dict(newest)).encode()
    code = authentication_code(data)
    if code is not None and len(data) + len(code) < _MAX_FILE_BYTES:
        with suppress(HoldfastError):  # the next walk takes as long as this one
            content = code.encode() + b"\n" + data
            atomic_write(os.path.join(repository.ensure_store(), _NAME), content, mode=0o600)
