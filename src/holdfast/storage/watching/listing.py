"""Which files of the work tree have a name of some kind, and what tells that one changed; cheap to ask again.

Contract:
- No link is followed, and no folder is entered that belongs to git, to a store of ours, or to a program that
  installs or caches there; what stands in those is nobody's source.
- A folder or a name that cannot be read is left out; whoever opens a file hears what is wrong with it. A name
  that is no valid path here (see `RepoPath`) is left out as well: no operation could name it.
- `Listing` looks once at each folder. One whose time has not changed since it was read holds the same names.
  A time so young that another change could share it is not trusted, so that no file is ever missed.
- `WatchedListing` knows every change that was complete before `current` was called, whoever made it. In a
  process that asks again, the kernel's notices replace the looking: an answer without changes costs one
  system call, however large the tree. Without notices, or when some were lost, everything is looked at.
- Notices cannot tell of a file that is written under another name (a hard link). Therefore everything is
  looked at again after `trusted_seconds` all the same.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from holdfast.kernel.clock import monotonic
from holdfast.kernel.errors import InvalidPath
from holdfast.storage.files.mounts import is_network_filesystem
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.repository import Repository
from holdfast.storage.watching.inotify import Notices, NoticesLost

FOREIGN_FOLDERS = frozenset((
    ".git", ".holdfast", ".hg", ".svn", ".jj", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox",
    ".mypy_cache", ".pytest_cache", ".ruff_cache", ".gradle", ".idea", ".vscode",
))  # fmt: skip
"""Folders in which no source of this repository is looked for."""

_YOUNG_NANOSECONDS = 2_000_000_000

Signature = tuple[int, int, int]
"""Inode, size and time of a file; another one means that it may have changed."""


def _entries(folder: str, wanted: Callable[[str], bool]) -> tuple[dict[str, int], list[str]]:
    """Return the folders to enter below a folder, with their inodes, and the wanted names in it."""
    folders, names = {}, []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if _is_entered(entry.name):
                    folders[entry.name] = entry.inode()
            elif wanted(entry.name) and is_nameable(entry.name):
                names.append(entry.name)
    return folders, names


def _is_entered(name: str) -> bool:
    return name not in FOREIGN_FOLDERS and is_nameable(name)


def is_nameable(name: str) -> bool:
    """Tell whether a name can be part of a path here."""
    try:
        RepoPath.parse(name)
    except InvalidPath:
        return False
    return True


class _Folder(NamedTuple):
    modified: int
    read_at: int
    folders: tuple[str, ...]
    names: tuple[str, ...]
    lone: tuple[str, ...]
    """Those of the names that lack the file they belong to."""


class Listing:
    """The files of a work tree whose names are wanted. Usable from many threads."""

    def __init__(
        self,
        repository: Repository,
        wanted: Callable[[str], bool],
        belongs_to: Callable[[str], str] | None = None,
    ) -> None:
        """`belongs_to` names the file beside which a wanted one lies, where `lone` is asked for."""
        self._root = repository.root
        self._wanted = wanted
        self._belongs_to = belongs_to
        self._folders: dict[str, _Folder] = {}
        self._lone: tuple[list[tuple[str, int]], list[str]] = ([], [])
        """What `lone` found, and the folders with their times for which that holds."""
        self._lock = threading.Lock()

    def paths(self) -> list[str]:
        """Return the paths of the wanted files from the root, in order."""
        self._walk()
        return self.last_paths()

    def last_paths(self) -> list[str]:
        """Return the same as it was when the folders were looked at last, whoever asked."""
        folders = [(f"{relative}/" if relative else "", one) for relative, one in self._folders.items()]
        return sorted(prefix + name for prefix, folder in folders for name in folder.names)

    def lone(self) -> list[str]:
        """Return those that lack the file they belong to; costs a look at each folder, not at each file."""
        known, found = self._lone
        try:
            if known and all(os.stat(place).st_mtime_ns == modified for place, modified in known):
                return found
        except OSError:
            pass  # a folder is gone
        walked = self._walk()
        found = sorted(prefix + name for prefix, folder in walked for name in folder.lone)
        is_old = all(folder.read_at - folder.modified > _YOUNG_NANOSECONDS for _, folder in walked)
        places = [(os.path.join(self._root, prefix), folder.modified) for prefix, folder in walked]
        self._lone = (places if is_old else [], found)
        return found

    def signatures(self) -> dict[str, Signature]:
        """Return the signature of each wanted file."""
        found = ((path, self.signature(path)) for path in self.paths())
        return {path: signature for path, signature in found if signature is not None}

    def signature(self, path: str) -> Signature | None:
        """Return the signature of one file, or None when there is none."""
        try:
            status = os.stat(os.path.join(self._root, path), follow_symlinks=False)
        except OSError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns

    def _walk(self) -> list[tuple[str, _Folder]]:
        """Return every folder, with what stands before the names in it."""
        with self._lock:
            found: dict[str, _Folder] = {}
            waiting, walked = [""], []
            while waiting:
                relative = waiting.pop()
                folder = self._read(relative)
                if folder is None:
                    continue
                found[relative] = folder
                prefix = f"{relative}/" if relative else ""
                walked.append((prefix, folder))
                waiting.extend(prefix + name for name in folder.folders)
            self._folders = found
        return walked

    def _read(self, relative: str) -> _Folder | None:
        place = os.path.join(self._root, relative)
        try:
            modified = os.stat(place, follow_symlinks=False).st_mtime_ns
            known = self._folders.get(relative)
            if (
                known is not None
                and known.modified == modified
                and known.read_at - modified > _YOUNG_NANOSECONDS
            ):
                return known
            read_at = time.time_ns()
            folders, names = _entries(place, self._wanted)
        except OSError:
            return None
        lone = (
            name
            for name in names
            if self._belongs_to is not None
            and not os.path.lexists(os.path.join(place, self._belongs_to(name)))
        )
        return _Folder(modified, read_at, tuple(folders), tuple(names), tuple(lone))


WatchedSignature = tuple[int, int, int, int]
"""Inode, size and two times of a file; another one means that it may have changed."""

TRUSTED_SECONDS = 60.0
MOST_WATCHED = 50_000


class _WatchedFolder:
    """What is known of one directory."""

    __slots__ = ("files", "inner", "number")

    def __init__(self) -> None:
        self.files: dict[str, WatchedSignature] = {}
        self.inner: dict[str, int] = {}
        self.number = -1


class WatchedListing:
    """The files of a work tree whose names are wanted, by their path from the root."""

    def __init__(
        self, root: str, wanted: Callable[[str], bool], *, trusted_seconds: float = TRUSTED_SECONDS
    ) -> None:
        self._root = root
        self._wanted = wanted
        self._trusted_seconds = trusted_seconds
        self._directories: dict[str, _WatchedFolder] = {}
        self._files: dict[str, WatchedSignature] | None = None
        self._notices: Notices | None = None
        self._may_watch = not is_network_filesystem(root)
        self._looked_at = 0.0
        self._is_changed = False
        self._lock = threading.Lock()

    @property
    def is_watching(self) -> bool:
        """Whether the kernel's notices are in use."""
        return self._notices is not None

    def current(self) -> Mapping[str, WatchedSignature]:
        """Return the files as they are now; the same object as before when nothing was seen to change."""
        with self._lock:
            before, is_noticed = self._files, False
            if before is None:
                self._look_at_everything()  # a process that asks once needs no notices
            elif self._notices is None or monotonic() - self._looked_at > self._trusted_seconds:
                self._begin_watching()
                self._look_at_everything()
            else:
                self._follow_notices(self._notices)
                is_noticed = self._is_changed
            after = self._flattened()
            # What was noticed did change, even if so soon after the last change that its time is the same.
            if before is None or is_noticed or after != before:
                self._files = after
            assert self._files is not None
            return self._files

    def signature(self, path: str) -> WatchedSignature | None:
        """Look at one file, whatever its name, and return its signature, or None when there is none."""
        return _signature(os.path.join(self._root, path))

    def close(self) -> None:
        """Stop watching."""
        with self._lock:
            self._stop_watching()

    def _begin_watching(self) -> None:
        self._stop_watching()
        if not self._may_watch or len(self._directories) > MOST_WATCHED:
            return
        try:
            self._notices = Notices()
        except NoticesLost:
            self._may_watch = False

    def _stop_watching(self) -> None:
        if self._notices is not None:
            self._notices.close()
            self._notices = None

    def _look_at_everything(self) -> None:
        self._looked_at = monotonic()
        self._directories = {}
        self._is_changed = True
        try:
            self._enter("")
        except NoticesLost:
            # More directories than may be watched, here or by everybody together.
            self._may_watch = False
            self._stop_watching()
            self._directories = {}
            self._enter("")

    def _follow_notices(self, notices: Notices) -> None:
        self._is_changed = False
        try:
            for directory, name, is_directory in dict.fromkeys(notices.take()):
                self._follow(directory, name, is_directory)
        except NoticesLost:
            self._begin_watching()
            self._look_at_everything()

    def _follow(self, directory: str, name: str, is_directory: bool) -> None:
        known = self._directories.get(directory)
        if known is None:
            return
        if not name:
            self._replaced(directory)
        elif is_directory:
            self._reenter(directory, known, name)
        elif self._wanted(name) and is_nameable(name):
            self._look_at(directory, known, name)

    def _replaced(self, directory: str) -> None:
        """Enter a directory anew that was removed: another may have its name, and even its inode."""
        if directory == "":
            raise NoticesLost("the root itself changed")
        parent, _, name = directory.rpartition("/")
        self._forget(directory)
        self._is_changed = True
        if (above := self._directories.get(parent)) is not None:
            above.inner.pop(name, None)
            self._reenter(parent, above, name)

    def _look_at(self, directory: str, known: _WatchedFolder, name: str) -> None:
        signature = _signature(os.path.join(self._root, directory, name))
        if signature is None:
            known.files.pop(name, None)
        else:
            known.files[name] = signature
        self._is_changed = True

    def _reenter(self, directory: str, known: _WatchedFolder, name: str) -> None:
        """Find out what a name for a directory leads to now."""
        path = _joined(directory, name)
        inode = _directory_inode(os.path.join(self._root, path))
        if inode is not None and inode == known.inner.get(name):
            return
        if known.inner.pop(name, None) is not None:
            self._forget(path)
            self._is_changed = True
        if inode is not None and _is_entered(name):
            known.inner[name] = inode
            self._enter(path)
            self._is_changed = True

    def _forget(self, path: str) -> None:
        known = self._directories.pop(path, None)
        if known is None:
            return
        if self._notices is not None:
            self._notices.leave(known.number, path)
        for name in known.inner:
            self._forget(_joined(path, name))

    def _enter(self, top: str) -> None:
        """Look at a directory and everything below it."""
        pending = [top]
        while pending:
            path = pending.pop()
            known = self._directories[path] = _WatchedFolder()
            place = os.path.join(self._root, path) if path else self._root
            if self._notices is not None:
                # Before looking: what changes from now on is either seen or noticed.
                known.number = self._notices.watch(place, path)
            self._read(place, known)
            pending += [_joined(path, name) for name in known.inner]

    def _read(self, place: str, known: _WatchedFolder) -> None:
        try:
            known.inner, names = _entries(place, self._wanted)
        except OSError:
            return  # gone, or closed to us: nothing in it can be read
        found = ((name, _signature(os.path.join(place, name))) for name in names)
        known.files = {name: signature for name, signature in found if signature is not None}

    def _flattened(self) -> dict[str, WatchedSignature]:
        if not self._is_changed and self._files is not None:
            return self._files
        return {
            _joined(path, name): signature
            for path, known in self._directories.items()
            for name, signature in known.files.items()
        }


def _joined(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory else name


def _signature(path: str) -> WatchedSignature | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _directory_inode(path: str) -> int | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_ino if stat.S_ISDIR(status.st_mode) else None
