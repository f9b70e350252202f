"""The files of a work tree with wanted names, kept current by inotify for processes that ask repeatedly.

Contract:
- `current` reflects every change that was complete before it was called, whichever process made it. With
  inotify an answer without changes costs one system call, however large the tree. Without it, or after
  events were lost, the whole tree is scanned.
- inotify does not report a write through another name (a hard link). Therefore the whole tree is scanned
  again after `trusted_seconds`.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Mapping

from holdfast.kernel.clock import monotonic
from holdfast.storage.files.mounts import is_network_filesystem
from holdfast.storage.watching.directory_watch import MAX_DIRECTORIES
from holdfast.storage.watching.errors import EventsLost, WatchUnavailable
from holdfast.storage.watching.inotify import Inotify
from holdfast.storage.watching.source_folders import entries, is_entered, is_nameable

WatchedSignature = tuple[int, int, int, int]
"""Inode, size, modification and change time of a file; when one differs, the file may have changed."""

TRUSTED_SECONDS = 60.0
"""A judgement: writes through other hard links are rare, and a scan of 10,000 files takes some 50 ms."""


class _WatchedFolder:
    """The last scanned content of one directory."""

    __slots__ = ("files", "inner", "number")

    def __init__(self) -> None:
        self.files: dict[str, WatchedSignature] = {}
        self.inner: dict[str, int] = {}
        self.number = -1


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
                self._scan_everything()  # a process that asks once needs no inotify
            elif self._inotify is None or monotonic() - self._scanned_at > self._trusted_seconds:
                self._begin_watching()
                self._scan_everything()
            else:
                self._apply_events(self._inotify)
                is_reported = self._is_changed
            after = self._flattened()
            # A reported file did change, even if so soon after its last change that the times are the same.
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
        if not self._may_watch or len(self._directories) > MAX_DIRECTORIES:
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
        """Scan a directory that was removed: another may have its name by now, and even its inode."""
        if directory == "":
            raise EventsLost("the root itself changed")
        parent, _, name = directory.rpartition("/")
        self._forget(directory)
        self._is_changed = True
        if (above := self._directories.get(parent)) is not None:
            above.inner.pop(name, None)
            self._reenter(parent, above, name)

    def _update_file(self, directory: str, known: _WatchedFolder, name: str) -> None:
        signature = _signature(os.path.join(self._root, directory, name))
        if signature is None:
            known.files.pop(name, None)
        else:
            known.files[name] = signature
        self._is_changed = True

    def _reenter(self, directory: str, known: _WatchedFolder, name: str) -> None:
        """Compare the directory of a name with the one that was scanned, and scan it if it is another."""
        path = _joined(directory, name)
        inode = _directory_inode(os.path.join(self._root, path))
        if inode is not None and inode == known.inner.get(name):
            return
        if known.inner.pop(name, None) is not None:
            self._forget(path)
            self._is_changed = True
        if inode is not None and is_entered(name):
            known.inner[name] = inode
            self._enter(path)
            self._is_changed = True

    def _forget(self, path: str) -> None:
        known = self._directories.pop(path, None)
        if known is None:
            return
        if self._inotify is not None:
            self._inotify.unwatch(known.number, path)
        for name in known.inner:
            self._forget(_joined(path, name))

    def _enter(self, top: str) -> None:
        """Scan a directory and everything below it."""
        pending = [top]
        while pending:
            path = pending.pop()
            known = self._directories[path] = _WatchedFolder()
            place = os.path.join(self._root, path) if path else self._root
            if self._inotify is not None:
                # Before the scan: what changes from now on is either scanned or reported.
                known.number = self._inotify.watch(place, path)
            self._read(place, known)
            pending += [_joined(path, name) for name in known.inner]

    def _read(self, place: str, known: _WatchedFolder) -> None:
        try:
            known.inner, names = entries(place, self._wanted)
        except OSError:
            return  # gone, or not readable
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
