"""Moves refs by compare-and-swap: only from an expected value, and durably.

Contract:
- `move` changes a ref from `old` to `new` or raises: `RefMoved` if it has another value, `RefLocked` if
  another process holds git's lock on it or died while it did. Nothing else is written.
- A lock is removed only if `is_abandoned_lock` proves that a killed process of ours left it.
- `advance` does the same without starting git, for a commit that this process has just written: the new value
  is written to git's own lock file and flushed, and the lock file is then renamed to the ref.
- git flushes the file of a ref; we flush the directories above it, because the rename could be lost
  otherwise.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from glob import glob

from holdfast.kernel.clock import monotonic
from holdfast.kernel.errors import Busy, Conflict, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.machine import disk_failure, translate_disk_errors, translate_flush_errors
from holdfast.storage.files.directories import flush_directory
from holdfast.storage.files.regular_file import READ_FLAGS
from holdfast.storage.files.temporary import TEMPORARY_SUFFIX, temporary_file
from holdfast.storage.git.command import Git, GitOptions
from holdfast.storage.git.ref_files import RefFiles, printable
from holdfast.storage.git.repository import Repository
from holdfast.storage.watching.own_writes import announce

DURABLE = "core.fsync=committed"
"""The setting with which git flushes what it writes (see git-config(1))."""

_GIT_LOCK_WAIT_MILLISECONDS = 500
"""How long git waits for the lock of a ref. A judgement: a lock is held for a few milliseconds."""
_LOCK_WAIT_SECONDS = 0.1
"""How long `advance` waits for the lock. A judgement: a caller that gets `RefLocked` tries again anyway."""
_PAUSE_SECONDS = 0.005
"""Between two attempts to take a lock. A judgement: about as long as a lock is held."""
_STORE = "holdfast"
_OPTIONS = GitOptions((DURABLE, f"core.filesRefLockTimeout={_GIT_LOCK_WAIT_MILLISECONDS}"), stand_in=True)


Move = tuple[str, str, str | None]
"""A ref, its new value, and the value it is expected to have."""


class RefMoved(Conflict, kind="ref_moved", number=4091):
    """The ref no longer has the value that the caller expects."""


class RefLocked(Busy, kind="ref_locked", number=5031):
    """Another git process is changing the ref, or died while it was."""


@contextmanager
def ref_locked(common_directory: str, ref: str, value: str, *, wait: float) -> Iterator[Callable[[], None]]:
    """Hold git's lock on a ref, and yield a function that sets the ref to `value`.

    The value is flushed to the lock file first. That file has a second name in our store, by which
    `is_abandoned_lock` recognises it if its holder is killed.
    """
    path = os.path.join(common_directory, ref)
    temporary = os.path.join(common_directory, _STORE, f".ref.{os.urandom(8).hex()}{TEMPORARY_SUFFIX}")
    deadline = monotonic() + wait
    with temporary_file(temporary, f"{value}\n".encode("ascii"), 0o666):
        while True:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            try:
                os.link(temporary, f"{path}.lock")
                break
            except (FileExistsError, FileNotFoundError):
                if monotonic() > deadline and not is_abandoned_lock(
                    common_directory, f"{path}.lock", remove=True
                ):
                    raise
                time.sleep(_PAUSE_SECONDS)
        try:
            yield lambda: os.rename(f"{path}.lock", path)
        finally:
            # After the move, a lock file of this name belongs to another process.
            with suppress(FileNotFoundError):
                if os.path.samefile(temporary, f"{path}.lock"):
                    os.unlink(f"{path}.lock")


def is_abandoned_lock(common_directory: str, lock: str, *, remove: bool) -> bool:
    """Return whether a killed process of ours left a lock on a ref; with `remove`, also remove the lock.

    That is so if the lock file is also a temporary file in our store (a hard link) that no process has
    locked.
    """
    temporaries = glob(f".ref.*{TEMPORARY_SUFFIX}", root_dir=os.path.join(common_directory, _STORE))
    candidates = [lock, *(os.path.join(common_directory, _STORE, name) for name in temporaries)]
    with suppress(OSError), os.fdopen(os.open(lock, READ_FLAGS), "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Only the holder of this lock removes such a file, so the result cannot change meanwhile.
        status = os.fstat(file.fileno())
        links = [path for path in candidates if os.path.samestat(os.lstat(path), status)]
        is_abandoned = len(links) == 2  # the lock and its second name
        if remove and is_abandoned:
            for path in links:
                os.unlink(path)
        return is_abandoned
    return False


class Refs:
    """The refs below one prefix of one repository."""

    def __init__(self, repository: Repository, git: Git, prefix: str) -> None:
        assert repository.common_dir is not None
        self._common = repository.common_dir
        self._git = git
        self._prefix = prefix
        self._files = RefFiles(repository.common_dir, prefix)
        self._flushed: dict[str, int] = {}
        """The change time, in nanoseconds, of each directory when it was last flushed."""

    def tips(self) -> dict[str, str]:
        """Return the refs and their object ids; the id of a damaged ref is empty."""
        if not self._files.are_readable:
            return printable(self._git.ref_tips(self._prefix))
        try:
            return self._files.tips()
        except OSError as error:
            raise disk_failure(error, self._prefix) from error

    def move(self, ref: str, new: str, old: str | None) -> None:
        """Set a ref to `new` if its value is `old`; None means that it does not exist."""
        zero = "0" * len(new)
        result = self._git.execute("update-ref", "--no-deref", ref, new, old or zero, options=_OPTIONS)
        if result.status != 0:
            raise self.failure(ref, old, result.message)
        self.flush(ref)

    def move_all(self, moves: Sequence[Move]) -> set[str]:
        """Do what `move` does for many refs with few processes; return the refs that could not be moved."""
        if not moves:
            return set()
        stdin = "".join(f"update {ref} {new} {old or '0' * len(new)}\n" for ref, new, old in moves)
        seconds = LIMITS.git_network_seconds  # it takes long, because git flushes every ref
        result = self._git.execute(
            "update-ref", "--no-deref", "--stdin", stdin=stdin.encode(), options=_OPTIONS, seconds=seconds
        )
        if result.status == 0:
            for ref in {os.path.dirname(ref): ref for ref, _new, _old in moves}.values():
                self.flush(ref)  # one ref of each directory
            return set()
        (first_ref, _new, _old), *rest = moves
        if not rest:
            return {first_ref}
        # A single ref that is locked or has moved makes git refuse all: find it by halving.
        half = len(moves) // 2
        return self.move_all(moves[:half]) | self.move_all(moves[half:])

    def advance(self, ref: str, new: str, old: str | None) -> None:
        """Do what `move` does, for an object that is known to exist, without starting git.

        Only for a repository that has a store, whose refs are files, and whose `ObjectFormat.is_plain`.
        """
        with translate_disk_errors(ref):
            try:
                with ref_locked(self._common, ref, new, wait=_LOCK_WAIT_SECONDS) as move_ref:
                    if self._files.tip(ref) != old:  # compared while git's own lock is held
                        raise _moved_error(ref)
                    move_ref()
            except (FileExistsError, IsADirectoryError, NotADirectoryError):
                if os.path.lexists(os.path.join(self._common, f"{ref}.lock")):
                    raise _locked_error(ref) from None
                return self.move(ref, new, old)  # git can replace an empty directory of that name
        return self.flush(ref)

    @property
    def are_files(self) -> bool:
        """Whether this repository stores its refs in files."""
        return self._files.are_readable

    def flush(self, ref: str) -> None:
        """Announce that a ref has moved, and make the directory entries that lead to it durable."""
        announce(os.path.join(self._common, ref))
        if not self._files.are_readable:
            return
        directory = os.path.dirname(ref)
        with translate_flush_errors(ref):
            try:
                flush_directory(os.path.join(self._common, directory))
                while directory := os.path.dirname(directory):
                    self._flush_once(os.path.join(self._common, directory))
            except FileNotFoundError:
                # `git pack-refs` has packed the ref meanwhile and removed the empty folder.
                flush_directory(self._common)

    def _flush_once(self, directory: str) -> None:
        """Flush a directory, unless that was done since its last change."""
        changed = os.stat(directory).st_ctime_ns
        if self._flushed.get(directory) != changed:
            flush_directory(directory)
            self._flushed[directory] = changed

    def failure(self, ref: str, old: str | None, message: str) -> RefMoved | RefLocked | Unavailable:
        """Return the error for a ref that git could not move, although it should have the value `old`."""
        if self.tips().get(ref) != old:
            return _moved_error(ref)
        if os.path.lexists(os.path.join(self._common, f"{ref}.lock")):
            return _locked_error(ref)
        return Unavailable(
            f"git could not change '{ref}': {message}", hint="Run `holdfast doctor` to check the repository."
        )


def _moved_error(ref: str) -> RefMoved:
    return RefMoved(f"'{ref}' was changed at the same time.", hint="Try again.", ref=ref)


def _locked_error(ref: str) -> RefLocked:
    hint = "Try again in a moment; `holdfast doctor` shows whether the lock was left behind."
    return RefLocked(f"'{ref}' is locked by a git process.", hint=hint, ref=ref)
