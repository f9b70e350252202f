"""The fixed values of task fields, above all the six states, and the allowed transitions between states."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

from holdfast.kernel.errors import InvalidArguments

Status = Literal["backlog", "in-progress", "blocked", "review", "done", "dropped"]
Priority = Literal["high", "medium", "low"]
Gate = Literal["none", "criteria", "evidence", "human"]
Kind = Literal["blocks", "related", "discovered_from", "duplicates", "supersedes"]

STATUSES: tuple[Status, ...] = get_args(Status)
PRIORITIES: tuple[Priority, ...] = get_args(Priority)
KINDS: tuple[Kind, ...] = get_args(Kind)

FINISHED: frozenset[str] = frozenset({"done", "dropped"})
IS_UNFINISHED = "status NOT IN ('{}')".format("', '".join(sorted(FINISHED)))
"""The opposite as a condition in SQL, word for word that of the partial index `task_milestone`."""
MILESTONE_PREFIX = "milestone:"
"""The prefix of closed milestones in `blocked_by`, where all other entries are task ids."""

TRANSITIONS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "backlog": frozenset({"in-progress", "blocked", "dropped"}),
        "in-progress": frozenset({"review", "blocked", "done", "backlog", "dropped"}),
        "blocked": frozenset({"backlog", "in-progress", "dropped"}),
        "review": frozenset({"done", "in-progress"}),
        "done": frozenset({"in-progress"}),
        "dropped": frozenset({"backlog"}),
    }
)

NEEDS_REASON: frozenset[tuple[str, str]] = frozenset(
    {(status, "blocked") for status in STATUSES} | {("done", "in-progress")}
)
"""Transitions that require a reason: blocking a task, and reopening a task that was done."""


def check_transition(before: str, after: str, reason: str | None) -> None:
    """Raise when the transition is not allowed, or lacks a required reason."""
    if before == after:
        return
    if after not in TRANSITIONS[before]:
        allowed = ", ".join(status for status in STATUSES if status in TRANSITIONS[before])
        raise InvalidArguments(
            f'A task cannot go from "{before}" to "{after}".',
            hint=f'From "{before}" it can go to: {allowed}.',
        )
    if (before, after) in NEEDS_REASON and not (reason or "").strip():
        raise InvalidArguments(
            f'Going from "{before}" to "{after}" needs a reason.', hint="Give it in `reason`."
        )
