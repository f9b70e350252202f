"""The model of another program's task in our terms, shared by importers and trackers.

In texts such a task is called an item, as trackers have issues, cards and tasks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from holdfast.tasks.store.states import Priority, Status

_STATUS_WORDS: Mapping[Status, str] = {
    "backlog": "backlog, todo, to do, to-do, open, pending, new, deferred, unstarted, triage, draft, planned,"
    " next, reopened",
    "in-progress": "in progress, in-progress, doing, started, wip, active, indeterminate",
    "blocked": "blocked, waiting, on hold, impeded",
    "review": "review, in review, in-review, testing, qa",
    "done": "done, completed, complete, closed, finished, resolved",
    "dropped": "dropped, cancelled, canceled, archived, won't do, wontfix, duplicate",
}
"""The default states of Jira, Linear, Backlog.md and task-master, the types and categories under which Linear
and Jira group states, and other usual names of columns on boards."""
_PRIORITY_WORDS: Mapping[Priority, str] = {
    "high": "critical, urgent, highest, high",
    "medium": "medium, normal, none",
    "low": "low, lowest, minor",
}
_STATUSES = {word: status for status, words in _STATUS_WORDS.items() for word in words.split(", ")}
_PRIORITIES = {word: priority for priority, words in _PRIORITY_WORDS.items() for word in words.split(", ")}


@dataclass(frozen=True)
class ForeignCriterion:
    """Something that must be true before the task is done."""

    text: str
    checked: bool = False


@dataclass(frozen=True)
class ForeignTask:
    """A task of another program."""

    foreign_id: str
    """The permanent id there."""
    title: str
    description: str = ""
    status: Status = "backlog"
    priority: Priority = "medium"
    labels: tuple[str, ...] = ()
    criteria: tuple[ForeignCriterion, ...] = ()
    depends_on: tuple[str, ...] = ()
    """The foreign ids of the tasks that must be done first."""
    parent: str | None = None
    """The foreign id of the parent task."""
    milestone: str | None = None
    plan: str = ""
    notes: str = ""
    url: str | None = None
    updated_at: str | None = None
    """The time of the last change, as the tracker writes it."""
    line: int | None = None
    """The first line in the file, for an imported task."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Properties that our tasks do not have, by their name in the other program."""

    def notes_with_extra(self) -> str:
        """Return the notes, followed by the extra properties, one per line."""
        lines = [
            f"{name}: {_to_text(value)}"
            for name, value in self.extra.items()
            if value not in (None, "", [], {})
        ]
        return "\n\n".join(filter(None, [self.notes.strip(), "\n".join(lines)]))


def status_of(*words: str) -> Status | None:
    """Return our state for the first word of another program that is known, or None."""
    return next((_STATUSES[word] for word in map(_normalise_word, words) if word in _STATUSES), None)


def priority_of(word: str) -> Priority | None:
    """Return our priority for a word of another program, or None if it is unknown; no word is medium."""
    return _PRIORITIES.get(_normalise_word(word) or "none")


def _normalise_word(word: str) -> str:
    # Some files decorate a state, as in `✔ Done:`.
    return " ".join(word.replace("_", " ").strip(" \t✓✅✔:").lower().split())


def _to_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return ", ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
