"""The file of a SQLite store, checked before SQLite opens it.

Contract: a marker file, `<name>.created`, shows whether an empty or missing file is a new store or one that
lost its content. The marker is checked first, because SQLite treats an empty file as a new database and
deletes its log. It is also read first, because whoever creates a store writes the marker last.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat

from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Corrupted, Denied, InvalidPath
from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.files.directories import StrPath, flush_directory
from holdfast.storage.files.locks import locked
from holdfast.storage.sql.quick import format_of, size_of
from holdfast.storage.sql.sqlite_errors import NOTHING_CHANGED
from holdfast.storage.sql.write_ahead_log import damaged_log

LOG_SUFFIX = "-wal"
MARKER_SUFFIX = ".created"
DAMAGED_MARK = ".damaged-"
"""Part of the name of a damaged file that was set aside; hexadecimal digits follow."""
_DIGEST_CHARACTERS = 12
"""A judgement: 48 bits distinguish the few damaged files that a store ever has."""

_MARKER_TEXT = b"A Holdfast store was created beside this file. It is never recreated silently.\n"
_COPY_HINT = "`holdfast doctor` names the copy."


def is_blank(connection: sqlite3.Connection) -> bool:
    """Return whether a database has no content at all, as after an interrupted creation."""
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    return not tables and format_of(connection) == (0, 0)


class StoreFile:
    """The file of a store and its marker."""

    def __init__(self, path: StrPath) -> None:
        self.path = os.path.abspath(path)
        self.name = os.path.basename(self.path)
        self.marker = self.path + MARKER_SUFFIX

    @property
    def was_created(self) -> bool:
        """Whether this store once had its schema."""
        return os.path.lexists(self.marker)

    def identity(self) -> tuple[int, int] | None:
        """Return device and inode of the file, which change when it is replaced; None if there is none."""
        try:
            status = os.lstat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return status.st_dev, status.st_ino

    def check(self) -> None:
        """Raise if the file cannot be the store that was created. The file is not opened."""
        # Before the file: another process may create the store right now, and writes these two after it.
        was_created, log_bytes = self.was_created, size_of(self.path + LOG_SUFFIX)
        try:
            status = os.lstat(self.path)
        except FileNotFoundError:
            if was_created:
                raise self._missing_error() from None
            return
        if not stat.S_ISREG(status.st_mode):
            if was_created:
                raise self.damage_error("is no longer a regular file")
            raise InvalidPath(
                f"The store '{self.name}' is not a regular file.",
                hint="Move aside what is there, then try again.",
                path=self.name,
            )
        if status.st_size == 0 and (was_created or log_bytes > 0):
            raise self.damage_error("is empty, although it contained data before")

    def _missing_error(self) -> Corrupted:
        place = os.path.join(*self.path.split(os.sep)[-3:-1])
        hint = (
            f"To restore it, copy a backup to '{place}/{self.name}'."
            f" To start empty, move '{place}/{self.name}{MARKER_SUFFIX}' elsewhere."
        )
        text = f"The store '{self.name}' is missing, although it was created before."
        return Corrupted(text, hint=hint, path=self.name, missing=True)

    def damage_error(self, reason: str) -> Corrupted:
        """Return the error for a store whose content is lost or foreign."""
        return Corrupted(f"The store '{self.name}' {reason}.", hint=NOTHING_CHANGED, path=self.name)

    def create_if_missing(self) -> None:
        """Create an empty file that only its owner may use; SQLite gives its log the same permissions."""
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))

    def save_damaged_log(self) -> None:
        """Copy a log from which SQLite is about to drop finished writes, and log a warning."""
        log = damaged_log(self.path)
        if log is None:
            return
        digest = hashlib.sha256(log).hexdigest()[:_DIGEST_CHARACTERS]
        try:
            atomic_write(f"{self.path}{LOG_SUFFIX}{DAMAGED_MARK}{digest}", log, mode=0o600)
        except Denied:
            return  # SQLite cannot drop anything where nothing may be written
        text = f"The log of the store '{self.name}' is damaged, and writes in it are lost. {_COPY_HINT}"
        current_call().log(text, "warning")

    def set_aside(self, damaged: tuple[int, int] | None) -> None:
        """Rename a damaged file, so that a new store can be created; `damaged` is its identity."""
        with locked(self.path), translate_disk_errors(self.name):
            if self.identity() != damaged:
                return  # another process has done so
            aside = f"{self.path}{DAMAGED_MARK}{os.urandom(_DIGEST_CHARACTERS // 2).hex()}"
            for suffix in ("", LOG_SUFFIX):
                if os.path.lexists(self.path + suffix):
                    os.replace(self.path + suffix, aside + suffix)
            for suffix in ("-shm", MARKER_SUFFIX):
                if os.path.lexists(self.path + suffix):
                    os.unlink(self.path + suffix)
        text = f"The store '{self.name}' was damaged, and was started empty. {_COPY_HINT}"
        current_call().log(text, "warning")

    def mark_as_created(self) -> None:
        """Create the marker, once the name of the file itself is durable."""
        if not self.was_created:
            flush_directory(os.path.dirname(self.path))
            atomic_write(self.marker, _MARKER_TEXT, mode=0o600)
