"""What tasks want to know from the other rooms of a repository, whoever can tell.

Rooms do not know each other. The workspace hands this room somebody who knows the others; alone, everything
is absent, and said to be.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from holdfast.kernel.errors import Unavailable

RemarkKind = Literal["comment", "message", "issue", "milestone", "finding", "commit"]

ROOMS: tuple[str, ...] = ("comments", "inbox", "milestones", "findings", "git")
"""Who may have something to say about a file or a task."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that another room knows."""

    kind: RemarkKind
    ref: str
    """What it is called there."""
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
    """What a task has to do with: the files it is about, what it is linked to, and how commits name it."""

    files: Sequence[str] = ()
    links: Sequence[tuple[str, str]] = ()
    """Kinds and references."""
    name: str = ""
    limit: int = 5
    """Most remarks of each kind."""


@dataclass(slots=True)
class Surroundings:
    """What the other rooms know, as far as they are there and can be read."""

    remarks: list[Remark] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)
    """How many there are of each kind; more than are told, where there are many."""
    absent: list[str] = field(default_factory=list)
    """Rooms that are not there."""
    failures: dict[str, str] = field(default_factory=dict)
    """Rooms that could not be read, and why."""


class Neighbours:
    """Somebody who knows the other rooms. This one has nobody to ask."""

    def around(self, question: Question) -> Surroundings:
        """Return what the other rooms know about a task."""
        del question
        return Surroundings(absent=list(ROOMS))

    def find(self, kind: RemarkKind, ref: str, file: str | None) -> Remark:
        """Return one thing that another room knows, or raise `NotFound`."""
        del ref, file
        raise Unavailable(
            f"There is no room here that knows a {kind}.", hint="Start a server of the repository."
        )

    def answer(self, remark: Remark, text: str, author: str) -> bool:
        """Tell whoever made a remark what became of it, and return whether that is possible there."""
        del remark, text, author
        return False

    def closed_milestones(self, names: Collection[str]) -> frozenset[str]:
        """Return those of the names that mean a closed milestone, at this moment."""
        del names
        return frozenset()

    def waiting(self) -> Mapping[str, int]:
        """Return how much waits in the other rooms for somebody to look at it."""
        return {}

    def close(self) -> None:
        """End what was started to find out."""
