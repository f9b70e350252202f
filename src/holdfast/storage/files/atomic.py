"""Atomic writes: a file holds the old content or the new. Locks that end with their holder, and counters.

Contract:
- When `atomic_write` returns, the new bytes and the name that leads to them are on disk. When it raises,
  the name leads to the old bytes; only if the very last step failed (flushing the directory) to the new
  ones, and `Unconfirmed` says so. Whole either way, and no temporary file is left.
- Until everything that is written to a `streamed_file` is on disk, the name leads to what it led to before. A
  file that is there is replaced only when the caller says so, and keeps its permissions; whether it is there
  is decided in the step that gives the name away. What is no regular file is never replaced.
- A temporary file is locked by its writer for as long as it lives, so that `sweep_orphans` can tell what a
  killed process left behind from what a slow one still needs.
- A lock is a `flock` on a file of its own, which is never replaced or removed. The data file cannot carry
  the lock, because `atomic_write` gives its name to another inode. The kernel drops the lock when its
  holder dies; nobody has to judge whether a process number is still alive.
- `Locks` are for things that have no place of their own for a lock file, such as files of the work tree. Keys
  share a fixed number of lock files, so that these stay few; several are locked in one order, so that nobody
  waits in a circle.
- Numbers that `next_number` gives from one file grow and never repeat, whichever process asks. They are not
  flushed: after a power cut the file may be older, so callers give a lower bound that grows by itself, such
  as the time.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

from holdfast.kernel.call import current_call
from holdfast.kernel.clock import monotonic
from holdfast.kernel.errors import Busy, Conflict, InvalidPath, NotFound, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.machine import confirming, disk_failures_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from holdfast.storage.git.repository import Repository

TEMPORARY_SUFFIX = ".holdfast-tmp"
ORPHAN_AGE_SECONDS = 10.0

_NEW_FILE_MODE = 0o644
_FIRST_PAUSE_SECONDS = 0.001
_LONGEST_PAUSE_SECONDS = 0.005
_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_TEMPORARY_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_LOCK_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_SHARED_LOCKS = 64
_HEXADECIMAL = frozenset("0123456789abcdef")
_COUNTER_DIGITS = 32

StrPath = str | os.PathLike[str]


def atomic_write(path: StrPath, data: bytes, *, mode: int | None = None) -> None:
    """Replace the content of a file, durably and in one step.

    Without `mode` an existing file keeps its permissions and a new one gets 0644.
    """
    directory, name = os.path.split(os.fspath(path))
    with disk_failures_named(name), opened_directory(directory or os.curdir) as descriptor:
        replace_at(descriptor, name, data, mode=mode)


def replace_at(
    directory: int, name: str, data: bytes, *, label: str | None = None, mode: int | None = None
) -> None:
    """Do what `atomic_write` promises for a name inside an open directory."""
    temporary = temporary_name(name)
    with disk_failures_named(label or name):
        try:
            _write_temporary(directory, temporary, data, _mode_of(directory, name) if mode is None else mode)
            os.replace(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
        except BaseException:
            _remove_if_present(directory, temporary)
            raise
        with confirming(label or name):
            os.fsync(directory)


def temporary_name(name: str) -> str:
    """Return a name that nobody has, for what will get another name once it is whole."""
    # Cut by characters: four bytes each at most, so that the whole fits into a file name.
    return f".{name[:48]}.{os.urandom(8).hex()}{TEMPORARY_SUFFIX}"


def _write_temporary(directory: int, temporary: str, data: bytes, mode: int) -> None:
    descriptor = os.open(temporary, _TEMPORARY_FLAGS, 0o600, dir_fd=directory)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.fchmod(descriptor, mode)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _mode_of(directory: int, name: str) -> int:
    try:
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return _NEW_FILE_MODE
    return status.st_mode & 0o777 if stat.S_ISREG(status.st_mode) else _NEW_FILE_MODE


def _remove_if_present(directory: int, name: str) -> None:
    with suppress(OSError):  # the failure being reported matters more; `sweep_orphans` finds what is left
        os.unlink(name, dir_fd=directory)


@contextmanager
def streamed_file(path: str, *, replace: bool = False) -> Iterator[BinaryIO]:
    """Yield a file to write to; when the block ends without an exception, the path leads to it."""
    directory, name = os.path.split(path)
    if name in ("", os.curdir, os.pardir):
        raise InvalidPath("That path names no file.", hint="Add the name of a file to it.")
    if not os.path.isdir(directory or os.curdir):
        raise NotFound(f"The folder of '{name}' does not exist.", hint="Make it first.", path=name)
    with disk_failures_named(name), opened_directory(directory or os.curdir) as folder:
        mode = _mode_to_give(folder, name, replace=replace)
        temporary = temporary_name(name)
        try:
            with os.fdopen(os.open(temporary, _TEMPORARY_FLAGS, 0o644, dir_fd=folder), "wb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if mode is not None:
                    os.fchmod(file.fileno(), mode)
                yield file
                file.flush()
                os.fsync(file.fileno())
            _give_name(folder, temporary, name, replace=replace)
        finally:
            _remove_if_present(folder, temporary)
        with confirming(name):
            os.fsync(folder)


def _give_name(folder: int, temporary: str, name: str, *, replace: bool) -> None:
    if replace:
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    try:
        # A link is refused where the name is taken by now; a rename would not be.
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except FileExistsError:
        raise _taken(name) from None


def _mode_to_give(folder: int, name: str, *, replace: bool) -> int | None:
    """Return the permissions of the file that will be replaced, or None where there is none."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not replace:
        raise _taken(name)
    if not stat.S_ISREG(found.st_mode):
        raise InvalidPath(f"'{name}' is not a regular file.", hint="Name a file, or one that is not there.")
    return stat.S_IMODE(found.st_mode)


