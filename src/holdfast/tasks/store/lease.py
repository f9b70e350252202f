"""Claims: a lease on a task, with a holder, an expiry and a fencing token.

Contract:
- A task has at most one live claim. Reading locks its row, and taking it is a compare-and-swap on its
  version, so that exactly one of several concurrent callers gets it.
- A claim ends when its lease expires, when it is released, or when the task is finished or returned to the
  backlog. After its lease has expired, the holder can still renew the claim if no one has taken the task.
- While a claim is live, only its holder changes the task's state, progress, criteria and holder. An agent
  in a session changes nothing at all of a task that someone else holds.
- A person may take a task over explicitly. The event then records both names.
- Every claim has its own fencing token. A write with the token of an ended claim is refused, and the error
  lists what happened since.
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
    IN_WORKSPACE,
    IN_WORKSPACE_UNINDEXED,
    READY,
    READY_ORDER,
    filter_conditions,
    not_in_closed_milestones,
)
from holdfast.tasks.store.records import CLAIM_COLUMNS, COLUMNS, CallerIdentity, Task, encoded, new_token
from holdfast.tasks.store.rows import blockers_of, find_task
from holdfast.tasks.store.states import FINISHED, Status
from holdfast.tasks.store.transaction import TaskTransaction

LEASE_SECONDS = 1800.0
"""The default lease. A judgement: an agent may be busy for this long between calls, and a task that a crashed
agent holds is free again after half an hour."""
_MAX_EVENTS_IN_ERROR = 10
"""Events that the error for a lost claim lists, the latest ones. A judgement: they show who took the task."""
_FEW_TASKS = 1000
"""If fewer tasks have the label or the file, all of them are fetched and sorted, instead of going through the
ready tasks. A judgement: the former sorts a few hundred kilobytes; of the latter there may be any number."""
_COUNT_LABELLED = "SELECT count(*) FROM (SELECT 1 FROM label WHERE label = :value LIMIT :limit) AS found"
_COUNT_WITH_FILE = "SELECT count(*) FROM (SELECT 1 FROM file WHERE path = :value LIMIT :limit) AS found"
_TAKEN_COLUMNS = ("status", "version", *CLAIM_COLUMNS, "updated_at", "started_at")
_TAKE_TASK = (
    f"UPDATE task SET {', '.join(f'{name} = :{name}' for name in _TAKEN_COLUMNS)}"
    " WHERE uid = :uid AND version = :version_before"
)
_INSERT_CLAIMED_EVENT = (
    "INSERT INTO event (workspace, at, actor, session, task, version, type, before, after)"
    " VALUES (:workspace, :updated_at, :claim_agent, :claim_session, :uid, :version, :type, :before, :after)"
)
TAKEN_OVER = "taken-over"
"""The type of the event by which a task passes from its holder to someone else."""
_CLEARED_COLUMNS = ", ".join(f"{name} = NULL" for name in CLAIM_COLUMNS)
_CLEAR_CLAIM = f"{_CLEARED_COLUMNS}, version = version + 1, updated_at = :now"


@lru_cache(maxsize=64)
def _next_task_query(conditions: str, locking: str, skipping: str, *, rare: bool) -> str:
    """Return the query for the task abandoned longest ago or, if there is none, the first ready task.

    `rare` means that few tasks meet the conditions: the query then starts from those tasks. Otherwise it goes
    through the ready tasks in order.
    """
    # By number, not uid: the index with the order of the ready tasks also contains the number.
    abandoned = (
        f"SELECT n FROM task WHERE {AVAILABLE_ABANDONED}{conditions} ORDER BY claim_expires LIMIT 1{skipping}"
    )
    in_workspace = IN_WORKSPACE_UNINDEXED if rare else IN_WORKSPACE
    ready = (
        f"SELECT n FROM task WHERE {in_workspace} AND {READY}{conditions} ORDER BY {READY_ORDER}"
        f" LIMIT 1{skipping}"
    )
    condition = f"{IN_WORKSPACE} AND n = coalesce(({abandoned}), ({ready}))"
    return f"SELECT {COLUMNS} FROM task WHERE {condition}{locking}"


class ClaimFilter(NamedTuple):
    """Restricts which ready tasks may be taken."""

    priority: str | None = None
    label: str | None = None
    milestone: str | None = None
    file: str | None = None
    parent: str | None = None

    def is_rare(self, transaction: TaskTransaction) -> bool:
        """Return whether few tasks, of any state, have the label or the file."""
        for value, query in ((self.label, _COUNT_LABELLED), (self.file, _COUNT_WITH_FILE)):
            if value is not None:
                count = transaction.execute(query, {"value": value, "limit": _FEW_TASKS}).fetchone()[0]
                if count < _FEW_TASKS:
                    return True
        return False


ANY_TASK = ClaimFilter()


class Claimed(NamedTuple):
    """A task that was just taken, and its former state if it was taken from a previous holder."""

    task: Task
    previous: Task | None = None


def take_next(
    transaction: TaskTransaction, wanted: ClaimFilter = ANY_TASK, seconds: float = LEASE_SECONDS
) -> Claimed | None:
    """Take the task abandoned longest ago or, if there is none, the first ready task; None if none is left.

    Tasks of closed milestones are skipped. Milestones are queried only if the first candidate has one.
    """
    rare = wanted.is_rare(transaction)
    task = _first_candidate(transaction, wanted, (), rare=rare)
    if task is not None and task.milestone is not None and (closed := transaction.closed_milestones()):
        task = _first_candidate(transaction, wanted, closed, rare=rare)
    return None if task is None else give_to_caller(transaction, task, seconds)


def _first_candidate(
    transaction: TaskTransaction, wanted: ClaimFilter, closed: Sequence[str], *, rare: bool
) -> Task | None:
    parts, values = filter_conditions(wanted)
    not_closed, names = not_in_closed_milestones(closed)
    conditions = "".join(f" AND {part}" for part in parts) + not_closed
    row = transaction.execute(
        _next_task_query(conditions, transaction.for_update, transaction.store.skip_locked, rare=rare),
        {**values, **names, "workspace": transaction.workspace_id, "now": transaction.now},
    ).fetchone()
    return None if row is None else Task._make(row)


def take(
    transaction: TaskTransaction,
    task_id: str,
    seconds: float = LEASE_SECONDS,
    *,
    resume: bool = False,
    take_over: bool = False,
) -> Claimed:
    """Take a task; raise if someone else holds it or it is not ready. For the holder, this renews the claim.

    With `resume` a caller gets a task that an agent of the same name holds in another session, and with
    `take_over` one that anybody holds. Both invalidate the old token.
    """
    who = transaction.who
    task = find_task(transaction, task_id, for_update=True)
    if task.claimed_by(transaction.now) is not None:
        if is_holder(task, who):
            return Claimed(_extend_lease(transaction, task, seconds))
        if take_over:
            return give_to_caller(transaction, task, seconds, kind=TAKEN_OVER)
        if not resume or task.claim_agent != who.actor:
            raise already_claimed_error(task, who)
        return give_to_caller(transaction, task, seconds)
    if task.status in FINISHED:
        raise AlreadyClaimed(f"{task.id} is {task.status}.", hint="Reopen it first, with a reason.")
    if task.waits and task.status == "backlog":
        blockers = blockers_of(transaction, [task.uid]).get(task.uid, ())
        raise AlreadyClaimed(
            f"{task.id} waits for {', '.join(blockers) or 'a dependency of its parent'}.",
            hint="Take one of those, or another ready task.",
        )
    if task.status == "backlog" and transaction.has_closed_milestone(task):
        raise AlreadyClaimed(
            f"The milestone of {task.id} is closed.",
            hint="Take another ready task. To work on this one, reopen the milestone, or change the task's"
            " milestone with `taskpilot_update` and `set`; an empty one removes it.",
            milestone=task.milestone,
        )
    return give_to_caller(transaction, task, seconds)


def new_claim(transaction: TaskTransaction, seconds: float = LEASE_SECONDS) -> dict[str, Any]:
    """Return the values of `CLAIM_COLUMNS` for a claim of the caller that begins now."""
    who, now = transaction.who, transaction.now
    return dict(zip(CLAIM_COLUMNS, (who.actor, who.session, new_token(), now, now + seconds), strict=True))


def give_to_caller(
    transaction: TaskTransaction, before: Task, seconds: float, *, kind: str = "claimed"
) -> Claimed:
    """Make the caller the holder: compare-and-swap on the version, a new fencing token, and the event.

    `kind` is the type of the event.
    """
    who, now = transaction.who, transaction.now
    status: Status = "in-progress" if before.status == "backlog" else before.status
    task = before._replace(
        status=status,
        version=before.version + 1,
        **new_claim(transaction, seconds),
        updated_at=now,
        started_at=now if before.started_at is None else before.started_at,
    )
    values = {
        **task._asdict(),
        "version_before": before.version,
        "type": kind,
        "before": _claim_state(before.status, before.claim_agent),
        "after": _claim_state(status, who.actor),
    }
    # The row is locked, or writers are serialised, so the version still matches. If it did not, the unique
    # index on (task, version) would reject the event below and roll everything back.
    transaction.store.send_later(transaction.connection, _TAKE_TASK, values)
    transaction.append(_INSERT_CLAIMED_EVENT, [values])
    return Claimed(task, before if before.claim_agent is not None else None)


@lru_cache(maxsize=256)
def _claim_state(status: str, agent: str | None) -> str:
    """Return the JSON that a claim event records; cached, because few combinations recur all the time."""
    return encoded({"status": status, "claimed_by": agent})


def renew(transaction: TaskTransaction, task_id: str, seconds: float = LEASE_SECONDS) -> Task:
    """Make the caller's claim last for so long from now, unless it already lasts longer; return the task."""
    return _extend_lease(transaction, _find_held(transaction, task_id), seconds)


