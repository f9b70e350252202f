"""Claims: a lease on a task, with a holder, an expiry and a fencing token.

Contract:
- A task has at most one live claim. Reading locks its row, and taking it is a compare-and-swap on its
  version, so that exactly one of several concurrent callers gets it.
- A claim ends when its lease expires, when it is released, or when the task is finished or returned to the
  backlog. A holder whose lease expired keeps the task if no one has taken it in the meantime.
- Every claim has its own fencing token. A write with the token of an ended claim is refused, and the error
  lists what happened since; so is a write from a session whose task someone else now holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from holdfast.kernel.clock import rfc3339_of_seconds
from holdfast.tasks.errors import AlreadyClaimed, LeaseExpired
from holdfast.tasks.store.history import record
from holdfast.tasks.store.query import (
    AVAILABLE_ABANDONED,
    IN_WORKSPACE_UNINDEXED,
    conditions,
    not_in_closed_milestones,
)
from holdfast.tasks.store.records import CLAIM, COLUMNS, Task, Who, encoded, new_token
from holdfast.tasks.store.rows import blockers_of, find_task
from holdfast.tasks.store.states import FINISHED, Status
from holdfast.tasks.store.transaction import TaskTransaction

_TAKE = (
    "UPDATE task SET status = :status, version = version + 1, claim_agent = :agent, claim_session = :session,"
    " claim_token = :token, claim_since = :now, claim_expires = :until, updated_at = :now,"
    " started_at = coalesce(started_at, :now) WHERE uid = :uid AND version = :version"
)
_TAKEN = (
    "INSERT INTO event (workspace, at, actor, session, task, version, type, before, after)"
    " VALUES (:workspace, :now, :agent, :session, :uid, :version + 1, 'claimed', :before, :after)"
)
_FREED = f"{', '.join(f'{name} = NULL' for name in CLAIM)}, version = version + 1, updated_at = :now"
_READY = "workspace = :workspace AND status = 'backlog' AND waits = 0"
_ORDER = "ORDER BY priority, unblocks DESC, rank, n"


@lru_cache(maxsize=64)
def _next_one(conditions: str, locking: str, skipping: str, *, rare: bool) -> str:
    """Return the query for the task abandoned longest ago, or else the first ready one.

    If a `rare` filter matches few tasks, the query starts from the filter; otherwise it walks the ready tasks
    in order.
    """
    # By number, not uid: the index with the order of the ready tasks also contains the number.
    left = (
        f"SELECT n FROM task WHERE {AVAILABLE_ABANDONED}{conditions} ORDER BY claim_expires LIMIT 1{skipping}"
    )
    ready = f"SELECT n FROM task WHERE {_READY}{conditions} {_ORDER} LIMIT 1{skipping}"
    if rare:
        ready = ready.replace("workspace = :workspace", IN_WORKSPACE_UNINDEXED)
    named = f"workspace = :workspace AND n = coalesce(({left}), ({ready}))"
    return f"SELECT {COLUMNS} FROM task WHERE {named}{locking}"


class ClaimFilter(NamedTuple):
    """Restricts which ready tasks may be taken."""

    priority: str | None = None
    label: str | None = None
    milestone: str | None = None
    file: str | None = None
    parent: str | None = None

    def conditions(self) -> tuple[str, dict[str, Any]]:
        """Return conditions, each beginning with AND, and their parameters."""
        parts, values = conditions(self)
        return "".join(f" AND {part}" for part in parts), values

    def is_rare(self, transaction: TaskTransaction) -> bool:
        """Return whether only few tasks, of any state, have the label or the file."""
        for name, query in _SOME.items():
            if (value := getattr(self, name)) is not None:
                found = transaction.execute(query, {"value": value, "few": _FEW}).fetchone()[0]
                if found < _FEW:
                    return True
        return False


_FEW = 1000
"""With fewer tasks than this, fetching all that have the label or file is preferred to walking the ready
ones. A judgement: so few rows are cheap to sort, and walking could pass every ready task."""
_SOME = {
    "label": "SELECT count(*) FROM (SELECT 1 FROM label WHERE label = :value LIMIT :few) AS few",
    "file": "SELECT count(*) FROM (SELECT 1 FROM file WHERE path = :value LIMIT :few) AS few",
}

ANYTHING = ClaimFilter()

LEASE_SECONDS = 1800.0
"""The default lease: a judgement. Long enough for an agent that is busy between calls, short enough that a
crashed one does not block a task for long."""


class Claimed(NamedTuple):
    """A task that was just taken, and the task as its previous holder abandoned it, if there was one."""

    task: Task
    previous: Task | None = None


def take_next(
    transaction: TaskTransaction, wanted: ClaimFilter = ANYTHING, seconds: float = LEASE_SECONDS
) -> Claimed | None:
    """Take the task abandoned longest ago, or else the first ready one; return None when there is none.

    Tasks of closed milestones are skipped. Milestones are queried only if the first candidate has one.
    """
    rare = wanted is not ANYTHING and wanted.is_rare(transaction)
    task = _first(transaction, wanted, (), rare=rare)
    if task is not None and task.milestone is not None and (closed := transaction.closed_milestones()):
        task = _first(transaction, wanted, closed, rare=rare)
    return None if task is None else _taken(transaction, task, seconds)


def _first(
    transaction: TaskTransaction, wanted: ClaimFilter, closed: Sequence[str], *, rare: bool
) -> Task | None:
    more, values = wanted.conditions() if wanted is not ANYTHING else ("", {})
    if closed:
        open_ones, named = not_in_closed_milestones(closed)
        more += open_ones
        values |= named
    row = transaction.execute(
        _next_one(more, transaction.for_update, transaction.store.skip_locked, rare=rare),
        {**values, "workspace": transaction.workspace_id, "now": transaction.now},
    ).fetchone()
    return None if row is None else Task._make(row)


def take(
    transaction: TaskTransaction, name: str, seconds: float = LEASE_SECONDS, *, resume: bool = False
) -> Claimed:
    """Take a task, unless someone holds it or it is not ready. Taking one's own task again renews the claim.

    With `resume` a caller also takes over a task held under the same name, which invalidates the old token.
    """
    who = transaction.who
    task = find_task(transaction, name, lock=True)
    if task.claimed_by(transaction.now) is not None:
        if is_holder(task, who):
            return Claimed(_renewed(transaction, task, seconds))
        if not resume or task.claim_agent != who.actor:
            raise already_claimed(task, who)
        return _taken(transaction, task, seconds)
    if task.status in FINISHED:
        raise AlreadyClaimed(f"{task.id} is {task.status}.", hint="Reopen it first, with a reason.")
    if task.waits and task.status == "backlog":
        blockers = blockers_of(transaction, [task.uid]).get(task.uid, ())
        raise AlreadyClaimed(
            f"{task.id} waits for {', '.join(blockers) or 'a dependency of its parent'}.",
            hint="Take one of those, or another ready task.",
        )
    if task.status == "backlog" and transaction.has_closed_milestone(task):
        raise _of_closed_milestone(task)
    return _taken(transaction, task, seconds)


def _of_closed_milestone(task: Task) -> AlreadyClaimed:
    return AlreadyClaimed(
        f"The milestone of {task.id} is closed.",
        hint="Take another ready task. To work on this one, reopen the milestone, or change the task's"
        " milestone with `taskpilot_update` and `set`; an empty one removes it.",
        milestone=task.milestone,
    )


def _taken(transaction: TaskTransaction, before: Task, seconds: float) -> Claimed:
    """Give a task to the caller: a compare-and-swap on its version, a new fencing token, and the event."""
    who, now = transaction.who, transaction.now
    status: Status = "in-progress" if before.status == "backlog" else before.status
    token, until = new_token(), now + seconds
    values = {
        "workspace": before.workspace,
        "uid": before.uid,
        "version": before.version,
        "status": status,
        "agent": who.actor,
        "session": who.session,
        "token": token,
        "now": now,
        "until": until,
        "before": _claim_state(before.status, before.claim_agent),
        "after": _claim_state(status, who.actor),
    }
    # The row is locked, or writers are serialised, so the version still matches. If it did not, the unique
    # index on (task, version) would reject the event below and roll everything back.
    transaction.store.send_later(transaction.connection, _TAKE, values)
    task = before._replace(
        status=status,
        version=before.version + 1,
        claim_agent=who.actor,
        claim_session=who.session,
        claim_token=token,
        claim_since=now,
        claim_expires=until,
        updated_at=now,
        started_at=now if before.started_at is None else before.started_at,
    )
    transaction.append(_TAKEN, [values])
    return Claimed(task, before if before.claim_agent is not None else None)


@lru_cache(maxsize=256)
def _claim_state(status: str, agent: str | None) -> str:
    """Return the state that a claim event records; cached, as the same few recur."""
    return encoded({"status": status, "claimed_by": agent})


def renew(transaction: TaskTransaction, name: str, seconds: float = LEASE_SECONDS) -> Task:
    """Extend the caller's claim on a task; nothing else about the task changes."""
    return _renewed(transaction, _held(transaction, name), seconds)