def _taken(name: str) -> Conflict:
    return Conflict(f"The file '{name}' exists already.", hint="Name one that does not.", path=name)


@contextmanager
def opened_directory(path: StrPath) -> Iterator[int]:
    """Hold a directory open and yield its descriptor."""
    descriptor = os.open(path, _DIRECTORY_FLAGS)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def flush_directory(path: StrPath) -> None:
    """Make the names in a directory durable."""
    with opened_directory(path) as descriptor:
        os.fsync(descriptor)


@contextmanager
def locked(path: StrPath, *, wait: float = LIMITS.lock_wait_seconds) -> Iterator[None]:
    """Hold the lock that belongs to `path` (its own file, `<path>.lock`) against processes and threads.

    Waits at most `wait` seconds, then raises `Busy`. Not re-entrant: a second `locked` on the same path
    inside the first waits for itself.
    """
    name = os.path.basename(os.fspath(path))
    with disk_failures_named(f"{name}.lock"):
        descriptor = _wait_for_lock(f"{os.fspath(path)}.lock", name, wait)
    try:
        yield
    finally:
        os.close(descriptor)


def _wait_for_lock(lock_path: str, name: str, wait: float) -> int:
    ends = monotonic() + wait
    pause = _FIRST_PAUSE_SECONDS
    while (descriptor := _try_lock(lock_path)) is None:
        if monotonic() >= ends:
            raise Busy(f"'{name}' is in use by another process.", hint="Try again in a moment.", path=name)
        current_call().check()
        time.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE_SECONDS)
    return descriptor


