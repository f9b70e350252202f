"""The interface through which tasks read the other rooms of a repository, such as comments and milestones.

A room is a package that stores or computes one kind of thing. Rooms do not import each other: the workspace
passes an implementation of this interface that reads the others. Without one, every room is reported as
absent.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from holdfast.kernel.errors import Unavailable

RemarkKind = Literal["comment", "message", "issue", "milestone", "finding", "commit"]

ROOMS: tuple[str, ...] = ("comments", "inbox", "milestones", "findings", "git")
"""The rooms with remarks about a file or a task."""


@dataclass(frozen=True, slots=True)
class TaskRemark:
    """Something that another room has: a comment, message, issue, milestone, finding or commit."""

    kind: RemarkKind
    ref: str
    """Its id in that room."""
    text: str
    uri: str | None = None
    """The URI of the resource with its content."""
    title: str | None = None
    file: str | None = None
    line: int | None = None
    end_line: int | None = None
    author: str | None = None
    at: str | None = None
    """When it was written, in RFC 3339 format."""
    state: str | None = None
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RemarkQuery:
    """A search for remarks: on a task's files, linked to the task, or naming the task."""

    files: Sequence[str] = ()
    links: Sequence[tuple[str, str]] = ()
    """Pairs of kind and ref."""
    task_id: str = ""
    """The task's id, by which commits name it; empty for no commits."""
    limit: int = 5
    """The maximum number of remarks of each kind."""


@dataclass(slots=True)
class NearbyRemarks:
    """The remarks found, and the rooms that are absent or could not be read."""

    remarks: list[TaskRemark] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)
    """The number of remarks of each kind, including those beyond the limit."""
    absent: list[str] = field(default_factory=list)
    """Rooms that this repository does not have."""
    failures: dict[str, str] = field(default_factory=dict)
    """Rooms that could not be read, each with the reason."""


class Neighbours:
    """Access to the other rooms. This default implementation has no rooms."""

    def find_remarks(self, _query: RemarkQuery) -> NearbyRemarks:
        """Return the remarks about a task in the other rooms."""
        return NearbyRemarks(absent=list(ROOMS))

    def find(self, kind: RemarkKind, _ref: str, _file: str | None) -> TaskRemark:
        """Return one remark, of a comment also by its file; raise `NotFound` if it does not exist."""
        raise Unavailable(
            f"No {kind} can be read here.", hint="Run this in the repository, or start a server there."
        )

    def reply(self, _remark: TaskRemark, _text: str, _author: str) -> bool:
        """Reply to a remark; return False if remarks of its kind have no replies."""
        return False

    def closed_milestones(self, _names: Collection[str]) -> frozenset[str]:
        """Return the names that currently refer to a closed milestone."""
        return frozenset()

    def unread_counts(self) -> Mapping[str, int]:
        """Return the number of unread items in the other rooms, by kind."""
        return {}

    def close(self) -> None:
        """Release what was opened to read the other rooms."""