def _renewed(transaction: TaskTransaction, task: Task, seconds: float) -> Task:
    row = transaction.execute(
        f"UPDATE task SET claim_expires = :until WHERE uid = :uid RETURNING {COLUMNS}",
        {"uid": task.uid, "until": max(transaction.now + seconds, task.claim_expires or 0.0)},
    ).fetchone()
    return Task._make(row)


def release(
    transaction: TaskTransaction, name: str, *, kind: str = "released", reason: str | None = None
) -> Task:
    """Release the caller's claim; the task returns to the backlog."""
    return end(transaction, _held(transaction, name), kind=kind, reason=reason)


def end(
    transaction: TaskTransaction, task: Task, *, kind: str = "released", reason: str | None = None
) -> Task:
    """End the claim on a task, regardless of its holder."""
    status = "backlog" if task.status == "in-progress" else task.status
    row = transaction.execute(
        f"UPDATE task SET {_FREED}, status = :status WHERE uid = :uid RETURNING {COLUMNS}",
        {"uid": task.uid, "now": transaction.now, "status": status},
    ).fetchone()
    freed = Task._make(row)
    before = {"status": task.status, "claimed_by": task.claim_agent}
    after = {"status": freed.status, "claimed_by": None}
    record(transaction, freed, kind, before=before, after=after, reason=reason)
    return freed


