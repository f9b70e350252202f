"""The board: a card for each task, and for each column its total and the allowed transitions."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from pydantic import Field

from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.models import Reported, Result, TaskRef
from holdfast.tasks.store import statements
from holdfast.tasks.store.gate import GateCode, GateInput, missing_for_done
from holdfast.tasks.store.lease import is_holder
from holdfast.tasks.store.query import sort_key
from holdfast.tasks.store.records import Task, task_id
from holdfast.tasks.store.states import FINISHED, NEEDS_REASON, STATUSES, TRANSITIONS, Status
from holdfast.tasks.store.transaction import TaskTransaction
from holdfast.tasks.view.results import task_refs, timestamp

_PARTS = {
    "labels": "SELECT task, label FROM label WHERE task IN {} ORDER BY label",
    "remarks": "SELECT task, ref FROM link WHERE kind IN ('comment', 'message') AND task IN {}",
    "subtasks": "SELECT parent, n FROM task WHERE parent IN {} AND status NOT IN ('done', 'dropped')"
    " ORDER BY n",
}
"""Lists that cards count or show, each read with one query for a whole page."""


class TaskCard(TaskRef):
    """A task on the board."""

    version: int
    updated_at: str
    rank: float = Field(description="Order among ready tasks with equal priority and equal `unblocks`.")
    unblocks: int | None = Field(default=None, description="How many tasks wait for it.")
    labels: list[UntrustedText] | None = None
    milestone: UntrustedText | None = None
    criteria: int | None = Field(default=None, description="How many criteria it has.")
    criteria_met: int | None = None
    remarks: int | None = Field(default=None, description="How many comments and messages it links to.")
    lease_until: str | None = Field(default=None, description="When the claim expires, unless renewed.")
    yours: bool | None = Field(default=None, description="Whether you hold it.")
    lacks: list[str] | None = Field(default=None, description="What is missing before it can be done.")
    lacks_codes: list[GateCode] | None = Field(
        default=None, description="A code for each text of `lacks`, in the same order."
    )
    order: list[float] = Field(
        description="Sort key among cards sorted by `ready`: compare item by item, smaller first."
    )


class BoardColumn(Result):
    """A state, the number of tasks in it, and the allowed transitions."""

    status: Status
    total: int
    goes_to: list[Status]
    with_reason: list[Status] | None = Field(default=None, description="Transitions that need a reason.")


class Board(Reported):
    """Cards and columns."""

    columns: list[BoardColumn]
    cards: list[TaskCard]
    total: int = Field(description="How many tasks match in all.")
    next_cursor: str | None = Field(default=None, description="Pass it as `cursor` for the next page.")
    seq: int = Field(description="Number of the last event included; the event feed continues after it.")


def last_event(transaction: TaskTransaction) -> int:
    """Return the number of the workspace's last event, or 0."""
    query = "SELECT coalesce(max(seq), 0) FROM event WHERE workspace = :workspace"
    return int(transaction.ask(query).fetchone()[0])


def columns(totals: dict[str, int]) -> list[BoardColumn]:
    """Return the six columns with their totals."""
    found = []
    for status in STATUSES:
        goes_to = [after for after in STATUSES if after in TRANSITIONS[status]]
        with_reason = [after for after in goes_to if (status, after) in NEEDS_REASON] or None
        total = totals.get(status, 0)
        found.append(BoardColumn(status=status, total=total, goes_to=goes_to, with_reason=with_reason))
    return found


def task_cards(transaction: TaskTransaction, tasks: Sequence[Task]) -> list[TaskCard]:
    """Return tasks as cards, with one query per list for all of them."""
    parts: dict[str, dict[str, list[Any]]] = {name: defaultdict(list) for name in _PARTS}
    for name, query in _PARTS.items():
        for uid, item in statements.rows_of(transaction, query, (task.uid for task in tasks)):
            parts[name][uid].append(item)
    refs = task_refs(transaction, tasks)
    found = [{name: parts[name].get(task.uid, []) for name in parts} for task in tasks]
    return [_card(transaction, *item) for item in zip(tasks, refs, found, strict=True)]


def _card(transaction: TaskTransaction, task: Task, ref: TaskRef, parts: dict[str, list[Any]]) -> TaskCard:
    criteria = json.loads(task.criteria)
    given = GateInput(task.id, criteria, json.loads(task.evidence), [*map(task_id, parts["subtasks"])])
    held = ref.claimed_by is not None
    missing = [] if task.status in FINISHED else missing_for_done(transaction.workspace.gate, given)
    return TaskCard(
        **dict(ref),
        version=task.version,
        updated_at=timestamp(task.updated_at),
        rank=task.rank,
        unblocks=task.unblocks or None,
        labels=parts["labels"] or None,
        milestone=task.milestone,
        criteria=len(criteria) or None,
        criteria_met=sum(item["checked"] for item in criteria) if criteria else None,
        remarks=len(parts["remarks"]) or None,
        lease_until=timestamp(task.claim_expires or 0.0) if held else None,
        yours=True if held and is_holder(task, transaction.who) else None,
        lacks=[item.text for item in missing] or None,
        lacks_codes=[item.code for item in missing] or None,
        order=sort_key(task, "ready"),
    )
