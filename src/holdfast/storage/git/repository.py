"""Finds a repository and the directory of its stores, without running git.

Contract:
- Discovery reads names, owners and two small text files (`.git`, `commondir`), and no environment variable.
  The content of a hostile repository can cause an error, never a crash.
- All worktrees of a repository share one store directory, inside the common git directory, where ordinary git
  commands neither see nor delete it. Outside git the store is `.holdfast` in the directory itself.
- A repository of another user is refused, unless git's `safe.directory` accepts it; git is run only to find
  that out.
- The nearest enclosing `.git` decides. A bare repository is recognised only if no `.git` encloses it, so that
  a bare repository committed inside a work tree is not taken for the repository.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field

from holdfast.kernel.errors import Denied, HoldfastError, InvalidPath, NotFound
from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.files.directories import StrPath, flush_directory
from holdfast.storage.sql.quick import (
    NeedsFullProgram,
    are_owned_by_caller,
    git_directories,
    is_git_directory,
)

STORE_NAME = "holdfast"
PLAIN_STORE_NAME = ".holdfast"

_MAX_EXCLUDE_BYTES = 1024 * 1024
"""A judgement: such files have a few lines; a larger one is left as it is."""
_EXCLUDE_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, repr=False)
class Repository:
    """A work tree, its git directories (if any) and the directory of its stores."""

    root: str
    """The work tree, or the git directory itself if the repository is `bare`."""
    git_dir: str | None = None
    common_dir: str | None = field(default=None, compare=False)
    """The git directory that all worktrees share; None outside git."""

    @property
    def bare(self) -> bool:
        """Whether the repository has no work tree."""
        return self.git_dir == self.root

    @property
    def is_in_git(self) -> bool:
        """Whether there is a git directory; outside git, a repository is only a directory."""
        return self.common_dir is not None

    @property
    def store_directory(self) -> str:
        """The directory of the stores, which may not exist yet."""
        if self.common_dir is None:
            return os.path.join(self.root, PLAIN_STORE_NAME)
        return os.path.join(self.common_dir, STORE_NAME)

    @classmethod
    def discover(cls, start: StrPath) -> Repository:
        """Find the repository that encloses `start`; outside git, the directory itself."""
        start = _existing_directory(start)
        for directory in _with_ancestors(start):
            if (repository := cls._with_git_entry(directory)) is not None:
                return repository
        for directory in _with_ancestors(start):
            if is_git_directory(directory, directory):
                return cls._bare(directory)
        return cls(start)

    @classmethod
    def at(cls, root: StrPath) -> Repository:
        """Return the repository of exactly this directory, and nothing above it."""
        root = _existing_directory(root)
        if (repository := cls._with_git_entry(root)) is not None:
            return repository
        return cls._bare(root) if is_git_directory(root, root) else cls(root)

    @classmethod
    def _bare(cls, directory: str) -> Repository:
        _check_owner(directory, directory)
        return cls(directory, directory, directory)

    @classmethod
    def _with_git_entry(cls, directory: str) -> Repository | None:
        entry = os.path.join(directory, ".git")
        if not os.path.lexists(entry):
            return None
        try:
            git_dir, common_dir = git_directories(entry)
        except NeedsFullProgram as error:
            raise _bad_pointer(directory) from error
        if is_git_directory(git_dir, common_dir):
            _check_owner(directory, git_dir, entry)
            return cls(directory, git_dir, common_dir)
        if os.path.isdir(entry):
            return None  # git, too, walks past a `.git` directory that holds no repository
        raise _bad_pointer(directory)

    def holds(self, path: str) -> bool:
        """Return whether git would resolve this path to something in this repository or a worktree of it."""
        assert self.git_dir is not None
        assert self.common_dir is not None
        has_main_tree = os.path.basename(self.common_dir) == ".git"
        main_tree = os.path.dirname(self.common_dir) if has_main_tree else self.root
        own_folders = (self.root, self.git_dir, self.common_dir, main_tree)
        for form in (path, f"{path}.git", f"{path}/.git"):  # the forms that git tries
            target = os.path.realpath(form)
            if any(is_inside(target, folder) for folder in own_folders):
                return True
            try:
                enclosing = Repository.discover(target).common_dir
            except HoldfastError:
                continue  # it does not exist, or belongs to another user
            if enclosing is not None and is_inside(self.common_dir, enclosing):
                return True
        return False

    def ensure_store(self) -> str:
        """Return the store directory; create it if necessary, accessible to its owner only."""
        label = os.path.basename(self.store_directory)
        with translate_disk_errors(label):
            try:
                os.mkdir(self.store_directory, 0o700)
                flush_directory(os.path.dirname(self.store_directory))
            except FileExistsError:
                _check_store(os.lstat(self.store_directory), label)
        return self.store_directory

    def ignore(self, pattern: str) -> None:
        """Make git ignore files that match a pattern, in every worktree of this clone, if possible.

        The pattern is added to `info/exclude` in the git directory, which is never committed.
        """
        info = os.path.join(self.common_dir or "", "info")
        if self.common_dir is None or os.path.islink(info):
            return
        try:
            os.makedirs(info, exist_ok=True)
            descriptor = os.open(os.path.join(info, "exclude"), _EXCLUDE_FLAGS, 0o644)
        except OSError:
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            content = os.read(descriptor, _MAX_EXCLUDE_BYTES)
            if len(content) < _MAX_EXCLUDE_BYTES and pattern.encode() not in content.splitlines():
                separator = b"" if content[-1:] in b"\n" else b"\n"  # also none if the file is empty
                os.write(descriptor, b"%b%b\n" % (separator, pattern.encode()))
        except OSError:
            pass  # another process is writing it, or it is read-only: the pattern is not essential
        finally:
            os.close(descriptor)

    def has_consent_to(self, what: str) -> bool:
        """Return whether the user has consented to `what` for this repository."""
        return os.path.exists(self._consent_file(what))

    def record_consent_to(self, what: str) -> None:
        """Record that the user consented to `what`: in the user's state, which no repository can write."""
        path = self._consent_file(what)
        with translate_disk_errors("the folder of this user's consents"):
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        atomic_write(path, os.fsencode(f"{what}\n{self.store_directory}\n"), mode=0o600)

    def _consent_file(self, what: str) -> str:
        from hashlib import sha256  # most commands need neither

        from holdfast.storage.files.user_key import state_directory

        name = sha256(os.fsencode(f"{what}\0{self.store_directory}")).hexdigest()
        return os.path.join(state_directory(), "agreed", name)

    def __repr__(self) -> str:
        return f"Repository({os.path.basename(self.root)!r})"


