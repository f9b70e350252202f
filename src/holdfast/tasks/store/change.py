"""Changes a task in one transaction: checks the version and the claim, applies the change, records an event.

Contract:
- A change is refused if the task no longer has the version that the caller named (optimistic locking), if
  the caller's claim has ended, or if it is for the task's holder alone, and someone else is that.
- A change without effect stores nothing and does not increase the version.
- A task becomes `done` only if it meets the done gate.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.kernel.errors import InvalidArguments, OutOfDate
from holdfast.kernel.text import parse_natural
from holdfast.tasks.store import items, lease
from holdfast.tasks.store.dependencies import refresh_counts, refuse_cycles, refuse_parent_cycle
from holdfast.tasks.store.gate import GateInput, acceptable_evidence, check_done
from holdfast.tasks.store.history import record, state_of
from holdfast.tasks.store.records import CLAIM_COLUMNS, Change, Changed, File, Task, TaskLink, encoded
from holdfast.tasks.store.rows import dependencies_of, dependents_of, find_task, subtasks_of, task_by_uid
from holdfast.tasks.store.states import FINISHED, PRIORITIES, check_transition
from holdfast.tasks.store.transaction import TaskTransaction

SCALAR_FIELDS = (
    "title", "description", "status", "priority", "progress", "notes", "plan", "milestone", "rank", "parent",
    "issue_number", "issue_url",
)  # fmt: skip
_HOLDER_FIELDS = frozenset({"status", "progress", "criteria"})
LIST_FIELDS = ("labels", "depends_on", "files", "criteria", "links")


def apply_change(
    transaction: TaskTransaction, task: str, wanted: Change, *, if_version: int | None = None
) -> Changed:
    """Apply a change to the task that `task` names, as `find_task` finds it.

    With `if_version`, raise if the task has another version.
    """
    found = find_task(transaction, task, for_update=True)
    if if_version is not None and found.version != if_version:
        raise OutOfDate.found(found.id, if_version, found.version)
    is_taken_over = wanted.take_over and lease.is_held_by_another(transaction, found)
    if not is_taken_over:
        lease.check_may_write(transaction, found, only_holder=_is_for_holder(found, wanted))
    before = state_of(transaction, found)
    row = _changed_columns(transaction, found, wanted)
    if is_taken_over:
        row = {**lease.new_claim(transaction), **row}  # in which a finished task has no claim
    needed = _change_lists(transaction, found, wanted)
    _update_row(transaction, found, row)
    unblocked = _update_counts(transaction, found, before, needed)
    changed = task_by_uid(transaction, found.uid)
    after = state_of(transaction, changed)
    if changed.status == "done" and found.status != "done":
        check_gate(transaction, changed, approved=wanted.approved)
    differing = {name: (before[name], after[name]) for name in after if before[name] != after[name]}
    if not differing:  # only now known: take back what `_update_row` has set
        transaction.execute(
            "UPDATE task SET version = :version, updated_at = :updated_at WHERE uid = :uid",
            {"version": found.version, "updated_at": found.updated_at, "uid": found.uid},
        )
        return Changed(found, {})
    old = {name: value for name, (value, _) in differing.items()}
    new = {name: value for name, (_, value) in differing.items()}
    kind = lease.TAKEN_OVER if is_taken_over else "updated"
    record(transaction, changed, kind, before=old, after=new, reason=wanted.reason)
    return Changed(changed, differing, unblocked)


def _is_for_holder(task: Task, wanted: Change) -> bool:
    """Return whether only the holder may make a change: one of the state or the criteria.

    Approving a task that is in review is for others than its holder.
    """
    if wanted.approved and task.status == "review":
        return False
    lists = wanted.add.keys() | wanted.remove.keys() | wanted.set.keys()
    return bool(_HOLDER_FIELDS & lists or wanted.check)


def _changed_columns(transaction: TaskTransaction, task: Task, wanted: Change) -> dict[str, Any]:
    """Return the new values of the columns that a change sets, explicitly or as a consequence."""
    unknown = sorted(wanted.set.keys() - {*SCALAR_FIELDS, *LIST_FIELDS, "blockers"})
    if unknown:
        raise InvalidArguments(
            f'Tasks have no field "{unknown[0]}".', hint=f"Fields: {', '.join(SCALAR_FIELDS)}."
        )
    row = {name: value for name, value in wanted.set.items() if name in SCALAR_FIELDS}
    if "priority" in row:
        row["priority"] = PRIORITIES.index(row["priority"])
    if row.get("parent") is not None:
        row["parent"] = find_task(transaction, row["parent"]).uid
    row |= _new_criteria(task, wanted)
    if wanted.evidence:
        criteria = json.loads(row.get("criteria", task.criteria))
        added = [acceptable_evidence(_with_criterion_text(item, criteria)) for item in wanted.evidence]
        row["evidence"] = encoded([*json.loads(task.evidence), *added])
    if "status" in row:
        row |= _status_consequences(task, row, wanted.reason, transaction.now)
    return row


def _status_consequences(task: Task, row: Mapping[str, Any], reason: str | None, at: float) -> dict[str, Any]:
    """Check a transition of the status, and return the new values of the other columns that it changes."""
    status = row["status"]
    check_transition(task.status, status, reason)
    changes: dict[str, Any] = {}
    if status == task.status:
        return changes
    if status == "in-progress" and task.started_at is None:
        changes["started_at"] = at
    if status == "done":
        changes["progress"] = 100
    elif task.status == "done" and "progress" not in row:
        checked = [item["checked"] for item in json.loads(row.get("criteria", task.criteria))]
        changes["progress"] = 100 * sum(checked) // len(checked) if checked else 0
    changes["completed_at"] = at if status == "done" else None
    if status in FINISHED or status == "backlog":
        changes |= dict.fromkeys(CLAIM_COLUMNS)
    return changes


def _new_criteria(task: Task, wanted: Change) -> dict[str, str]:
    """Return the new value of the column `criteria`, if it changes; criteria that stay keep their checks."""
    items: list[dict[str, Any]] = json.loads(task.criteria)
    if "criteria" in wanted.set:
        by_text = {item["text"]: item for item in items}
        items = [by_text.get(text, {"text": text, "checked": False}) for text in wanted.set["criteria"]]
    for which in wanted.remove.get("criteria", ()):
        items.remove(_find_criterion(items, which))
    present = {item["text"] for item in items}
    added = (text for text in wanted.add.get("criteria", ()) if text not in present)
    items += [{"text": text, "checked": False} for text in added]
    for which in wanted.check:
        _find_criterion(items, which)["checked"] = True
    after = encoded(items)
    return {} if after == encoded(json.loads(task.criteria)) else {"criteria": after}


def _with_criterion_text(item: Mapping[str, Any], criteria: Sequence[dict[str, Any]]) -> Mapping[str, Any]:
    """Return evidence with its criterion as text, since numbers shift when a criterion is removed."""
    which = item.get("criterion")
    return item if which is None else {**item, "criterion": _find_criterion(criteria, which)["text"]}


def _find_criterion(items: Sequence[dict[str, Any]], which: int | str) -> dict[str, Any]:
    """Return the criterion with this number, counted from 1, or with this text."""
    number = parse_natural(str(which))
    if number is not None and 1 <= number <= len(items):
        return items[number - 1]
    for item in items:
        if item["text"] == which:
            return item
    raise InvalidArguments(
        f'There is no criterion "{str(which)[:60]}".',
        hint=f"Give its number, 1 to {len(items)}, or its text." if items else "The task has no criteria.",
    )


def _change_lists(transaction: TaskTransaction, task: Task, wanted: Change) -> set[str]:
    """Change a task's lists; return the uids of all tasks that it depended on before or depends on now."""
    uid = task.uid
    needed_before = {item.uid for item in dependencies_of(transaction, uid)}
    for name in ("labels", "files", "links", "depends_on", "blockers"):
        if name in wanted.set:
            items.clear(transaction, uid, name)
    added = {name: [*wanted.set.get(name, ()), *wanted.add.get(name, ())] for name in LIST_FIELDS}
    no_longer_needed = [find_task(transaction, text).uid for text in wanted.remove.get("depends_on", ())]
    for name in ("labels", "files", "links"):
        items.remove(transaction, uid, name, wanted.remove.get(name, ()))
    items.remove(transaction, uid, "depends_on", no_longer_needed)
    items.add(transaction, uid, "labels", [(label,) for label in added["labels"]])
    items.add(transaction, uid, "files", [File(*item) for item in added["files"]])
    items.add(transaction, uid, "links", [TaskLink(*item) for item in added["links"]])
    named = [*added["depends_on"], *wanted.set.get("blockers", ())]
    dependencies = [(find_task(transaction, text).uid, kind) for text, kind in named]
    items.add_dependencies(transaction, uid, dependencies)
    return needed_before | {needed for needed, _ in dependencies}


