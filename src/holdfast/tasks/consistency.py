"""The checks of `taskpilot_audit`: tasks done without proof, wrong counts, broken references, duplicates.

They yield findings one by one and read tasks in batches, so that memory stays bounded for a million tasks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Literal, NamedTuple, TypeVar

from holdfast.kernel.call import current_call
from holdfast.kernel.clock import DAY_SECONDS
from holdfast.kernel.errors import NotFound
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.tasks.link_targets import find_linked
from holdfast.tasks.store import dependencies
from holdfast.tasks.store.gate import is_proof
from holdfast.tasks.store.history import find_history_mismatches
from holdfast.tasks.store.records import Task, task_id
from holdfast.tasks.store.rows import ids_of
from holdfast.tasks.store.states import FINISHED, IS_UNFINISHED
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import TaskTransaction
from holdfast.tasks.view.overview import STALE_DAYS

Scope = Literal["full", "tasks", "dependencies", "files"]
Code = Literal[
    "ORPHAN_DEP", "CYCLE", "DONE_INCOMPLETE", "STALE_CLAIM", "STALE_TASK", "NO_CRITERIA", "MISSING_FILE",
    "OPEN_SUBTASK", "NO_EVIDENCE", "DUPLICATE", "WRONG_COUNT", "HISTORY", "ORPHAN_COMMENT", "ISSUE_DRIFT",
]  # fmt: skip
Severity = Literal["error", "warning", "info"]


class Check(NamedTuple):
    """What all findings of a check have in common."""

    severity: Severity
    fix: str
    """The suggested fix."""


CHECKS: Mapping[Code, Check] = {
    "DONE_INCOMPLETE": Check("error", "Reopen it, or check the criteria that are met."),
    "NO_EVIDENCE": Check("error", "Add evidence."),
    "OPEN_SUBTASK": Check("error", "Finish the subtasks."),
    "STALE_CLAIM": Check("warning", "Claim it, or use fix_issues to release it."),
    "STALE_TASK": Check("warning", "Continue it, or release it."),
    "NO_CRITERIA": Check("info", "Add criteria."),
    "ORPHAN_DEP": Check("warning", "Remove the dependency, or depend on another task."),
    "WRONG_COUNT": Check("error", "Use fix_issues to correct it."),
    "MISSING_FILE": Check("warning", "Give the file's new path, or remove it from the task."),
    "DUPLICATE": Check("info", "Drop one of them."),
    "HISTORY": Check("error", "Keep a copy of the database and report this."),
    "ORPHAN_COMMENT": Check("warning", "Move the comment to its code, or remove the link."),
    "ISSUE_DRIFT": Check("warning", "Bring task and issue to the same state, or remove the link."),
}
TASKS_PER_BATCH = 500
"""Tasks read at a time, to bound memory. A judgement: so many uids fit in the parameters of one statement."""
_FILTER_SLOTS_PER_TASK = 16
"""Slots of the filter for duplicate titles. At this load, a title shares its slot by chance with probability
1/16, and a task costs 16 bytes."""


class Inconsistency(NamedTuple):
    """A failed check."""

    code: Code
    task_id: str
    detail: str


class _TitledTask(NamedTuple):
    n: int
    title: str
    status: str


_Row = TypeVar("_Row", Task, _TitledTask)


def find_inconsistencies(room: Tasks, transaction: TaskTransaction, scope: Scope) -> Iterator[Inconsistency]:
    """Yield the failed checks of a scope."""
    if scope in ("full", "tasks"):
        for batch in _task_batches(transaction, Task):
            for task in batch:
                yield from _check_task(transaction, task)
            for task in find_history_mismatches(transaction, batch):
                yield Inconsistency("HISTORY", task.id, "Its state differs from its recorded history.")
        yield from _check_open_subtasks(transaction)
        yield from _check_duplicate_titles(transaction)
    if scope in ("full", "dependencies"):
        yield from _check_dependencies(transaction)
    if scope in ("full", "files"):
        yield from _check_files(room, transaction)
        yield from _check_links(room, transaction, "comment")
    if scope in ("full", "tasks"):
        yield from _check_links(room, transaction, "issue")
        yield from _check_tracker_states(transaction)


def _task_batches(transaction: TaskTransaction, kind: type[_Row]) -> Iterator[list[_Row]]:
    """Yield all tasks in batches, by number, with the columns that the fields of `kind` name."""
    query = (
        f"SELECT {', '.join(kind._fields)} FROM task WHERE workspace = :workspace AND n > :after"
        " ORDER BY n LIMIT :maximum"
    )
    after, count = 0, transaction.workspace.next_number
    while rows := transaction.run_in_workspace(query, after=after, maximum=TASKS_PER_BATCH).fetchall():
        batch = [kind._make(row) for row in rows]
        yield batch
        after = batch[-1].n
        current_call().progress(after, count, "Auditing tasks")


def _check_task(transaction: TaskTransaction, task: Task) -> Iterator[Inconsistency]:
    criteria = json.loads(task.criteria)
    if task.status == "done":
        unmet = [number for number, item in enumerate(criteria, 1) if not item["checked"]]
        if unmet:
            detail = f"It is done, but criterion {unmet[0]} is not checked."
            yield Inconsistency("DONE_INCOMPLETE", task.id, detail)
        if transaction.workspace.gate == "evidence" and not any(map(is_proof, json.loads(task.evidence))):
            yield Inconsistency("NO_EVIDENCE", task.id, "It is done without evidence.")
    elif task.status == "in-progress":
        if task.claim_agent is not None and task.claimed_by(transaction.now) is None:
            yield Inconsistency("STALE_CLAIM", task.id, "Its claim has expired.")
        if task.updated_at < transaction.now - STALE_DAYS * DAY_SECONDS:
            yield Inconsistency("STALE_TASK", task.id, f"It did not change for {STALE_DAYS} days.")
    if not criteria and task.status not in FINISHED:
        yield Inconsistency("NO_CRITERIA", task.id, "It has no criteria.")


def _check_open_subtasks(transaction: TaskTransaction) -> Iterator[Inconsistency]:
    rows = transaction.run_in_workspace(
        "SELECT DISTINCT task.n FROM task subtask JOIN task ON task.uid = subtask.parent"
        " WHERE task.workspace = :workspace AND task.status = 'done'"
        f" AND subtask.{IS_UNFINISHED} ORDER BY task.n"
    )
    for (number,) in rows:
        yield Inconsistency("OPEN_SUBTASK", task_id(number), "It is done, but a subtask is open.")


def _check_dependencies(transaction: TaskTransaction) -> Iterator[Inconsistency]:
    """Find dependencies on dropped tasks, and wrong counts of dependencies."""
    rows = transaction.run_in_workspace(
        "SELECT task.n, other.n FROM dependency JOIN task ON task.uid = dependency.task"
        " JOIN task other ON other.uid = dependency.needs WHERE task.workspace = :workspace"
        " AND dependency.kind = 'blocks' AND other.status = 'dropped'"
        f" AND task.{IS_UNFINISHED} ORDER BY task.n, other.n"
    )
    for number, needed in rows:
        yield Inconsistency("ORPHAN_DEP", task_id(number), f"It needs {task_id(needed)}, which was dropped.")
    wrong = dependencies.wrong_waits(transaction, transaction.workspace.id)
    ids = ids_of(transaction, [count.uid for count in wrong])
    for count in wrong:
        detail = f"It is stored as waiting for {count.stored} tasks, but waits for {count.correct}."
        yield Inconsistency("WRONG_COUNT", ids[count.uid], detail)


def _check_files(room: Tasks, transaction: TaskTransaction) -> Iterator[Inconsistency]:
    """Find the files of unfinished tasks that no longer exist."""
    if room.repository.bare:
        return
    exists = cache(lambda path: Tree(room.repository).exists(RepoPath.parse(path)))
    rows = transaction.run_in_workspace(
        "SELECT task.n, file.path FROM file JOIN task ON task.uid = file.task"
        f" WHERE task.workspace = :workspace AND task.{IS_UNFINISHED}"
        " ORDER BY task.n, file.path"
    )
    for number, path in rows:
        if not exists(path):
            yield Inconsistency("MISSING_FILE", task_id(number), f"Its file {path} is missing.")


def _check_links(
    room: Tasks, transaction: TaskTransaction, kind: Literal["comment", "issue"]
) -> Iterator[Inconsistency]:
    """Compare tasks with the comments or issues that they link to, if those are in this repository."""
    code: Code = "ORPHAN_COMMENT" if kind == "comment" else "ISSUE_DRIFT"
    rows = transaction.run_in_workspace(
        "SELECT task.n, task.status, link.ref FROM link JOIN task ON task.uid = link.task"
        " WHERE task.workspace = :workspace AND link.kind = :kind ORDER BY task.n, link.ref",
        kind=kind,
    )
    for number, status, ref in rows:
        is_finished = status in FINISHED
        try:
            remark = find_linked(room.neighbours, kind, ref)
        except NotFound:
            if not is_finished:
                yield Inconsistency(code, task_id(number), f"Its {kind} {ref} is missing.")
            continue
        if remark is None:
            continue
        if kind == "comment" and remark.state == "orphaned" and not is_finished:
            yield Inconsistency(code, task_id(number), f"The code of its comment {ref} is gone.")
        elif kind == "issue" and (remark.state == "closed") != is_finished:
            yield Inconsistency(
                code, task_id(number), f"It is {status}, but its issue {ref} is {remark.state}."
            )


def _check_tracker_states(transaction: TaskTransaction) -> Iterator[Inconsistency]:
    """Compare tasks with the state they had in other trackers at the last synchronisation."""
    rows = transaction.run_in_workspace(
        "SELECT task.n, task.status, counterpart.tracker, counterpart.origin, counterpart.seen"
        " FROM counterpart JOIN task ON task.uid = counterpart.task WHERE counterpart.workspace = :workspace"
        " ORDER BY task.n, counterpart.tracker"
    )
    for number, status, tracker, origin, seen in rows:
        status_there = json.loads(seen).get("status")
        if status_there is not None and (status_there in FINISHED) != (status in FINISHED):
            detail = f"It is {status}, but {origin} of {tracker} was {status_there} when last read."
            yield Inconsistency("ISSUE_DRIFT", task_id(number), detail)


def _check_duplicate_titles(transaction: TaskTransaction) -> Iterator[Inconsistency]:
    """Find unfinished tasks with the same title, with a counting filter and in two passes.

    The first pass counts titles by hash. The second pass keeps in memory only the titles that share a slot
    with another one, which are few, even of a million.
    """
    slot_counts = bytearray(_FILTER_SLOTS_PER_TASK * transaction.workspace.next_number)
    for title, _ in _unfinished_titles(transaction):
        slot = hash(title) % len(slot_counts)
        slot_counts[slot] = min(slot_counts[slot] + 1, 2)
    first_numbers: dict[str, int] = {}
    for title, number in _unfinished_titles(transaction):
        if slot_counts[hash(title) % len(slot_counts)] < 2:
            continue
        first = first_numbers.setdefault(title, number)
        if first != number:
            detail = f"It has the same title as {task_id(first)}."
            yield Inconsistency("DUPLICATE", task_id(number), detail)


def _unfinished_titles(transaction: TaskTransaction) -> Iterator[tuple[str, int]]:
    """Yield the titles of unfinished tasks, in lower case and with single spaces, and their numbers."""
    for batch in _task_batches(transaction, _TitledTask):
        for task in batch:
            if task.status not in FINISHED:
                yield " ".join(task.title.lower().split()), task.n