def is_inside(path: str, directory: str) -> bool:
    """Return whether a path is a directory or inside it. Links in `directory` must be resolved already."""
    return (os.path.realpath(path) + os.sep).startswith(directory.rstrip(os.sep) + os.sep)


def _existing_directory(path: StrPath) -> str:
    label = os.path.basename(os.fspath(path)) or os.fspath(path)
    try:
        directory = os.path.realpath(path)
        if os.path.isdir(directory):
            return directory
    except ValueError:
        raise InvalidPath("The repository path contains a NUL character.", hint="Remove it.") from None
    raise NotFound(f"'{label}' is not a directory.", hint="Name a directory that exists.", path=label)


def _with_ancestors(directory: str) -> Iterator[str]:
    yield directory
    while (parent := os.path.dirname(directory)) != directory:
        directory = parent
        yield directory


def _check_owner(directory: str, git_dir: str, *entry: str) -> None:
    """Refuse a repository of another user, as git does: they control its configuration and its store."""
    if are_owned_by_caller(directory, git_dir, *entry):
        return
    from holdfast.storage.git.command import is_accepted_by_git  # rarely needed, and slow to import

    if not is_accepted_by_git(directory, git_dir):
        raise Denied(
            f"The repository '{os.path.basename(directory)}' belongs to another user.",
            hint="Use a clone of your own; or, if you trust that user, add it to git's `safe.directory`.",
        )


def _bad_pointer(directory: str) -> InvalidPath:
    return InvalidPath(
        f"The .git file of '{os.path.basename(directory)}' does not lead to a git repository.",
        hint="If the repository was moved, `git worktree repair` fixes the link.",
    )


def _check_store(status: os.stat_result, label: str) -> None:
    if not stat.S_ISDIR(status.st_mode):
        raise InvalidPath(
            f"The store '{label}' is not a directory.",
            hint="Move aside what is there, then try again.",
            path=label,
        )
    if os.geteuid() not in (0, status.st_uid):
        raise Denied(
            f"The store '{label}' belongs to another user.", hint="Use a clone of your own.", path=label
        )