def _extend_lease(transaction: TaskTransaction, task: Task, seconds: float) -> Task:
    row = transaction.execute(
        f"UPDATE task SET claim_expires = :until WHERE uid = :uid RETURNING {COLUMNS}",
        {"uid": task.uid, "until": max(transaction.now + seconds, task.claim_expires or 0.0)},
    ).fetchone()
    return Task._make(row)


def release(
    transaction: TaskTransaction, task_id: str, *, kind: str = "released", reason: str | None = None
) -> Task:
    """End the caller's claim, as `end_claim` does; raise if the caller has none."""
    return end_claim(transaction, _find_held(transaction, task_id), kind=kind, reason=reason)


def end_claim(
    transaction: TaskTransaction, task: Task, *, kind: str = "released", reason: str | None = None
) -> Task:
    """End the claim on a task, regardless of its holder; a task in progress returns to the backlog.

    `kind` is the type of the event that is recorded.
    """
    status = "backlog" if task.status == "in-progress" else task.status
    row = transaction.execute(
        f"UPDATE task SET {_CLEAR_CLAIM}, status = :status WHERE uid = :uid RETURNING {COLUMNS}",
        {"uid": task.uid, "now": transaction.now, "status": status},
    ).fetchone()
    released = Task._make(row)
    before = {"status": task.status, "claimed_by": task.claim_agent}
    after = {"status": released.status, "claimed_by": None}
    record(transaction, released, kind, before=before, after=after, reason=reason)
    return released