def _held(transaction: TaskTransaction, name: str) -> Task:
    """Return a task; raise unless the caller holds it, or was its last holder."""
    task = find_task(transaction, name, lock=True)
    if not is_holder(task, transaction.who):
        raise _lost(transaction, task)
    return task


def check_may_write(transaction: TaskTransaction, task: Task) -> None:
    """Raise when the caller's token or session relies on a claim that has ended."""
    who = transaction.who
    if who.token is not None and who.token != task.claim_token:
        raise _lost(transaction, task)
    if who.session is not None and task.claimed_by(transaction.now) is not None and not is_holder(task, who):
        raise _lost(transaction, task)


def is_holder(task: Task, who: Who) -> bool:
    """Return whether the claim belongs to the caller's token, session or name, in that order."""
    if task.claim_agent is None:
        return False
    if who.token is not None:
        return who.token == task.claim_token
    if who.session is not None or task.claim_session is not None:
        return who.session == task.claim_session
    return who.actor == task.claim_agent


def already_claimed(task: Task, who: Who) -> AlreadyClaimed:
    """Return the error for a task that someone else holds, or the same agent in another session."""
    is_namesake = task.claim_agent == who.actor
    elsewhere = " in another session" if is_namesake else ""
    return AlreadyClaimed(
        f"{task.id} is held by {task.claim_agent}{elsewhere}.",
        hint="If that session has ended, take the task over with `taskpilot_focus` and `resume`."
        " Otherwise take another one."
        if is_namesake
        else "Take another task, or wait until the claim expires.",
        claimed_by=task.claim_agent,
        expires_at=rfc3339_of_seconds(int(task.claim_expires or 0)),
    )


def _lost(transaction: TaskTransaction, task: Task) -> LeaseExpired | AlreadyClaimed:
    """Return the error for a caller whose claim has ended, with the events since it began."""
    who, now = transaction.who, transaction.now
    if who.token is None and task.claimed_by(now) == who.actor:
        return already_claimed(task, who)
    began = transaction.execute(
        "SELECT max(version) FROM event WHERE task = :uid AND type = 'claimed'"
        " AND (session = :session OR actor = :actor)",
        {"uid": task.uid, "session": who.session, "actor": who.actor},
    ).fetchone()[0]
    holder = task.claimed_by(now)
    if began is None and who.token is None and holder is not None:
        return already_claimed(task, who)
    since = transaction.execute(
        "SELECT type, actor FROM event WHERE task = :uid AND version > :began ORDER BY version",
        {"uid": task.uid, "began": began or 0},
    ).fetchall()
    current = f"It is held by {holder} now." if holder else "No one holds it now."
    was_never_held = began is None and who.token is None
    lost = "was never yours" if was_never_held else "that this call relies on has ended"
    return LeaseExpired(
        f"The claim on {task.id} {lost}. {current}",
        hint="Read the task again; claim it with `taskpilot_focus` if you should still do it.",
        claimed_by=holder,
        version=task.version,
        since=[f"{kind} by {actor}" for kind, actor in since[-10:]],
    )
