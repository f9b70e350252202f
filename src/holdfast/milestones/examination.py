"""What a person should know about the logs: beside an answer, and when the doctor asks."""

from __future__ import annotations

from holdfast.milestones.entity import Finding
from holdfast.milestones.index.index import Index
from holdfast.milestones.index.schema import LOGS, TRACKED, TRACKED_BRANCHES
from holdfast.milestones.log.clone_log import Log
from holdfast.milestones.replication import Sync
from holdfast.storage.git.refs import Refs


def notices(refs: Refs, index: Index, sync: Sync) -> list[str]:
    """Return sentences to be shown beside an answer; most of the time there are none."""
    if not refs.tips():
        return [_RUN_SYNC] if sync.has_remotes() else []
    return [_damage(ref, text) for ref, text in _damaged(index)]


def findings(refs: Refs, index: Index, log: Log) -> list[Finding]:
    """Return what is wrong with the logs and the index."""
    found = [Finding(is_damage=True, text=_damage(ref, text)) for ref, text in _damaged(index)]
    replica, tips = log.replica, refs.tips()
    tracked = [ref for ref in tips if ref.startswith((TRACKED, TRACKED_BRANCHES))]
    was_pushed = any(ref.endswith(f"/{replica}") for ref in tracked)
    if was_pushed and LOGS + str(replica) not in tips:
        text = f"The log of this clone, {LOGS}{replica}, is gone; what other logs have of it is still shown."
        found.append(Finding(is_damage=False, text=text))
    rebuilt = "The index is damaged and will be built anew"
    return [*found, *(Finding(is_damage=False, text=f"{rebuilt}: {text}") for text in index.verify())]


_RUN_SYNC = (
    "This clone has no milestones or issues yet. `git clone` does not bring them: if the remote has some,"
    " `git mile sync` does."
)


def _damaged(index: Index) -> list[tuple[str, str]]:
    query = "SELECT ref, text FROM damage ORDER BY ref"
    return index.ask(lambda connection: connection.execute(query).fetchall())


def _damage(ref: str, text: str) -> str:
    return (
        f"The log {ref} cannot be read in full: {text}. What it holds before that is missing here;"
        " a sync with a clone that has it brings it back."
    )