def _find_held(transaction: TaskTransaction, task_id: str) -> Task:
    """Return a task; raise unless its last claim, live or expired, is the caller's."""
    task = find_task(transaction, task_id, for_update=True)
    if not is_holder(task, transaction.who):
        raise _lost_claim_error(transaction, task)
    return task


def check_may_write(transaction: TaskTransaction, task: Task, *, only_holder: bool = False) -> None:
    """Raise if the caller's token or session relies on a claim that has ended.

    `only_holder`: raise for every caller but the holder, if there is one.
    """
    who = transaction.who
    if who.token is not None and who.token != task.claim_token:
        raise _lost_claim_error(transaction, task)
    if not is_held_by_another(transaction, task):
        return
    if who.session is not None:
        raise _lost_claim_error(transaction, task)
    if only_holder:
        raise already_claimed_error(task, who)


def is_held_by_another(transaction: TaskTransaction, task: Task) -> bool:
    """Return whether the task has a live claim that is not the caller's."""
    return task.claimed_by(transaction.now) is not None and not is_holder(task, transaction.who)


def is_holder(task: Task, who: CallerIdentity) -> bool:
    """Return whether the last claim is the caller's: by token; by session, if both have one; by name."""
    if task.claim_agent is None:
        return False
    if who.token is not None:
        return who.token == task.claim_token
    if who.session is not None and task.claim_session is not None:
        return who.session == task.claim_session
    return who.actor == task.claim_agent


def already_claimed_error(task: Task, who: CallerIdentity) -> AlreadyClaimed:
    """Return the error for a task that someone else holds, or an agent of the same name elsewhere."""
    is_namesake = task.claim_agent == who.actor
    elsewhere = " in another session" if is_namesake else ""
    return AlreadyClaimed(
        f"{task.id} is held by {task.claim_agent}{elsewhere}.",
        hint="If that session has ended, take the task over with `taskpilot_focus` and `resume`."
        " Otherwise take another one."
        if is_namesake
        else "Take another task, or wait until the claim expires."
        " A person may take it over with `take_over`.",
        claimed_by=task.claim_agent,
        expires_at=rfc3339_of_seconds(int(task.claim_expires or 0)),
    )


def _lost_claim_error(transaction: TaskTransaction, task: Task) -> LeaseExpired | AlreadyClaimed:
    """Return the error for a caller without a claim, with the events since the caller last took the task."""
    who, now = transaction.who, transaction.now
    if who.token is None and task.claimed_by(now) == who.actor:
        return already_claimed_error(task, who)
    claimed_version = transaction.execute(
        "SELECT max(version) FROM event WHERE task = :uid AND type IN ('claimed', :taken_over)"
        " AND (session = :session OR actor = :actor)",
        {"uid": task.uid, "session": who.session, "actor": who.actor, "taken_over": TAKEN_OVER},
    ).fetchone()[0]
    holder = task.claimed_by(now)
    was_never_held = claimed_version is None and who.token is None
    if was_never_held and holder is not None:
        return already_claimed_error(task, who)
    events = transaction.execute(
        "SELECT type, actor FROM event WHERE task = :uid AND version > :version ORDER BY version",
        {"uid": task.uid, "version": claimed_version or 0},
    ).fetchall()
    current = f"It is held by {holder} now." if holder else "No one holds it now."
    lost = "was never yours" if was_never_held else "that this call relies on has ended"
    return LeaseExpired(
        f"The claim on {task.id} {lost}. {current}",
        hint="Read the task again; claim it with `taskpilot_focus` if you should still do it.",
        claimed_by=holder,
        version=task.version,
        since=[f"{kind} by {actor}" for kind, actor in events[-_MAX_EVENTS_IN_ERROR:]],
    )
