"""The address at which a repository's page is served, for other commands on this machine.

Contract: the file is locked as long as its server runs, in however many processes, so that a server that was
killed is not taken for a running one. Of several servers of a work tree, the first one is found.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.git.repository import Repository

_LABEL = "served-at"
_MAX_BYTES = 4096
"""A judgement: twice the longest URL that browsers have agreed on."""


@contextmanager
def announced_address(repository: Repository, url: str) -> Iterator[None]:
    """Let other commands find the address of a server while it runs."""
    with translate_disk_errors(_LABEL):
        repository.ensure_store()
        descriptor = os.open(_path(repository), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        if _try_lock(descriptor, fcntl.LOCK_EX):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, url.encode(), 0)
    try:
        yield
    finally:
        os.close(descriptor)


def served_address(repository: Repository) -> str | None:
    """Return the URL at which a running server serves this repository's page, or None."""
    try:
        descriptor = os.open(_path(repository), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        # A server's lock keeps even a shared one out.
        return None if _try_lock(descriptor, fcntl.LOCK_SH) else os.pread(descriptor, _MAX_BYTES, 0).decode()
    finally:
        os.close(descriptor)


def _path(repository: Repository) -> str:
    """Return the path of the file, one for each work tree of a repository."""
    work_tree = hashlib.sha256(os.fsencode(repository.root)).hexdigest()[:16]
    return os.path.join(repository.store_directory, f"{_LABEL}-{work_tree}")


def _try_lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
