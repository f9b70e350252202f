"""SQLite's errors, translated into errors that a caller may see.

Contract: programming mistakes (bad SQL, misuse) and violated constraints are not translated. The former are
defects of ours; the store that declared a constraint explains the latter.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from holdfast.kernel.errors import Busy, Corrupted, Denied, HoldfastError, OutOfSpace, TooLarge, Unavailable
from holdfast.kernel.machine import CHECK_DISK, CHECK_PERMISSIONS, FREE_SPACE, TRY_AGAIN

NOTHING_CHANGED = "Nothing was changed. `holdfast doctor` shows what can still be read."

SQLITE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""The exceptions of `sqlite3`; it raises the second one when a message quotes damaged bytes of a schema."""

SqliteError = sqlite3.Error | UnicodeDecodeError

_Reason = tuple[type[HoldfastError], str, str]
"""The error to raise, the rest of its sentence after the name of the store, and the hint."""

_BUSY: _Reason = (Busy, "is in use by another process", TRY_AGAIN)
_DAMAGED: _Reason = (Corrupted, "is damaged", NOTHING_CHANGED)
_DENIED: _Reason = (Denied, "may not be opened or changed", CHECK_PERMISSIONS)

# `sqlite3` raises this itself, without an error code, for text that is not UTF-8.
_DECODING_MESSAGE = "Could not decode to UTF-8"
_UNDECODABLE: _Reason = (Corrupted, "contains a damaged text", NOTHING_CHANGED)

_REASONS: dict[int, _Reason] = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_PROTOCOL: _BUSY,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: (Corrupted, "is not a database", NOTHING_CHANGED),
    sqlite3.SQLITE_READONLY: _DENIED,
    sqlite3.SQLITE_PERM: _DENIED,
    sqlite3.SQLITE_CANTOPEN: (Unavailable, "could not be opened", "Check that its directory may be used."),
    sqlite3.SQLITE_FULL: (OutOfSpace, "could not be written: the disk is full", FREE_SPACE),
    sqlite3.SQLITE_IOERR: (Unavailable, "could not be used: the disk reported an error", CHECK_DISK),
    sqlite3.SQLITE_TOOBIG: (TooLarge, "cannot hold a value of this size", "Store a smaller value."),
}


def database_failure(error: SqliteError, label: str) -> HoldfastError | None:
    """Return the translation of an error in the store `label`, or None if there is none."""
    reason = _UNDECODABLE if str(error).startswith(_DECODING_MESSAGE) else _REASONS.get(_primary_code(error))
    if reason is None:
        return None
    kind, text, hint = reason
    return kind(f"The store '{label}' {text}.", hint=hint, path=label)


def is_damage(error: SqliteError) -> bool:
    """Return whether SQLite found the file itself damaged, so that nothing more may be written to it."""
    return _primary_code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def is_busy(error: SqliteError) -> bool:
    """Return whether another connection has the store locked."""
    return _primary_code(error) == sqlite3.SQLITE_BUSY


def _primary_code(error: SqliteError) -> int:
    if isinstance(error, UnicodeDecodeError):
        return sqlite3.SQLITE_CORRUPT
    # The low byte of an extended code is the primary code (<https://sqlite.org/rescode.html>).
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)) & 0xFF


def raise_translated(error: SqliteError, label: str) -> NoReturn:
    """Raise the translation of an error, or the error itself if it has none."""
    failure = database_failure(error, label)
    if failure is None:
        raise error
    # Not chained: messages of SQLite may quote stored text.
    raise failure from None


@contextmanager
def translate_sqlite_errors(label: str) -> Iterator[None]:
    """Translate SQLite's errors in the block into errors that name the store."""
    try:
        yield
    except SQLITE_ERRORS as error:
        raise_translated(error, label)
