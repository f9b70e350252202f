"""Making tasks: numbers, dependencies and events, all in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from holdfast.kernel.errors import InvalidArguments
from holdfast.tasks.errors import DependencyCycle
from holdfast.tasks.store import rows
from holdfast.tasks.store.dependencies import refresh, refuse_cycles
from holdfast.tasks.store.gate import GateInput, check_done
from holdfast.tasks.store.history import record_created
from holdfast.tasks.store.records import Draft, Task, encoded, new_uid
from holdfast.tasks.store.rows import find_task, task_by_uid
from holdfast.tasks.store.states import PRIORITIES
from holdfast.tasks.store.transaction import Transaction

_INSERT_TASK = rows.insert("task", Task._fields)
_TAKE_NUMBERS = (
    "UPDATE workspace SET next_number = next_number + :count WHERE id = :workspace"
    " RETURNING next_number - :count"
)
_INSERT_NAME = rows.insert("name", ("workspace", "name", "task"))
_BY_KEY = "SELECT task FROM name WHERE workspace = :workspace AND name = :name"


def create(transaction: Transaction, drafts: Sequence[Draft]) -> list[tuple[Task, bool]]:
    """Add tasks and return each with whether it is new; one whose key is known already is not made again."""
    known = [_known(transaction, draft) for draft in drafts]
    fresh = [draft for draft, task in zip(drafts, known, strict=True) if task is None]
    made = iter(_insert(transaction, fresh)) if fresh else iter(())
    return [(next(made), True) if task is None else (task, False) for task in known]


def _told_by_ref(circle: DependencyCycle, drafts: Sequence[Draft], tasks: Sequence[Task]) -> DependencyCycle:
    """Return the failure in the words of the batch: its tasks have no ids yet, and will have none."""
    names = {
        task.id: f"#{draft.ref}" if draft.ref else f'"{draft.title[:40]}"'
        for draft, task in zip(drafts, tasks, strict=True)
    }
    way = [names.get(name, name) for name in cast("list[str]", circle.data["cycle"])]
    told = " → ".join(way)
    return DependencyCycle(
        f"These tasks would wait for each other for ever: {told}.", hint=circle.hint, cycle=way
    )


def _known(transaction: Transaction, draft: Draft) -> Task | None:
    if draft.client_key is None:
        return None
    row = transaction.ask(_BY_KEY, name=f"key:{draft.client_key}").fetchone()
    return None if row is None else task_by_uid(transaction, row[0])


def _insert(transaction: Transaction, drafts: Sequence[Draft]) -> list[Task]:
    first = transaction.ask(_TAKE_NUMBERS, count=len(drafts)).fetchone()[0]
    tasks = [_row(transaction, draft, first + place) for place, draft in enumerate(drafts)]
    transaction.executemany(_INSERT_TASK, [task._asdict() for task in tasks])
    local = {f"#{draft.ref}": task.uid for draft, task in zip(drafts, tasks, strict=True) if draft.ref}
    needed: list[str] = []
    for draft, task in zip(drafts, tasks, strict=True):
        needed += _attach(transaction, draft, task, local)
    linked = [
        task.uid
        for draft, task in zip(drafts, tasks, strict=True)
        if draft.depends_on or draft.parent is not None
    ]
    try:
        refuse_cycles(transaction, linked)
    except DependencyCycle as circle:
        raise _told_by_ref(circle, drafts, tasks) from None
    refresh(transaction, waiting=linked, needed=needed)
    stored = [task_by_uid(transaction, task.uid) for task in tasks]
    for draft, task in zip(drafts, stored, strict=True):
        if draft.status == "done":
            criteria = [{"text": text, "checked": False} for text in draft.criteria]
            check_done(transaction.workspace.gate, GateInput(task.id, criteria))
    record_created(transaction, stored)
    return stored


def _row(transaction: Transaction, draft: Draft, number: int) -> Task:
    at = transaction.now
    return Task(
        uid=new_uid(transaction.moment),
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


def _attach(transaction: Transaction, draft: Draft, task: Task, local: Mapping[str, str]) -> list[str]:
    """Store what belongs to a new task, and return the tasks that it needs."""
    rows.add(transaction, task.uid, "labels", [(label,) for label in draft.labels])
    rows.add(transaction, task.uid, "files", draft.files)
    rows.add(transaction, task.uid, "links", draft.links)
    if draft.client_key is not None:
        transaction.ask(_INSERT_NAME, name=f"key:{draft.client_key}", task=task.uid)
    if draft.parent is not None:
        parent = _meant(transaction, draft.parent, local)
        transaction.execute(
            "UPDATE task SET parent = :parent WHERE uid = :uid", {"parent": parent, "uid": task.uid}
        )
    needs = [(_meant(transaction, text, local), kind) for text, kind in draft.depends_on]
    rows.add_dependencies(transaction, task.uid, needs)
    return [uid for uid, _ in needs]


def _meant(transaction: Transaction, text: str, local: Mapping[str, str]) -> str:
    """Return the task that a text means: one of the same batch, or one that exists."""
    if not text.startswith("#"):
        return find_task(transaction, text).uid
    if text not in local:
        known = ", ".join(sorted(local)) or "none"
        raise InvalidArguments(
            f'No task of this batch is called "{text[:40]}".', hint=f"Names given with `ref`: {known}."
        )
    return local[text]
