"""Claims: who is at a task, for how long, and with which proof.

Contract:
- A task has at most one live claim. Taking it compares its version and sets in one statement, so that of any
  number of callers one gets it.
- A claim ends when its lease runs out, when it is given back, or when the task leaves the state of being
  worked on. Somebody who comes back after the lease ran out still has it if nobody took it meanwhile.
- Every claim has a token of its own. A write that carries the token of a claim that is over is refused, and
  told what happened since; so is one of a session whose task somebody else holds now.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from holdfast.kernel.clock import rfc3339_of_seconds
from holdfast.kernel.errors import Busy
from holdfast.storage.sql.sql_store import Connection, SqlStore
from holdfast.tasks.errors import AlreadyClaimed, LeaseExpired
from holdfast.tasks.store.history import encoded, event_row, record
from holdfast.tasks.store.identity import new_token
from holdfast.tasks.store.query import IN_WORKSPACE_AS_WELL, not_of_closed
from holdfast.tasks.store.records import COLUMNS, Task, Who
from holdfast.tasks.store.rows import blockers_of, find_task, locked_for_writing
from holdfast.tasks.store.states import FINISHED, PRIORITIES, Status

_TAKE = (
    "UPDATE task SET status = :status, version = version + 1, claim_agent = :agent, claim_session = :session,"
    " claim_token = :token, claim_since = :now, claim_expires = :until, updated_at = :now,"
    " started_at = coalesce(started_at, :now) WHERE uid = :uid AND version = :version"
)
_TAKEN = (
    "INSERT INTO event (workspace, at, actor, session, task, version, type, before, after)"
    " VALUES (:workspace, :now, :agent, :session, :uid, :version + 1, 'claimed', :before, :after)"
)
_FREED = (
    "claim_agent = NULL, claim_session = NULL, claim_token = NULL, claim_since = NULL, claim_expires = NULL,"
    " version = version + 1, updated_at = :now"
)
_ABANDONED = (
    "workspace = :workspace AND claim_agent IS NOT NULL AND claim_expires <= :now AND waits = 0"
    " AND status = 'in-progress'"
)
_READY = "workspace = :workspace AND status = 'backlog' AND waits = 0"
_ORDER = "ORDER BY priority, unblocks DESC, rank, n"


@lru_cache(maxsize=64)
def _next_one(conditions: str, locking: str, skipping: str, *, rare: bool) -> str:
    """Return what finds the task left behind longest, else the first of the ready ones, in one look.

    Tasks that few fit are found by what is wished, others by going through those that are ready in order.
    """
    # Numbers, not names for ever: the index that has the order of the ready ones has them as well.
    left = f"SELECT n FROM task WHERE {_ABANDONED}{conditions} ORDER BY claim_expires LIMIT 1{skipping}"  # noqa: S608
    ready = f"SELECT n FROM task WHERE {_READY}{conditions} {_ORDER} LIMIT 1{skipping}"  # noqa: S608
    if rare:
        ready = ready.replace("workspace = :workspace", IN_WORKSPACE_AS_WELL)
    named = f"workspace = :workspace AND n = coalesce(({left}), ({ready}))"
    return f"SELECT {COLUMNS} FROM task WHERE {named}{locking}"  # noqa: S608


@dataclass(frozen=True, slots=True)
class Wish:
    """Which of the ready tasks somebody would take."""

    priority: str | None = None
    label: str | None = None
    milestone: str | None = None
    file: str | None = None
    parent: str | None = None

    def conditions(self) -> tuple[str, dict[str, Any]]:
        """Return what a task has to fulfil, and the values in it."""
        parts, values = [], {}
        for name, condition in _CONDITIONS.items():
            if (value := getattr(self, name)) is not None:
                parts.append(f" AND {condition}")
                values[name] = PRIORITIES.index(value) if name == "priority" else value
        return "".join(parts), values

    def is_rare(self, connection: Connection) -> bool:
        """Tell whether few tasks at all have the label or the file."""
        for name, query in _SOME.items():
            if (value := getattr(self, name)) is not None:
                found = connection.execute(query, {"value": value, "few": _FEW}).fetchone()[0]
                if found < _FEW:
                    return True
        return False


_FEW = 1000
_SOME = {
    "label": "SELECT count(*) FROM (SELECT 1 FROM label WHERE label = :value LIMIT :few) AS few",
    "file": "SELECT count(*) FROM (SELECT 1 FROM file WHERE path = :value LIMIT :few) AS few",
}
_CONDITIONS = {
    "priority": "priority = :priority",
    "label": "uid IN (SELECT task FROM label WHERE label = :label)",
    "milestone": "milestone = :milestone",
    "file": "uid IN (SELECT task FROM file WHERE path = :file)",
    "parent": "parent = :parent",
}

ANYTHING = Wish()

Closed = frozenset[str] | None
"""The milestones that are closed, as tasks name them; None where nobody looked yet."""


class Claimed(NamedTuple):
    """A task somebody just took, and who left it behind, if anybody did."""

    task: Task
    previous: Task | None = None


class MilestonesMatter(Exception):
    """What to take depends on which milestones are closed, and that was not told."""


def take_next(
    store: SqlStore,
    connection: Connection,
    workspace: str,
    who: Who,
    now: float,
    seconds: float,
    wish: Wish,
    closed: Closed,
) -> Claimed | None:
    """Take what was left behind longest, else the first of the ready tasks, or nothing when there is none.

    Nothing is taken of closed milestones. Where those are not told, the first in line raises if it has one.
    """
    more, values, rare = "", dict[str, Any](), False
    if wish is not ANYTHING:
        more, values = wish.conditions()
        rare = wish.is_rare(connection)
    if closed:
        open_ones, named = not_of_closed(sorted(closed))
        more += open_ones
        values |= named
    row = connection.execute(
        _next_one(more, locked_for_writing(store), store.skip_locked, rare=rare),
        {**values, "workspace": workspace, "now": now},
    ).fetchone()
    if row is None:
        return None
    task = Task._make(row)
    _refuse_unknown(task, closed)
    return _taken(store, connection, task, who, now, seconds)


def _refuse_unknown(task: Task, closed: Closed) -> None:
    if closed is None and task.milestone is not None:
        raise MilestonesMatter


def take(
    store: SqlStore,
    connection: Connection,
    workspace: str,
    name: str,
    who: Who,
    now: float,
    seconds: float,
    closed: Closed,
    *,
    resume: bool = False,
) -> Claimed:
    """Take one task, unless somebody is at it or it waits. Taking it again renews the claim.

    With `resume` a caller also gets what somebody of the same name holds, whose token is worth nothing then.
    """
    task = find_task(connection, workspace, name, locked_for_writing(store))
    if task.claimed_by(now) is not None:
        if is_holder(task, who):
            return Claimed(renew(connection, task, now, seconds))
        if not resume or task.claim_agent != who.actor:
            raise already_claimed(task, who)
        return _taken(store, connection, task, who, now, seconds)
    if task.status in FINISHED:
        raise AlreadyClaimed(f"{task.id} is {task.status}.", hint="Open it again first, with a reason.")
    if task.waits and task.status == "backlog":
        blockers = ", ".join(blockers_of(connection, [task.uid]).get(task.uid, ())) or "what its parents need"
        raise AlreadyClaimed(
            f"{task.id} waits for {blockers}.", hint="Take one of those, or another ready task."
        )
    if task.status == "backlog":
        _refuse_unknown(task, closed)
        if task.milestone in (closed or ()):
            raise _of_closed_milestone(task)
    return _taken(store, connection, task, who, now, seconds)


def _of_closed_milestone(task: Task) -> AlreadyClaimed:
    return AlreadyClaimed(
        f"The milestone of {task.id} is closed.",
        hint="Take another ready task. If this one is to be done, open the milestone again, or give the task"
        " another one with `taskpilot_update` and `set`; an empty `milestone` takes it out.",
        milestone=task.milestone,
    )


def _taken(
    store: SqlStore, connection: Connection, before: Task, who: Who, now: float, seconds: float
) -> Claimed:
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
        "before": _standing(before.status, before.claim_agent),
        "after": _standing(status, who.actor),
    }
    done = connection.execute(_TAKE, terms)
    if done.rowcount != 1:  # cannot be, as long as the row is locked or writers come one by one
        raise Busy(f"{before.id} is being changed by somebody else.", hint="Try again in a moment.")
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
    store.number_in_order(connection)
    connection.execute(_TAKEN, terms)
    return Claimed(task, before if before.claim_agent is not None else None)


@lru_cache(maxsize=256)
def _standing(status: str, agent: str | None) -> str:
    """Return what events keep of a claim; the same few, over and over."""
    return encoded({"status": status, "claimed_by": agent})


def renew(connection: Connection, task: Task, now: float, seconds: float) -> Task:
    """Let a claim last longer; nothing else about the task changes."""
    row = connection.execute(
        f"UPDATE task SET claim_expires = :until WHERE uid = :uid RETURNING {COLUMNS}",  # noqa: S608
        {"uid": task.uid, "until": max(now + seconds, task.claim_expires or 0.0)},
    ).fetchone()
    return Task._make(row)


def release(
    store: SqlStore,
    connection: Connection,
    task: Task,
    who: Who,
    now: float,
    *,
    kind: str = "released",
    reason: str | None = None,
) -> Task:
    """Give a task back: it is ready again for the next one."""
    status = "backlog" if task.status == "in-progress" else task.status
    row = connection.execute(
        f"UPDATE task SET {_FREED}, status = :status WHERE uid = :uid RETURNING {COLUMNS}",  # noqa: S608
        {"uid": task.uid, "now": now, "status": status},
    ).fetchone()
    freed = Task._make(row)
    before = {"status": task.status, "claimed_by": task.claim_agent}
    after = {"status": freed.status, "claimed_by": None}
    record(store, connection, [event_row(freed, kind, who, now, before=before, after=after, reason=reason)])
    return freed


def held(connection: Connection, task: Task, who: Who, now: float) -> None:
    """Raise unless the caller holds the task, or held it last and nobody took it since."""
    if not is_holder(task, who):
        raise _lost(connection, task, who, now)


def may_write(connection: Connection, task: Task, who: Who, now: float) -> None:
    """Raise when a caller that shows a token or a session writes to a task that is not its own any more."""
    if who.token is not None and who.token != task.claim_token:
        raise _lost(connection, task, who, now)
    if who.session is not None and task.claimed_by(now) is not None and not is_holder(task, who):
        raise _lost(connection, task, who, now)


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
        hint="If that session is over, go on with `taskpilot_claim`, the action `take` and `resume`: it loses"
        " the task then. Else take another one."
        if is_namesake
        else "Take another task, or wait until the claim ends.",
        claimed_by=task.claim_agent,
        expires_at=rfc3339_of_seconds(int(task.claim_expires or 0)),
    )


def _lost(connection: Connection, task: Task, who: Who, now: float) -> LeaseExpired | AlreadyClaimed:
    """Return the failure of relying on a claim that is over, with what happened since it began."""
    if who.token is None and task.claimed_by(now) == who.actor:
        return already_claimed(task, who)
    began = connection.execute(
        "SELECT max(version) FROM event WHERE task = :uid AND type = 'claimed'"
        " AND (session = :session OR actor = :actor)",
        {"uid": task.uid, "session": who.session, "actor": who.actor},
    ).fetchone()[0]
    holder = task.claimed_by(now)
    if began is None and who.token is None and holder is not None:
        return already_claimed(task, who)
    since = connection.execute(
        "SELECT type, actor FROM event WHERE task = :uid AND version > :began ORDER BY version",
        {"uid": task.uid, "began": began or 0},
    ).fetchall()
    told = f"It is held by {holder} now." if holder else "Nobody holds it now."
    return LeaseExpired(
        f"The claim on {task.id} that this call relies on is over. {told}",
        hint="Read the task again; take it with `taskpilot_claim` if it is still yours to do.",
        claimed_by=holder,
        version=task.version,
        since=[f"{kind} by {actor}" for kind, actor in since[-10:]],
    )
