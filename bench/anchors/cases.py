"""A labelled case: a file then and now, lines then, and where people say they are now."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdfast.comments.tracking.models import Version

BUCKETS = (
    "unchanged",
    "shifted",
    "edited",
    "renamed symbol",
    "moved in file",
    "moved file",
    "deleted",
)


@dataclass(frozen=True)
class Label:
    """A line of the old text and its line in the new one; none where it is gone."""

    line: int
    truth: int | None
    bucket: str


@dataclass(frozen=True)
class Case:
    """Two versions of a file, those between them in order, and the labels."""

    name: str
    old: Version
    new: Version
    labels: tuple[Label, ...]
    between: tuple[Version, ...] = field(default=())

    @property
    def moved(self) -> bool:
        """Whether the code went to another file."""
        return self.old.path != self.new.path
