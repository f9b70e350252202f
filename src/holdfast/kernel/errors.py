"""All errors of operations, with the exit status and the HTTP status that interfaces report for them.

The hierarchy, with the exit status and the HTTP status of each class:

    HoldfastError
    ├── Invalid                 2   400   the caller can fix the request
    │   ├── InvalidArguments
    │   ├── InvalidPath
    │   ├── InvalidCursor
    │   ├── UnknownTool
    │   ├── UnknownResource
    │   └── UnknownPrompt
    ├── NotFound                3   404   the named thing does not exist
    ├── Conflict                4   409   another caller changed it first
    │   └── OutOfDate           4   412   the caller named a version that is no longer the latest
    ├── Denied                  5   403   not allowed here
    ├── TooLarge                6   413   over a given limit
    ├── Busy                    7   503   try again later
    │   └── RateLimited         7   429
    ├── Corrupted               8   500   stored bytes are damaged; they are left as they are
    ├── DeadlineExceeded        9   504
    ├── Unavailable            10   501   an optional part is not installed or not configured
    │   ├── OutOfSpace         11   507   the disk is full; what was stored before is unchanged
    │   ├── NotFetched         10   501   a partial clone has not fetched an object
    │   └── Unconfirmed        10   500   it was done, but a power failure may undo it
    ├── Cancelled             130   499
    └── Internal               70   500   a defect of ours, with a reference to the log

`kind` is stable and part of the public interface; messages may improve. The codes of the protocol are in
`kernel/codes.py`. This module imports very little, so that quick commands stay quick.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar


class HoldfastError(Exception):
    """Base class of every error that a caller may see."""

    kind: ClassVar[str] = "error"
    number: ClassVar[int] = 5000
    exit_code: ClassVar[int] = 70
    http_status: ClassVar[int] = 500
    specified_message: str | None = None
    """The exact message that a specification prescribes, if it prescribes one."""

    def __init_subclass__(
        cls,
        *,
        kind: str | None = None,
        number: int | None = None,
        exit_code: int | None = None,
        http_status: int | None = None,
    ) -> None:
        """Set the attributes given with the class statement; the rest is inherited."""
        super().__init_subclass__()
        attributes = {"kind": kind, "number": number, "exit_code": exit_code, "http_status": http_status}
        for name, value in attributes.items():
            if value is not None:
                setattr(cls, name, value)

    def __init__(self, message: str, *, hint: str | None = None, **data: object) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.data = data

    def sentence(self) -> str:
        """Return the message and the hint as one text."""
        if not self.hint:
            return self.message
        stop = "" if self.message.endswith((".", "!", "?")) else "."
        return f"{self.message}{stop} {self.hint}"

    @classmethod
    def kinds(cls) -> tuple[str, ...]:
        """Return this kind and its ancestors' kinds, nearest first."""
        return tuple(base.kind for base in cls.__mro__ if issubclass(base, HoldfastError))


class Invalid(HoldfastError, kind="invalid", number=4000, exit_code=2, http_status=400):
    """The request cannot be carried out as written; the caller can correct it."""


class InvalidArguments(Invalid, kind="invalid_arguments", number=4001):
    """One or more arguments are missing, unknown or of the wrong shape."""

    undecodable = False
    """Whether an argument is missing or has the wrong JSON type; some specifications have a code for it."""


class InvalidPath(Invalid, kind="invalid_path", number=4002):
    """A path leaves the workspace, or names something that callers may not access."""


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
    """The thing has changed since the caller read it."""


class OutOfDate(Conflict, kind="out_of_date", number=4120, http_status=412):
    """The thing does not have the version that the caller expected."""

    @classmethod
    def found(cls, what: str, expected: object, version: object) -> OutOfDate:
        """Return the error for `what`, which has `version` instead of the expected version."""
        return cls(
            f"{what} is at version {version}, not {expected}.",
            hint="Read it again, then decide whether your change still fits.",
            expected=expected,
            version=version,
        )


class Denied(HoldfastError, kind="denied", number=4030, exit_code=5, http_status=403):
    """The caller may not do this here."""


class TooLarge(HoldfastError, kind="too_large", number=4130, exit_code=6, http_status=413):
    """Something exceeds a given limit."""


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
    """A clone lacks an object, which its remote may have."""


class OutOfSpace(Unavailable, kind="out_of_space", number=5070, exit_code=11, http_status=507):
    """The disk or a quota is full."""


class Unconfirmed(Unavailable, kind="unconfirmed", number=5080, http_status=500):
    """It was done, but the disk did not confirm it: check before repeating it."""


class Cancelled(HoldfastError, kind="cancelled", number=4990, exit_code=130, http_status=499):
    """The caller no longer wants the answer."""


class Internal(HoldfastError, kind="internal", number=5000, exit_code=70, http_status=500):
    """A defect of ours. The traceback is on standard error under the reference id."""


def closest(name: str, candidates: Iterable[str], similarity: float = 0.6) -> str | None:
    """Return the candidate most similar to `name`, whatever its case; None if none reaches the similarity.

    The similarity is that of `difflib.get_close_matches` (Ratcliff-Obershelp), and so is its default.
    """
    from difflib import get_close_matches

    by_folded_name = {candidate.casefold(): candidate for candidate in candidates}
    matches = get_close_matches(name.casefold(), list(by_folded_name), n=1, cutoff=similarity)
    return by_folded_name[matches[0]] if matches else None


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """Return a hint that names the closest candidate, or all of them when none is close."""
    names = sorted(candidates)
    best = closest(name, names)
    if best is not None:
        return f'Did you mean "{best}"?'
    return f"Known names: {', '.join(names)}." if names else "There are none here."


def error_object(error: HoldfastError, code: int) -> dict[str, object]:
    """Return an error as JSON data, with the same five members for every interface."""
    return {
        "kind": error.kind,
        "code": code,
        "message": error.message,
        "hint": error.hint,
        "data": dict(error.data),
    }
