"""A cache of the number of tasks and the titles of open ones, updated incrementally from the event log.

Contract:
- A result is what the transaction sees. Only reading transactions may use the cache, as a write may be rolled
  back.
- The cache applies the events after the last one that it has applied. If that event no longer exists, for
  example because the database was replaced, everything is read again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar, cast

from holdfast.tasks.store.statements import select_by_uids
from holdfast.tasks.store.states import FINISHED, IS_UNFINISHED
from holdfast.tasks.store.transaction import TaskTransaction

MAX_CACHED_TITLES = 5000
"""New titles are compared with those of so many open tasks, the newest. A judgement: they take a megabyte at
most. A duplicate of an older task goes unnoticed."""
MAX_EVENTS_APPLIED = 500
"""With more new events, everything is read again. A judgement: the tasks of so many fit in one statement."""

_ALWAYS_VALID = True
"""The version of the entries in the room's cache: `_events_after` decides whether they are still valid."""

Value = TypeVar("Value")


class _CachedEvent(NamedTuple):
    seq: int
    at: float
    task: str | None
    version: int


_SELECT_EVENTS = f"SELECT {', '.join(_CachedEvent._fields)} FROM event WHERE workspace = :workspace"
_SELECT_EVENTS_FROM = f"{_SELECT_EVENTS} AND seq >= :seq ORDER BY seq LIMIT :maximum"
_SELECT_LAST_EVENT = f"{_SELECT_EVENTS} ORDER BY seq DESC LIMIT 1"
_SELECT_TITLES = (
    f"SELECT n, title FROM task WHERE workspace = :workspace AND {IS_UNFINISHED}"
    " ORDER BY n DESC LIMIT :maximum"
)


def task_count(transaction: TaskTransaction) -> int:
    """Return the number of tasks in the workspace."""

    def read() -> int:
        query = "SELECT count(*) FROM task WHERE workspace = :workspace"
        return int(transaction.run_in_workspace(query).fetchone()[0])

    def update(count: int, events: Sequence[_CachedEvent]) -> int:
        return count + sum(event.version == 1 for event in events)  # the first version is that of a new task

    return _cached(transaction, "count", read, update)


def open_titles(transaction: TaskTransaction) -> dict[int, str]:
    """Return the titles of the newest unfinished tasks by task number, as `sorted_words` returns them."""

    def read() -> dict[int, str]:
        rows = transaction.run_in_workspace(_SELECT_TITLES, maximum=MAX_CACHED_TITLES)
        return {number: sorted_words(title) for number, title in rows}

    def update(titles: dict[int, str], events: Sequence[_CachedEvent]) -> dict[int, str] | None:
        return _update_titles(transaction, titles, {event.task for event in events})

    return _cached(transaction, "titles", read, update)


def _cached(
    transaction: TaskTransaction,
    key: str,
    read: Callable[[], Value],
    update: Callable[[Value, Sequence[_CachedEvent]], Value | None],
) -> Value:
    """Return the cached value, updated by the events since; without one, or if `update` gives up, read it."""
    last, cached = transaction.cache.get(key, _ALWAYS_VALID) or (None, None)
    events = _events_after(transaction, last)
    value = None if events is None else update(cast("Value", cached), events)
    if value is None:
        value = read()
        row = transaction.run_in_workspace(_SELECT_LAST_EVENT).fetchone()
        last = None if row is None else _CachedEvent._make(row)
    elif events:
        last = events[-1]
    transaction.cache.put(key, _ALWAYS_VALID, (last, value))
    return value


def _events_after(transaction: TaskTransaction, last: _CachedEvent | None) -> list[_CachedEvent] | None:
    """Return the events after the last applied one; None if that no longer exists or too many follow."""
    if last is None:
        return None
    rows: list[Any] = transaction.run_in_workspace(
        _SELECT_EVENTS_FROM, seq=last.seq, maximum=MAX_EVENTS_APPLIED + 1
    ).fetchall()
    events = [_CachedEvent._make(row) for row in rows]
    if not events or events[0] != last or len(events) > MAX_EVENTS_APPLIED:
        return None
    return events[1:]


def _update_titles(
    transaction: TaskTransaction, cached: dict[int, str], changed: set[str | None]
) -> dict[int, str] | None:
    """Return the cached titles, with those of the changed tasks read again.

    None if tasks are needed that the cache had to leave out.
    """
    titles = dict(cached)
    oldest = min(cached) if len(cached) == MAX_CACHED_TITLES else 0
    query = "SELECT n, title, status FROM task WHERE uid IN {}"
    for number, title, status in select_by_uids(transaction, query, filter(None, changed)):
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
