"""Cached totals: the number of tasks and the titles of open ones, updated incrementally from the event log.

Contract:
- An answer reflects the transaction that asks. Only reading transactions may ask: a write may be rolled back.
- The cache continues from the last event it has seen. If that event no longer exists, for example because the
  database was replaced, everything is read again.
"""

from __future__ import annotations

from typing import Any

from holdfast.tasks.store.statements import rows_of
from holdfast.tasks.store.states import FINISHED
from holdfast.tasks.store.transaction import TaskTransaction

MAX_TITLES = 5000
"""The newest open tasks whose titles are compared with new ones. A chosen bound on memory and on the time of
one comparison: beyond it an old duplicate goes unnoticed."""
_MAX_EVENTS = 500
"""With more new events than this, reading everything again is cheaper. A chosen bound, one batch of rows."""

_EVENTS = (
    "SELECT seq, at, task, version FROM event WHERE workspace = :workspace AND seq >= :seq"
    " ORDER BY seq LIMIT :maximum"
)
_LAST = "SELECT seq, at, task FROM event WHERE workspace = :workspace ORDER BY seq DESC LIMIT 1"
_TITLES = (
    "SELECT n, title FROM task WHERE workspace = :workspace AND status NOT IN ('done', 'dropped')"
    " ORDER BY n DESC LIMIT :maximum"
)


def count(transaction: TaskTransaction) -> int:
    """Return the number of tasks in the workspace."""
    last, total = transaction.memory.get("count", True) or (None, 0)
    if events := _since(transaction, last):
        last = events[-1][:3]
        total += sum(version == 1 for _, _, _, version in events[1:])
    else:
        last = transaction.ask(_LAST).fetchone()
        total = transaction.ask("SELECT count(*) FROM task WHERE workspace = :workspace").fetchone()[0]
    transaction.memory.put("count", True, (last, total))
    return int(total)


def open_titles(transaction: TaskTransaction) -> dict[int, str]:
    """Return the titles of the newest open tasks by number, each with its words sorted."""
    last, cached = transaction.memory.get("titles", True) or (None, {})
    events = _since(transaction, last)
    titles = _updated(transaction, cached, {event[2] for event in events[1:]}) if events else None
    if titles is None:
        last = transaction.ask(_LAST).fetchone()
        found = transaction.ask(_TITLES, maximum=MAX_TITLES)
        titles = {number: sorted_words(title) for number, title in found}
    else:
        last = events[-1][:3]
    transaction.memory.put("titles", True, (last, titles))
    return titles


def _since(transaction: TaskTransaction, last: tuple[Any, ...] | None) -> list[Any]:
    """Return the last seen event and those after it; nothing if it is gone or too many followed."""
    if last is None:
        return []
    events = transaction.ask(_EVENTS, seq=last[0], maximum=_MAX_EVENTS + 1).fetchall()
    return events if events and events[0][:3] == last and len(events) <= _MAX_EVENTS else []


def _updated(
    transaction: TaskTransaction, cached: dict[int, str], changed: set[str | None]
) -> dict[int, str] | None:
    """Return the titles after some tasks changed, or None if older tasks, which are not cached, move up."""
    titles = dict(cached)
    oldest = min(cached) if len(cached) == MAX_TITLES else 0
    found = rows_of(transaction, "SELECT n, title, status FROM task WHERE uid IN {}", filter(None, changed))
    for number, title, status in found:
        titles.pop(number, None)
        if status not in FINISHED and number >= oldest:
            titles[number] = sorted_words(title)
    if oldest and len(titles) < MAX_TITLES:
        return None
    newest = sorted(titles, reverse=True)[:MAX_TITLES]
    return {number: titles[number] for number in newest}


def sorted_words(title: str) -> str:
    """Return the words of a title in lower case, sorted: the form in which titles are compared."""
    from rapidfuzz.utils import default_process

    return " ".join(sorted(default_process(title).split()))
