"""The file of a store and the marker that remembers it was once created.

The marker, `<name>.created`, tells an empty or missing file that is new from one that lost its content. It is
looked at before SQLite sees the file: SQLite takes an empty file for a new database and deletes its log.
"""

from __future__ import annotations

import os
import stat

from holdfast.kernel.errors import Corrupted, InvalidPath
from holdfast.storage.files.atomic import StrPath, atomic_write, flush_directory
from holdfast.storage.sql.failures import DOCTOR

MARKER_SUFFIX = ".created"

_MARKER_TEXT = b"A Holdfast store was created beside this file. It is never recreated silently.\n"


class StoreFile:
    """What is known about a store before its bytes are trusted."""

    def __init__(self, path: StrPath) -> None:
        self.path = os.path.abspath(path)
        self.name = os.path.basename(self.path)
        self.marker = self.path + MARKER_SUFFIX

    @property
    def was_created(self) -> bool:
        """Whether this store held its schema at some time."""
        return os.path.lexists(self.marker)

    def identity(self) -> tuple[int, int] | None:
        """Return what tells this file from one that took its name; None when there is none."""
        try:
            status = os.lstat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return status.st_dev, status.st_ino

    def address(self, *, read_only: bool) -> str:
        """Return the URI under which SQLite opens the file; it never creates it."""
        quoted = self.path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        return f"file://{quoted}?mode={'ro' if read_only else 'rw'}"

    def check(self) -> None:
        """Raise when the file cannot be the store it was, without opening it."""
        try:
            status = os.lstat(self.path)
        except FileNotFoundError:
            if self.was_created:
                raise self.lost("is missing, although it was created before") from None
            return
        if not stat.S_ISREG(status.st_mode):
            raise InvalidPath(
                f"The store '{self.name}' is not a regular file.",
                hint="Move aside what is in its place, then try again.",
                path=self.name,
            )
        if status.st_size == 0 and (self.was_created or _size(self.path + "-wal") > 0):
            raise self.lost("is empty, although it held data before")

    def lost(self, reason: str) -> Corrupted:
        """Return the failure for a store whose content is gone or foreign."""
        return Corrupted(f"The store '{self.name}' {reason}.", hint=DOCTOR, path=self.name)

    def create_if_missing(self) -> None:
        """Make an empty file that only its owner may use; SQLite gives its log the same permissions."""
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))

    def remember(self) -> None:
        """Make the file's name durable, then leave the marker."""
        if not self.was_created:
            flush_directory(os.path.dirname(self.path))
            atomic_write(self.marker, _MARKER_TEXT, mode=0o600)


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except FileNotFoundError:
        return 0
