"""What SQLite refuses, said so that a person knows the store and the next step.

Programming mistakes (bad SQL, misuse) and broken constraints are not translated: the first are defects, the
second are for the store that declared the constraint to explain.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.kernel.errors import Busy, Corrupted, Denied, HoldfastError, OutOfSpace, TooLarge, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

DOCTOR = "Nothing was changed. `holdfast doctor` shows what can still be read."

_Reason = tuple[type[HoldfastError], str, str]

_BUSY: _Reason = (Busy, "is in use by another process", "Try again in a moment.")
_DAMAGED: _Reason = (Corrupted, "is damaged", DOCTOR)
_DENIED: _Reason = (Denied, "may not be opened or changed", "Check who owns it and what its permissions are.")

# The Python module's own complaint about bytes that are no text carries no code of SQLite's.
_NOT_TEXT_MESSAGE = "Could not decode to UTF-8"
_NOT_TEXT: _Reason = (Corrupted, "holds a text that is damaged", DOCTOR)

_REASONS: dict[int, _Reason] = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_PROTOCOL: _BUSY,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: (Corrupted, "is not a database", DOCTOR),
    sqlite3.SQLITE_READONLY: _DENIED,
    sqlite3.SQLITE_PERM: _DENIED,
    sqlite3.SQLITE_CANTOPEN: (
        Unavailable,
        "could not be opened",
        "Check that its directory exists and may be used.",
    ),
    sqlite3.SQLITE_FULL: (
        OutOfSpace,
        "could not be written: the disk is full",
        "Free some space and try again; what was stored before is unchanged.",
    ),
    sqlite3.SQLITE_IOERR: (
        Unavailable,
        "could not be read or written: the disk reported an error",
        "Check the disk, then try again; `holdfast doctor` verifies the stores.",
    ),
    sqlite3.SQLITE_TOOBIG: (TooLarge, "cannot hold a value of this size", "Store a smaller value."),
}


def database_failure(error: sqlite3.Error, label: str) -> HoldfastError | None:
    """Return what `error` means for the store called `label`, or None when it is a defect of ours."""
    reason = _NOT_TEXT if str(error).startswith(_NOT_TEXT_MESSAGE) else _REASONS.get(_primary_code(error))
    if reason is None:
        return None
    kind, text, hint = reason
    return kind(f"The store '{label}' {text}.", hint=hint, path=label)


def is_damage(error: sqlite3.Error) -> bool:
    """Tell whether SQLite itself cannot make sense of the file, so that nothing more may be written to it."""
    return _primary_code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def is_busy(error: sqlite3.Error) -> bool:
    """Tell whether another connection is in the way, for now."""
    return _primary_code(error) == sqlite3.SQLITE_BUSY


def _primary_code(error: sqlite3.Error) -> int:
    # The low byte is the primary code; extended codes refine it.
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)) & 0xFF


def raise_translated(error: sqlite3.Error, label: str) -> NoReturn:
    """Raise what a caller should see instead of `error`."""
    failure = database_failure(error, label)
    if failure is None:
        raise error
    # Not chained: the texts of the module may quote what is stored.
    raise failure from None


@contextmanager
def database_failures_named(label: str) -> Iterator[None]:
    """Turn SQLite's refusals in the code inside into failures that name the store."""
    try:
        yield
    except sqlite3.Error as error:
        raise_translated(error, label)
