"""The interface through which tasks ask the other rooms of a repository.

Rooms do not import each other. The workspace passes this room an implementation that knows the others;
without one, every room is reported as absent.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from holdfast.kernel.errors import Unavailable

RemarkKind = Literal["comment", "message", "issue", "milestone", "finding", "commit"]

ROOMS: tuple[str, ...] = ("comments", "inbox", "milestones", "findings", "git")
"""The sources of remarks about a file or a task."""


@dataclass(frozen=True, slots=True)
class TaskRemark:
    """Something from another room: a comment, message, issue, milestone, finding or commit."""

    kind: RemarkKind
    ref: str
    """Its id in that room."""
    text: str
    uri: str | None = None
    """Where to read it."""
    title: str | None = None
    file: str | None = None
    line: int | None = None
    end_line: int | None = None
    author: str | None = None
    at: str | None = None
    state: str | None = None
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """What to look for: a task's files, its links, and its id as commits name it."""

    files: Sequence[str] = ()
    links: Sequence[tuple[str, str]] = ()
    """Pairs of kind and ref."""
    name: str = ""
    limit: int = 5
    """The maximum number of remarks of each kind."""


@dataclass(slots=True)
class Surroundings:
    """Remarks from the other rooms, and the rooms that could not contribute."""

    remarks: list[TaskRemark] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)
    """The number of remarks of each kind, including those beyond the limit."""
    absent: list[str] = field(default_factory=list)
    """Rooms that this repository does not have."""
    failures: dict[str, str] = field(default_factory=dict)
    """Rooms that could not be read, and why."""


class Neighbours:
    """Access to the other rooms. This default implementation has none."""

    def around(self, question: Question) -> Surroundings:
        """Return remarks about a task from the other rooms."""
        del question
        return Surroundings(absent=list(ROOMS))

    def find(self, kind: RemarkKind, ref: str, file: str | None) -> TaskRemark:
        """Return one remark by its kind and ref, or raise `NotFound`."""
        del ref, file
        raise Unavailable(
            f"No {kind} can be read here.", hint="Run this in the repository, or start a server there."
        )

    def answer(self, remark: TaskRemark, text: str, author: str) -> bool:
        """Reply to a remark; return False if its room has no replies."""
        del remark, text, author
        return False

    def closed_milestones(self, names: Collection[str]) -> frozenset[str]:
        """Return those of the names that currently refer to a closed milestone."""
        del names
        return frozenset()

    def waiting(self) -> Mapping[str, int]:
        """Return the number of unread items in the other rooms, by kind."""
        return {}

    def close(self) -> None:
        """Release resources."""
