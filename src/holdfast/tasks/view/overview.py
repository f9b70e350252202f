"""The status of a workspace: counts, velocity, ready, stale and blocked tasks, active agents."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from holdfast.kernel.text import shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.models import Reported, Result, TaskRef
from holdfast.tasks.store.query import Query, find, in_closed_milestones
from holdfast.tasks.store.records import COLUMNS, Task, task_id
from holdfast.tasks.store.rows import blockers_of
from holdfast.tasks.store.session import open_sessions
from holdfast.tasks.store.states import PRIORITIES, STATUSES, Priority, Status
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import TaskTransaction
from holdfast.tasks.texts import rules
from holdfast.tasks.view.budget import DEFAULT_BYTES, MAX_BYTES, fit
from holdfast.tasks.view.results import task_refs, timestamp, workspace_ref

DAY_SECONDS = 86_400.0
STALE_DAYS = 7
"""A judgement: work that no one touched for a week has probably been forgotten."""
_SHOWN, _SHOWN_DETAILED = 5, 20
_LINE = 160

Include = Literal["recommendations", "rules", "agents", "chart"]


class Counts(Result):
    """Numbers of tasks."""

    by_status: dict[Status, int]
    by_priority: dict[Priority, int] = Field(description="Open tasks only.")
    ready: int
    blocked: int = Field(description="Including those that wait for other tasks.")


class Velocity(Result):
    """Tasks finished in the last 7 and 30 days."""

    d7: int
    d30: int


class BlockedTask(Result):
    """A blocked task, and the reason."""

    id: str
    title: UntrustedText
    why: UntrustedText


class Bottleneck(Result):
    """An open task that other tasks wait for."""

    id: str
    title: UntrustedText
    unblocks: int


class HeldTask(Result):
    """A claimed task, and when the claim expires."""

    id: str
    title: UntrustedText
    since: str
    expires_at: str


class AgentOut(Result):
    """An agent that was active lately or holds tasks."""

    agent: UntrustedText
    claims: int
    last_seen: str
    tasks: list[HeldTask] | None = Field(default=None, description="Tasks it holds, latest first.")


class StatusResult(Reported):
    """The status of a workspace."""

    done_gate: UntrustedText
    counts: Counts
    total: int
    percent_done: int
    velocity: Velocity
    ready: list[TaskRef]
    stale: list[TaskRef]
    blocked: list[BlockedTask]
    bottlenecks: list[Bottleneck]
    agents: list[AgentOut] | None = None
    recommendations: list[str] | None = None
    rules: list[UntrustedText] | None = None
    chart_uri: str | None = None
    truncated: bool | None = Field(
        default=None, description="Set if a list was cut to keep the result short."
    )


EVERYTHING: frozenset[Include] = frozenset({"recommendations", "rules", "agents", "chart"})


def overview(room: Tasks, included: frozenset[Include], *, detailed: bool) -> StatusResult:
    """Return the status of a workspace, with the requested extras, within the byte budget."""
    maximum = _SHOWN_DETAILED if detailed else _SHOWN
    more: dict[str, Any] = {}
    with room.reading() as transaction:
        result = _core(transaction, maximum)
        if "agents" in included:
            more["agents"] = _agents(transaction, 2 * maximum)
    if "recommendations" in included:
        more["recommendations"] = _recommendations(result)
    if "rules" in included:
        more["rules"] = [shorten(rule.text, _LINE, tidy=True) for rule in rules.active(room)[:maximum]]
    if "chart" in included:
        more["chart_uri"] = f"taskpilot://workspace/{transaction.workspace.id}/status/chart.png"
    return fit(result.model_copy(update=more), MAX_BYTES if detailed else DEFAULT_BYTES)


def _core(transaction: TaskTransaction, maximum: int) -> StatusResult:
    workspace = transaction.workspace
    by_status, by_priority = _counts(transaction)
    total = sum(by_status.values())
    not_dropped = total - by_status["dropped"]
    ready = find(transaction, Query(ready=True, sort="ready", limit=maximum))
    blocked, held_up = _blocked(transaction, maximum)
    return StatusResult(
        operation="status",
        workspace=workspace_ref(workspace),
        done_gate=workspace.gate,
        counts=Counts(by_status=by_status, by_priority=by_priority, ready=ready.total, blocked=held_up),
        total=total,
        percent_done=100 * by_status["done"] // not_dropped if not_dropped else 0,
        velocity=_velocity(transaction),
        ready=task_refs(transaction, ready.tasks),
        stale=task_refs(transaction, _stale(transaction, maximum)),
        blocked=blocked,
        bottlenecks=_bottlenecks(transaction, maximum),
    )


def _counts(transaction: TaskTransaction) -> tuple[dict[Status, int], dict[Priority, int]]:
    by_status: dict[Status, int] = dict.fromkeys(STATUSES, 0)
    by_priority: dict[Priority, int] = dict.fromkeys(PRIORITIES, 0)
    rows = transaction.ask(
        "SELECT status, priority, count(*) FROM task WHERE workspace = :workspace GROUP BY status, priority"
    )
    for state, priority, count in rows:
        by_status[state] += count
        if state not in ("done", "dropped"):
            by_priority[PRIORITIES[priority]] += count
    return by_status, by_priority


def _velocity(transaction: TaskTransaction) -> Velocity:
    now = transaction.now
    week, month = transaction.ask(
        "SELECT count(*) FILTER (WHERE completed_at > :week), count(*) FROM task"
        " WHERE workspace = :workspace AND completed_at IS NOT NULL AND completed_at > :month",
        week=now - 7 * DAY_SECONDS,
        month=now - 30 * DAY_SECONDS,
    ).fetchone()
    return Velocity(d7=week, d30=month)


def _stale(transaction: TaskTransaction, maximum: int) -> list[Task]:
    """Return tasks in progress that did not change for `STALE_DAYS`, oldest change first."""
    rows = transaction.ask(
        f"SELECT {COLUMNS} FROM task WHERE workspace = :workspace AND status = 'in-progress'"
        " AND updated_at < :before ORDER BY updated_at LIMIT :maximum",
        before=transaction.now - STALE_DAYS * DAY_SECONDS,
        maximum=maximum,
    )
    return [Task._make(row) for row in rows]


def _blocked(transaction: TaskTransaction, maximum: int) -> tuple[list[BlockedTask], int]:
    """Return the first blocked tasks, and the number of all blocked tasks."""
    closed = transaction.closed_milestones()
    held_up, values = in_closed_milestones(closed)
    rows = transaction.ask(
        "SELECT uid, n, title, status, waits, milestone, count(*) OVER () FROM task"
        " WHERE workspace = :workspace"
        f" AND (status = 'blocked' OR (status = 'backlog' AND (waits > 0 OR {held_up})))"
        " ORDER BY priority, n LIMIT :maximum",
        maximum=maximum,
        **values,
    ).fetchall()
    waiting = blockers_of(transaction, [row[0] for row in rows if row[4]])
    blocked = []
    for uid, number, title, state, waits, milestone, _ in rows:
        reasons = [_why(transaction, uid, state, waiting.get(uid, []))] if waits or state == "blocked" else []
        if milestone in closed and state != "blocked":
            reasons.append(f"its milestone {milestone} is closed")
        blocked.append(
            BlockedTask(id=task_id(number), title=title, why=shorten("; ".join(reasons), _LINE, tidy=True))
        )
    return blocked, rows[0][-1] if rows else 0


def _why(transaction: TaskTransaction, uid: str, state: str, needs: list[str]) -> str:
    if state != "blocked":
        return f"needs {', '.join(needs)}" if needs else "waits for a dependency of its parent"
    row = transaction.execute(
        "SELECT reason FROM event WHERE task = :uid AND reason IS NOT NULL ORDER BY version DESC LIMIT 1",
        {"uid": uid},
    ).fetchone()
    return "no reason given" if row is None else str(row[0])[:200]


def _bottlenecks(transaction: TaskTransaction, maximum: int) -> list[Bottleneck]:
    rows = transaction.ask(
        "SELECT n, title, unblocks FROM task WHERE workspace = :workspace AND unblocks > 0"
        " AND status NOT IN ('done', 'dropped') ORDER BY unblocks DESC, n LIMIT :maximum",
        maximum=maximum,
    )
    return [Bottleneck(id=task_id(number), title=title, unblocks=count) for number, title, count in rows]


def _agents(transaction: TaskTransaction, maximum: int) -> list[AgentOut]:
    now = transaction.now
    held: dict[str, list[HeldTask]] = {}
    for agent, number, title, since, expires in transaction.ask(
        "SELECT claim_agent, n, title, claim_since, claim_expires FROM task WHERE workspace = :workspace"
        " AND claim_agent IS NOT NULL AND claim_expires > :now ORDER BY claim_since DESC, n LIMIT 1000"
    ):
        task = HeldTask(
            id=task_id(number), title=title, since=timestamp(since), expires_at=timestamp(expires)
        )
        held.setdefault(agent, []).append(task)
    seen: dict[str, float] = {}
    for session in open_sessions(transaction, now - 7 * DAY_SECONDS):
        seen[session.agent] = max(session.seen, seen.get(session.agent, 0.0))
    names = sorted(held.keys() | seen.keys(), key=lambda name: (-seen.get(name, 0.0), name))
    return [
        AgentOut(
            agent=name,
            claims=len(held.get(name, ())),
            last_seen=timestamp(seen.get(name, now)),
            tasks=held.get(name, [])[:maximum] or None,
        )
        for name in names[:maximum]
    ]


def _recommendations(result: StatusResult) -> list[str]:
    """Return recommendations derived from the status, one sentence each."""
    advice = []
    if result.stale:
        advice.append(f"Finish or release {result.stale[0].id}: it did not change for {STALE_DAYS} days.")
    if result.bottlenecks and result.bottlenecks[0].unblocks > 1:
        first = result.bottlenecks[0]
        advice.append(f"Do {first.id} soon: {first.unblocks} tasks wait for it.")
    if result.ready:
        advice.append(f"Take {result.ready[0].id} next.")
    elif result.blocked:
        advice.append(f"Nothing is ready; see what blocks {result.blocked[0].id}.")
    return advice
