"""A labelled case: a file then and now, lines then, and where people say they are now."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from holdfast.comments.tracking.placement import FileVersion

BUCKETS = (
    "unchanged",
    "shifted",
    "edited",
    "renamed symbol",
    "moved in file",
    "moved file",
    "deleted",
    "deleted function",
    "deleted body",
    "replaced function",
    "replaced body",
    "deleted line",
)


@dataclass(frozen=True)
class Label:
    """A line of the old text and its line in the new one; none where it is gone.

    `literal` has both again where a mined label speaks of a declaration: the lines right below the comment,
    which may be annotations above the line with the name.
    """

    line: int
    truth: int | None
    bucket: str
    literal: tuple[int, int] | None = None

    def literally(self) -> Label:
        """Return the label of the lines right below the comment."""
        return replace(self, line=self.literal[0], truth=self.literal[1]) if self.literal else self


@dataclass(frozen=True)
class Case:
    """Two versions of a file, those between them in order, and the labels."""

    name: str
    old: FileVersion
    new: FileVersion
    labels: tuple[Label, ...]
    between: tuple[FileVersion, ...] = field(default=())

    @property
    def moved(self) -> bool:
        """Whether the code went to another file."""
        return self.old.path != self.new.path
