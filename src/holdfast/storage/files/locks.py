"""File locks that the kernel releases when their holder dies.

Contract:
- A lock is a `flock` on a separate file, which Holdfast never replaces or removes. The data file itself
  cannot be locked, because `atomic_write` replaces it with another inode.
- The kernel drops the lock when its holder dies: no process has to find out whether another is alive.
- `StripedLocks` are for things that can have no lock file beside them, such as files of the work tree. Keys
  share a fixed number of lock files (lock striping). Several locks are always taken in the same order, so no
  deadlock is possible.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, TypeVar

from holdfast.kernel.call import current_call
from holdfast.kernel.clock import monotonic
from holdfast.kernel.errors import Busy
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.directories import StrPath, open_directory

if TYPE_CHECKING:
    from holdfast.storage.git.repository import Repository

Lock = TypeVar("Lock")

_MIN_PAUSE_SECONDS = 0.001
_MAX_PAUSE_SECONDS = 0.005
"""The pauses between attempts grow from one to the other. A judgement: locks are held for a few milliseconds,
about as long as a flush takes."""
_PAUSE_GROWTH = 1.5
# No link is followed, and no FIFO of that name can block.
_LOCK_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_STRIPE_COUNT = 64
"""A judgement: more than the threads of a server, so that two keys seldom share a lock by chance."""


@contextmanager
def locked(path: StrPath, *, wait: float = LIMITS.lock_wait_seconds) -> Iterator[None]:
    """Hold the lock of `path`, which is the file `<path>.lock`, against other processes and threads.

    Waits at most `wait` seconds, then raises `Busy`. Not re-entrant: a second `locked` on the same path
    inside the first waits for itself.
    """
    name = os.path.basename(os.fspath(path))
    with translate_disk_errors(f"{name}.lock"):
        descriptor = wait_for_lock(lambda: try_lock(f"{os.fspath(path)}.lock"), name, wait)
    try:
        yield
    finally:
        os.close(descriptor)


def wait_for_lock(
    try_lock: Callable[[], Lock | None], label: str, seconds: float = LIMITS.lock_wait_seconds
) -> Lock:
    """Call `try_lock` until it returns a lock; after `seconds`, raise `Busy` for what `label` names."""
    deadline = monotonic() + seconds
    pause = _MIN_PAUSE_SECONDS
    while (lock := try_lock()) is None:
        if monotonic() >= deadline:
            raise Busy(f"'{label}' is in use by another process.", hint="Try again in a moment.", path=label)
        current_call().check()
        time.sleep(pause)
        pause = min(pause * _PAUSE_GROWTH, _MAX_PAUSE_SECONDS)
    return lock


def try_lock(lock_path: str) -> int | None:
    """Return the descriptor of the locked file, to be closed, or None if another holder has the lock."""
    descriptor = os.open(lock_path, _LOCK_FLAGS, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # If another program removed the file between the two calls, other processes would lock a new one.
        if os.path.samestat(os.fstat(descriptor), os.stat(lock_path, follow_symlinks=False)):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


class StripedLocks:
    """A group of locks in the store of a repository, each found by a key."""

    def __init__(self, repository: Repository, name: str) -> None:
        self._repository = repository
        self._name = name

    @contextmanager
    def holding(self, *keys: str) -> Iterator[None]:
        """Hold the locks of these keys against other processes and threads."""
        directory = os.path.join(self._repository.ensure_store(), self._name)
        with translate_disk_errors(self._name):
            os.makedirs(directory, 0o700, exist_ok=True)
            with open_directory(directory, follows_link=False):
                pass  # raises if it is not a directory, or a link to one
        with ExitStack() as stack:
            for number in sorted({_stripe(key) for key in keys}):
                lock = locked(os.path.join(directory, f"{number:02x}"), wait=LIMITS.crowded_lock_seconds)
                try:
                    stack.enter_context(lock)
                except Busy:
                    # The name of a lock file would tell a caller nothing.
                    message = f"'{keys[0]}' is in use by others."
                    raise Busy(message, hint="Try again in a moment.", path=keys[0]) from None
            yield


def _stripe(key: str) -> int:
    import hashlib  # here, because quick commands do not use it

    # Keys are paths, in which bytes that are not UTF-8 are surrogates.
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return int.from_bytes(digest, "big") % _STRIPE_COUNT
