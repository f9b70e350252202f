"""The data of the board: a card for each task, and for each column its total and the allowed transitions."""

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
from holdfast.tasks.store.states import FINISHED, IS_UNFINISHED, NEEDS_REASON, STATUSES, TRANSITIONS, Status
from holdfast.tasks.store.transaction import TaskTransaction
from holdfast.tasks.view.results import task_refs, timestamp

_CARD_LISTS = {
    "labels": "SELECT task, label FROM label WHERE task IN {} ORDER BY label",
    "remarks": "SELECT task, ref FROM link WHERE kind IN ('comment', 'message') AND task IN {}",
    "subtasks": f"SELECT parent, n FROM task WHERE parent IN {{}} AND {IS_UNFINISHED} ORDER BY n",
}
"""The queries for lists that cards show or count. `{}` is for the tasks of a whole page."""


class TaskCard(TaskRef):
    """A task on the board."""

    version: int
    updated_at: str
    rank: float = Field(description="Order among ready tasks with equal priority and equal `unblocks`.")
    unblocks: int | None = Field(
        default=None, description="How many tasks wait for it; null when it is finished."
    )
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
    """A page of cards, and the columns."""

    columns: list[BoardColumn]
    cards: list[TaskCard]
    total: int = Field(description="How many tasks match in all.")
    next_cursor: str | None = Field(default=None, description="Pass it as `cursor` for the next page.")
    seq: int = Field(description="Number of the last event included; the event feed continues after it.")


def last_event_number(transaction: TaskTransaction) -> int:
    """Return the sequence number of the workspace's last event, or 0 if there is none."""
    query = "SELECT coalesce(max(seq), 0) FROM event WHERE workspace = :workspace"
    return int(transaction.run_in_workspace(query).fetchone()[0])


def board_columns(totals: dict[str, int]) -> list[BoardColumn]:
    """Return a column for each status, with its total."""
    columns = []
    for status in STATUSES:
        goes_to = [after for after in STATUSES if after in TRANSITIONS[status]]
        with_reason = [after for after in goes_to if (status, after) in NEEDS_REASON] or None
        total = totals.get(status, 0)
        columns.append(BoardColumn(status=status, total=total, goes_to=goes_to, with_reason=with_reason))
    return columns


def task_cards(transaction: TaskTransaction, tasks: Sequence[Task]) -> list[TaskCard]:
    """Return tasks as cards, with one query per list for all of them."""
    lists: dict[str, dict[str, list[Any]]] = {name: defaultdict(list) for name in _CARD_LISTS}
    for name, query in _CARD_LISTS.items():
        for uid, item in statements.select_by_uids(transaction, query, (task.uid for task in tasks)):
            lists[name][uid].append(item)
    cards = []
    for task, ref in zip(tasks, task_refs(transaction, tasks), strict=True):
        own_lists = {name: by_task.get(task.uid, []) for name, by_task in lists.items()}
        cards.append(_card(transaction, task, ref, own_lists))
    return cards


def _card(transaction: TaskTransaction, task: Task, ref: TaskRef, lists: dict[str, list[Any]]) -> TaskCard:
    criteria = json.loads(task.criteria)
    open_subtasks = [task_id(number) for number in lists["subtasks"]]
    gate_input = GateInput(task.id, criteria, json.loads(task.evidence), open_subtasks)
    is_held = ref.claimed_by is not None
    is_finished = task.status in FINISHED
    missing = [] if is_finished else missing_for_done(transaction.workspace.gate, gate_input)
    return TaskCard(
        **dict(ref),
        version=task.version,
        updated_at=timestamp(task.updated_at),
        rank=task.rank,
        unblocks=None if is_finished else task.unblocks or None,
        labels=lists["labels"] or None,
        milestone=task.milestone,
        criteria=len(criteria) or None,
        criteria_met=sum(item["checked"] for item in criteria) if criteria else None,
        remarks=len(lists["remarks"]) or None,
        lease_until=timestamp(task.claim_expires or 0.0) if is_held else None,
        yours=True if is_held and is_holder(task, transaction.who) else None,
        lacks=[item.text for item in missing] or None,
        lacks_codes=[item.code for item in missing] or None,
        order=sort_key(task, "ready"),
    )
