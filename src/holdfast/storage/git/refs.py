"""Refs moved by compare-and-swap: only from a stated old value, and durable when the move has returned.

Contract:
- `move` changes a ref from `old` to `new` or raises: `RefMoved` when it holds another value, `RefLocked` when
  another process holds git's lock on it or died with it. Nothing else is ever written.
- No lock is removed but one that a killed writer of ours left: `is_left_lock` proves both.
- `advance` is the same without starting git, for a commit that this process has just written: the ref's line
  goes behind git's own lock file, flushed before the ref gets its new value.
- git flushes the ref's file, we flush the directories that lead to it: git alone would lose the rename.
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
from holdfast.kernel.machine import confirming, disk_failure, disk_failures_named
from holdfast.storage.files.atomic import TEMPORARY_SUFFIX, flush_directory
from holdfast.storage.git.command import Git, Terms
from holdfast.storage.git.ref_files import RefFiles, printable
from holdfast.storage.git.repository import Repository
from holdfast.storage.watching.own_writes import announce

DURABLE = "core.fsync=committed"

_LOCK_MILLISECONDS = 500
_OWN_WAIT_SECONDS = 0.1
_PAUSE_SECONDS = 0.005
_STORE = "holdfast"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_TERMS = Terms((DURABLE, f"core.filesRefLockTimeout={_LOCK_MILLISECONDS}"), stand_in=True)


Move = tuple[str, str, str | None]
"""A ref, the id it shall hold, and the one that it holds now."""


class RefMoved(Conflict, kind="ref_moved", number=4091):
    """The ref no longer holds the value the caller saw."""


class RefLocked(Busy, kind="ref_locked", number=5031):
    """Another git process is changing the ref, or died while it did."""


@contextmanager
def ref_locked(common_directory: str, ref: str, value: str, *, wait: float) -> Iterator[Callable[[], None]]:
    """Hold git's lock on a ref, its new value in it and flushed, and yield what gives the ref that value.

    It has a second name in our store, by which `is_left_lock` knows it when its holder was killed.
    """
    path = os.path.join(common_directory, ref)
    temporary = os.path.join(common_directory, _STORE, f".ref.{os.urandom(8).hex()}{TEMPORARY_SUFFIX}")
    ends = monotonic() + wait
    with written_file(temporary, f"{value}\n".encode("ascii"), 0o666):
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
            # Once it has become the ref, a lock of that name is somebody else's.
            with suppress(FileNotFoundError):
                if os.path.samefile(temporary, f"{path}.lock"):
                    os.unlink(f"{path}.lock")


@contextmanager
def written_file(temporary: str, data: bytes, mode: int, *, durable: bool = True) -> Iterator[None]:
    """Have a file, flushed unless told otherwise, until it gets its name; whoever renames it ends that."""
    descriptor = os.open(temporary, _NEW, mode)
    try:
        # Held to the end: this is how others tell what a dead writer left from what a live one needs.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if durable:
            os.fsync(descriptor)
        yield
    finally:
        os.close(descriptor)
        if os.path.lexists(temporary):
            os.unlink(temporary)


def is_left_lock(common_directory: str, lock: str, *, remove: bool) -> bool:
    """Tell whether a lock on a ref was left by a killed writer of ours, and remove it where that is asked.

    It was if it is the very file that the writer has in our store, and nobody holds that any more.
    """
    kept = glob(f".ref.*{TEMPORARY_SUFFIX}", root_dir=os.path.join(common_directory, _STORE))
    places = [lock, *(os.path.join(common_directory, _STORE, name) for name in kept)]
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with suppress(OSError), os.fdopen(os.open(lock, flags), "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Only who has this lock removes such a file, so what is seen now stays so.
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
        """Return the refs and the ids they hold; a damaged ref has an empty id."""
        if not self._files.are_readable:
            return printable(self._git.ref_tips(self._prefix))
        try:
            return self._files.tips()
        except OSError as error:
            raise disk_failure(error, self._prefix) from error

    def move(self, ref: str, new: str, old: str | None) -> None:
        """Set a ref to `new`, provided it holds `old`; None stands for a ref that does not exist."""
        zero = "0" * len(new)
        finished = self._git.execute("update-ref", "--no-deref", ref, new, old or zero, terms=_TERMS)
        if finished.status != 0:
            raise self.failure(ref, old, finished.complaint)
        self.flush(ref)

    def move_all(self, moves: Sequence[Move]) -> set[str]:
        """Do what `move` does for many refs in a few processes, and return those that could not be moved."""
        if not moves:
            return set()
        given = "".join(f"update {ref} {new} {old or '0' * len(new)}\n" for ref, new, old in moves)
        seconds = LIMITS.git_network_seconds  # every one of them is flushed
        finished = self._git.execute(
            "update-ref", "--no-deref", "--stdin", given=given.encode(), terms=_TERMS, seconds=seconds
        )
        if finished.status == 0:
            for ref in {os.path.dirname(ref): ref for ref, _, _ in moves}.values():
                self.flush(ref)
            return set()
        half = len(moves) // 2  # one that is locked, or was moved, keeps git from moving any
        return self.move_all(moves[:half]) | self.move_all(moves[half:]) if half else {moves[0][0]}

    def advance(self, ref: str, new: str, old: str | None) -> None:
        """Do what `move` does, to an object that is known to be there, without starting git.

        Only for a repository that is `commits.ObjectFormat.is_plain`, keeps its refs in files and has
        a store of ours.
        """
        with disk_failures_named(ref):
            try:
                with ref_locked(self._common, ref, new, wait=_OWN_WAIT_SECONDS) as give_value:
                    if self._files.tip(ref) != old:  # compare and swap, under git's own lock
                        raise _moved(ref)
                    give_value()
            except (FileExistsError, IsADirectoryError, NotADirectoryError):
                if os.path.lexists(os.path.join(self._common, f"{ref}.lock")):
                    raise _locked(ref) from None
                return self.move(ref, new, old)  # git knows what to make of a directory in the way
        return self.flush(ref)

    @property
    def are_files(self) -> bool:
        """Whether this repository keeps its refs in files."""
        return self._files.are_readable

    def flush(self, ref: str) -> None:
        """Announce that a ref has moved, and make the names that lead to it durable."""
        announce(os.path.join(self._common, ref))
        if not self._files.are_readable:
            return
        directory = os.path.dirname(ref)
        with confirming(ref):
            try:
                flush_directory(os.path.join(self._common, directory))
                while directory := os.path.dirname(directory):
                    self._flush_once(os.path.join(self._common, directory))
            except FileNotFoundError:
                # `git pack-refs` has taken the ref into its one file meanwhile, and the empty folder away.
                flush_directory(self._common)

    def _flush_once(self, directory: str) -> None:
        """Make the names in a directory durable, unless it was done since its last change."""
        changed = os.stat(directory).st_ctime_ns
        if self._flushed.get(directory) != changed:
            flush_directory(directory)
            self._flushed[directory] = changed

    def failure(self, ref: str, old: str | None, complaint: str) -> RefMoved | RefLocked | Unavailable:
        """Return why git could not move a ref that should hold `old`."""
        if self.tips().get(ref) != old:
            return _moved(ref)
        if os.path.lexists(os.path.join(self._common, f"{ref}.lock")):
            return _locked(ref)
        return Unavailable(
            f"git could not change '{ref}': {complaint}",
            hint="Run `holdfast doctor` to check the repository.",
        )


def _moved(ref: str) -> RefMoved:
    return RefMoved(f"'{ref}' was changed at the same moment.", hint="Try again.", ref=ref)


def _locked(ref: str) -> RefLocked:
    hint = "Try again in a moment; `holdfast doctor` tells whether the lock was left behind."
    return RefLocked(f"'{ref}' is locked by a git process.", hint=hint, ref=ref)
