"""File locks that the kernel releases when their holder dies, and counters that processes share.

Contract:
- A lock is a `flock` on a separate file, which is never replaced or removed. The data file itself cannot be
  locked, because `atomic_write` replaces it by another inode. The kernel drops the lock when its holder dies,
  so no process has to find out whether another is still alive.
- `Locks` are for things that can have no lock file beside them, such as files of the work tree. Keys share a
  fixed number of lock files (lock striping). Several locks are always taken in the same order, so that no
  deadlock is possible.
- The numbers that `next_number` takes from a file increase and never repeat, in all processes together. The
  file is not flushed: after a power failure it may be older, so callers pass a lower bound that increases by
  itself, such as the time.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from holdfast.kernel.call import current_call
from holdfast.kernel.clock import monotonic
from holdfast.kernel.errors import Busy
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.directories import StrPath, check_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.storage.git.repository import Repository

_MIN_PAUSE_SECONDS = 0.001
"""The first pause between attempts. A judgement: locks are held for a few milliseconds."""
_MAX_PAUSE_SECONDS = 0.005
"""A judgement: locks are held for about as long as a flush takes, a few milliseconds."""
_LOCK_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_STRIPE_COUNT = 64
"""A judgement: more than the threads of a server, so that two keys seldom share a lock by chance."""
_COUNTER_DIGITS = 32
"""The file of a counter has a fixed width, so that each number overwrites the last one completely."""


@contextmanager
def locked(path: StrPath, *, wait: float = LIMITS.lock_wait_seconds) -> Iterator[None]:
    """Hold the lock of `path`, which is the file `<path>.lock`, against other processes and threads.

    Waits at most `wait` seconds, then raises `Busy`. Not re-entrant: a second `locked` on the same path
    inside the first waits for itself.
    """
    name = os.path.basename(os.fspath(path))
    with translate_disk_errors(f"{name}.lock"):
        descriptor = _wait_for_lock(f"{os.fspath(path)}.lock", name, wait)
    try:
        yield
    finally:
        os.close(descriptor)


def _wait_for_lock(lock_path: str, name: str, wait: float) -> int:
    deadline = monotonic() + wait
    pause = _MIN_PAUSE_SECONDS
    while (descriptor := _try_lock(lock_path)) is None:
        if monotonic() >= deadline:
            raise Busy(f"'{name}' is in use by another process.", hint="Try again in a moment.", path=name)
        current_call().check()
        time.sleep(pause)
        pause = min(pause * 1.5, _MAX_PAUSE_SECONDS)
    return descriptor


def _try_lock(lock_path: str) -> int | None:
    descriptor = os.open(lock_path, _LOCK_FLAGS, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # If the lock file was removed between the two calls, other processes will lock another file.
        if os.path.samestat(os.fstat(descriptor), os.stat(lock_path, follow_symlinks=False)):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


class Locks:
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
            check_directory(directory)
        with ExitStack() as stack:
            for number in sorted({_stripe(key) for key in keys}):
                self._take(stack, os.path.join(directory, f"{number:02x}"), keys[0])
            yield

    def _take(self, stack: ExitStack, path: str, key: str) -> None:
        try:
            stack.enter_context(locked(path, wait=LIMITS.crowded_lock_seconds))
        except Busy:
            raise Busy(f"'{key}' is in use by others.", hint="Try again in a moment.", path=key) from None


def _stripe(key: str) -> int:
    import hashlib  # here, because quick commands do not use it

    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return int.from_bytes(digest, "big") % _STRIPE_COUNT


def next_number(path: StrPath, at_least: int, count: int = 1) -> int:
    """Reserve `count` consecutive numbers, the first at least `at_least`, and return the first."""
    name = os.path.basename(os.fspath(path))
    with translate_disk_errors(name):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            written = os.pread(descriptor, _COUNTER_DIGITS, 0).strip()
            first = max(at_least, int(written) + 1 if written.isdigit() else 0)
            os.pwrite(descriptor, str(first + count - 1).rjust(_COUNTER_DIGITS).encode(), 0)
            return first
        finally:
            os.close(descriptor)
