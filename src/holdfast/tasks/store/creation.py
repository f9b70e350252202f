"""Creates tasks with their numbers, dependencies and events, all or none, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from holdfast.kernel.errors import InvalidArguments
from holdfast.tasks.errors import DependencyCycle
from holdfast.tasks.store import items, statements
from holdfast.tasks.store.dependencies import refresh_counts, refuse_cycles
from holdfast.tasks.store.history import record_created
from holdfast.tasks.store.records import Draft, Task, encoded, new_uid
from holdfast.tasks.store.rows import CLIENT_KEY_PREFIX, find_task, task_by_uid, uid_by_name
from holdfast.tasks.store.states import PRIORITIES
from holdfast.tasks.store.transaction import TaskTransaction

_INSERT_TASK = statements.insert("task", Task._fields)
_RESERVE_NUMBERS = (
    "UPDATE workspace SET next_number = next_number + :count WHERE id = :workspace"
    " RETURNING next_number - :count"
)
_INSERT_NAME = statements.insert("name", ("workspace", "name", "task"))


def create(transaction: TaskTransaction, drafts: Sequence[Draft]) -> list[tuple[Task, bool]]:
    """Create tasks in the backlog; return the task of each draft, in order, and whether the draft created it.

    A draft creates no task if its client key is that of a stored task or of an earlier draft.
    """
    uid_by_key = _stored_client_keys(transaction, drafts)
    new: dict[str, Draft] = {}
    """The drafts that create a task, by its uid."""
    found: list[tuple[str, bool]] = []
    """The uid of each draft's task, and whether the task is new."""
    for draft in drafts:
        uid = uid_by_key.get(draft.client_key)
        is_new = uid is None
        if uid is None:
            uid = new_uid(transaction.time)
            new[uid] = draft
            if draft.client_key is not None:
                uid_by_key[draft.client_key] = uid
        found.append((uid, is_new))
    uid_by_ref = {f"#{draft.ref}": uid for draft, (uid, _) in zip(drafts, found, strict=True) if draft.ref}
    created = _insert_tasks(transaction, new, uid_by_ref) if new else {}
    return [(created.get(uid) or task_by_uid(transaction, uid), is_new) for uid, is_new in found]


def _stored_client_keys(transaction: TaskTransaction, drafts: Sequence[Draft]) -> dict[str | None, str]:
    """Return the uids of stored tasks by those client keys of the drafts that they have."""
    keys = {draft.client_key for draft in drafts if draft.client_key is not None}
    found = {key: uid_by_name(transaction, f"{CLIENT_KEY_PREFIX}{key}") for key in keys}
    return {key: uid for key, uid in found.items() if uid is not None}


def _insert_tasks(
    transaction: TaskTransaction, drafts: Mapping[str, Draft], uid_by_ref: Mapping[str, str]
) -> dict[str, Task]:
    """Store the tasks that the drafts describe, given by their new uids; return the tasks by uid."""
    first_number = transaction.run_in_workspace(_RESERVE_NUMBERS, count=len(drafts)).fetchone()[0]
    rows = [
        _new_row(transaction, draft, uid, number)
        for number, (uid, draft) in enumerate(drafts.items(), first_number)
    ]
    transaction.executemany(_INSERT_TASK, [row._asdict() for row in rows])
    needed: list[str] = []
    for uid, draft in drafts.items():
        needed += _store_details(transaction, draft, uid, uid_by_ref)
    linked = [uid for uid, draft in drafts.items() if draft.depends_on or draft.parent is not None]
    try:
        refuse_cycles(transaction, linked)
    except DependencyCycle as error:
        raise _without_new_ids(error, {row.id: drafts[row.uid] for row in rows}) from None
    refresh_counts(transaction, waiting=linked, needed=needed)
    tasks = {uid: task_by_uid(transaction, uid) for uid in drafts}
    record_created(transaction, list(tasks.values()))
    return tasks


def _new_row(transaction: TaskTransaction, draft: Draft, uid: str, number: int) -> Task:
    return Task(
        uid=uid,
        workspace=transaction.workspace.id,
        n=number,
        title=draft.title,
        description=draft.description,
        status="backlog",
        priority=PRIORITIES.index(draft.priority),
        progress=0,
        parent=None,  # set by `_store_details`, as it may be a later task of the batch
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
        created_at=transaction.now,
        updated_at=transaction.now,
        issue_number=draft.issue_number,
        issue_url=draft.issue_url,
    )


def _store_details(
    transaction: TaskTransaction, draft: Draft, uid: str, uid_by_ref: Mapping[str, str]
) -> list[str]:
    """Store what belongs to a new task beside its row; return the uids of the tasks it depends on."""
    items.add(transaction, uid, "labels", [(label,) for label in draft.labels])
    items.add(transaction, uid, "files", draft.files)
    items.add(transaction, uid, "links", draft.links)
    if draft.client_key is not None:
        name = f"{CLIENT_KEY_PREFIX}{draft.client_key}"
        transaction.run_in_workspace(_INSERT_NAME, name=name, task=uid)
    if draft.parent is not None:
        parent = _resolve(transaction, draft.parent, uid_by_ref)
        transaction.execute(
            "UPDATE task SET parent = :parent WHERE uid = :uid", {"parent": parent, "uid": uid}
        )
    dependencies = [(_resolve(transaction, text, uid_by_ref), kind) for text, kind in draft.depends_on]
    items.add_dependencies(transaction, uid, dependencies)
    return [needed for needed, _ in dependencies]


def _resolve(transaction: TaskTransaction, text: str, uid_by_ref: Mapping[str, str]) -> str:
    """Return the uid of the task that a text names: `#ref` for one of the batch, else an existing task."""
    if not text.startswith("#"):
        return find_task(transaction, text).uid
    if text not in uid_by_ref:
        refs = ", ".join(sorted(uid_by_ref)) or "none"
        raise InvalidArguments(
            f'No task of this batch has the ref "{text[:40]}".', hint=f"Refs of the batch: {refs}."
        )
    return uid_by_ref[text]


def _without_new_ids(error: DependencyCycle, drafts: Mapping[str, Draft]) -> DependencyCycle:
    """Return the error with refs or titles in place of the ids of new tasks, which will not exist."""
    labels = {
        name: f"#{draft.ref}" if draft.ref else f'"{draft.title[:40]}"' for name, draft in drafts.items()
    }
    cycle = [labels.get(name, name) for name in cast("list[str]", error.data["cycle"])]
    return DependencyCycle(
        f"These tasks would form a dependency cycle: {' → '.join(cycle)}.", hint=error.hint, cycle=cycle
    )
