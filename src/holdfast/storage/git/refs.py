"""Refs moved by compare-and-swap: only from an expected value, and durable once the move has returned.

Contract:
- `move` changes a ref from `old` to `new` or raises: `RefMoved` when it has another value, `RefLocked` when
  another process holds git's lock on it or died while it did. Nothing else is ever written.
- No lock is removed but one that a killed writer of ours left: `is_left_lock` proves both.
- `advance` does the same without starting git, for a commit that this process has just written: the new value
  is written to git's own lock file and flushed before that becomes the ref.
- git flushes the ref's file and we flush the directories that lead to it: git alone could lose the rename.
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
from holdfast.storage.files.temporary import TEMPORARY_SUFFIX, temporary_file
from holdfast.storage.git.command import Git, GitOptions
from holdfast.storage.git.ref_files import RefFiles, printable
from holdfast.storage.git.repository import Repository
from holdfast.storage.watching.own_writes import announce

DURABLE = "core.fsync=committed"
"""The setting with which git flushes what it writes (see git-config(1))."""

_LOCK_MILLISECONDS = 500
_OWN_WAIT_SECONDS = 0.1
_PAUSE_SECONDS = 0.005
"""Judgements: a ref is locked for a few milliseconds, and a caller that gets `RefLocked` tries again."""
_STORE = "holdfast"
_OPTIONS = GitOptions((DURABLE, f"core.filesRefLockTimeout={_LOCK_MILLISECONDS}"), stand_in=True)


Move = tuple[str, str, str | None]
"""A ref, its new value, and the value it is expected to have."""


class RefMoved(Conflict, kind="ref_moved", number=4091):
    """The ref no longer has the value that the caller expects."""


class RefLocked(Busy, kind="ref_locked", number=5031):
    """Another git process is changing the ref, or died while it was."""


@contextmanager
def ref_locked(common_directory: str, ref: str, value: str, *, wait: float) -> Iterator[Callable[[], None]]:
    """Hold git's lock on a ref, with the flushed new value in it; yield a function that moves the ref to it.

    The lock file has a second name in our store, by which `is_left_lock` recognises it if its holder is
    killed.
    """
    path = os.path.join(common_directory, ref)
    temporary = os.path.join(common_directory, _STORE, f".ref.{os.urandom(8).hex()}{TEMPORARY_SUFFIX}")
    ends = monotonic() + wait
    with temporary_file(temporary, f"{value}\n".encode("ascii"), 0o666):
        while True:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            try:
                os.link(temporary, f"{path}.lock")
                break
            except (FileExistsError, FileNotFoundError):
                if monotonic() > ends and not is_left_lock(common_directory, f"{path}.lock", remove=True):
                    raise
                time.sleep(_PAUSE_SECONDS)
        try:
            yield lambda: os.rename(f"{path}.lock", path)
        finally:
            # Once it has become the ref, a lock of that name belongs to another process.
            with suppress(FileNotFoundError):
                if os.path.samefile(temporary, f"{path}.lock"):
                    os.unlink(f"{path}.lock")


def is_left_lock(common_directory: str, lock: str, *, remove: bool) -> bool:
    """Return whether a killed writer of ours left a lock on a ref; remove it if requested.

    It did if the lock is a hard link to a temporary file in our store that no process has locked any more.
    """
    temporaries = glob(f".ref.*{TEMPORARY_SUFFIX}", root_dir=os.path.join(common_directory, _STORE))
    places = [lock, *(os.path.join(common_directory, _STORE, name) for name in temporaries)]
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with suppress(OSError), os.fdopen(os.open(lock, flags), "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Only the holder of this lock removes such a file, so the result cannot change meanwhile.
        same = [place for place in places if os.path.samestat(os.lstat(place), os.fstat(file.fileno()))]
        for place in same if remove and len(same) == 2 else ():
            os.unlink(place)
        return len(same) == 2
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

    def tips(self) -> dict[str, str]:
        """Return the refs and their object ids; that of a damaged ref is empty."""
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
        given = "".join(f"update {ref} {new} {old or '0' * len(new)}\n" for ref, new, old in moves)
        seconds = LIMITS.git_network_seconds  # each of them is flushed
        result = self._git.execute(
            "update-ref", "--no-deref", "--stdin", given=given.encode(), options=_OPTIONS, seconds=seconds
        )
        if result.status == 0:
            for ref in {os.path.dirname(ref): ref for ref, _, _ in moves}.values():
                self.flush(ref)
            return set()
        half = len(moves) // 2  # one ref that is locked or has moved makes git refuse all
        return self.move_all(moves[:half]) | self.move_all(moves[half:]) if half else {moves[0][0]}

    def advance(self, ref: str, new: str, old: str | None) -> None:
        """Do what `move` does, for an object that is known to exist, without starting git.

        Only for a repository whose `ObjectFormat.is_plain`, whose refs are files and that has a store of
        ours.
        """
        with translate_disk_errors(ref):
            try:
                with ref_locked(self._common, ref, new, wait=_OWN_WAIT_SECONDS) as move_ref:
                    if self._files.tip(ref) != old:  # the comparison, under git's own lock
                        raise _moved(ref)
                    move_ref()
            except (FileExistsError, IsADirectoryError, NotADirectoryError):
                if os.path.lexists(os.path.join(self._common, f"{ref}.lock")):
                    raise _locked(ref) from None
                return self.move(ref, new, old)  # git knows how to replace an empty directory
        return self.flush(ref)

    @property
    def are_files(self) -> bool:
        """Whether this repository stores its refs in files."""
        return self._files.are_readable

    def flush(self, ref: str) -> None:
        """Announce that a ref has moved, and make the names that lead to it durable."""
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
        """Make the names in a directory durable, unless that was done since its last change."""
        changed = os.stat(directory).st_ctime_ns
        if self._flushed.get(directory) != changed:
            flush_directory(directory)
            self._flushed[directory] = changed

    def failure(self, ref: str, old: str | None, message: str) -> RefMoved | RefLocked | Unavailable:
        """Return why git could not move a ref that should have the value `old`."""
        if self.tips().get(ref) != old:
            return _moved(ref)
        if os.path.lexists(os.path.join(self._common, f"{ref}.lock")):
            return _locked(ref)
        return Unavailable(
            f"git could not change '{ref}': {message}", hint="Run `holdfast doctor` to check the repository."
        )


def _moved(ref: str) -> RefMoved:
    return RefMoved(f"'{ref}' was changed at the same time.", hint="Try again.", ref=ref)


def _locked(ref: str) -> RefLocked:
    hint = "Try again in a moment; `holdfast doctor` shows whether the lock was left behind."
    return RefLocked(f"'{ref}' is locked by a git process.", hint=hint, ref=ref)
