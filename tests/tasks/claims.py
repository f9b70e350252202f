"""Claims as whole operations of one transaction each, as tools make them."""

from __future__ import annotations

from holdfast.tasks.store import lease
from holdfast.tasks.store.records import CallerIdentity, Task
from holdfast.tasks.store.tasks import Tasks


def claim_next(
    room: Tasks,
    who: CallerIdentity,
    wanted: lease.ClaimFilter = lease.ANY_TASK,
    seconds: float = lease.LEASE_SECONDS,
) -> lease.Claimed | None:
    """Take the task that should be done next, or nothing when none is ready."""
    with room.writing(who, concurrent=True) as transaction:
        return lease.take_next(transaction, wanted, seconds)


def claim(
    room: Tasks, task: str, who: CallerIdentity, seconds: float = lease.LEASE_SECONDS, *, resume: bool = False
) -> lease.Claimed:
    """Take one task, or renew the claim on it; `resume` goes on with one of another session of theirs."""
    with room.writing(who, concurrent=True) as transaction:
        return lease.take(transaction, task, seconds, resume=resume)


def renew(room: Tasks, task: str, who: CallerIdentity, seconds: float = lease.LEASE_SECONDS) -> Task:
    """Let the caller's claim on a task last longer."""
    with room.writing(who, concurrent=True) as transaction:
        return lease.renew(transaction, task, seconds)


def release(
    room: Tasks, task: str, who: CallerIdentity, *, kind: str = "released", reason: str | None = None
) -> Task:
    """Give a task of the caller's back, for anybody to take."""
    with room.writing(who, concurrent=True) as transaction:
        return lease.release(transaction, task, kind=kind, reason=reason)
