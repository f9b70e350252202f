"""A list of the files of a work tree with wanted names, which inotify keeps up to date.

Contract:
- `current` reflects every change that was complete before the call, whichever process made it. With inotify,
  a call without changes costs one system call, however large the tree is. Without inotify, or after events
  were lost, the whole tree is scanned.
- inotify does not report a write through another hard link. Therefore the whole tree is scanned again after
  `trusted_seconds`.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from holdfast.kernel.clock import monotonic
from holdfast.storage.files.mounts import is_network_filesystem
from holdfast.storage.watching.directory_watch import MAX_WATCHED_DIRECTORIES
from holdfast.storage.watching.errors import EventsLost, WatchUnavailable
from holdfast.storage.watching.inotify import Inotify
from holdfast.storage.watching.source_folders import entries, is_entered, is_nameable

TRUSTED_SECONDS = 60.0
"""A judgement: writes through other hard links are rare, and a scan of 10,000 files takes some 50 ms."""


class WatchedSignature(NamedTuple):
    """What the system knows of a file; when one of these differs, the file may have changed."""

    inode: int
    size: int
    modified: int
    """In nanoseconds since 1970, as is `changed`."""
    changed: int


@dataclass
class _WatchedFolder:
    """The content of one directory when it was last scanned."""

    files: dict[str, WatchedSignature] = field(default_factory=dict)
    subdirectories: dict[str, int] = field(default_factory=dict)
    """The inodes of the folders in it, by name."""
    number: int = -1
    """The number of its watch, or -1."""


class WatchedListing:
    """The files of a work tree with wanted names, by their path from the root. Thread-safe."""

    def __init__(
        self, root: str, wanted: Callable[[str], bool], *, trusted_seconds: float = TRUSTED_SECONDS
    ) -> None:
        self._root = root
        self._wanted = wanted
        self._trusted_seconds = trusted_seconds
        self._directories: dict[str, _WatchedFolder] = {}
        self._files: dict[str, WatchedSignature] | None = None
        self._inotify: Inotify | None = None
        self._may_watch = not is_network_filesystem(root)
        self._scanned_at = 0.0
        self._is_changed = False
        self._lock = threading.Lock()

    @property
    def is_watching(self) -> bool:
        """Whether inotify is in use."""
        return self._inotify is not None

    def current(self) -> Mapping[str, WatchedSignature]:
        """Return the current files; the same object as before if nothing changed."""
        with self._lock:
            before, is_reported = self._files, False
            if before is None:
                self._scan_everything()  # a process that calls this only once needs no inotify
            elif self._inotify is None or monotonic() - self._scanned_at > self._trusted_seconds:
                self._begin_watching()
                self._scan_everything()
            else:
                self._apply_events(self._inotify)
                is_reported = self._is_changed
            after = self._collect()
            # A reported file has changed, even if that was too soon after the last change to alter its times.
            if before is None or is_reported or after != before:
                self._files = after
            assert self._files is not None
            return self._files

    def signature(self, path: str) -> WatchedSignature | None:
        """Return the signature of one file, wanted or not, or None when there is none."""
        return _signature(os.path.join(self._root, path))

    def close(self) -> None:
        """Stop watching."""
        with self._lock:
            self._stop_watching()

    def _begin_watching(self) -> None:
        self._stop_watching()
        if not self._may_watch or len(self._directories) > MAX_WATCHED_DIRECTORIES:
            return
        try:
            self._inotify = Inotify()
        except WatchUnavailable:
            self._may_watch = False

    def _stop_watching(self) -> None:
        if self._inotify is not None:
            self._inotify.close()
            self._inotify = None

    def _scan_everything(self) -> None:
        self._scanned_at = monotonic()
        self._directories = {}
        self._is_changed = True
        try:
            self._enter("")
        except WatchUnavailable:
            # More directories than this process or this user may watch.
            self._may_watch = False
            self._stop_watching()
            self._directories = {}
            self._enter("")

    def _apply_events(self, inotify: Inotify) -> None:
        self._is_changed = False
        try:
            for directory, name, is_directory in dict.fromkeys(inotify.read()):
                self._apply(directory, name, is_directory)
        except (EventsLost, WatchUnavailable):
            self._begin_watching()
            self._scan_everything()

    def _apply(self, directory: str, name: str, is_directory: bool) -> None:
        known = self._directories.get(directory)
        if known is None:
            return
        if not name:
            self._enter_replacement(directory)
        elif is_directory:
            self._reenter(directory, known, name)
        elif self._wanted(name) and is_nameable(name):
            self._update_file(directory, known, name)

    def _enter_replacement(self, directory: str) -> None:
        """Scan the directory that may have replaced a removed one; it may even have the same inode."""
        if directory == "":
            raise EventsLost("the root itself changed")
        parent, _, name = directory.rpartition("/")
        self._forget(directory)
        self._is_changed = True
        if (above := self._directories.get(parent)) is not None:
            above.subdirectories.pop(name, None)
            self._reenter(parent, above, name)

    def _update_file(self, directory: str, known: _WatchedFolder, name: str) -> None:
        signature = _signature(os.path.join(self._root, directory, name))
        if signature is None:
            known.files.pop(name, None)
        else:
            known.files[name] = signature
        self._is_changed = True

    def _reenter(self, directory: str, known: _WatchedFolder, name: str) -> None:
        """Scan the directory of a name, unless it is the same that was scanned before."""
        path = _join(directory, name)
        inode = _directory_inode(os.path.join(self._root, path))
        if inode is not None and inode == known.subdirectories.get(name):
            return
        if known.subdirectories.pop(name, None) is not None:
            self._forget(path)
            self._is_changed = True
        if inode is not None and is_entered(name):
            known.subdirectories[name] = inode
            self._enter(path)
            self._is_changed = True

    def _forget(self, path: str) -> None:
        known = self._directories.pop(path, None)
        if known is None:
            return
        if self._inotify is not None:
            self._inotify.unwatch(known.number, path)
        for name in known.subdirectories:
            self._forget(_join(path, name))

    def _enter(self, top: str) -> None:
        """Scan a directory and everything below it."""
        pending = [top]
        while pending:
            path = pending.pop()
            known = self._directories[path] = _WatchedFolder()
            place = os.path.join(self._root, path) if path else self._root
            if self._inotify is not None:
                # Watched before the scan, so that any later change is either seen by the scan or reported.
                known.number = self._inotify.watch(place, path)
            self._read(place, known)
            pending += [_join(path, name) for name in known.subdirectories]

    def _read(self, place: str, known: _WatchedFolder) -> None:
        try:
            known.subdirectories, names = entries(place, self._wanted)
        except OSError:
            return  # gone, or not readable
        found = ((name, _signature(os.path.join(place, name))) for name in names)
        known.files = {name: signature for name, signature in found if signature is not None}

    def _collect(self) -> dict[str, WatchedSignature]:
        if not self._is_changed and self._files is not None:
            return self._files
        return {
            _join(path, name): signature
            for path, known in self._directories.items()
            for name, signature in known.files.items()
        }


def _join(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory else name


def _signature(path: str) -> WatchedSignature | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return WatchedSignature(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _directory_inode(path: str) -> int | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_ino if stat.S_ISDIR(status.st_mode) else None
