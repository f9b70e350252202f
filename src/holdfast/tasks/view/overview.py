"""Computes the status of a workspace: counts, velocity, ready, stale and blocked tasks, active agents."""

from __future__ import annotations

from typing import Any, Literal, get_args

from pydantic import Field

from holdfast.kernel.clock import DAY_SECONDS
from holdfast.kernel.text import shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.models import Reported, Result, TaskRef
from holdfast.tasks.store.query import Query, find
from holdfast.tasks.store.records import COLUMNS, Task, task_id
from holdfast.tasks.store.rows import blockers_of
from holdfast.tasks.store.session import recent_sessions
from holdfast.tasks.store.states import IS_UNFINISHED, PRIORITIES, STATUSES, Priority, Status
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import TaskTransaction
from holdfast.tasks.texts import rules
from holdfast.tasks.view.budget import DEFAULT_BYTES, MAX_BYTES, fit
from holdfast.tasks.view.results import task_refs, timestamp, workspace_ref

STALE_DAYS = 7
"""A task in progress is stale after so many days without a change. A judgement: it was probably forgotten."""
_MAX_TASKS_SHOWN = 5
"""Tasks of each kind in a concise status. A judgement: what an agent needs to choose the next step."""
_MAX_TASKS_SHOWN_DETAILED = 20
"""Tasks of each kind in a detailed status. A judgement: as in other lists (`view/budget.py`)."""
_MAX_LINE_CHARACTERS = 160
"""Reasons and rules are cut to this. A judgement: two lines of a terminal."""
_MAX_CLAIMS_READ = 1000
"""Bounds the memory of one call. A judgement: far more claims than agents hold at the same time."""

Include = Literal["recommendations", "rules", "agents", "chart"]
EVERYTHING: frozenset[Include] = frozenset(get_args(Include))


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
    """An agent that was active in the last week or holds tasks."""

    agent: UntrustedText
    claims: int = Field(description="Number of tasks it holds.")
    last_seen: str = Field(description="Last call in a session; for an agent without one, the present time.")
    tasks: list[HeldTask] | None = Field(default=None, description="Tasks it holds, latest first.")


class StatusResult(Reported):
    """The status of a workspace."""

    done_gate: UntrustedText
    counts: Counts
    total: int
    percent_done: int = Field(description="Share of the tasks that are not dropped, rounded down.")
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


def overview(room: Tasks, included: frozenset[Include], *, detailed: bool) -> StatusResult:
    """Return the status of a workspace, with the requested extras, within the byte budget."""
    maximum = _MAX_TASKS_SHOWN_DETAILED if detailed else _MAX_TASKS_SHOWN
    extras: dict[str, Any] = {}
    with room.reading() as transaction:
        result = _core_status(transaction, maximum)
        if "agents" in included:
            extras["agents"] = _active_agents(transaction, 2 * maximum)
    if "recommendations" in included:
        extras["recommendations"] = _recommendations(result)
    if "rules" in included:
        extras["rules"] = [
            shorten(rule.text, _MAX_LINE_CHARACTERS, tidy=True) for rule in rules.active_rules(room)[:maximum]
        ]
    if "chart" in included:
        extras["chart_uri"] = f"taskpilot://workspace/{transaction.workspace.id}/status/chart.png"
    return fit(result.model_copy(update=extras), MAX_BYTES if detailed else DEFAULT_BYTES)


def _core_status(transaction: TaskTransaction, maximum: int) -> StatusResult:
    workspace = transaction.workspace
    by_status, by_priority = _count_tasks(transaction)
    total = sum(by_status.values())
    not_dropped = total - by_status["dropped"]
    ready = find(transaction, Query(ready=True, sort="ready", limit=maximum))
    blocked, blocked_total = _blocked_tasks(transaction, maximum)
    return StatusResult(
        operation="status",
        workspace=workspace_ref(workspace),
        done_gate=workspace.gate,
        counts=Counts(by_status=by_status, by_priority=by_priority, ready=ready.total, blocked=blocked_total),
        total=total,
        percent_done=100 * by_status["done"] // not_dropped if not_dropped else 0,
        velocity=_velocity(transaction),
        ready=task_refs(transaction, ready.tasks),
        stale=task_refs(transaction, _stale_tasks(transaction, maximum)),
        blocked=blocked,
        bottlenecks=_bottlenecks(transaction, maximum),
    )


