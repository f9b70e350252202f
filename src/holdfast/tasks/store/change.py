"""Changing a task: compare, check, store, and say what became of it, all in one transaction.

Contract:
- Nothing is stored unless the version is the one the caller saw, where it named one, and the caller still
  holds the claim, where it has one.
- A change that changes nothing stores nothing and leaves the version alone.
- `done` is reached only through the gate.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from holdfast.kernel.errors import InvalidArguments, OutOfDate
from holdfast.storage.sql.sql_store import Connection, SqlStore
from holdfast.tasks.store import lists
from holdfast.tasks.store.dependencies import refresh, refuse_cycles, refuse_own_part
from holdfast.tasks.store.gate import acceptable_evidence, check_done
from holdfast.tasks.store.history import encoded, event_row, record, state_of
from holdfast.tasks.store.records import Change, Changed, File, Link, Task, Who, Workspace
from holdfast.tasks.store.rows import find_task, locked_for_writing, needs_of, subtasks_of, task_by_uid
from holdfast.tasks.store.states import FINISHED, PRIORITIES, check_transition

_SCALARS = (
    "title",
    "description",
    "status",
    "priority",
    "progress",
    "notes",
    "plan",
    "milestone",
    "rank",
    "parent",
    "issue_number",
    "issue_url",
)
_LISTS = ("labels", "depends_on", "files", "criteria", "links")

Guard = Callable[[Connection, Task, Who, float], None]
"""Raises when somebody may not write to a task at this moment."""


def change(
    store: SqlStore,
    connection: Connection,
    workspace: Workspace,
    task: str,
    wanted: Change,
    who: Who,
    at: float,
    *,
    if_version: int | None = None,
    guard: Guard | None = None,
) -> Changed:
    """Carry out a change, and return the task as it is now with the old and new values."""
    found = find_task(connection, workspace.id, task, locked_for_writing(store))
    if if_version is not None and found.version != if_version:
        raise OutOfDate.found(found.id, if_version, found.version)
    if guard is not None:
        guard(connection, found, who, at)
    before = state_of(connection, found)
    row = _new_row(connection, workspace, found, wanted, at)
    touched = _change_lists(connection, workspace, found, wanted)
    _store(connection, found, row, at)
    freed = _settle(connection, found, task_by_uid(connection, found.uid), before, touched)
    now = task_by_uid(connection, found.uid)
    after = state_of(connection, now)
    if now.status == "done" and found.status != "done":
        _pass_the_gate(connection, workspace, now, wanted)
    differing = {name: (before[name], after[name]) for name in after if before[name] != after[name]}
    if not differing:
        _keep_version(connection, found)
        return Changed(found, {})
    event = event_row(
        now,
        "updated",
        who,
        at,
        before={name: old for name, (old, _) in differing.items()},
        after={name: new for name, (_, new) in differing.items()},
        reason=wanted.reason,
    )
    record(store, connection, [event])
    return Changed(now, differing, freed)


def _new_row(
    connection: Connection, workspace: Workspace, task: Task, wanted: Change, at: float
) -> dict[str, Any]:
    """Return the new values of the columns that a change names or brings with it."""
    unknown = sorted(wanted.set.keys() - {*_SCALARS, *_LISTS, "blockers"})
    if unknown:
        raise InvalidArguments(f'Tasks have no field "{unknown[0]}".', hint=f"Fields: {', '.join(_SCALARS)}.")
    row = {name: value for name, value in wanted.set.items() if name in _SCALARS}
    if "priority" in row:
        row["priority"] = PRIORITIES.index(row["priority"])
    if row.get("parent") is not None:
        row["parent"] = find_task(connection, workspace.id, row["parent"]).uid
    row |= _criteria(task, wanted)
    if wanted.evidence:
        kept = [acceptable_evidence(item) for item in wanted.evidence]
        row["evidence"] = encoded([*json.loads(task.evidence), *kept])
    if "status" in row:
        row |= _follows_status(task, row, wanted.reason, at)
    return row


def _follows_status(task: Task, row: Mapping[str, Any], reason: str | None, at: float) -> dict[str, Any]:
    """Return what a change of state brings with it."""
    status = row["status"]
    check_transition(task.status, status, reason)
    follows: dict[str, Any] = {}
    if status == task.status:
        return follows
    if status == "in-progress" and task.started_at is None:
        follows["started_at"] = at
    if status == "done":
        follows |= {"progress": 100}
    elif task.status == "done" and "progress" not in row:
        follows["progress"] = _checked_percent(row.get("criteria", task.criteria))
    follows["completed_at"] = at if status == "done" else None
    if status in FINISHED or status == "backlog":
        follows |= {
            "claim_agent": None,
            "claim_session": None,
            "claim_token": None,
            "claim_since": None,
            "claim_expires": None,
        }
    return follows


def _checked_percent(criteria: str) -> int:
    items = json.loads(criteria)
    return 100 * sum(item["checked"] for item in items) // len(items) if items else 0


def _criteria(task: Task, wanted: Change) -> dict[str, str]:
    items: list[dict[str, Any]] = json.loads(task.criteria)
    if "criteria" in wanted.set:
        checked = {item["text"]: item for item in items}
        items = [checked.get(text, {"text": text, "checked": False}) for text in wanted.set["criteria"]]
    for which in wanted.remove.get("criteria", ()):
        items.remove(_criterion(items, which))
    known = {item["text"] for item in items}
    items += [
        {"text": text, "checked": False} for text in wanted.add.get("criteria", ()) if text not in known
    ]
    for which in wanted.check:
        _criterion(items, which)["checked"] = True
    after = encoded(items)
    return {} if after == encoded(json.loads(task.criteria)) else {"criteria": after}


def _criterion(items: Sequence[dict[str, Any]], which: int | str) -> dict[str, Any]:
    number = int(which) if str(which).isascii() and str(which).isdigit() else None
    if number is not None and 1 <= number <= len(items):
        return items[number - 1]
    for item in items:
        if item["text"] == which:
            return item
    raise InvalidArguments(
        f'There is no criterion "{str(which)[:60]}".',
        hint=f"Name it by its number, 1 to {len(items)}, or by its text." if items else "The task has none.",
    )


def _change_lists(connection: Connection, workspace: Workspace, task: Task, wanted: Change) -> set[str]:
    """Store what a task has several of, and return every task it needed or needs."""
    uid = task.uid
    touched = {item.uid for item in needs_of(connection, uid)}
    for name in ("labels", "files", "links", "depends_on", "blockers"):
        if name in wanted.set:
            lists.clear(connection, uid, name)
    taken, added = wanted.remove, _added(wanted)
    lists.remove_labels(connection, uid, taken.get("labels", ()))
    lists.remove_files(connection, uid, taken.get("files", ()))
    lists.remove_links(connection, uid, taken.get("links", ()))
    gone = [find_task(connection, workspace.id, other).uid for other in taken.get("depends_on", ())]
    lists.remove_dependencies(connection, uid, gone)
    lists.add_labels(connection, uid, added["labels"])
    lists.add_files(
        connection, uid, [item if isinstance(item, File) else File(*item) for item in added["files"]]
    )
    lists.add_links(
        connection, uid, [item if isinstance(item, Link) else Link(*item) for item in added["links"]]
    )
    wished = [*added["depends_on"], *wanted.set.get("blockers", ())]
    needs = [(find_task(connection, workspace.id, other).uid, kind) for other, kind in wished]
    lists.add_dependencies(connection, uid, needs)
    return touched | {needed for needed, _ in needs}


def _added(wanted: Change) -> dict[str, list[Any]]:
    return {name: [*wanted.set.get(name, ()), *wanted.add.get(name, ())] for name in _LISTS}


def _store(connection: Connection, task: Task, row: Mapping[str, Any], at: float) -> None:
    columns = "".join(f"{name} = :{name}, " for name in row)
    connection.execute(
        f"UPDATE task SET {columns}version = version + 1, updated_at = :updated_at WHERE uid = :uid",  # noqa: S608
        {**row, "updated_at": at, "uid": task.uid},
    )


def _keep_version(connection: Connection, task: Task) -> None:
    connection.execute(
        "UPDATE task SET version = :version, updated_at = :updated_at WHERE uid = :uid",
        {"version": task.version, "updated_at": task.updated_at, "uid": task.uid},
    )


def _settle(
    connection: Connection, before: Task, now: Task, state: Mapping[str, Any], touched: set[str]
) -> tuple[str, ...]:
    """Bring what follows from dependencies up to date, and return the ids of tasks that became ready."""
    needs = {item.uid for item in needs_of(connection, now.uid)}
    relinked = (
        {uid for uid, _ in state["depends_on"]} != needs or touched != needs or before.parent != now.parent
    )
    waiting: list[str] = []
    needed: set[str] = set()
    if before.parent != now.parent:
        refuse_own_part(connection, now)
    if relinked:
        refuse_cycles(connection, [now.uid])
        waiting.append(now.uid)
        needed |= touched | needs
    if (before.status in FINISHED) != (now.status in FINISHED):
        rows = connection.execute(
            "SELECT task FROM dependency WHERE needs = :uid AND kind = 'blocks'", {"uid": now.uid}
        )
        waiting += [row[0] for row in rows]
        needed |= needs
    return refresh(connection, waiting=waiting, needed=needed)


def _pass_the_gate(connection: Connection, workspace: Workspace, task: Task, wanted: Change) -> None:
    open_subtasks = [item.id for item in subtasks_of(connection, task.uid) if item.status not in FINISHED]
    check_done(
        task.id,
        workspace.gate,
        criteria=json.loads(task.criteria),
        evidence=json.loads(task.evidence),
        open_subtasks=open_subtasks,
        approved=wanted.approved,
    )
