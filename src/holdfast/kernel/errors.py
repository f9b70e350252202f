"""Every way an operation can fail, once, with what each face needs to say so.

The tree, with the process exit status and HTTP status of each branch:

    HoldfastError
    ├── Invalid                 2   400   the caller can fix the request
    │   ├── InvalidArguments
    │   ├── InvalidPath
    │   ├── InvalidCursor
    │   ├── UnknownTool
    │   ├── UnknownResource
    │   └── UnknownPrompt
    ├── NotFound                3   404   the named thing does not exist
    ├── Conflict                4   409   somebody else changed it first
    │   └── OutOfDate           4   412   the caller named a version that is no longer the newest
    ├── Denied                  5   403   not allowed here
    ├── TooLarge                6   413   over a stated limit
    ├── Busy                    7   503   try again later
    │   └── RateLimited         7   429
    ├── Corrupted               8   500   stored bytes are damaged; they are left as they are
    ├── DeadlineExceeded        9   504
    ├── Unavailable            10   501   an optional part is not installed or not configured
    │   ├── OutOfSpace         11   507   the disk is full; what was stored before is unchanged
    │   ├── NotFetched         10   501   a partial clone left it with its remote
    │   └── Unconfirmed        10   500   it was done; the disk did not say that it will stay so
    ├── Cancelled             130   499
    └── Internal               70   500   a defect of ours, with a reference to find it by

`kind` is stable and belongs to the public contract; messages may improve. Numeric codes of the
protocol live in `kernel/codes.py`. This module imports nothing, so that quick commands stay quick.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar


class HoldfastError(Exception):
    """Base of every failure that a caller may see."""

    kind: ClassVar[str] = "error"
    number: ClassVar[int] = 5000
    exit_code: ClassVar[int] = 70
    http_status: ClassVar[int] = 500
    specified_message: str | None = None
    """The message that a specification prescribes word for word, where it does."""

    def __init_subclass__(
        cls,
        *,
        kind: str | None = None,
        number: int | None = None,
        exit_code: int | None = None,
        http_status: int | None = None,
    ) -> None:
        """Take what a failure states where its class begins; the rest is as with its parent."""
        super().__init_subclass__()
        stated = {"kind": kind, "number": number, "exit_code": exit_code, "http_status": http_status}
        for name, value in stated.items():
            if value is not None:
                setattr(cls, name, value)

    def __init__(self, message: str, *, hint: str | None = None, **data: object) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.data = data

    def sentence(self) -> str:
        """Return the message and its next step as one text."""
        if not self.hint:
            return self.message
        stop = "" if self.message.endswith((".", "!", "?")) else "."
        return f"{self.message}{stop} {self.hint}"

    @classmethod
    def kinds(cls) -> tuple[str, ...]:
        """Return this kind and its ancestors' kinds, nearest first."""
        return tuple(base.kind for base in cls.__mro__ if issubclass(base, HoldfastError))


class Invalid(HoldfastError, kind="invalid", number=4000, exit_code=2, http_status=400):
    """The request cannot be carried out as written; the caller can mend it."""


class InvalidArguments(Invalid, kind="invalid_arguments", number=4001):
    """One or more arguments are missing, unknown or of the wrong shape."""

    undecodable = False
    """Whether something is missing or of another JSON type; some specifications give that its own code."""


class InvalidPath(Invalid, kind="invalid_path", number=4002):
    """A path leaves the workspace or names something that is not the caller's."""


class InvalidCursor(Invalid, kind="invalid_cursor", number=4003):
    """A page cursor is damaged or belongs to another query."""


class UnknownTool(Invalid, kind="unknown_tool", number=4004):
    """No tool of that name is offered here."""


class UnknownResource(Invalid, kind="unknown_resource", number=4005):
    """No resource has that address."""


class UnknownPrompt(Invalid, kind="unknown_prompt", number=4006):
    """No prompt of that name is offered here."""


class NotFound(HoldfastError, kind="not_found", number=4040, exit_code=3, http_status=404):
    """The named thing does not exist."""


class Conflict(HoldfastError, kind="conflict", number=4090, exit_code=4, http_status=409):
    """The thing changed since the caller looked at it."""


class OutOfDate(Conflict, kind="out_of_date", number=4120, http_status=412):
    """The thing is not at the version that the caller expected."""

    @classmethod
    def found(cls, what: str, expected: object, version: object) -> OutOfDate:
        """Return the failure for `what`, which is at `version` while the caller expected another."""
        return cls(
            f"{what} is at version {version}, not {expected}.",
            hint="Read it again, then decide whether your change still fits.",
            expected=expected,
            version=version,
        )


class Denied(HoldfastError, kind="denied", number=4030, exit_code=5, http_status=403):
    """The caller may not do this here."""


class TooLarge(HoldfastError, kind="too_large", number=4130, exit_code=6, http_status=413):
    """Something exceeds a stated limit."""


class Busy(HoldfastError, kind="busy", number=5030, exit_code=7, http_status=503):
    """The thing is in use; trying again later will work."""


class RateLimited(Busy, kind="rate_limited", number=4290, http_status=429):
    """Too many requests in too short a time."""


class Corrupted(HoldfastError, kind="corrupted", number=5002, exit_code=8):
    """Stored bytes are damaged. Nothing overwrites them."""


class DeadlineExceeded(HoldfastError, kind="deadline_exceeded", number=5040, exit_code=9, http_status=504):
    """The operation took longer than it may."""


class Unavailable(HoldfastError, kind="unavailable", number=5010, exit_code=10, http_status=501):
    """An optional part is not installed, or a program we need is missing."""


class NotFetched(Unavailable, kind="not_fetched", number=5013):
    """A partial clone lacks what its remote has."""


class OutOfSpace(Unavailable, kind="out_of_space", number=5070, exit_code=11, http_status=507):
    """The disk, or the share of it that we may use, is full."""


class Unconfirmed(Unavailable, kind="unconfirmed", number=5080, http_status=500):
    """It was done, and the disk did not say that it will stay so: to be looked at before it is repeated."""


class Cancelled(HoldfastError, kind="cancelled", number=4990, exit_code=130, http_status=499):
    """The caller no longer wants the answer."""


class Internal(HoldfastError, kind="internal", number=5000, exit_code=70, http_status=500):
    """A defect of ours. The traceback is on standard error under the reference id."""


def closest(name: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """Return the known name most like `name`, or None when none has that much of its letters in order."""
    from difflib import get_close_matches

    spelled = {one.casefold(): one for one in known}
    matches = get_close_matches(name.casefold(), list(spelled), n=1, cutoff=likeness)
    return spelled[matches[0]] if matches else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint naming the closest known name, or all of them when none is close."""
    names = sorted(known)
    best = closest(name, names)
    if best is not None:
        return f'Did you mean "{best}"?'
    return f"Known names: {', '.join(names)}." if names else "There are none here."


def error_object(error: HoldfastError, code: int) -> dict[str, object]:
    """Return the one shape in which a failure is told as data: always these five members."""
    return {
        "kind": error.kind,
        "code": code,
        "message": error.message,
        "hint": error.hint,
        "data": dict(error.data),
    }
