"""Claims: a lease on a task, who holds it, until when, and with which fencing token.

Contract:
- A task has at most one live claim. Its row is locked by reading it, and taken by a compare-and-swap on its
  version, so that of any number of callers one gets it.
- A claim ends when its lease runs out, when it is given back, or when the task leaves the state of being
  worked on. Somebody who comes back after the lease ran out still has it if nobody took it meanwhile.
- Every claim has a fencing token of its own. A write that carries the token of a claim that is over is
  refused, and told what happened since; so is one of a session whose task somebody else holds now.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from holdfast.kernel.clock import rfc3339_of_seconds
from holdfast.tasks.errors import AlreadyClaimed, LeaseExpired
from holdfast.tasks.store.history import record
from holdfast.tasks.store.query import IN_WORKSPACE_AS_WELL, TO_TAKE_OVER, conditions, not_of_closed
from holdfast.tasks.store.records import CLAIM, COLUMNS, Task, Who, encoded, new_token
from holdfast.tasks.store.rows import blockers_of, find_task
from holdfast.tasks.store.states import FINISHED, Status
from holdfast.tasks.store.transaction import Transaction

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
    """Return what finds the task left behind longest, else the first of the ready ones, in one look.

    Tasks that few fit are found by what is wished, others by going through those that are ready in order.
    """
    # Numbers, not names for ever: the index that has the order of the ready ones has them as well.
    left = f"SELECT n FROM task WHERE {TO_TAKE_OVER}{conditions} ORDER BY claim_expires LIMIT 1{skipping}"
    ready = f"SELECT n FROM task WHERE {_READY}{conditions} {_ORDER} LIMIT 1{skipping}"
    if rare:
        ready = ready.replace("workspace = :workspace", IN_WORKSPACE_AS_WELL)
    named = f"workspace = :workspace AND n = coalesce(({left}), ({ready}))"
    return f"SELECT {COLUMNS} FROM task WHERE {named}{locking}"


class ClaimFilter(NamedTuple):
    """Which of the ready tasks may be handed out."""

    priority: str | None = None
    label: str | None = None
    milestone: str | None = None
    file: str | None = None
    parent: str | None = None

    def conditions(self) -> tuple[str, dict[str, Any]]:
        """Return what is added to a condition for a task that fits, and the values in it."""
        parts, values = conditions(self)
        return "".join(f" AND {part}" for part in parts), values

    def is_rare(self, transaction: Transaction) -> bool:
        """Tell whether few tasks at all have the label or the file."""
        for name, query in _SOME.items():
            if (value := getattr(self, name)) is not None:
                found = transaction.execute(query, {"value": value, "few": _FEW}).fetchone()[0]
                if found < _FEW:
                    return True
        return False


_FEW = 1000
_SOME = {
    "label": "SELECT count(*) FROM (SELECT 1 FROM label WHERE label = :value LIMIT :few) AS few",
    "file": "SELECT count(*) FROM (SELECT 1 FROM file WHERE path = :value LIMIT :few) AS few",
}

ANYTHING = ClaimFilter()

LEASE_SECONDS = 1800.0


class Claimed(NamedTuple):
    """A task somebody just took, and who left it behind, if anybody did."""

    task: Task
    previous: Task | None = None


def take_next(
    transaction: Transaction, wanted: ClaimFilter = ANYTHING, seconds: float = LEASE_SECONDS
) -> Claimed | None:
    """Take what was left behind longest, else the first of the ready tasks, or nothing when there is none.

    Nothing is taken of closed milestones; which are closed is asked for where the first in line has one.
    """
    rare = wanted is not ANYTHING and wanted.is_rare(transaction)
    task = _first(transaction, wanted, (), rare=rare)
    if task is not None and task.milestone is not None and (closed := transaction.closed_milestones()):
        task = _first(transaction, wanted, closed, rare=rare)
    return None if task is None else _taken(transaction, task, seconds)


def _first(
    transaction: Transaction, wanted: ClaimFilter, closed: Sequence[str], *, rare: bool
) -> Task | None:
    more, values = wanted.conditions() if wanted is not ANYTHING else ("", {})
    if closed:
        open_ones, named = not_of_closed(closed)
        more += open_ones
        values |= named
    row = transaction.execute(
        _next_one(more, transaction.for_update, transaction.store.skip_locked, rare=rare),
        {**values, "workspace": transaction.workspace_id, "now": transaction.now},
    ).fetchone()
    return None if row is None else Task._make(row)


def take(
    transaction: Transaction, name: str, seconds: float = LEASE_SECONDS, *, resume: bool = False
) -> Claimed:
    """Take one task, unless somebody is at it or it waits. Taking it again renews the claim.

    With `resume` a caller also gets what somebody of the same name holds, whose token is worth nothing then.
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
        raise AlreadyClaimed(f"{task.id} is {task.status}.", hint="Open it again first, with a reason.")
    if task.waits and task.status == "backlog":
        blockers = blockers_of(transaction, [task.uid]).get(task.uid, ())
        raise AlreadyClaimed(
            f"{task.id} waits for {', '.join(blockers) or 'what its parents need'}.",
            hint="Take one of those, or another ready task.",
        )
    if task.status == "backlog" and transaction.is_held_up(task):
        raise _of_closed_milestone(task)
    return _taken(transaction, task, seconds)


