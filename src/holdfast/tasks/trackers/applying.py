"""What another side says about a task, carried out here: through the same doors as every other change."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from holdfast.kernel.errors import Conflict, HoldfastError
from holdfast.tasks.errors import DoneGate
from holdfast.tasks.store.records import Change, Who
from holdfast.tasks.store.states import STATUSES, TRANSITIONS
from holdfast.tasks.store.tasks import Tasks


def way(before: str, after: str) -> list[str]:
    """Return the states that lead from one to another, the last included."""
    ways: dict[str, list[str]] = {before: []}
    waiting = deque([before])
    while waiting:
        state = waiting.popleft()
        if state == after:
            break
        for following in (status for status in STATUSES if status in TRANSITIONS[state]):
            if following not in ways:
                ways[following] = [*ways[state], following]
                waiting.append(following)
    return ways[after]


def apply(room: Tasks, task: str, values: Mapping[str, Any], who: Who, reason: str) -> dict[str, str]:
    """Change a task, and return what was refused, by field, with the reason.

    A state is reached step by step, as the states of tasks allow. What the gate or a claim refuses stays as
    it is.
    """
    refused: dict[str, str] = {}
    plain = {name: value for name, value in values.items() if name not in ("status", "labels")}
    if "labels" in values:
        plain["labels"] = list(values["labels"])
    if plain:
        try:
            room.update(task, Change(set=plain, reason=reason), who)
        except HoldfastError as error:
            refused.update(dict.fromkeys(plain, error.message))
    if "status" in values and (why := move(room, task, values["status"], who, reason)):
        refused["status"] = why
    return refused


def move(room: Tasks, task: str, status: str, who: Who, reason: str) -> str | None:
    """Bring a task to a state, and return why that was refused, if it was.

    A task that somebody holds is left in their hands. Before the gate a task waits in review.
    """
    found = room.get(task)
    holder = found.claimed_by(room.now())
    if holder is not None and found.status != status:
        return f"{found.id} is held by {holder}."
    try:
        for step in way(found.status, status):
            room.update(task, Change(set={"status": step}, reason=reason), who)
    except DoneGate as error:
        return _left_in_review(room, task, who, reason, error)
    except Conflict as error:
        return error.message
    return None


def _left_in_review(room: Tasks, task: str, who: Who, reason: str, error: DoneGate) -> str:
    if room.get(task).status == "in-progress":
        room.update(task, Change(set={"status": "review"}, reason=reason), who)
    return f"{error.message} It waits in review."
