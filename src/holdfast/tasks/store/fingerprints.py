"""Fingerprints for subscriptions: values that change when a task, the set of tasks, or a text changes.

Fingerprints are cached until the store changes, so that idle subscriptions cost no queries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.kernel.errors import HoldfastError
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.watching.topic_source import Probe, WatchedPlace, file_place
from holdfast.tasks.store import rows
from holdfast.tasks.store.states import IS_UNFINISHED
from holdfast.tasks.texts import documents, rules, step_texts

if TYPE_CHECKING:
    from holdfast.tasks.store.tasks import Tasks

EVERY_TASK = "*"
"""The part of the topic `tasks` that is the set of all tasks. A task id names the part that is one task."""
RULES = ":rules"
"""The part that is the rule files. The colon distinguishes this and the following parts from task ids."""
DOCUMENTS = ":documents"
"""The part that is the project documents."""
STEPS = ":steps"
"""The part that is the workspace's own texts of workflow steps."""

_FILES_OF_PART: dict[str, tuple[RepoPath, ...]] = {
    RULES: tuple(rules.FILES.values()),
    DOCUMENTS: tuple(documents.PATHS.values()),
}


def make_probe(room: Tasks, part: str) -> Probe:
    """Return the function that computes the fingerprint of a part."""
    if part in _FILES_OF_PART:
        return lambda: _file_signatures(room, _FILES_OF_PART[part])
    cached: tuple[object, object] | None = None  # a version of the store, and its fingerprint of the part

    def probe() -> object:
        nonlocal cached
        version = room.fingerprint()
        if cached is None or cached[0] != version:
            cached = (version, _read_from_store(room, part))
        return cached[1]

    return probe


def places(room: Tasks, part: str) -> tuple[WatchedPlace, ...]:
    """Return the files of the work tree that a part consists of, without those of the store."""
    paths = () if room.repository.bare else _FILES_OF_PART.get(part, ())
    return tuple(file_place(f"{room.repository.root}/{path.text}") for path in paths)


def _file_signatures(room: Tasks, files: tuple[RepoPath, ...]) -> object:
    if room.repository.bare:
        return None
    tree = Tree(room.repository)
    return tuple(tree.signature(path) for path in files)


def _read_from_store(room: Tasks, part: str) -> object:
    if not room.exists:
        return None
    with room.reading() as transaction:
        if part == EVERY_TASK:
            return transaction.execute(
                "SELECT (SELECT count(*) FROM workspace), count(*), max(n),"
                f" count(*) FILTER (WHERE {IS_UNFINISHED}) FROM task"
            ).fetchone()
        if not transaction.has_workspace:
            return None
        if part == STEPS:
            return tuple(step_texts.own_steps(transaction).values())
        try:
            task = rows.find_task(transaction, part)
        except HoldfastError:
            return None
        is_milestone_closed = transaction.has_closed_milestone(task)
        holder = task.claimed_by(transaction.now)
        return task.version, task.waits, task.claim_expires, holder, is_milestone_closed
