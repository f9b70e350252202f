"""Applies changes of items to our tasks. They pass the same done gate and the same checks as all changes."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from holdfast.kernel.errors import HoldfastError
from holdfast.tasks.errors import DoneGate
from holdfast.tasks.store.change import apply_change, check_gate
from holdfast.tasks.store.records import CallerIdentity, Change, Task
from holdfast.tasks.store.rows import find_task
from holdfast.tasks.store.states import STATUSES, TRANSITIONS
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import TaskTransaction


def transition_path(before: str, after: str) -> list[str]:
    """Return the states on the shortest path from one state to another, by breadth-first search.

    The path does not include the state it starts from.
    """
    paths: dict[str, list[str]] = {before: []}
    queue = deque([before])
    while queue:
        state = queue.popleft()
        if state == after:
            break
        for following in (status for status in STATUSES if status in TRANSITIONS[state]):
            if following not in paths:
                paths[following] = [*paths[state], following]
                queue.append(following)
    return paths[after]


def apply_values(
    room: Tasks, task: str, values: Mapping[str, Any], who: CallerIdentity, reason: str
) -> dict[str, str]:
    """Set fields of a task; return each field whose change was refused, with the reason.

    The state changes by allowed transitions only. The done gate or a claim can refuse it.
    """
    refused: dict[str, str] = {}
    fields = {name: value for name, value in values.items() if name != "status"}
    if fields:
        try:
            room.update(task, Change(set=fields, reason=reason), who)
        except HoldfastError as error:
            refused.update(dict.fromkeys(fields, error.message))
    if "status" in values:
        refusal = move_to_status(room, task, values["status"], who, reason)
        if refusal is not None:
            refused["status"] = refusal
    return refused


def move_to_status(room: Tasks, task: str, status: str, who: CallerIdentity, reason: str) -> str | None:
    """Move a task to a state; return the reason if that was refused.

    A claimed task is not moved. One that does not meet the done gate waits in review.
    """
    with room.writing(who) as transaction:
        return move(transaction, task, status, reason)


def move(transaction: TaskTransaction, name: str, status: str, reason: str) -> str | None:
    """Do what `move_to_status` does, in a transaction."""
    task = find_task(transaction, name, for_update=True)
    holder = task.claimed_by(transaction.now)
    if holder is not None and task.status != status:
        return f"{task.id} is claimed by {holder}."
    for step in transition_path(task.status, status):
        if step == "done":
            try:
                check_gate(transaction, task)
            except DoneGate as error:
                return _leave_in_review(transaction, task, reason, error)
        task = apply_change(transaction, task.uid, Change(set={"status": step}, reason=reason)).task
    return None


def _leave_in_review(transaction: TaskTransaction, task: Task, reason: str, error: DoneGate) -> str:
    """Move a task that the done gate refused to review; return the reason of the refusal."""
    if task.status == "in-progress":
        apply_change(transaction, task.uid, Change(set={"status": "review"}, reason=reason))
    return f"{error.message} It waits in review."
