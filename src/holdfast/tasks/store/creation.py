"""Creates tasks with their numbers, dependencies and events, all or none, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from holdfast.kernel.errors import InvalidArguments
from holdfast.tasks.errors import DependencyCycle
from holdfast.tasks.store import items, statements
from holdfast.tasks.store.dependencies import refresh_counts, refuse_cycles
from holdfast.tasks.store.gate import GateInput, check_done
from holdfast.tasks.store.history import record_created
from holdfast.tasks.store.records import Draft, Task, encoded, new_uid
from holdfast.tasks.store.rows import find_task, task_by_uid
from holdfast.tasks.store.states import PRIORITIES
from holdfast.tasks.store.transaction import TaskTransaction

_INSERT_TASK = statements.insert("task", Task._fields)
_RESERVE_NUMBERS = (
    "UPDATE workspace SET next_number = next_number + :count WHERE id = :workspace"
    " RETURNING next_number - :count"
)
_INSERT_NAME = statements.insert("name", ("workspace", "name", "task"))
_SELECT_BY_NAME = "SELECT task FROM name WHERE workspace = :workspace AND name = :name"


def create(transaction: TaskTransaction, drafts: Sequence[Draft]) -> list[tuple[Task, bool]]:
    """Create tasks; return each with whether it is new.

    A draft with the client key of an existing task returns that task.
    """
    existing = [_find_by_client_key(transaction, draft) for draft in drafts]
    new = [draft for draft, task in zip(drafts, existing, strict=True) if task is None]
    created = iter(_insert_tasks(transaction, new) if new else ())
    return [(next(created), True) if task is None else (task, False) for task in existing]


def _with_refs(error: DependencyCycle, drafts: Sequence[Draft], tasks: Sequence[Task]) -> DependencyCycle:
    """Return the error with refs or titles in place of ids, since the tasks of the batch are not created."""
    names = {
        task.id: f"#{draft.ref}" if draft.ref else f'"{draft.title[:40]}"'
        for draft, task in zip(drafts, tasks, strict=True)
    }
    cycle = [names.get(name, name) for name in cast("list[str]", error.data["cycle"])]
    return DependencyCycle(
        f"These tasks would form a dependency cycle: {' → '.join(cycle)}.", hint=error.hint, cycle=cycle
    )


def _find_by_client_key(transaction: TaskTransaction, draft: Draft) -> Task | None:
    if draft.client_key is None:
        return None
    row = transaction.run_in_workspace(_SELECT_BY_NAME, name=f"key:{draft.client_key}").fetchone()
    return None if row is None else task_by_uid(transaction, row[0])


def _insert_tasks(transaction: TaskTransaction, drafts: Sequence[Draft]) -> list[Task]:
    first_number = transaction.run_in_workspace(_RESERVE_NUMBERS, count=len(drafts)).fetchone()[0]
    tasks = [_new_row(transaction, draft, first_number + position) for position, draft in enumerate(drafts)]
    transaction.executemany(_INSERT_TASK, [task._asdict() for task in tasks])
    by_ref = {f"#{draft.ref}": task.uid for draft, task in zip(drafts, tasks, strict=True) if draft.ref}
    needed: list[str] = []
    for draft, task in zip(drafts, tasks, strict=True):
        needed += _store_details(transaction, draft, task, by_ref)
    linked = [
        task.uid
        for draft, task in zip(drafts, tasks, strict=True)
        if draft.depends_on or draft.parent is not None
    ]
    try:
        refuse_cycles(transaction, linked)
    except DependencyCycle as error:
        raise _with_refs(error, drafts, tasks) from None
    refresh_counts(transaction, waiting=linked, needed=needed)
    stored = [task_by_uid(transaction, task.uid) for task in tasks]
    for draft, task in zip(drafts, stored, strict=True):
        if draft.status == "done":
            criteria = [{"text": text, "checked": False} for text in draft.criteria]
            check_done(transaction.workspace.gate, GateInput(task.id, criteria))
    record_created(transaction, stored)
    return stored


def _new_row(transaction: TaskTransaction, draft: Draft, number: int) -> Task:
    at = transaction.now
    return Task(
        uid=new_uid(transaction.time),
        workspace=transaction.workspace.id,
        n=number,
        title=draft.title,
        description=draft.description,
        status=draft.status,
        priority=PRIORITIES.index(draft.priority),
        progress=100 if draft.status == "done" else 0,
        parent=None,
        milestone=draft.milestone,
        criteria=encoded([{"text": text, "checked": False} for text in draft.criteria]),
        evidence="[]",
        notes=draft.notes,
        plan=draft.plan,
        rank=float(number),
        version=1,
        waits=0,
        unblocks=0,
        created_by=transaction.who.actor,
        created_at=at,
        updated_at=at,
        completed_at=at if draft.status == "done" else None,
        issue_number=draft.issue_number,
        issue_url=draft.issue_url,
    )


def _store_details(
    transaction: TaskTransaction, draft: Draft, task: Task, by_ref: Mapping[str, str]
) -> list[str]:
    """Store the labels, files, links and dependencies of a new task; return the uids it depends on."""
    items.add(transaction, task.uid, "labels", [(label,) for label in draft.labels])
    items.add(transaction, task.uid, "files", draft.files)
    items.add(transaction, task.uid, "links", draft.links)
    if draft.client_key is not None:
        transaction.run_in_workspace(_INSERT_NAME, name=f"key:{draft.client_key}", task=task.uid)
    if draft.parent is not None:
        parent = _resolve(transaction, draft.parent, by_ref)
        transaction.execute(
            "UPDATE task SET parent = :parent WHERE uid = :uid", {"parent": parent, "uid": task.uid}
        )
    needs = [(_resolve(transaction, text, by_ref), kind) for text, kind in draft.depends_on]
    items.add_dependencies(transaction, task.uid, needs)
    return [uid for uid, _ in needs]


def _resolve(transaction: TaskTransaction, text: str, by_ref: Mapping[str, str]) -> str:
    """Return the uid of the task that a text names: `#ref` for one of the batch, else an existing task."""
    if not text.startswith("#"):
        return find_task(transaction, text).uid
    if text not in by_ref:
        known = ", ".join(sorted(by_ref)) or "none"
        raise InvalidArguments(
            f'No task of this batch has the ref "{text[:40]}".', hint=f"Refs of the batch: {known}."
        )
    return by_ref[text]
