"""Values that differ once one task, the set of tasks, or the workspace's texts changed; cheap to ask for.

What was found is remembered until the store changes, so that any number of listeners cost nothing while
nobody writes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from holdfast.kernel.errors import HoldfastError
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.tasks.store import documents, rows, rules, step_texts

if TYPE_CHECKING:
    from holdfast.tasks.store.tasks import Tasks

EVERY_TASK = "*"
RULES = ":rules"
DOCUMENTS = ":documents"
STEPS = ":steps"
"""Parts that no task is called like. Rules and documents are files, which people change as they like."""

_FILES: dict[str, tuple[RepoPath, ...]] = {
    RULES: tuple(rules.FILES.values()),
    DOCUMENTS: tuple(documents.PATHS.values()),
}


def probe(room: Tasks, part: str) -> Callable[[], object]:
    """Return what looks at one task, at which tasks lists show, or at the texts of a workspace."""
    if part in _FILES:
        return lambda: _signatures(room, _FILES[part])
    seen: tuple[object, object] | None = None

    def looked() -> object:
        nonlocal seen
        store_version = room.fingerprint()
        if seen is None or seen[0] != store_version:
            seen = (store_version, _look(room, part))
        return seen[1]

    return looked


def _signatures(room: Tasks, files: tuple[RepoPath, ...]) -> object:
    if room.repository.bare:
        return None
    tree = Tree(room.repository)
    return tuple(tree.signature(path) for path in files)


def _look(room: Tasks, part: str) -> object:
    if not room.exists:
        return None
    with room.reading() as transaction:
        if part == EVERY_TASK:
            return transaction.execute(
                "SELECT (SELECT count(*) FROM workspace), count(*), max(n),"
                " count(*) FILTER (WHERE status NOT IN ('done', 'dropped')) FROM task"
            ).fetchone()
        if not transaction.has_workspace:
            return None
        if part == STEPS:
            return tuple(step_texts.own_steps(transaction).values())
        try:
            found = rows.find_task(transaction, part)
        except HoldfastError:
            return None
        holder = found.claimed_by(transaction.now)
        return found.version, found.waits, found.claim_expires, holder, transaction.is_held_up(found)
