"""The model of another program's task in our terms, shared by importers and trackers.

The modules that use it call such a task an item.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from holdfast.tasks.store.states import Priority, Status

_STATUSES: Mapping[str, Status] = MappingProxyType(
    {
        "backlog": "backlog", "todo": "backlog", "to do": "backlog", "to-do": "backlog", "open": "backlog",
        "pending": "backlog", "new": "backlog", "deferred": "backlog", "unstarted": "backlog",
        "triage": "backlog", "draft": "backlog", "planned": "backlog", "next": "backlog",
        "reopened": "backlog",
        "in progress": "in-progress", "in-progress": "in-progress", "doing": "in-progress",
        "started": "in-progress", "wip": "in-progress", "active": "in-progress",
        "indeterminate": "in-progress",
        "blocked": "blocked", "waiting": "blocked", "on hold": "blocked", "impeded": "blocked",
        "review": "review", "in review": "review", "in-review": "review", "testing": "review", "qa": "review",
        "done": "done", "completed": "done", "complete": "done", "closed": "done", "finished": "done",
        "resolved": "done",
        "dropped": "dropped", "cancelled": "dropped", "canceled": "dropped", "archived": "dropped",
        "won't do": "dropped", "wontfix": "dropped", "duplicate": "dropped",
    }
)  # fmt: skip
_PRIORITIES: Mapping[str, Priority] = MappingProxyType(
    {
        "critical": "high", "urgent": "high", "highest": "high", "high": "high",
        "medium": "medium", "normal": "medium", "none": "medium", "": "medium",
        "low": "low", "lowest": "low", "minor": "low",
    }
)  # fmt: skip


@dataclass(frozen=True)
class ForeignCriterion:
    """Something that must be true before the task is done."""

    text: str
    checked: bool = False


@dataclass(frozen=True)
class ForeignTask:
    """A task of another program. `origin` is its permanent id there."""

    origin: str
    title: str
    description: str = ""
    status: Status = "backlog"
    priority: Priority = "medium"
    labels: tuple[str, ...] = ()
    criteria: tuple[ForeignCriterion, ...] = ()
    depends_on: tuple[str, ...] = ()
    """Origins of the tasks that must be done first."""
    parent: str | None = None
    """The origin of its parent task."""
    milestone: str | None = None
    plan: str = ""
    notes: str = ""
    url: str | None = None
    updated_at: str | None = None
    line: int | None = None
    """The line in the source file where it starts."""
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


@dataclass(frozen=True)
class Problem:
    """Something in a file that could not be imported unchanged, and what was done instead."""

    file: str
    line: int | None
    message: str


def status_of(word: str) -> Status | None:
    """Return our state for a word of another program, or None if it is unknown."""
    return _STATUSES.get(_normalise_word(word))


def priority_of(word: str) -> Priority | None:
    """Return our priority for a word of another program, or None if it is unknown."""
    return _PRIORITIES.get(_normalise_word(word))


def _normalise_word(word: str) -> str:
    return " ".join(word.replace("_", " ").strip(" \t✓✅✔:").lower().split())


def _to_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return ", ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