def _try_lock(lock_path: str) -> int | None:
    descriptor = os.open(lock_path, _LOCK_FLAGS, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Somebody may have removed the lock file between the two calls; a lock without a name guards nothing.
        if os.path.samestat(os.fstat(descriptor), os.stat(lock_path, follow_symlinks=False)):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def read_limited(path: StrPath, limit: int, *, directory: int | None = None) -> bytes:
    """Return the whole content of a regular file of at most `limit` bytes; maybe one in an open directory.

    A symbolic link, FIFO, device or socket is refused at once; nothing here can block.
    """
    name = os.path.basename(os.fspath(path))
    with disk_failures_named(name):
        descriptor = open_regular(path, label=name, directory=directory)
        try:
            return read_descriptor(descriptor, limit, label=name)
        finally:
            os.close(descriptor)


def open_regular(path: StrPath, *, label: str, directory: int | None = None) -> int:
    """Return a descriptor for reading a regular file; the last component is never followed as a link."""
    descriptor = os.open(path, _READ_FLAGS, dir_fd=directory)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise InvalidPath(f"'{label}' is not a regular file.", hint="Name a regular file.", path=label)


def read_descriptor(descriptor: int, limit: int, *, label: str) -> bytes:
    """Return everything an open file holds, or raise `TooLarge` as soon as it exceeds `limit`."""
    size = os.fstat(descriptor).st_size
    pieces: list[bytes] = []
    room = limit + 1
    while size <= limit and room > 0 and (piece := os.read(descriptor, min(room, LIMITS.read_chunk))):
        pieces.append(piece)
        room -= len(piece)
    if size > limit or room <= 0:
        raise TooLarge(
            f"'{label}' is larger than {limit} bytes.", hint="Use a smaller file.", path=label, limit=limit
        )
    return b"".join(pieces)


def sweep_orphans(directory: StrPath, *, older_than: float = ORPHAN_AGE_SECONDS) -> list[str]:
    """Remove the temporary files that killed writers left in a directory, and return their names.

    A file younger than `older_than` seconds, or still locked by its writer, is left alone.
    """
    name = os.path.basename(os.fspath(directory))
    with disk_failures_named(name), opened_directory(directory) as descriptor:
        return _swept(descriptor, older_than, lambda entry: entry.endswith(TEMPORARY_SUFFIX))


def sweep_at(directory: int) -> list[str]:
    """Do what `sweep_orphans` does in an open directory of others, to names that only we make."""
    try:
        return _swept(directory, ORPHAN_AGE_SECONDS, is_temporary_name)
    except OSError:
        return []  # a directory that may be written to and not listed


def is_temporary_name(name: str) -> bool:
    """Tell whether `temporary_name` may have made a name."""
    digits = name.removesuffix(TEMPORARY_SUFFIX).rpartition(".")[2]
    is_ours = name.startswith(".") and name.endswith(TEMPORARY_SUFFIX)
    return is_ours and len(digits) == 16 and set(digits) <= _HEXADECIMAL


def _swept(directory: int, older_than: float, wanted: Callable[[str], bool]) -> list[str]:
    temporaries = sorted(entry for entry in os.listdir(directory) if wanted(entry))
    newest = time.time() - older_than
    return [entry for entry in temporaries if _remove_orphan(directory, entry, newest)]


def _remove_orphan(directory: int, name: str, newest: float) -> bool:
    try:
        descriptor = os.open(name, _READ_FLAGS, dir_fd=directory)
    except OSError:
        return False
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_mtime > newest:
            return False
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(name, dir_fd=directory)
    except (BlockingIOError, FileNotFoundError):
        return False
    finally:
        os.close(descriptor)
    return True


def remove_while(path: str, unchanged: Callable[[str], bool]) -> None:
    """Remove a file that others write by name, but only while it is the one that was meant, if that works."""
    aside = f"{path}.{os.urandom(8).hex()}"
    if not unchanged(path):
        return
    # Once it is renamed, whoever writes by name makes a new file; only then is looking conclusive.
    with suppress(OSError):
        os.rename(path, aside)
        if not unchanged(aside):
            with suppress(FileExistsError):  # a newer file took the place, as it would have done without us
                os.link(aside, path, follow_symlinks=False)
        os.unlink(aside)


class Locks:
    """The locks of one room, each found by a key."""

    def __init__(self, repository: Repository, name: str) -> None:
        self._repository = repository
        self._name = name

    @contextmanager
    def holding(self, *keys: str) -> Iterator[None]:
        """Hold the locks of some keys against processes and threads."""
        directory = os.path.join(self._repository.ensure_store(), self._name)
        with disk_failures_named(self._name):
            os.makedirs(directory, 0o700, exist_ok=True)
            os.close(os.open(directory, _DIRECTORY_FLAGS | os.O_NOFOLLOW))  # and not what a link leads to
        with ExitStack() as stack:
            for number in sorted({_number(key) for key in keys}):
                self._wait(stack, os.path.join(directory, f"{number:02x}"), keys[0])
            yield

    def _wait(self, stack: ExitStack, path: str, key: str) -> None:
        try:
            stack.enter_context(locked(path, wait=LIMITS.crowded_lock_seconds))
        except Busy:
            raise Busy(f"'{key}' is in use by others.", hint="Try again in a moment.", path=key) from None


def _number(key: str) -> int:
    import hashlib  # here, because quick commands lock nothing by a key

    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return int.from_bytes(digest, "big") % _SHARED_LOCKS


def next_number(path: StrPath, at_least: int, count: int = 1) -> int:
    """Return the first of `count` new numbers, none smaller than `at_least`."""
    name = os.path.basename(os.fspath(path))
    with disk_failures_named(name):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            written = os.pread(descriptor, _COUNTER_DIGITS, 0).strip()
            first = max(at_least, int(written) + 1 if written.isdigit() else 0)
            os.pwrite(descriptor, str(first + count - 1).rjust(_COUNTER_DIGITS).encode(), 0)
            return first
        finally:
            os.close(descriptor)
