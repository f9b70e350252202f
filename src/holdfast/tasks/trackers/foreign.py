"""A task as another program keeps it, in our words: what importers read and trackers exchange."""

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
    """One thing that must hold before the task counts as done."""

    text: str
    checked: bool = False


@dataclass(frozen=True)
class ForeignTask:
    """One task of another program. `origin` is what that program calls it, and never changes."""

    origin: str
    title: str
    description: str = ""
    status: Status = "backlog"
    priority: Priority = "medium"
    labels: tuple[str, ...] = ()
    criteria: tuple[ForeignCriterion, ...] = ()
    depends_on: tuple[str, ...] = ()
    """Origins of what has to be done first."""
    parent: str | None = None
    """The origin of the task it is a part of."""
    milestone: str | None = None
    plan: str = ""
    notes: str = ""
    url: str | None = None
    updated_at: str | None = None
    line: int | None = None
    """Where it stands in the file it was read from."""
    kept: Mapping[str, Any] = field(default_factory=dict)
    """What has no place with us, by the name it has over there."""

    def notes_with_the_kept(self) -> str:
        """Return the notes, and after them what has no other place, so that nothing is lost."""
        lines = [
            f"{name}: {_spelled(value)}"
            for name, value in self.kept.items()
            if value not in (None, "", [], {})
        ]
        return "\n\n".join(filter(None, [self.notes.strip(), "\n".join(lines)]))


@dataclass(frozen=True)
class Problem:
    """Something in a file that could not be taken over as it stands, and what was done instead."""

    file: str
    line: int | None
    message: str


def status_of(word: str) -> Status | None:
    """Return the state that a word of another program means, or None when it is not known."""
    return _STATUSES.get(_plain(word))


def priority_of(word: str) -> Priority | None:
    """Return the priority that a word of another program means, or None when it is not known."""
    return _PRIORITIES.get(_plain(word))


def _plain(word: str) -> str:
    return " ".join(word.replace("_", " ").strip(" \t✓✅✔:").lower().split())


def _spelled(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return ", ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
