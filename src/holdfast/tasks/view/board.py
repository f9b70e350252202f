"""What a board shows: a card for each task, and for each column how many are in it and where they may go."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from pydantic import Field

from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.models import Reported, Result, TaskRef
from holdfast.tasks.store import rows
from holdfast.tasks.store.gate import GateInput, lacking
from holdfast.tasks.store.lease import is_holder
from holdfast.tasks.store.records import Task, task_id
from holdfast.tasks.store.states import FINISHED, NEEDS_REASON, STATUSES, TRANSITIONS, Status
from holdfast.tasks.store.transaction import Transaction
from holdfast.tasks.view.results import moment, task_refs

_PARTS = {
    "labels": "SELECT task, label FROM label WHERE task IN {} ORDER BY label",
    "remarks": "SELECT task, ref FROM link WHERE kind IN ('comment', 'message') AND task IN {}",
    "subtasks": "SELECT parent, n FROM task WHERE parent IN {} AND status NOT IN ('done', 'dropped')"
    " ORDER BY n",
}
"""What tasks have several of, looked up for all of a page at once."""


class TaskCard(TaskRef):
    """A task as a board shows it."""

    version: int
    updated_at: str
    rank: float = Field(description="Its place among ready tasks of one priority that unblock as many.")
    unblocks: int | None = Field(default=None, description="How many tasks wait for it.")
    labels: list[UntrustedText] | None = None
    milestone: UntrustedText | None = None
    criteria: int | None = Field(default=None, description="How many criteria it has.")
    criteria_met: int | None = None
    remarks: int | None = Field(default=None, description="How many comments and messages it is linked with.")
    lease_until: str | None = Field(default=None, description="When the claim on it ends, unless renewed.")
    yours: bool | None = Field(default=None, description="Whether you hold it.")
    lacks: list[str] | None = Field(default=None, description="What is missing before it may be done.")


class BoardColumn(Result):
    """A state, how many tasks are in it, and where they may go from there."""

    status: Status
    total: int
    goes_to: list[Status]
    with_reason: list[Status] | None = Field(default=None, description="Those that need a reason.")


class Board(Reported):
    """Cards and columns."""

    columns: list[BoardColumn]
    cards: list[TaskCard]
    total: int = Field(description="How many cards fit altogether.")
    next_cursor: str | None = Field(default=None, description="Pass it as `cursor` for the next page.")
    seq: int = Field(description="Number of the last event that this takes in; the feed goes on from there.")


def last_event(transaction: Transaction) -> int:
    """Return the number of the last event of the workspace, 0 before the first."""
    query = "SELECT coalesce(max(seq), 0) FROM event WHERE workspace = :workspace"
    return int(transaction.ask(query).fetchone()[0])


def columns(totals: dict[str, int]) -> list[BoardColumn]:
    """Return the six columns with how many tasks each has."""
    found = []
    for status in STATUSES:
        goes_to = [after for after in STATUSES if after in TRANSITIONS[status]]
        asked = [after for after in goes_to if (status, after) in NEEDS_REASON] or None
        total = totals.get(status, 0)
        found.append(BoardColumn(status=status, total=total, goes_to=goes_to, with_reason=asked))
    return found


def task_cards(transaction: Transaction, tasks: Sequence[Task]) -> list[TaskCard]:
    """Return tasks as cards; what belongs to them is looked up for all at once."""
    parts: dict[str, dict[str, list[Any]]] = {name: defaultdict(list) for name in _PARTS}
    for name, query in _PARTS.items():
        for uid, item in rows.rows_of(transaction, query, (task.uid for task in tasks)):
            parts[name][uid].append(item)
    refs = task_refs(transaction, tasks)
    found = [{name: parts[name].get(task.uid, []) for name in parts} for task in tasks]
    return [_card(transaction, *item) for item in zip(tasks, refs, found, strict=True)]


def _card(transaction: Transaction, task: Task, ref: TaskRef, parts: dict[str, list[Any]]) -> TaskCard:
    criteria = json.loads(task.criteria)
    achieved = GateInput(task.id, criteria, json.loads(task.evidence), [*map(task_id, parts["subtasks"])])
    held = ref.claimed_by is not None
    return TaskCard(
        **dict(ref),
        version=task.version,
        updated_at=moment(task.updated_at),
        rank=task.rank,
        unblocks=task.unblocks or None,
        labels=parts["labels"] or None,
        milestone=task.milestone,
        criteria=len(criteria) or None,
        criteria_met=sum(item["checked"] for item in criteria) if criteria else None,
        remarks=len(parts["remarks"]) or None,
        lease_until=moment(task.claim_expires or 0.0) if held else None,
        yours=True if held and is_holder(task, transaction.who) else None,
        lacks=None if task.status in FINISHED else lacking(transaction.workspace.gate, achieved) or None,
    )
