"""How many tasks there are, and what the open ones are called: looked up once, then kept up by the events.

Contract:
- An answer is that of the transaction that asks. One that writes must not ask: it may yet be undone.
- What is known goes on from the last event that it took in. Where that event is not there any more, as after
  another store came in the place of this one, everything is looked up again.
"""

from __future__ import annotations

from typing import Any

from holdfast.tasks.store.rows import rows_of
from holdfast.tasks.store.states import FINISHED
from holdfast.tasks.store.transaction import Transaction

MOST_TITLES = 5000
"""So many open tasks are known by their titles, the newest."""
_FOLLOWED = 500
"""After more events than this everything is looked up again."""

_EVENTS = (
    "SELECT seq, at, task, version FROM event WHERE workspace = :workspace AND seq >= :seq"
    " ORDER BY seq LIMIT :most"
)
_LAST = "SELECT seq, at, task FROM event WHERE workspace = :workspace ORDER BY seq DESC LIMIT 1"
_TITLES = (
    "SELECT n, title FROM task WHERE workspace = :workspace AND status NOT IN ('done', 'dropped')"
    " ORDER BY n DESC LIMIT :most"
)


def count(transaction: Transaction) -> int:
    """Return how many tasks the workspace has."""
    last, known = transaction.memory.get("count", True) or (None, 0)
    if events := _since(transaction, last):
        last = events[-1][:3]
        known += sum(version == 1 for _, _, _, version in events[1:])
    else:
        last = transaction.ask(_LAST).fetchone()
        known = transaction.ask("SELECT count(*) FROM task WHERE workspace = :workspace").fetchone()[0]
    transaction.memory.put("count", True, (last, known))
    return int(known)


def open_titles(transaction: Transaction) -> dict[int, str]:
    """Return the titles of the newest open tasks by their numbers, each with its words in order."""
    last, known = transaction.memory.get("titles", True) or (None, {})
    events = _since(transaction, last)
    titles = _followed(transaction, known, {event[2] for event in events[1:]}) if events else None
    if titles is None:
        last = transaction.ask(_LAST).fetchone()
        found = transaction.ask(_TITLES, most=MOST_TITLES)
        titles = {number: sorted_words(title) for number, title in found}
    else:
        last = events[-1][:3]
    transaction.memory.put("titles", True, (last, titles))
    return titles


def _since(transaction: Transaction, last: tuple[Any, ...] | None) -> list[Any]:
    """Return the last known event and those after it; none where it is not there, or they are too many."""
    if last is None:
        return []
    events = transaction.ask(_EVENTS, seq=last[0], most=_FOLLOWED + 1).fetchall()
    return events if events and events[0][:3] == last and len(events) <= _FOLLOWED else []


def _followed(
    transaction: Transaction, known: dict[int, str], changed: set[str | None]
) -> dict[int, str] | None:
    """Return titles as they are after some tasks changed, or None where older ones have to fill the place."""
    titles = dict(known)
    oldest = min(known) if len(known) == MOST_TITLES else 0
    found = rows_of(transaction, "SELECT n, title, status FROM task WHERE uid IN {}", filter(None, changed))
    for number, title, status in found:
        titles.pop(number, None)
        if status not in FINISHED and number >= oldest:
            titles[number] = sorted_words(title)
    if oldest and len(titles) < MOST_TITLES:
        return None
    newest = sorted(titles, reverse=True)[:MOST_TITLES]
    return {number: titles[number] for number in newest}


def sorted_words(title: str) -> str:
    """Return the words of a title in small letters and in order, as titles are compared."""
    from rapidfuzz.utils import default_process

    return " ".join(sorted(default_process(title).split()))