def _count_tasks(transaction: TaskTransaction) -> tuple[dict[Status, int], dict[Priority, int]]:
    """Return the number of tasks by status, and of open tasks by priority."""
    by_status: dict[Status, int] = dict.fromkeys(STATUSES, 0)
    by_priority: dict[Priority, int] = dict.fromkeys(PRIORITIES, 0)
    rows = transaction.run_in_workspace(
        "SELECT status, priority, count(*) FROM task WHERE workspace = :workspace GROUP BY status, priority"
    )
    for state, priority, count in rows:
        by_status[state] += count
        if state not in ("done", "dropped"):
            by_priority[PRIORITIES[priority]] += count
    return by_status, by_priority


def _velocity(transaction: TaskTransaction) -> Velocity:
    now = transaction.now
    week, month = transaction.run_in_workspace(
        "SELECT count(*) FILTER (WHERE completed_at > :week), count(*) FROM task"
        " WHERE workspace = :workspace AND completed_at IS NOT NULL AND completed_at > :month",
        week=now - 7 * DAY_SECONDS,
        month=now - 30 * DAY_SECONDS,
    ).fetchone()
    return Velocity(d7=week, d30=month)


def _stale_tasks(transaction: TaskTransaction, maximum: int) -> list[Task]:
    """Return the tasks in progress that did not change for `STALE_DAYS`, oldest change first."""
    rows = transaction.run_in_workspace(
        f"SELECT {COLUMNS} FROM task WHERE workspace = :workspace AND status = 'in-progress'"
        " AND updated_at < :before ORDER BY updated_at LIMIT :maximum",
        before=transaction.now - STALE_DAYS * DAY_SECONDS,
        maximum=maximum,
    )
    return [Task._make(row) for row in rows]


def _blocked_tasks(transaction: TaskTransaction, maximum: int) -> tuple[list[BlockedTask], int]:
    """Return the first blocked tasks, and the number of all blocked tasks."""
    page = find(transaction, Query(blocked=True, limit=maximum))
    blockers = blockers_of(transaction, [task.uid for task in page.tasks if task.waits])
    blocked = []
    for task in page.tasks:
        reason = _blocked_reason(transaction, task, blockers.get(task.uid, []))
        why = shorten(reason, _MAX_LINE_CHARACTERS, tidy=True)
        blocked.append(BlockedTask(id=task.id, title=task.title, why=why))
    return blocked, page.total


def _blocked_reason(transaction: TaskTransaction, task: Task, needs: list[str]) -> str:
    if task.status == "blocked":
        row = transaction.execute(
            "SELECT reason FROM event WHERE task = :uid AND reason IS NOT NULL ORDER BY version DESC LIMIT 1",
            {"uid": task.uid},
        ).fetchone()
        return "no reason given" if row is None else str(row[0])
    reasons = []
    if task.waits:
        reasons.append(f"needs {', '.join(needs)}" if needs else "waits for a dependency of its parent")
    if transaction.has_closed_milestone(task):
        reasons.append(f"its milestone {task.milestone} is closed")
    return "; ".join(reasons)


def _bottlenecks(transaction: TaskTransaction, maximum: int) -> list[Bottleneck]:
    rows = transaction.run_in_workspace(
        "SELECT n, title, unblocks FROM task WHERE workspace = :workspace AND unblocks > 0"
        f" AND {IS_UNFINISHED} ORDER BY unblocks DESC, n LIMIT :maximum",
        maximum=maximum,
    )
    return [Bottleneck(id=task_id(number), title=title, unblocks=count) for number, title, count in rows]


def _active_agents(transaction: TaskTransaction, maximum: int) -> list[AgentOut]:
    now = transaction.now
    held: dict[str, list[HeldTask]] = {}
    for agent, number, title, since, expires in transaction.run_in_workspace(
        "SELECT claim_agent, n, title, claim_since, claim_expires FROM task WHERE workspace = :workspace"
        " AND claim_agent IS NOT NULL AND claim_expires > :now ORDER BY claim_since DESC, n LIMIT :maximum",
        maximum=_MAX_CLAIMS_READ,
    ):
        task = HeldTask(
            id=task_id(number), title=title, since=timestamp(since), expires_at=timestamp(expires)
        )
        held.setdefault(agent, []).append(task)
    last_seen: dict[str, float] = {}
    for session in recent_sessions(transaction, now - 7 * DAY_SECONDS):
        last_seen[session.agent] = max(session.seen, last_seen.get(session.agent, 0.0))
    names = sorted(held.keys() | last_seen.keys(), key=lambda name: (-last_seen.get(name, 0.0), name))
    return [
        AgentOut(
            agent=name,
            claims=len(held.get(name, ())),
            last_seen=timestamp(last_seen.get(name, now)),
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
