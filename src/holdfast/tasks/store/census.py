"""A cache of the number of tasks and the titles of open ones, updated incrementally from the event log.

Contract:
- A result is what the transaction sees. Only reading transactions may use the cache, as a write may be rolled
  back.
- The cache applies the events after the last one that it has applied. If that event no longer exists, for
  example because the database was replaced, everything is read again.
"""

from __future__ import annotations

from typing import Any

from holdfast.tasks.store.statements import select_by_uids
from holdfast.tasks.store.states import FINISHED, IS_UNFINISHED
from holdfast.tasks.store.transaction import TaskTransaction

MAX_CACHED_TITLES = 5000
"""The newest open tasks with whose titles new ones are compared. A judgement: their titles take a megabyte at
most. A duplicate of an older task goes unnoticed."""
MAX_EVENTS_APPLIED = 500
"""With more new events, everything is read again. A judgement: the tasks of so many are one batch of rows."""

_SELECT_EVENTS = (
    "SELECT seq, at, task, version FROM event WHERE workspace = :workspace AND seq >= :seq"
    " ORDER BY seq LIMIT :maximum"
)
_SELECT_LAST_EVENT = "SELECT seq, at, task FROM event WHERE workspace = :workspace ORDER BY seq DESC LIMIT 1"
_SELECT_TITLES = (
    f"SELECT n, title FROM task WHERE workspace = :workspace AND {IS_UNFINISHED}"
    " ORDER BY n DESC LIMIT :maximum"
)


def task_count(transaction: TaskTransaction) -> int:
    """Return the number of tasks in the workspace."""
    last, total = transaction.cache.get("count", True) or (None, 0)
    if events := _events_since(transaction, last):
        last = events[-1][:3]
        total += sum(version == 1 for _, _, _, version in events[1:])
    else:
        last = transaction.run_in_workspace(_SELECT_LAST_EVENT).fetchone()
        total = transaction.run_in_workspace(
            "SELECT count(*) FROM task WHERE workspace = :workspace"
        ).fetchone()[0]
    transaction.cache.put("count", True, (last, total))
    return int(total)


def open_titles(transaction: TaskTransaction) -> dict[int, str]:
    """Return the titles of the newest open tasks by task number, as `sorted_words` returns them."""
    last, cached = transaction.cache.get("titles", True) or (None, {})
    events = _events_since(transaction, last)
    titles = None
    if events:
        changed = {task for _, _, task, _ in events[1:]}
        titles = _update_titles(transaction, cached, changed)
    if titles is None:
        last = transaction.run_in_workspace(_SELECT_LAST_EVENT).fetchone()
        found = transaction.run_in_workspace(_SELECT_TITLES, maximum=MAX_CACHED_TITLES)
        titles = {number: sorted_words(title) for number, title in found}
    else:
        last = events[-1][:3]
    transaction.cache.put("titles", True, (last, titles))
    return titles


def _events_since(transaction: TaskTransaction, last: tuple[Any, ...] | None) -> list[Any]:
    """Return the last applied event and those after it; empty if it is gone or too many follow."""
    if last is None:
        return []
    events = transaction.run_in_workspace(
        _SELECT_EVENTS, seq=last[0], maximum=MAX_EVENTS_APPLIED + 1
    ).fetchall()
    if not events or events[0][:3] != last or len(events) > MAX_EVENTS_APPLIED:
        return []
    return events


def _update_titles(
    transaction: TaskTransaction, cached: dict[int, str], changed: set[str | None]
) -> dict[int, str] | None:
    """Return the titles with those of changed tasks read again; None if tasks beyond the limit are needed."""
    titles = dict(cached)
    oldest = min(cached) if len(cached) == MAX_CACHED_TITLES else 0
    found = select_by_uids(
        transaction, "SELECT n, title, status FROM task WHERE uid IN {}", filter(None, changed)
    )
    for number, title, status in found:
        titles.pop(number, None)
        if status not in FINISHED and number >= oldest:
            titles[number] = sorted_words(title)
    if oldest and len(titles) < MAX_CACHED_TITLES:
        return None
    newest = sorted(titles, reverse=True)[:MAX_CACHED_TITLES]
    return {number: titles[number] for number in newest}


def sorted_words(title: str) -> str:
    """Return the words of a title in lower case and sorted, the form in which titles are compared."""
    from rapidfuzz.utils import default_process

    return " ".join(sorted(default_process(title).split()))