def _update_row(transaction: TaskTransaction, task: Task, row: Mapping[str, Any]) -> None:
    columns = "".join(f"{name} = :{name}, " for name in row)
    transaction.execute(
        f"UPDATE task SET {columns}version = version + 1, updated_at = :updated_at WHERE uid = :uid",
        {**row, "updated_at": transaction.now, "uid": task.uid},
    )


def _update_counts(
    transaction: TaskTransaction, before: Task, state: Mapping[str, Any], needed: set[str]
) -> tuple[str, ...]:
    """Recompute `waits` and `unblocks` of the tasks that a change affects; return the ids that became ready.

    `state` is the task's state before the change; `needed` is what `_change_lists` returned.
    """
    after = task_by_uid(transaction, before.uid)
    # With the kind, because only `blocks` makes a task wait.
    dependencies_before = {(uid, kind) for uid, kind in state["depends_on"]}
    dependencies = {(item.uid, item.kind) for item in dependencies_of(transaction, after.uid)}
    has_moved = before.parent != after.parent
    has_new_edges = has_moved or dependencies != dependencies_before
    is_finished_or_reopened = (before.status in FINISHED) != (after.status in FINISHED)
    if not has_new_edges and not is_finished_or_reopened:
        return ()
    waiting: list[str] = []
    if has_moved:
        refuse_parent_cycle(transaction, after)
    if has_new_edges:
        refuse_cycles(transaction, [after.uid])
        waiting.append(after.uid)
    if is_finished_or_reopened:
        dependents = dependents_of(transaction, after.uid)
        waiting += [item.uid for item in dependents if item.kind == "blocks"]
    unblocked = refresh_counts(transaction, waiting=waiting, needed=needed)
    tasks = [find_task(transaction, text) for text in unblocked]
    return tuple(task.id for task in tasks if not transaction.has_closed_milestone(task))


def check_gate(transaction: TaskTransaction, task: Task, *, approved: bool = False) -> None:
    """Raise `DoneGate` unless a task meets the done gate of its workspace."""
    open_subtasks = [item.id for item in subtasks_of(transaction, task.uid) if item.status not in FINISHED]
    evidence = json.loads(task.evidence)
    criteria = json.loads(task.criteria)
    examined = GateInput(task.id, criteria, evidence, open_subtasks, approved=approved)
    check_done(transaction.workspace.gate, examined)