def _of_closed_milestone(task: Task) -> AlreadyClaimed:
    return AlreadyClaimed(
        f"The milestone of {task.id} is closed.",
        hint="Take another ready task. If this one is to be done, open the milestone again, or give the task"
        " another one with `taskpilot_update` and `set`; an empty `milestone` takes it out.",
        milestone=task.milestone,
    )


def _taken(transaction: Transaction, before: Task, seconds: float) -> Claimed:
    """Give a task to the caller: compare-and-swap by its version, a new fencing token, and the event."""
    who, now = transaction.who, transaction.now
    status: Status = "in-progress" if before.status == "backlog" else before.status
    token, until = new_token(), now + seconds
    terms = {
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
    # The row is locked, or writers come one by one, so it has the version that was read; were it another one,
    # the event of that version would be there, and this one refused together with all else.
    transaction.store.send_later(transaction.connection, _TAKE, terms)
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
    transaction.append(_TAKEN, [terms])
    return Claimed(task, before if before.claim_agent is not None else None)


@lru_cache(maxsize=256)
def _claim_state(status: str, agent: str | None) -> str:
    """Return what events keep of a claim; the same few, over and over."""
    return encoded({"status": status, "claimed_by": agent})


def renew(transaction: Transaction, name: str, seconds: float = LEASE_SECONDS) -> Task:
    """Let the caller's claim on a task last longer; nothing else about the task changes."""
    return _renewed(transaction, _held(transaction, name), seconds)


def _renewed(transaction: Transaction, task: Task, seconds: float) -> Task:
    row = transaction.execute(
        f"UPDATE task SET claim_expires = :until WHERE uid = :uid RETURNING {COLUMNS}",
        {"uid": task.uid, "until": max(transaction.now + seconds, task.claim_expires or 0.0)},
    ).fetchone()
    return Task._make(row)


def release(
    transaction: Transaction, name: str, *, kind: str = "released", reason: str | None = None
) -> Task:
    """Give a task of the caller's back: it is ready again for the next one."""
    return end(transaction, _held(transaction, name), kind=kind, reason=reason)


def end(transaction: Transaction, task: Task, *, kind: str = "released", reason: str | None = None) -> Task:
    """End the claim on a task, whoever holds it."""
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


def _held(transaction: Transaction, name: str) -> Task:
    """Return a task; raise unless the caller holds it, or held it last and nobody took it since."""
    task = find_task(transaction, name, lock=True)
    if not is_holder(task, transaction.who):
        raise _lost(transaction, task)
    return task


def may_write(transaction: Transaction, task: Task) -> None:
    """Raise when a caller that shows a token or a session writes to a task that is not its own any more."""
    who = transaction.who
    if who.token is not None and who.token != task.claim_token:
        raise _lost(transaction, task)
    if who.session is not None and task.claimed_by(transaction.now) is not None and not is_holder(task, who):
        raise _lost(transaction, task)


def is_holder(task: Task, who: Who) -> bool:
    """Tell whether a caller's token, session or name is that of the claim."""
    if task.claim_agent is None:
        return False
    if who.token is not None:
        return who.token == task.claim_token
    if who.session is not None or task.claim_session is not None:
        return who.session == task.claim_session
    return who.actor == task.claim_agent


def already_claimed(task: Task, who: Who) -> AlreadyClaimed:
    """Return the failure of taking what somebody else has, or the caller's own name in another session."""
    is_namesake = task.claim_agent == who.actor
    elsewhere = " in another session" if is_namesake else ""
    return AlreadyClaimed(
        f"{task.id} is held by {task.claim_agent}{elsewhere}.",
        hint="If that session is over, go on with `taskpilot_focus` and `resume`: it loses the task then."
        " Else take another one."
        if is_namesake
        else "Take another task, or wait until the claim ends.",
        claimed_by=task.claim_agent,
        expires_at=rfc3339_of_seconds(int(task.claim_expires or 0)),
    )


def _lost(transaction: Transaction, task: Task) -> LeaseExpired | AlreadyClaimed:
    """Return the failure of relying on a claim that is over, with what happened since it began."""
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
    told = f"It is held by {holder} now." if holder else "Nobody holds it now."
    never = began is None and who.token is None
    lost = "was never yours" if never else "that this call relies on is over"
    return LeaseExpired(
        f"The claim on {task.id} {lost}. {told}",
        hint="Read the task again; take it with `taskpilot_focus` if it is still yours to do.",
        claimed_by=holder,
        version=task.version,
        since=[f"{kind} by {actor}" for kind, actor in since[-10:]],
    )
